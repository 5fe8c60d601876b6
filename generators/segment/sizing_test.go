package segment_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores/storetest"
)

// drive draws ids for a while as rate, a function of the time since the beginning, says: each millisecond those that
// have become due. It returns for how long it had to wait for ids, in all.
func drive(t *testing.T, g *segment.Generator, length time.Duration, rate func(time.Duration) float64) time.Duration {
	t.Helper()
	const tick = time.Millisecond
	var waited time.Duration
	var due float64
	began := time.Now()
	for last := began; last.Sub(began) < length; {
		time.Sleep(tick)
		now := time.Now()
		due += rate(now.Sub(began)) * now.Sub(last).Seconds()
		last = now
		ids := make([]int64, int(due))
		due -= float64(len(ids))
		if _, err := g.Fill(t.Context(), ids); err != nil {
			t.Fatal(err)
		}
		waited += time.Since(now)
	}
	return waited
}

func constant(rate float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return rate }
}

// A constant rate settles at reservations of one lookahead, or of a step where that is more.
func TestReservationsSettleAtOneLookahead(t *testing.T) {
	for _, c := range []struct {
		rate      float64
		lookahead time.Duration
		length    time.Duration // of each phase
		size      float64       // of a reservation
	}{
		{1, time.Second, 500 * time.Second, 100},
		{1e3, time.Second, 20 * time.Second, 1e3},
		{1e3, 3 * time.Second, 60 * time.Second, 3e3},
		{1e3, 100 * time.Millisecond, 2 * time.Second, 100},
		{1e6, time.Second, 20 * time.Second, 1e6},
	} {
		t.Run(fmt.Sprintf("%v ids a second for %v", c.rate, c.lookahead), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
				g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead = c.lookahead }), segment.Options{})
				drive(t, g, c.length, constant(c.rate))
				settled := store.Reserves()
				waited := drive(t, g, c.length, constant(c.rate))
				calls := store.Calls()[settled:]
				var least, most, sum int64
				for i, call := range calls {
					if i == 0 || call.Size < least {
						least = call.Size
					}
					most, sum = max(most, call.Size), sum+call.Size
				}
				t.Logf("%d reservations of %d to %d ids in %v, rate seen %.0f", len(calls), least, most, c.length, g.Stats().Rate)
				if float64(least) < 0.9*c.size || float64(most) > 1.1*c.size+100 {
					t.Errorf("reservations of %d to %d ids, want about %.0f", least, most, c.size)
				}
				want := c.rate * c.length.Seconds() / c.size
				if n := float64(len(calls)); n < 0.85*want-1 || n > 1.15*want+1 {
					t.Errorf("%v reservations, want about %.1f", n, want)
				}
				if rate := g.Stats().Rate; rate < 0.9*c.rate || rate > 1.1*c.rate {
					t.Errorf("rate %v, want about %v", rate, c.rate)
				}
				if waited != 0 {
					t.Errorf("callers waited for %v", waited)
				}
				mustClose(t, g)
			})
		})
	}
}

// While the load grows to a million ids a second, callers wait a few times for a store of 5 ms, and then no more.
func TestARampMakesCallersWaitLittle(t *testing.T) {
	for name, c := range map[string]struct {
		rate func(time.Duration) float64
		most time.Duration
	}{
		"over ten seconds": {func(d time.Duration) float64 { return min(1e5*d.Seconds(), 1e6) }, 15 * time.Millisecond},
		"over one second":  {func(d time.Duration) float64 { return min(1e6*d.Seconds(), 1e6) }, 15 * time.Millisecond},
		"at once":          {constant(1e6), 25 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
				g := newGenerator(t, store, policy(nil), segment.Options{})
				waited := drive(t, g, 12*time.Second, c.rate)
				t.Logf("callers waited %.3f ms in all, %d reservations", millis(waited), store.Reserves())
				if waited > c.most {
					t.Errorf("callers waited %v in all, want %v at most", waited, c.most)
				}
				mustClose(t, g)
			})
		})
	}
}

// A slow store does not make the demand look small: the reservations still grow until it is hidden.
func TestASlowStoreIsHiddenOnceTheRateIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 500 * time.Millisecond})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		first := drive(t, g, 20*time.Second, constant(1e5))
		second := drive(t, g, 20*time.Second, constant(1e5))
		t.Logf("callers waited %.0f ms, then %.0f ms", millis(first), millis(second))
		if first > 3*time.Second || second != 0 {
			t.Errorf("callers waited %v, then %v; want 3s at most, then nothing", first, second)
		}
		mustClose(t, g)
	})
}

