package segment_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestCloseEndsCallsThatWaitAndTheReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: time.Hour})
		failures := 0
		g := newGenerator(t, store, policy(nil), segment.Options{
			Hooks: generators.Hooks{OnRefillFailed: func(generators.RefillFailed) { failures++ }},
		})
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrClosed) {
					t.Errorf("Next = %d, %v; want %v", id, err, generators.ErrClosed)
				}
			})
		}
		time.Sleep(time.Second)
		began := time.Now()
		mustClose(t, g)
		callers.Wait()
		if time.Since(began) != 0 {
			t.Errorf("Close took %v", time.Since(began))
		}
		if failures != 0 {
			t.Error("what Close cancelled was reported as a failure")
		}
	})
}

func TestCloseTwiceAndBeforeTheFirstId(t *testing.T) {
	g := newGenerator(t, newStore(t), policy(nil), segment.Options{})
	mustClose(t, g)
	mustClose(t, g)
	if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrClosed) {
		t.Errorf("Next = %d, %v; want %v", id, err, generators.ErrClosed)
	}
	if n, err := g.Fill(t.Context(), make([]int64, 3)); n != 0 || !errors.Is(err, generators.ErrClosed) {
		t.Errorf("Fill = %d, %v; want %v", n, err, generators.ErrClosed)
	}
	g.Prefetch()
}

func TestCloseDropsWhatIsAtHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dropped []stores.Range
		g := newGenerator(t, newStore(t), policy(func(p *segment.Policy) { p.Step = 10 }), segment.Options{
			InitialRate: 5, // so the sixth id prefetches, for 11 a second
			Hooks:       generators.Hooks{OnRangeDropped: func(d generators.RangeDropped) { dropped = append(dropped, d.Range) }},
		})
		expectNext(t, g, 1, 2, 3, 4, 5, 6)
		synctest.Wait()
		mustClose(t, g)
		if want := []stores.Range{{Start: 7, End: 11}, {Start: 11, End: 31}}; !slices.Equal(dropped, want) {
			t.Errorf("dropped %v, want %v", dropped, want)
		}
		if s := g.Stats(); s.Issued != 6 || s.Dropped != 24 || s.AtHand != 0 || s.Reserved != 30 {
			t.Errorf("stats %+v", s)
		}
		if g.HighWater() != 31 {
			t.Errorf("high water %d, want 31", g.HighWater())
		}
	})
}

// Close waits for the reservation as long as its ctx allows; a range that comes afterwards is a gap.
func TestCloseWaitsForADeafStoreNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.NextReserves(storetest.Fault{Latency: time.Minute, Deaf: true})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		g.Prefetch()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := g.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("Close = %v after %v, want the end of its context after 1s", err, time.Since(began))
		}
		mustClose(t, g)
		if time.Since(began) != time.Minute {
			t.Errorf("the second Close returned after %v, want the end of the call", time.Since(began))
		}
		if s := g.Stats(); s.Reserved != 100 || s.Dropped != 100 {
			t.Errorf("stats %+v, want the late range dropped", s)
		}
	})
}

func TestCloseEndsTheBackoffOfAPrefetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Before: errStore})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		g.Prefetch()
		time.Sleep(7 * time.Second)
		began := time.Now()
		mustClose(t, g)
		if time.Since(began) != 0 {
			t.Errorf("Close took %v", time.Since(began))
		}
	})
}
