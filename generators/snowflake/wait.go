package snowflake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosid-go/cosid/generators"
)

// longestWait bounds how long a caller waits for the next word: for its tick, or for the answer of the store.
const longestWait = 3 * time.Second

var (
	errNotStarted = errors.New("the generator is not started")
	errNoSlotYet  = errors.New("no slot is leased yet")
	errMoving     = errors.New("the generator is moving to another slot")
)

// next takes up to n successive words of one window, at least one. It waits no longer than ctx and longestWait.
func (q *sequence) next(ctx context.Context, n int64) (first, got int64, w *window, err error) {
	w = q.window.Load()
	if first, got = q.take(w, n); got > 0 {
		return first, got, w, nil
	}
	return q.await(ctx, n)
}

// await is next where nothing was at hand. It is kept out of it, so that next needs next to no stack.
//
//go:noinline
func (q *sequence) await(ctx context.Context, n int64) (first, got int64, w *window, err error) {
	gaveUp := time.NewTimer(longestWait)
	defer gaveUp.Stop()
	for {
		tenure, changed := q.holder.watch() // before the look, so that no change is missed
		w = q.window.Load()
		if first, got = q.take(w, n); got > 0 {
			return first, got, w, nil
		}
		lack, pause := q.look(w)
		if lack == passing {
			continue
		}
		if err := q.refusal(lack, w, tenure); err != nil {
			return 0, 0, nil, err
		}
		if err := q.pause(ctx, lack, pause, changed, gaveUp.C); err != nil {
			return 0, 0, nil, err
		}
	}
}

// misfit says why the layout has no tick in the window of the lease, if that is so.
func (q *sequence) misfit() error {
	w := q.window.Load()
	switch lack, _ := q.look(w); {
	case lack == exhausted:
		return fmt.Errorf("%w: %d bits end at %v", generators.ErrTimestampExhausted, q.layout.TimestampBits, q.layout.End())
	case lack == ended && !slices.Contains([]error{errNotStarted, errNoSlotYet, errMoving, generators.ErrClosed}, w.end):
		return w.end
	}
	return nil
}

// refusal is the error where waiting does not help, or would be for long.
func (q *sequence) refusal(lack shortage, w *window, t tenure) error {
	switch {
	case lack == exhausted:
		return q.failed(fmt.Errorf("%w: %d bits end at %v", generators.ErrTimestampExhausted, q.layout.TimestampBits,
			q.layout.End()))
	case lack == ended && errors.Is(w.end, generators.ErrClosed):
		return q.failed(generators.ErrClosed)
	case lack == ended && errors.Is(w.end, errNoSlotYet):
		if t.failure == nil {
			return nil // the store is being asked
		}
		return q.failed(q.expired(t, t.failure))
	case lack == ended && !errors.Is(w.end, errMoving):
		return q.failed(fmt.Errorf("%w: %w", generators.ErrLeaseExpired, w.end))
	case lack == outside && t.failure != nil:
		return q.failed(q.expired(t, t.failure))
	}
	return nil
}

// pause waits until another look may help.
func (q *sequence) pause(
	ctx context.Context, lack shortage, pause time.Duration, changed <-chan struct{}, gaveUp <-chan time.Time,
) error {
	var due <-chan time.Time
	if lack == borrowed {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-changed:
		return nil
	case <-due:
		return nil
	case <-ctx.Done():
		return q.late(lack, ctx.Err())
	case <-gaveUp:
		return q.late(lack, fmt.Errorf("waited for %v", longestWait))
	}
}

// late is the error of a caller that has waited for long enough.
func (q *sequence) late(lack shortage, cause error) error {
	if lack == borrowed {
		return q.failed(fmt.Errorf("%w: more ids were asked for than the layout holds until now and max-ahead: %w",
			generators.ErrRateExceeded, cause))
	}
	t, _ := q.holder.watch()
	return q.failed(q.expired(t, fmt.Errorf("the store has not answered yet: %w", cause)))
}

// expired says since when there is no window, and why.
func (q *sequence) expired(t tenure, cause error) error {
	if !t.has() {
		return fmt.Errorf("%w: %w; ids come by themselves once the store grants one: %w",
			generators.ErrLeaseExpired, errNoSlotYet, cause)
	}
	since := q.holder.wall(t.expiresAt())
	return fmt.Errorf("%w: no window on a slot since %s, %v ago; ids resume by themselves once the store extends it: %w",
		generators.ErrLeaseExpired, since.UTC().Format(time.RFC3339), time.Since(since).Round(time.Millisecond), cause)
}

func (q *sequence) failed(cause error) error {
	return fmt.Errorf("snowflake: next id of %q: %w", q.name, cause)
}