// Callers who draw their next id only after they got the last one draw few while they wait. That must not count as a
// small demand.
func TestWaitingIsNotTakenForSlackDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 900 * time.Millisecond})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		began := time.Now()
		var late time.Duration // the longest wait after half of the time
		var mu sync.Mutex
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				for time.Since(began) < 60*time.Second {
					called := time.Now()
					mustNext(t, g)
					if called.Sub(began) > 30*time.Second {
						mu.Lock()
						late = max(late, time.Since(called))
						mu.Unlock()
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		callers.Wait()
		if rate := g.Stats().Rate; late != 0 || rate < 9000 || rate > 11000 {
			t.Errorf("after half a minute callers still wait %v; rate %v, want about 10000", late, rate)
		}
		mustClose(t, g)
	})
}

// A central sequence waits for every id; its rate is what it issues all the same.
func TestTheRateOfACentralSequenceIncludesItsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 10 * time.Millisecond})
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead, p.Step = 0, 1 }), segment.Options{})
		for range 1000 {
			mustNext(t, g)
		}
		if rate := g.Stats().Rate; rate < 95 || rate > 105 {
			t.Errorf("rate %v, want about 100", rate)
		}
		mustClose(t, g)
	})
}

// What a burst leaves behind is at most about two lookaheads of it.
func TestABurstLeavesTwoLookaheadsAtMost(t *testing.T) {
	const rate = 1e6
	for _, length := range []time.Duration{
		10 * time.Millisecond, 100 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second,
	} {
		t.Run(length.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
				g := newGenerator(t, store, policy(nil), segment.Options{})
				drive(t, g, length, constant(rate))
				time.Sleep(time.Hour)
				issued, atHand := g.Stats().Issued, g.Stats().AtHand
				limit := int64(2*min(float64(issued), rate)*1.05) + 200
				t.Logf("%d ids are left of a burst of %d", atHand, issued)
				if atHand > limit {
					t.Errorf("%d ids are left, want %d at most", atHand, limit)
				}
				// The next id in the silence must not bring more than a step.
				used := store.Reserves()
				mustNext(t, g)
				time.Sleep(time.Second)
				for _, call := range store.Calls()[used:] {
					if call.Size != 100 {
						t.Errorf("an id in the silence reserved %d", call.Size)
					}
				}
				mustClose(t, g)
			})
		})
	}
}

// Restarting an idle generator loses a step each time (F96).
func TestAnIdleGeneratorLosesAStepARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		const restarts = 100
		for range restarts {
			g := newGenerator(t, store, policy(nil), segment.Options{})
			mustNext(t, g)
			time.Sleep(time.Minute)
			mustClose(t, g)
		}
		next, err := store.Reserve(t.Context(), key, 1, 1)
		if err != nil || next.Start > 1+restarts*100 {
			t.Errorf("after %d restarts the next id is %d, %v; want %d at most", restarts, next.Start, err, 1+restarts*100)
		}
	})
}

// A generator that is told its rate begins with a range that lasts.
func TestAnInitialRateSizesTheFirstRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 500 * time.Millisecond})
		opens := time.Now().Add(time.Minute)
		g := newGenerator(t, store, policy(nil), segment.Options{InitialRate: 1e5, Opens: opens})
		g.Prefetch()
		time.Sleep(time.Minute)
		if waited := drive(t, g, 10*time.Second, constant(1e5)); waited != 0 {
			t.Errorf("callers waited %v", waited)
		}
		if size := store.Calls()[0].Size; size != 1e5 {
			t.Errorf("the first range has %d ids, want 100000", size)
		}
		mustClose(t, g)
	})
}

func TestAPrefetchReservesOneRangeAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		g := newGenerator(t, store, policy(nil), segment.Options{})
		for range 10 {
			g.Prefetch()
			synctest.Wait()
		}
		if s := g.Stats(); store.Reserves() != 1 || s.AtHand != 100 {
			t.Errorf("%d reservations, %d ids at hand; want 1 and 100", store.Reserves(), s.AtHand)
		}
		expectNext(t, g, 1)
		mustClose(t, g)
	})
}
