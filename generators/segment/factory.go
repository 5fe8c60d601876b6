package segment

import (
	"fmt"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Strategy is the word for this strategy in a configuration.
const Strategy = "segment"

// Factory makes the strategy known to a configuration. Its settings are *Settings.
type Factory struct{}

var _ generators.Factory = Factory{}

// Settings are the keys of a segment generator in a configuration.
type Settings struct {
	Policy
}

// Strategy implements generators.Factory.
func (Factory) Strategy() string { return Strategy }

// NewSettings implements generators.Factory: a *Settings with the defaults.
func (Factory) NewSettings() any { return &Settings{Policy: DefaultPolicy()} }

// Build implements generators.Factory. It makes a *Generator.
func (Factory) Build(spec generators.Spec, settings any) (generators.Instance, error) {
	s, ok := settings.(*Settings)
	if !ok {
		return nil, fmt.Errorf("segment: settings are a %T, not a *segment.Settings", settings)
	}
	store, ok := spec.Store.(stores.RangeStore)
	if !ok {
		return nil, fmt.Errorf("segment: store %q cannot reserve ranges; choose one that can", spec.StoreName)
	}
	return New(store, stores.RangeKey(spec.Namespace, spec.Name), s.Policy, Options{
		Name:         spec.Name,
		StoreTimeout: spec.StoreTimeout,
		Hooks:        spec.Hooks,
		Logger:       spec.Logger,
	})
}
