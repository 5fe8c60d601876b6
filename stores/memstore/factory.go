package memstore

import (
	"fmt"

	"github.com/cosid-go/cosid/stores"
)

// Factory makes the store type `memory` known to a configuration. Its zero value gives every store a server of
// its own.
type Factory struct {
	// Server, if set, is what every store that the factory builds is a client of: several runtimes of one test
	// then share their counters, as the replicas of a service do.
	Server *Server
}

var _ stores.Factory = Factory{}

// Options are the options of `type: memory`: there are none.
type Options struct{}

// Type is `memory`.
func (Factory) Type() string { return "memory" }

// NewOptions returns *Options.
func (Factory) NewOptions() any { return &Options{} }

// Build returns a *Store that is not started yet.
func (f Factory) Build(spec stores.Spec, options any) (stores.Store, error) {
	if _, ok := options.(*Options); !ok {
		return nil, fmt.Errorf("memstore: build %q: options are a %T, not what NewOptions returned", spec.Name, options)
	}
	if f.Server == nil {
		return New(), nil
	}
	return f.Server.Client(), nil
}
