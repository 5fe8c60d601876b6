package snowflake

import (
	"context"
	"fmt"

	"github.com/cosid-go/cosid/generators"
)

// Generator makes numbers of a tick, a slot and a sequence. It is a generators.Generator, safe for concurrent use. It
// must be started, and closed.
type Generator struct {
	*sequence
}

var (
	_ generators.Generator = (*Generator)(nil)
	_ generators.Instance  = (*Generator)(nil)
)

// Next returns one id. While the window holds ticks it takes no lock, looks at no ctx and allocates nothing. It waits for
// its tick where max-ahead is reached, and for the store where the window has ended and no attempt to extend it has
// failed yet; no longer than ctx and 3s.
//
// Errors: generators.ErrLeaseExpired, which says since when and why; generators.ErrRateExceeded after a wait for a tick;
// generators.ErrTimestampExhausted; generators.ErrClosed.
func (g *Generator) Next(ctx context.Context) (int64, error) {
	q := g.sequence
	w := q.window.Load()
	if word, ok := q.takeOne(w); ok {
		return q.id(w, word), nil
	}
	word, _, w, err := q.await(ctx, 1)
	if err != nil {
		return 0, err
	}
	return q.id(w, word), nil
}

// Fill implements generators.Generator. Ids that fit into the window, and are not too far ahead, cost one atomic change
// together. It waits and fails as Next does, for each such stretch of ids.
func (g *Generator) Fill(ctx context.Context, ids []int64) (int, error) {
	q := g.sequence
	for filled := 0; filled < len(ids); {
		first, got, w, err := q.next(ctx, int64(len(ids)-filled))
		if err != nil {
			return filled, err
		}
		for word := first; word < first+got; word++ {
			ids[filled] = q.id(w, word)
			filled++
		}
	}
	return len(ids), nil
}

// Layout says how the ids are made up, for taking them apart.
func (g *Generator) Layout() generators.Layout { return g.layout }

// Start takes part in the lease of the process for the store and namespace. The first generator acquires it, no longer
// than ctx: stores.ErrNoFreeSlot and stores.ErrSlotSettings are final.
func (q *sequence) Start(ctx context.Context) error {
	if err := q.holder.join(ctx, q); err != nil {
		return fmt.Errorf("snowflake: start %q: %w", q.name, err)
	}
	return nil
}

// Close ends the making of ids, and calls that wait for one. With the last generator that takes part in it, the lease is
// released, no longer than ctx. It is safe before Start and more than once.
func (q *sequence) Close(ctx context.Context) error {
	if err := q.holder.leave(ctx, q); err != nil {
		return fmt.Errorf("snowflake: close %q: %w", q.name, err)
	}
	return nil
}

// LeaseStats tells how the lease of the process stands. A window that this generator's layout has no tick in is none.
func (q *sequence) LeaseStats() generators.LeaseStats {
	s := q.holder.stats()
	if err := q.misfit(); err != nil && s.Slot >= 0 {
		s.State, s.Remaining, s.Err = generators.LeaseExpired, 0, err
	}
	return s
}
