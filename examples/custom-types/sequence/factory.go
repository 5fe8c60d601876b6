package sequence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Factory makes the strategy `sequence` known to a configuration. It needs nothing.
type Factory struct{}

var _ generators.Factory = Factory{}

// Settings are the keys of a sequence generator in a configuration.
type Settings struct {
	// InitialOffset is the first id of a key that the store does not know yet. Not negative.
	InitialOffset int64 `koanf:"initial-offset"`

	// RandomStart hides from the first customers that they are: a new key starts at InitialOffset plus a random number
	// below it. Of several replicas one creates the key (S2), and the others go on from there. 0 = off.
	RandomStart int64 `koanf:"random-start"`
}

// Validate joins a *field.Error for each key that is wrong.
func (s *Settings) Validate() error {
	var mistakes []error
	if s.InitialOffset < 0 || s.InitialOffset == math.MaxInt64 {
		mistakes = append(mistakes, field.Errorf("initial-offset", "0 to 2^63-2", "%d is out of bounds", s.InitialOffset))
	}
	if s.RandomStart < 0 || s.RandomStart > math.MaxInt64-max(s.InitialOffset, 0) {
		mistakes = append(mistakes, field.Errorf("random-start", "0 for none, or a number that leaves room for ids above",
			"%d is out of bounds", s.RandomStart))
	}
	return errors.Join(mistakes...)
}

// Strategy is `sequence`.
func (Factory) Strategy() string { return "sequence" }

// NewSettings returns *Settings: from 1 on.
func (Factory) NewSettings() any { return &Settings{InitialOffset: 1} }

// Build returns a *Generator.
func (Factory) Build(spec generators.Spec, settings any) (generators.Instance, error) {
	s, ok := settings.(*Settings)
	if !ok {
		return nil, fmt.Errorf("sequence: settings are a %T, not what NewSettings returned", settings)
	}
	if err := s.Validate(); err != nil { // whoever builds without a configuration has not called it
		return nil, fmt.Errorf("sequence: %w", err)
	}
	store, ok := spec.Store.(stores.RangeStore)
	if !ok {
		return nil, fmt.Errorf("sequence: store %q cannot reserve ranges; choose one that can", spec.StoreName)
	}
	g := &Generator{spec: spec, store: store, key: stores.RangeKey(spec.Namespace, spec.Name), first: s.InitialOffset}
	if s.RandomStart > 0 {
		g.first += rand.Int64N(s.RandomStart)
	}
	// Not a caller's context: it would end with the start of the application.
	g.life, g.end = context.WithCancel(context.Background())
	return g, nil
}
