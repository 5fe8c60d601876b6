// Package sequence makes ids one reservation at a time, so that they increase over all replicas and none is lost at a
// restart. It pays with a call to the store for each id, or for each batch. docs/write-a-strategy.md explains it.
package sequence

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Generator is a generators.Generator over one key of a store. It is safe for concurrent use. A Factory makes it.
//
// An id is unique because the store hands out every range once (S1), and nothing else is an id here. An id that is
// drawn after another was returned, by whichever replica, is the larger one.
type Generator struct {
	spec  generators.Spec
	store stores.RangeStore
	key   string
	first int64 // where the key starts, if it is new

	floor atomic.Int64 // one past the largest id returned; math.MaxInt64 once the store went back

	life context.Context // of calls to the store; ends with Close
	end  context.CancelFunc
}

var (
	_ generators.Instance  = (*Generator)(nil)
	_ generators.Generator = (*Generator)(nil)
)

// Start does nothing, because there is nothing in the background.
func (g *Generator) Start(context.Context) error { return nil }

// Close ends the calls that wait for the store with ErrClosed.
func (g *Generator) Close(context.Context) error {
	g.end()
	return nil
}

// Next implements generators.Generator. It waits for the store, no longer than ctx and the store's own timeout.
func (g *Generator) Next(ctx context.Context) (int64, error) {
	var id [1]int64
	_, err := g.Fill(ctx, id[:])
	return id[0], err
}

// Fill implements generators.Generator. The ids of one call are consecutive.
func (g *Generator) Fill(ctx context.Context, ids []int64) (int, error) {
	filled := 0
	for filled < len(ids) {
		r, err := g.reserve(ctx, int64(len(ids)-filled))
		if err != nil {
			return filled, err
		}
		for id := r.Start; id < r.End && filled < len(ids); id++ { // what the store returned counts (S3), not what was asked
			ids[filled] = id
			filled++
		}
	}
	return filled, nil
}

func (g *Generator) reserve(ctx context.Context, size int64) (stores.Range, error) {
	if g.life.Err() != nil {
		return stores.Range{}, fmt.Errorf("sequence: next id of %q: %w", g.key, generators.ErrClosed)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.life, cancel)()

	floor := g.floor.Load() // before the call: calls that overlap end in any order
	began := time.Now()
	r, err := g.store.Reserve(ctx, g.key, size, g.first)
	switch {
	case err != nil && g.life.Err() != nil:
		err = fmt.Errorf("%w: %w", generators.ErrClosed, err)
	case err != nil:
		err = fmt.Errorf("%w: %w", generators.ErrRangeUnavailable, err)
	case r.Start < floor || r.Size() < 1:
		g.floor.Store(math.MaxInt64) // what other replicas issued may repeat above the floor too: refuse from now on
		err = fmt.Errorf("%w: the store answered %v, not above what was issued; no more ids until a restart",
			generators.ErrRangeWentBack, r)
	}
	if err != nil {
		return stores.Range{}, g.failed(err)
	}
	for old := floor; old < r.End && !g.floor.CompareAndSwap(old, r.End); {
		old = g.floor.Load()
	}
	if f := g.spec.Hooks.OnReserved; f != nil {
		f(generators.Reserved{Generator: g.spec.Name, Key: g.key, Range: r, Latency: time.Since(began)})
	}
	return r, nil
}

func (g *Generator) failed(err error) error {
	if f := g.spec.Hooks.OnRefillFailed; f != nil {
		f(generators.RefillFailed{Generator: g.spec.Name, Key: g.key, Err: err, RetryAt: time.Now()})
	}
	return fmt.Errorf("sequence: reserve %q: %w", g.key, err)
}
