package filestore

import (
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
)

// Factory makes the store type `files` known to a configuration. It needs nothing.
type Factory struct{}

var _ stores.Factory = Factory{}

// Options are the options of `type: files`.
type Options struct {
	// Dir is an existing directory on a local disk. It is required.
	Dir string `koanf:"dir"`

	// Poll is how long a call pauses, on average, before each look whether the lock is free. It is up to 1s.
	Poll time.Duration `koanf:"poll"`
}

// Validate joins a *field.Error for each key that is wrong.
func (o *Options) Validate() error {
	var mistakes []error
	if o.Dir == "" {
		mistakes = append(mistakes, field.Errorf("dir", "an existing directory on a local disk", "missing"))
	}
	if o.Poll <= 0 || o.Poll > time.Second {
		mistakes = append(mistakes, field.Errorf("poll", "a duration such as 1ms, up to 1s", "%v is out of bounds", o.Poll))
	}
	return errors.Join(mistakes...)
}

// Type is `files`.
func (Factory) Type() string { return "files" }

// NewOptions returns *Options: no directory, a poll of 1ms.
func (Factory) NewOptions() any { return &Options{Poll: time.Millisecond} }

// Build returns a *Store that is not started yet.
func (Factory) Build(spec stores.Spec, options any) (stores.Store, error) {
	o, ok := options.(*Options)
	if !ok {
		return nil, fmt.Errorf("filestore: build %q: options are a %T, not what NewOptions returned", spec.Name, options)
	}
	if err := o.Validate(); err != nil { // whoever builds without a configuration has not called it
		return nil, fmt.Errorf("filestore: build %q: %w", spec.Name, err)
	}
	return &Store{spec: spec, options: *o}, nil
}
