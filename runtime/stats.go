package runtime

import "github.com/cosid-go/cosid/generators"

// Stats is the account of a Runtime at one moment.
type Stats struct {
	Namespace  string
	Generators []GeneratorStats // sorted by name
}

// GeneratorStats is the account of one generator. What its strategy does not tell, or does not have, is nil.
type GeneratorStats struct {
	Name     string
	Strategy string // the word at `strategy:`
	Store    string // the name of its store; empty where it needs none

	Counts *generators.Stats
	Period *generators.PeriodStats // of ids that restart in each period
	Lease  *generators.LeaseStats  // of ids that carry a machine slot
}

// What an instance may tell about itself.
type (
	counting interface{ Stats() generators.Stats }
	dated    interface{ PeriodStats() generators.PeriodStats }
	leasing  interface{ LeaseStats() generators.LeaseStats }
)

// Stats asks every generator for its account. It does no I/O, works at all times, and costs the making of ids nothing:
// what it reports is computed when it is called.
func (rt *Runtime) Stats() Stats {
	stats := Stats{Namespace: rt.namespace, Generators: make([]GeneratorStats, 0, len(rt.entries))}
	for name, e := range rt.All() {
		stats.Generators = append(stats.Generators, rt.statsOf(name, e))
	}
	return stats
}

func (rt *Runtime) statsOf(name string, e *Entry) GeneratorStats {
	watched := rt.watch.generators[name]
	stats := GeneratorStats{Name: name, Strategy: watched.strategy, Store: watched.store}
	if g, ok := e.instance.(counting); ok {
		stats.Counts = new(g.Stats())
	}
	if g, ok := e.instance.(dated); ok {
		stats.Period = new(g.PeriodStats())
	}
	if g, ok := e.instance.(leasing); ok {
		stats.Lease = new(g.LeaseStats())
	}
	return stats
}
