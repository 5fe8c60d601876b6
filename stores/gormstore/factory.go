package gormstore

import (
	"fmt"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
)

// Factory makes the store type `gorm` known to a configuration. Its zero value builds stores from their DSN.
type Factory struct {
	// DB, if set, is used by every store without a DSN. The store runs on its root pool, outside of any
	// transaction, and never closes it. It must stay open until the store is closed.
	DB *gorm.DB
}

var _ stores.Factory = Factory{}

// Type is `gorm`.
func (Factory) Type() string { return "gorm" }

// NewOptions returns *Options with the defaults.
func (f Factory) NewOptions() any {
	options := DefaultOptions()
	options.handedIn = f.DB != nil
	return &options
}

// Build returns a *Store that is not started yet.
func (f Factory) Build(spec stores.Spec, options any) (stores.Store, error) {
	o, ok := options.(*Options)
	if !ok {
		return nil, fmt.Errorf("gormstore: build %q: options are a %T, not what NewOptions returned", spec.Name, options)
	}
	store, err := New(spec, f.DB, *o)
	if err != nil {
		return nil, err
	}
	return store, nil
}
