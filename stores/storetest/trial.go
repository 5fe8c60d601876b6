package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cosid-go/cosid/stores"
)

// trial is one run of one check: its clients and its own namespace.
type trial struct {
	ctx       context.Context
	harness   Harness
	namespace string
	clients   []Store
}

// check makes a Promise's Check of a check on a trial, whose clients it closes.
func check(run func(t *trial) error) func(context.Context, Harness) error {
	return func(ctx context.Context, h Harness) error {
		t := &trial{ctx: ctx, harness: h, namespace: "t" + strings.ToLower(rand.Text())}
		err := run(t)
		if closeErr := t.closeAll(); closeErr != nil {
			err = errors.Join(err, fmt.Errorf("close: %w", closeErr))
		}
		return err
	}
}

func (t *trial) key(name string) string { return stores.RangeKey(t.namespace, name) }

// unstarted returns a new client, which the trial closes.
func (t *trial) unstarted() (Store, error) {
	store, err := t.harness.New()
	if err != nil {
		return nil, fmt.Errorf("new client: %w", err)
	}
	t.clients = append(t.clients, store)
	return store, nil
}

// open returns a new client that is started.
func (t *trial) open() (Store, error) {
	store, err := t.unstarted()
	if err != nil {
		return nil, err
	}
	if err := store.Start(t.ctx); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return store, nil
}

func (t *trial) openMany(n int) ([]Store, error) {
	clients := make([]Store, n)
	for i := range clients {
		var err error
		if clients[i], err = t.open(); err != nil {
			return nil, err
		}
	}
	return clients, nil
}

func (t *trial) closeAll() error {
	var errs []error
	for _, store := range t.clients {
		errs = append(errs, store.Close())
	}
	t.clients = nil
	return errors.Join(errs...)
}

// reserve reserves and checks that the answer is a range of just this size in [0, MaxInt64).
func (t *trial) reserve(store Store, key string, size, initialOffset int64) (stores.Range, error) {
	return reserve(t.ctx, store, key, size, initialOffset)
}

func reserve(ctx context.Context, store Store, key string, size, offset int64) (stores.Range, error) {
	r, err := store.Reserve(ctx, key, size, offset)
	if err != nil {
		return stores.Range{}, fmt.Errorf("reserve %d of %s: %w", size, key, err)
	}
	if r.Start < 0 || r.End <= r.Start || r.Size() != size {
		return stores.Range{}, fmt.Errorf("reserve %d of %s answered %v", size, key, r)
	}
	return r, nil
}

// expect reserves and compares the answer's start.
func (t *trial) expect(store Store, key string, size, initialOffset, start int64) error {
	r, err := t.reserve(store, key, size, initialOffset)
	if err != nil {
		return err
	}
	if r.Start != start {
		return fmt.Errorf("reserve %d of %s answered %v, want it to start at %d", size, key, r, start)
	}
	return nil
}

// refused reserves and demands an error that matches want.
func (t *trial) refused(store Store, key string, size, initialOffset int64, want error) error {
	r, err := store.Reserve(t.ctx, key, size, initialOffset)
	if !errors.Is(err, want) {
		return fmt.Errorf("reserve %d of %s answered %v and error %v, want the error %q", size, key, r, err, want)
	}
	if r != (stores.Range{}) {
		return fmt.Errorf("reserve %d of %s answered %v beside the error %w", size, key, r, err)
	}
	return nil
}

// seal seals key and demands that the store says so.
func (t *trial) seal(store Store, key string) error {
	sealer, ok := store.(stores.Sealer)
	if !ok {
		return errors.New("the store is no stores.Sealer")
	}
	sealed, err := sealer.Seal(t.ctx, key)
	if err != nil {
		return fmt.Errorf("seal %s: %w", key, err)
	}
	if !sealed {
		return fmt.Errorf("seal %s answered false", key)
	}
	return nil
}

// parallel runs fn n times at once and waits for all of them.
func parallel(n int, fn func(i int) error) error {
	errs := make([]error, n)
	var start, running sync.WaitGroup
	start.Add(1)
	for i := range n {
		running.Go(func() {
			start.Wait()
			errs[i] = fn(i)
		})
	}
	start.Done()
	running.Wait()
	return errors.Join(errs...)
}
