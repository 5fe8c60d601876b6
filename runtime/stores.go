package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// openStore is a store together with how it is opened.
type openStore struct {
	name    string
	store   stores.Store
	opening time.Duration // 0 = bounded by the caller's context only
	lazy    bool
}

// The wait between attempts to open a lazy store doubles from the first to the second.
const (
	firstOpenBackoff = 100 * time.Millisecond
	lastOpenBackoff  = 5 * time.Second
)

// startStore opens one store, or, if it is lazy, leaves that to the background where it does not succeed now.
func (rt *Runtime) startStore(ctx context.Context, s openStore) error {
	err := s.open(ctx)
	if err == nil || !s.lazy || ctx.Err() != nil {
		return err
	}
	rt.watch.opening(s.name, err, firstOpenBackoff)
	rt.logger.Warn("cosid: a lazy store cannot be opened yet; trying on, silently", "store", s.name, "error", err)
	rt.background.Go(func() { rt.keepOpening(s) })
	return nil
}

// keepOpening tries until the store is open or the runtime is closed.
func (rt *Runtime) keepOpening(s openStore) {
	for backoff := firstOpenBackoff; ; backoff = min(2*backoff, lastOpenBackoff) {
		timer := time.NewTimer(backoff)
		select {
		case <-timer.C:
		case <-rt.life.Done():
			timer.Stop()
			return
		}
		err := s.open(rt.life)
		rt.watch.opening(s.name, err, min(2*backoff, lastOpenBackoff))
		if err == nil {
			rt.logger.Info("cosid: a lazy store is open now", "store", s.name)
			return
		}
	}
}

// open starts the store within its start-timeout.
func (s openStore) open(ctx context.Context) error {
	if s.opening > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, s.opening,
			fmt.Errorf("it did not open within start-timeout %v: %w", s.opening, context.DeadlineExceeded))
		defer cancel()
		ctx = bounded
	}
	err := s.store.Start(ctx)
	if err != nil && context.Cause(ctx) != nil {
		err = fmt.Errorf("%w (%w)", context.Cause(ctx), err)
	}
	if err != nil {
		return fmt.Errorf("cosid: start store %q: %w", s.name, err)
	}
	return nil
}

// closeStores closes all stores, at once.
func (rt *Runtime) closeStores(ctx context.Context) error {
	rt.background.Wait()
	rt.watch.stop(ctx)
	failures := make([]error, len(rt.stores))
	var closing sync.WaitGroup
	for i, s := range rt.stores {
		closing.Go(func() {
			if err := closeWithin(ctx, s.store); err != nil {
				failures[i] = fmt.Errorf("cosid: close store %q: %w", s.name, err)
			}
		})
	}
	closing.Wait()
	return errors.Join(failures...)
}

// closeWithin stops waiting for a store that does not close. Its goroutine ends when the store does.
func closeWithin(ctx context.Context, store io.Closer) error {
	done := make(chan error, 1)
	go func() { done <- store.Close() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		select {
		case err := <-done:
			return err
		default:
			return ctx.Err()
		}
	}
}
