// Package lifecycle is the life of a store: it is built, starts, serves calls, and is closed, with Start, the calls and
// Close coming from any goroutine.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// Life keeps what a store opens in Start, an L, until its Close. The zero value is the life of a store that was built. It
// must not be copied, and no lock of it is held while anything is opened, used or shut.
type Life[L any] struct {
	mu      sync.Mutex
	state   state
	opened  L
	abandon context.CancelCauseFunc // ends the Start that is under way
	calls   sync.WaitGroup          // Start and the calls in flight, for which Close waits
}

// state goes from built through starting to running, back to built where Start fails, and from any to closed.
type state int

const (
	built state = iota
	starting
	running
	closed
)

// StartPatience bounds a Start whose context has no deadline.
const StartPatience = 10 * time.Second

// Start opens the store, once. Its ctx bounds open, or StartPatience where it has no deadline, and a Close meanwhile ends
// it. What open returns together with an error is shut, and Start may be called again.
func (l *Life[L]) Start(ctx context.Context, open func(context.Context) (L, error), shut func(L) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	if err := l.begin(abandon); err != nil {
		return err
	}
	defer l.calls.Done()

	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, StartPatience, TimeoutError(StartPatience))
		defer cancel()
	}
	opened, err := open(ctx)
	if err = l.settle(opened, err); err != nil {
		return errors.Join(err, shut(opened))
	}
	return nil
}

func (l *Life[L]) begin(abandon context.CancelCauseFunc) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch l.state {
	case built:
		l.state, l.abandon = starting, abandon
		l.calls.Add(1)
		return nil
	case closed:
		return stores.ErrClosed
	default:
		return errors.New("the store is already started")
	}
}

// settle ends a Start. Its error means that opened is not kept.
func (l *Life[L]) settle(opened L, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.abandon = nil
	switch {
	case l.state == closed && err == nil:
		return stores.ErrClosed
	case l.state == closed:
	case err != nil:
		l.state = built
	default:
		l.state, l.opened = running, opened
	}
	return err
}

// Enter begins a call and returns what Start has opened; Leave ends the call. Before Start and after Close it is
// stores.ErrClosed, without a call.
func (l *Life[L]) Enter() (L, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != running {
		var none L
		return none, stores.ErrClosed
	}
	l.calls.Add(1)
	return l.opened, nil
}

// Leave ends a call that Enter has begun.
func (l *Life[L]) Leave() { l.calls.Done() }

// Close ends a Start that is under way, waits for it and for the calls in flight, and shuts what Start has opened: the
// zero L if it has opened nothing, or was closed before.
func (l *Life[L]) Close(shut func(L) error) error {
	l.mu.Lock()
	var none L
	opened := l.opened
	l.state, l.opened = closed, none
	if l.abandon != nil {
		l.abandon(stores.ErrClosed)
	}
	l.mu.Unlock()

	l.calls.Wait()
	return shut(opened)
}

// TimeoutError is the cause of a context that the store itself ended. It matches context.DeadlineExceeded.
func TimeoutError(timeout time.Duration) error {
	return fmt.Errorf("the store's timeout of %v ended: %w", timeout, context.DeadlineExceeded)
}
