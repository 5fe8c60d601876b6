package segment_test

import (
	"context"
	"errors"
	"fmt"
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

var errStore = errors.New("the database is on fire")

// backoffs are the times of attempts on a store that stays dead, up to 12 s.
var backoffs = []time.Duration{0, 100, 300, 700, 1500, 3100, 6300, 11300}

// attemptsSince are the times of the reserve calls from the n-th on, since began, in milliseconds.
func attemptsSince(store *storetest.Faults, n int, began time.Time) []time.Duration {
	var at []time.Duration
	for _, call := range store.Calls()[n:] {
		at = append(at, call.At.Sub(began)/time.Millisecond)
	}
	return at
}

// A store that is dead is asked as the back-off says, however many ask for ids; they fail at once in between.
func TestCallersOfADeadStoreFailFastAndDoNotStormIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Before: errStore})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		began := time.Now()
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				for time.Since(began) < 12*time.Second {
					called := time.Now()
					_, err := g.Next(t.Context())
					if !errors.Is(err, generators.ErrRangeUnavailable) || !errors.Is(err, errStore) {
						t.Errorf("Next failed with %v, want %v and %v", err, generators.ErrRangeUnavailable, errStore)
					}
					if waited := time.Since(called); waited != 0 {
						t.Errorf("a caller waited %v for a store in back-off", waited)
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		callers.Wait()
		if got := attemptsSince(store, 0, began); !slices.Equal(got, backoffs) {
			t.Errorf("attempts at %v ms, want %v", got, backoffs)
		}
		store.EveryReserve(storetest.Fault{})
		time.Sleep(5 * time.Second)
		expectNext(t, g, 1)
		mustClose(t, g)
	})
}

// A prefetch that failed is repeated without traffic, with the same back-off; callers notice nothing while ids remain.
func TestAPrefetchIsRepeatedWithoutTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step = 10 }), segment.Options{})
		expectNext(t, g, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		used := store.Reserves()
		store.EveryReserve(storetest.Fault{Before: errStore})
		began := time.Now()
		expectNext(t, g, 10) // the last one starts the prefetch
		time.Sleep(10 * time.Second)
		store.EveryReserve(storetest.Fault{})
		time.Sleep(10 * time.Second)
		if got := attemptsSince(store, used, began); !slices.Equal(got, backoffs) {
			t.Errorf("attempts at %v ms, want %v", got, backoffs)
		}
		called := time.Now()
		expectNext(t, g, 11)
		if time.Since(called) != 0 {
			t.Error("the first caller after the recovery waited")
		}
		if s := g.Stats(); s.Failures != 7 || s.Reservations < 2 {
			t.Errorf("stats %+v, want 7 failures", s)
		}
		mustClose(t, g)
	})
}

// Without a prefetch it is the next caller who asks again, and nobody else.
func TestAReservationForCallersIsRepeatedByCallersOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.NextReserves(storetest.Fault{Before: errStore})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		if _, err := g.Next(t.Context()); !errors.Is(err, errStore) {
			t.Errorf("Next failed with %v, want %v", err, errStore)
		}
		time.Sleep(time.Hour)
		if store.Reserves() != 1 {
			t.Errorf("%d reservations in an hour without callers, want 1", store.Reserves())
		}
		expectNext(t, g, 1)
		mustClose(t, g)
	})
}

func TestASuccessResetsTheBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		down := storetest.Fault{Before: errStore}
		store.NextReserves(down, down, down, storetest.Fault{}, down)
		g := newGenerator(t, store, policy(nil), segment.Options{})
		g.Prefetch()
		time.Sleep(time.Second)
		if _, err := g.NextN(t.Context(), 101); !errors.Is(err, errStore) {
			t.Errorf("NextN failed with %v, want %v", err, errStore)
		}
		time.Sleep(100 * time.Millisecond)
		expectNext(t, g, 101)
		mustClose(t, g)
	})
}

