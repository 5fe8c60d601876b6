package periodic

import "github.com/cosid-go/cosid/generators"

// PeriodStats tells of the period that contains the present moment, whether or not an id of it was drawn yet.
func (g *Generator) PeriodStats() generators.PeriodStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.calendar.at(g.clock())
	stats := generators.PeriodStats{Period: p.period, Ends: p.end}
	for _, w := range []*window{g.current.Load(), g.next} {
		if w != nil && w.ids != nil && w.period == p.period {
			stats.AtHand = w.ids.Stats().AtHand
		}
	}
	return stats
}
