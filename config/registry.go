package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// registry holds the types that a configuration may name.
type registry struct {
	stores     map[string]stores.Factory
	strategies map[string]generators.Factory
	parts      map[string]codecs.PartFactory
}

func newRegistry(options Options) (*registry, error) {
	known := &registry{
		stores:     map[string]stores.Factory{},
		strategies: map[string]generators.Factory{},
		parts:      map[string]codecs.PartFactory{},
	}
	for _, f := range options.Stores {
		if _, twice := known.stores[f.Type()]; twice {
			return nil, fmt.Errorf("cosid: store type %q is registered twice; register one factory a type", f.Type())
		}
		known.stores[f.Type()] = f
	}
	for _, f := range options.Strategies {
		if _, twice := known.strategies[f.Strategy()]; twice {
			return nil, fmt.Errorf("cosid: strategy %q is registered twice; register one factory a strategy", f.Strategy())
		}
		known.strategies[f.Strategy()] = f
	}
	for _, f := range options.Parts {
		if _, twice := known.parts[f.Name()]; twice {
			return nil, fmt.Errorf("cosid: codec part %q is registered twice; register one factory a part", f.Name())
		}
		known.parts[f.Name()] = f
	}
	return known, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
