package periodic

import (
	"slices"

	"github.com/cosid-go/cosid/generators"
)

// maxFloors bounds the periods whose floor is remembered: more than any clock steps over.
const maxFloors = 8

// past is what is kept of periods that were left. The zero past is empty.
type past struct {
	closing []*window        // being closed: their counts may still change
	sum     generators.Stats // of those that are closed
	floors  []floor          // the last one left comes last
}

// floor is where ranges of a period may start, should it be entered again.
type floor struct {
	period string
	value  int64
}

// floor is the remembered floor of period, 0 for none. Forgetting one gives up a check of the store, not uniqueness:
// the store's ranges never overlap anyway (S1).
func (p *past) floor(period string) int64 {
	for _, f := range p.floors {
		if f.period == period {
			return f.value
		}
	}
	return 0
}

// leave takes over a window that is about to be closed.
func (p *past) leave(w *window) {
	p.closing = append(p.closing, w)
	p.remember(w)
}

// bury adds up a window that is closed. Its last range may have come only while it was being closed.
func (p *past) bury(w *window) {
	p.closing = slices.DeleteFunc(p.closing, func(other *window) bool { return other == w })
	p.sum = add(p.sum, w.ids.Stats())
	p.remember(w)
}

func (p *past) remember(w *window) {
	value := max(p.floor(w.period), w.ids.HighWater())
	p.floors = slices.DeleteFunc(p.floors, func(f floor) bool { return f.period == w.period })
	p.floors = append(p.floors, floor{w.period, value})
	p.floors = p.floors[max(len(p.floors)-maxFloors, 0):]
}

// add adds up the counts; the rate and the latency are those of b, unless b has none.
func add(a, b generators.Stats) generators.Stats {
	sum := generators.Stats{
		Issued:            a.Issued + b.Issued,
		Reserved:          a.Reserved + b.Reserved,
		Dropped:           a.Dropped + b.Dropped,
		AtHand:            a.AtHand + b.AtHand,
		Reservations:      a.Reservations + b.Reservations,
		Failures:          a.Failures + b.Failures,
		Rate:              b.Rate,
		LastRefillLatency: b.LastRefillLatency,
	}
	if b.Reservations+b.Failures == 0 {
		sum.LastRefillLatency = a.LastRefillLatency
	}
	return sum
}

// Stats is the account of all periods since the process began. The rate is that of the current one.
func (g *Generator) Stats() generators.Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	sum := g.past.sum
	for _, w := range g.past.closing {
		sum = add(sum, w.ids.Stats())
	}
	if g.next != nil {
		sum = add(sum, g.next.ids.Stats())
	}
	sum.Rate = 0
	if w := g.current.Load(); w.ids != nil {
		sum = add(sum, w.ids.Stats())
	}
	return sum
}