// A failure that asking again cannot mend is not repeated by itself.
func TestALastingFailureIsNotRepeatedWithoutTraffic(t *testing.T) {
	for _, lasting := range []error{
		stores.ErrRangeSealed, stores.ErrRangeExhausted, stores.ErrInvalidArgument, stores.ErrClosed,
	} {
		synctest.Test(t, func(t *testing.T) {
			store := newStore(t)
			g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step = 1 }), segment.Options{})
			store.NextReserves(storetest.Fault{}, storetest.Fault{Before: lasting}, storetest.Fault{Before: lasting})
			expectNext(t, g, 1)
			time.Sleep(time.Hour)
			if store.Reserves() != 2 {
				t.Errorf("%v: %d reservations in an hour, want 2", lasting, store.Reserves())
			}
			if _, err := g.Next(t.Context()); !errors.Is(err, lasting) || !errors.Is(err, generators.ErrRangeUnavailable) {
				t.Errorf("Next failed with %v, want %v", err, lasting)
			}
			mustClose(t, g)
		})
	}
}

// A reply that is lost after the commit costs a gap.
func TestALostReplyIsAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead, p.Step = 0, 10 }), segment.Options{})
		lost := fmt.Errorf("%w: connection reset", stores.ErrOutcomeUnknown)
		store.NextReserves(storetest.Fault{After: lost})
		if _, err := g.Next(t.Context()); !errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("Next failed with %v, want %v", err, stores.ErrOutcomeUnknown)
		}
		time.Sleep(100 * time.Millisecond)
		expectNext(t, g, 11, 12)
		mustClose(t, g)
	})
}

// A caller waits for reserve-timeout; the reservation goes on, and its range is used when it comes.
func TestAReservationThatTimedOutIsUsedWhenItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		release := make(chan struct{})
		store.NextReserves(storetest.Fault{Until: release})
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead = 0 }), segment.Options{})
		began := time.Now()
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				_, err := g.Next(t.Context())
				if !errors.Is(err, generators.ErrRangeUnavailable) || time.Since(began) != 3*time.Second {
					t.Errorf("Next failed with %v after %v, want %v after 3s", err, time.Since(began), generators.ErrRangeUnavailable)
				}
			})
		}
		callers.Wait()
		close(release)
		synctest.Wait()
		expectNext(t, g, 1)
		if store.Reserves() != 1 {
			t.Errorf("%d reservations, want 1", store.Reserves())
		}
		mustClose(t, g)
	})
}

// However many reservations a batch waits for, reserve-timeout bounds them together.
func TestReserveTimeoutBoundsTheWholeCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 2 * time.Second})
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead, p.MaxBatch = 0, 100 }), segment.Options{})
		began := time.Now()
		ids, err := g.NextN(t.Context(), 500)
		if !errors.Is(err, generators.ErrRangeUnavailable) || len(ids) != 100 || time.Since(began) != 3*time.Second {
			t.Errorf("NextN = %d ids, %v after %v; want 100 ids and a time-out after 3s", len(ids), err, time.Since(began))
		}
		mustClose(t, g)
	})
}

func TestAContextEndsTheWaitAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 2 * time.Second})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := g.Next(ctx)
		if !errors.Is(err, generators.ErrRangeUnavailable) || !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) != time.Second {
			t.Errorf("Next failed with %v after %v, want both errors after 1s", err, time.Since(began))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if id, err := g.Next(ctx); id != 1 || err != nil {
			t.Errorf("Next = %d, %v; want 1, from the reservation that went on", id, err)
		}
		mustClose(t, g)
	})
}

func TestAnEndedContextReservesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		g := newGenerator(t, store, policy(nil), segment.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := g.Next(ctx); !errors.Is(err, generators.ErrRangeUnavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("Next failed with %v, want both errors", err)
		}
		synctest.Wait()
		if store.Reserves() != 0 {
			t.Error("a range was reserved for a caller who had gone")
		}
		mustClose(t, g)
	})
}

