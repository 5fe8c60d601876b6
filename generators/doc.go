// Package generators holds the contracts of id generators: what they return (Generator, GroupedGenerator,
// GroupedID), the calendar periods that bill numbers restart in (Period), what can be watched (Hooks, Stats)
// and how a strategy is made known to a configuration (Factory).
//
// Each sub-package is one strategy.
package generators
