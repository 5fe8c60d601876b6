package segment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// waiter is one call that waits for ids. Ranges that come are dealt out to waiters in the order of their arrival before
// anybody else can take from them, so that no caller is overtaken for ever.
type waiter struct {
	lack   int64          // ids it still waits for
	grants []stores.Range // what it was given so far
	err    error          // why it is given no more

	done chan struct{} // closed when lack is 0 or err is set
}

// advance is called when span s gives no more ids. Without a waiter and an error it is worth trying again: another
// span is current.
func (g *Generator) advance(ctx context.Context, s *span, lack int64) (*waiter, error) {
	g.mu.Lock()
	w, dropped, err := g.move(ctx, s, lack)
	g.mu.Unlock()
	g.announceDropped(dropped)
	return w, err
}

// move puts the next span in the place of s. Where there is none, it lets the caller queue, and starts an attempt if
// need be. Under mu.
func (g *Generator) move(ctx context.Context, s *span, lack int64) (*waiter, []stores.Range, error) {
	if g.closed {
		return nil, nil, g.closedError()
	}
	if g.current.Load() != s {
		return nil, nil, nil
	}
	if next := g.next; next != nil {
		g.next = nil
		return nil, g.retire(s, next), nil
	}
	dropped := g.retire(s, g.empty)
	now := time.Now()
	g.meter.dry(now)
	if err := g.refill.refuses(now); err != nil {
		return nil, dropped, err
	}
	if err := ctx.Err(); err != nil {
		return nil, dropped, g.unavailable(err)
	}
	w := &waiter{lack: lack, done: make(chan struct{})}
	g.queue = append(g.queue, w)
	if g.refill.attempt == nil {
		g.start(false)
	}
	return w, dropped, nil
}

// serve deals span s out to the queue, then makes it current. Under mu, with nothing at hand: a queue forms only then.
func (g *Generator) serve(s *span) []stores.Range {
	g.refill.due = false // s is what was asked for
	for len(g.queue) > 0 {
		w := g.queue[0]
		first, got := s.take(w.lack)
		if got == 0 {
			break
		}
		w.lack -= got
		w.grants = append(w.grants, stores.Range{Start: s.start + first, End: s.start + first + got})
		if first <= s.trigger && s.trigger < first+got {
			g.refill.due = true
		}
		if w.lack > 0 {
			break
		}
		close(w.done)
		g.queue[0] = nil
		g.queue = g.queue[1:]
	}
	return g.retire(g.current.Load(), s)
}

// await waits until w is served, no longer than ctx and reserve-timeout allow, and writes what it was given.
func (g *Generator) await(ctx context.Context, w *waiter, ids []int64) (int, error) {
	timer := time.NewTimer(g.policy.ReserveTimeout)
	defer timer.Stop()
	var err error
	select {
	case <-w.done:
	case <-g.life.Done():
		err = g.closedError()
	case <-ctx.Done():
		err = g.unavailable(ctx.Err())
	case <-timer.C:
		err = g.unavailable(fmt.Errorf("the store did not bring enough ids within reserve-timeout %v", g.policy.ReserveTimeout))
	}
	g.mu.Lock()
	switch {
	case w.lack == 0:
		err = nil
	case w.err != nil:
		err = w.err
	default:
		g.queue = slices.DeleteFunc(g.queue, func(other *waiter) bool { return other == w })
	}
	g.mu.Unlock()
	filled := 0
	for _, r := range w.grants {
		for i := range r.Size() {
			ids[filled] = r.Start + i
			filled++
		}
	}
	return filled, err
}

func (g *Generator) unavailable(cause error) error {
	return fmt.Errorf("segment: reserve %q: %w: %w", g.key, generators.ErrRangeUnavailable, cause)
}

func (g *Generator) closedError() error {
	return fmt.Errorf("segment: next id of %q: %w", g.key, generators.ErrClosed)
}
