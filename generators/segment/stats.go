package segment

import (
	"time"

	"github.com/cosid-go/cosid/generators"
)

// totals are the sums over what happened; the spans in use come on top.
type totals struct {
	issued, reserved, dropped int64
	reservations, failures    int64
	latency                   time.Duration // of the last call to the store
}

// Stats is the generator's account. It is computed from positions when asked; nothing is counted with each id.
func (g *Generator) Stats() generators.Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	issued := g.issued()
	return generators.Stats{
		Issued:            issued,
		Reserved:          g.totals.reserved,
		Dropped:           g.totals.dropped,
		AtHand:            g.totals.reserved - g.totals.dropped - issued,
		Reservations:      g.totals.reservations,
		Failures:          g.totals.failures,
		Rate:              g.meter.estimate(time.Now(), issued) / g.meter.window.Seconds(),
		LastRefillLatency: g.totals.latency,
	}
}

// issued is how many ids were taken so far, in total. Under mu.
func (g *Generator) issued() int64 { return g.totals.issued + g.current.Load().issued() }
