package config

import (
	"fmt"
	"time"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Config is a checked `cosid:` section: every name in it resolves, and every setting is within its bounds.
// Lists are sorted by name.
type Config struct {
	// Enabled is false where the section says `enabled: false`; then everything below is empty.
	Enabled bool

	// Namespace is the first part of every key in the stores.
	Namespace string

	Stores     []Store
	Generators []Generator
	Codecs     []Codec

	// Slots is how the generators that need a machine slot lease one. It is zero where none needs a slot, and has
	// neither limit nor owner where none leases it.
	Slots generators.Slots

	// Settings are all values that the section came to, defaults included: its own, then those of the codecs, the
	// stores and the generators, each by name.
	Settings []Setting

	// Warnings are findings that do not stop a start, each a sentence; the runtime logs them.
	Warnings []string
}

// Store is one entry of cosid.stores.
type Store struct {
	Name    string
	Timeout time.Duration // the bound of each call to the server
	Opening time.Duration // the bound of Start
	Lazy    bool          // whether the application starts without the store where it cannot be opened
	Options any           // what Factory.NewOptions returned, decoded and validated
	Factory stores.Factory
	Place   Place // of the entry
	Within  Place // of its options
}

// Generator is one entry of cosid.generators.
type Generator struct {
	Name     string
	Store    string // the name of its store; empty for one that needs none
	Settings any    // what Factory.NewSettings returned, decoded and validated
	Factory  generators.Factory
	Period   generators.Period // the zero Period for a strategy that makes plain numbers

	Layout *generators.Layout // nil for a strategy whose ids hold no time
	Text   bool               // whether the strategy makes texts, which no codec writes

	// Exactly one of these is set, none for texts: GroupedCodec for a strategy that makes grouped ids.
	Codec        codecs.Codec
	GroupedCodec codecs.GroupedCodec

	Place Place
}

// WithParts is the generator with the codec that parts make for its ids, in place of its own. Its error joins a
// *codecs.ListError for each mistake.
func (g Generator) WithParts(parts []codecs.Part) (_ Generator, err error) {
	g.Codec, g.GroupedCodec = nil, nil
	switch {
	case g.Text:
		err = fmt.Errorf("the strategy %q makes texts, which no codec writes", g.Factory.Strategy())
	case g.Grouped():
		g.GroupedCodec, err = codecs.NewGrouped(parts, g.Period)
	case g.Layout != nil:
		g.Codec, err = codecs.NewWithLayout(parts, *g.Layout)
	default:
		g.Codec, err = codecs.New(parts)
	}
	return g, err
}

// Grouped tells whether the generator makes grouped ids.
func (g Generator) Grouped() bool { return g.Period != 0 }

// Codec is one entry of cosid.codecs. It is compiled for the ids of each generator that uses it.
type Codec struct {
	Name  string
	Parts []codecs.Part
}
