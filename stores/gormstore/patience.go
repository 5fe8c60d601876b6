package gormstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// patiently repeats step while somebody else holds the lock that it needs, or won over it in a deadlock or a conflict of
// serializable transactions, until patience or ctx ends. Such a step has changed nothing.
//
// SQLite's own waiting polls ever more rarely, so that whoever has waited long loses to whoever comes anew. Short
// and random pauses give everybody the same chance.
func (s *Store) patiently(ctx context.Context, patience time.Duration, step func() error) error {
	giveUp := time.NewTimer(patience)
	defer giveUp.Stop()
	var lock error // what the last try met
	for {
		err := step()
		switch {
		case err == nil:
			return nil
		case s.dialect.diagnose(err).busy:
			lock = err
		case lock != nil && isContextError(err):
			// Not %w: a statement that ctx ended is not known to have met the lock again.
			return fmt.Errorf("%w (before that: %v)", causeOf(ctx, err), lock)
		default:
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", context.Cause(ctx), err)
		case <-giveUp.C:
			return fmt.Errorf("waited %v: %w", patience.Round(time.Millisecond), err)
		case <-time.After(200*time.Microsecond + rand.N(1800*time.Microsecond)):
		}
	}
}

// lockPatience is how long a step waits for a lock: until nine tenths of the store's timeout are over, counted from the
// beginning of the call. What remains is for the last try to end in its own way, because a statement that the timeout cuts
// off leaves its outcome unknown. A caller's shorter deadline ends the wait by itself.
func (s *Store) lockPatience(ctx context.Context) time.Duration {
	patience := s.spec.Timeout - s.spec.Timeout/10
	if began, ofCall := ctx.Value(callBegan{}).(time.Time); ofCall {
		return patience - time.Since(began)
	}
	return patience
}

// callBegan is the key under which a call's context says when it began.
type callBegan struct{}
