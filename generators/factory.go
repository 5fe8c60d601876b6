package generators

import (
	"context"
	"log/slog"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// Instance is what a Factory builds: a life cycle around a Generator or a GroupedGenerator, which it must also
// implement.
type Instance interface {
	// Start begins what the generator does in the background, if anything; ctx bounds Start only.
	Start(ctx context.Context) error

	// Close stops the generator's goroutines and waits for them, no longer than ctx. Calls that wait for an id
	// return ErrClosed. It is safe before Start and more than once.
	Close(ctx context.Context) error
}

// Spec says how one configured generator is built.
type Spec struct {
	Namespace    string
	Name         string        // the generator's name under cosid.generators
	Store        stores.Store  // nil where no store is configured
	StoreName    string        // for messages
	StoreTimeout time.Duration // the bound of each call to Store
	Hooks        Hooks
	Logger       *slog.Logger // never nil
}

// Factory makes a strategy known to a configuration, by value: nothing registers itself. The built-in
// strategies come in by this door too.
type Factory interface {
	// Strategy is the word written at `strategy:` in cosid.generators.
	Strategy() string

	// NewSettings returns a pointer to a new struct that holds the defaults; the generator's keys are decoded
	// strictly over it, except those that every generator has (strategy, store, codec). Fields name their keys
	// with a `koanf:"kebab-case"` tag; embedded structs are flattened. If the pointer has a method
	// Validate() error, it is called after decoding; errors that name a key are field.Errors (config/field).
	// Settings of a strategy that makes GroupedIDs implement GroupedSettings.
	NewSettings() any

	// Build makes the generator from the pointer that NewSettings returned. It does no I/O.
	Build(spec Spec, settings any) (Instance, error)
}

// GroupedSettings is implemented by the settings of a strategy that builds a GroupedGenerator.
type GroupedSettings interface {
	// IDPeriod is the period that the ids carry; codecs need its width.
	IDPeriod() Period
}