// A wiped store is refused for good: asking on would lift its counter to where it looks right (F95).
func TestAStoreThatWentBackIsRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		var failures []generators.RefillFailed
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step, p.InitialOffset = 10, 1000 }), segment.Options{
			Hooks: generators.Hooks{OnRefillFailed: func(f generators.RefillFailed) { failures = append(failures, f) }},
		})
		for i := range int64(9) {
			expectNext(t, g, 1000+i)
		}
		store.EveryReserve(storetest.Fault{Forge: func(r stores.Range) stores.Range {
			return stores.Range{Start: r.Start - 1000, End: r.End - 1000}
		}})
		expectNext(t, g, 1009)
		for range 100 {
			time.Sleep(time.Minute)
			if id, err := g.Next(t.Context()); id != 0 || !errors.Is(err, generators.ErrRangeWentBack) ||
				!errors.Is(err, generators.ErrRangeUnavailable) {
				t.Fatalf("Next = %d, %v; want %v", id, err, generators.ErrRangeWentBack)
			}
		}
		g.Prefetch()
		synctest.Wait()
		if store.Reserves() != 2 {
			t.Errorf("%d reservations, want none after the one that went back", store.Reserves())
		}
		if len(failures) != 1 || !failures[0].RetryAt.IsZero() || !errors.Is(failures[0].Err, generators.ErrRangeWentBack) {
			t.Errorf("hook saw %v, want one failure without a retry", failures)
		}
		mustClose(t, g)
	})
}

func TestARangeThatOverlapsByOneIsRefused(t *testing.T) {
	store := newStore(t)
	g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead, p.Step = 0, 10 }), segment.Options{})
	defer mustClose(t, g)
	store.NextReserves(storetest.Fault{}, storetest.Fault{Forge: func(r stores.Range) stores.Range {
		return stores.Range{Start: r.Start - 1, End: r.End}
	}})
	expectNext(t, g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrRangeWentBack) {
		t.Errorf("Next = %d, %v; want %v", id, err, generators.ErrRangeWentBack)
	}
}

func TestRangesMustLieAboveTheFloor(t *testing.T) {
	g := newGenerator(t, newStore(t), policy(nil), segment.Options{Floor: 2})
	defer mustClose(t, g)
	if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrRangeWentBack) {
		t.Errorf("Next = %d, %v; want %v", id, err, generators.ErrRangeWentBack)
	}
}

// An answer that is no range at all is a failure like others: nothing comes from it, and the store is asked again.
func TestAnswersThatAreNoRangesAreRefused(t *testing.T) {
	for _, forged := range []stores.Range{
		{}, {Start: 5, End: 5}, {Start: 9, End: 4}, {Start: -10, End: 10}, {Start: 0, End: 1 << 62},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := newStore(t)
			g := newGenerator(t, store, policy(nil), segment.Options{})
			store.NextReserves(storetest.Fault{Forge: func(stores.Range) stores.Range { return forged }})
			if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrRangeUnavailable) {
				t.Errorf("%v: Next = %d, %v; want %v", forged, id, err, generators.ErrRangeUnavailable)
			}
			time.Sleep(100 * time.Millisecond)
			expectNext(t, g, 101)
			if s := g.Stats(); s.Failures != 1 || s.Reservations != 1 || s.Reserved != 100 {
				t.Errorf("%v: stats %+v, want one failure and one reservation of 100", forged, s)
			}
			mustClose(t, g)
		})
	}
}

func TestASealedKeyIsRefused(t *testing.T) {
	store := newStore(t)
	if _, err := store.Seal(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	g := newGenerator(t, store, policy(nil), segment.Options{})
	defer mustClose(t, g)
	id, err := g.Next(t.Context())
	if !errors.Is(err, stores.ErrRangeSealed) || !errors.Is(err, generators.ErrRangeUnavailable) {
		t.Errorf("Next = %d, %v; want %v", id, err, stores.ErrRangeSealed)
	}
}
