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
	Slots        Slots         // how a machine slot is leased, for strategies that need one
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
	// What the ids are like, the settings say by what they implement: GroupedSettings, LayoutSettings, TextSettings,
	// SlotSettings.
	NewSettings() any

	// Build makes the generator from the pointer that NewSettings returned. It does no I/O.
	Build(spec Spec, settings any) (Instance, error)
}

// GroupedSettings is implemented by the settings of a strategy that builds a GroupedGenerator.
type GroupedSettings interface {
	// IDPeriod is the period that the ids carry; codecs need its width.
	IDPeriod() Period
}

// LayoutSettings is implemented by the settings of a strategy that builds a Generator whose ids hold a time, a slot
// and a sequence.
type LayoutSettings interface {
	// IDLayout is how they lie in the bits, which the settings have at the keys bits.timestamp, bits.slot and
	// bits.sequence; codecs read the time from it. It is asked for after Validate, whatever that said.
	IDLayout() Layout
}

// TextSettings is implemented by the settings of a strategy that builds a TextGenerator. Its texts are final: no codec
// is written for them.
type TextSettings interface {
	// MakesText does nothing: that it is there says all.
	MakesText()
}

// SlotSettings is implemented by the settings of a strategy whose ids carry a machine slot. Its store is the one named
// at `store`, else that of cosid.slots, else the only one there is.
type SlotSettings interface {
	// LeasesSlot tells whether the slot comes from a store. Where it does not, Spec.Store is nil, and no store has to
	// be declared. It is asked for after Validate, whatever that said.
	LeasesSlot() bool

	// IDSlotBits is how many bits hold the slot: cosid.slots must not have a limit beyond them. A mistake is told at
	// the key bits.slot.
	IDSlotBits() int
}
