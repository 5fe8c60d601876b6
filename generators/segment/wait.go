package segment

import (
	"context"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// waiter is one call that may have to wait for ids, several times over.
type waiter struct {
	generator *Generator
	wanted    int64     // its part of Generator.wanted
	deadline  time.Time // of all its waits; zero before the first
}

// want tells the generator how many ids the call still lacks, so that the next reservation is large enough.
func (w *waiter) want(n int64) {
	if n != w.wanted {
		w.generator.wanted.Add(n - w.wanted)
		w.wanted = n
	}
}

// advance is called when span s gives no more ids. It returns nil once it is worth trying again: another span is
// current, or a reservation brought one.
func (w *waiter) advance(ctx context.Context, s *span) error {
	g := w.generator
	g.mu.Lock()
	attempt, dropped, err := g.move(ctx, s)
	g.mu.Unlock()
	g.announceDropped(dropped)
	if attempt == nil || err != nil {
		return err
	}
	return w.await(ctx, attempt)
}

// move puts the next span in the place of s. Where there is none, it returns the attempt to wait for, which it
// starts if need be. Under mu.
func (g *Generator) move(ctx context.Context, s *span) (*attempt, []stores.Range, error) {
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
	if g.refill.attempt == nil {
		g.start(false)
	}
	return g.refill.attempt, dropped, nil
}

// await waits for the attempt's outcome, no longer than ctx and reserve-timeout allow.
func (w *waiter) await(ctx context.Context, a *attempt) error {
	g := w.generator
	if w.deadline.IsZero() {
		w.deadline = time.Now().Add(g.policy.ReserveTimeout)
	}
	timer := time.NewTimer(time.Until(w.deadline))
	defer timer.Stop()
	select {
	case <-a.done:
		return a.err
	case <-g.life.Done():
		return g.closedError()
	case <-ctx.Done():
		return g.unavailable(ctx.Err())
	case <-timer.C:
		return g.unavailable(fmt.Errorf("the store did not answer within reserve-timeout %v", g.policy.ReserveTimeout))
	}
}

func (g *Generator) unavailable(cause error) error {
	return fmt.Errorf("segment: reserve %q: %w: %w", g.key, generators.ErrRangeUnavailable, cause)
}

func (g *Generator) closedError() error {
	return fmt.Errorf("segment: next id of %q: %w", g.key, generators.ErrClosed)
}
