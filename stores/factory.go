package stores

import (
	"context"
	"log/slog"
	"time"
)

// Store is what a Factory builds: a life cycle around one or more abilities. A store that reserves ranges
// also implements RangeStore, and Sealer where it can seal.
type Store interface {
	// Start opens and verifies the store; ctx bounds Start only. All I/O begins here. A Start that failed leaves nothing
	// open and may be called again. Close may be called while it runs.
	Start(ctx context.Context) error

	// Close gives back what Start, or the factory, opened, and nothing that was handed in. It is safe before
	// Start and more than once.
	Close() error
}

// Spec says how one configured store is built.
type Spec struct {
	Name    string        // the store's name under cosid.stores, for messages
	Timeout time.Duration // the bound of each call to the server, more than 0
	Logger  *slog.Logger  // never nil
}

// Factory makes a store type known to a configuration, by value: nothing registers itself. The built-in
// stores come in by this door too.
type Factory interface {
	// Type is the word written at `type:` in cosid.stores.
	Type() string

	// NewOptions returns a pointer to a new struct that holds the defaults; the section's `options` are decoded
	// strictly over it. Fields name their keys with a `koanf:"kebab-case"` tag. If the pointer has a method
	// Validate() error, it is called after decoding; errors that name a key are field.Errors (config/field).
	NewOptions() any

	// Build makes the store from the pointer that NewOptions returned. It does no I/O.
	Build(spec Spec, options any) (Store, error)
}
