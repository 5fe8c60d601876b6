package periodic_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

// The sequence starts over with each period, and the period travels with the value (F98, F99).
func TestEachPeriodStartsOver(t *testing.T) {
	for _, c := range []struct {
		period generators.Period
		days   int
		want   [2]string
	}{
		{generators.YearMonthDay, 1, [2]string{"20250318", "20250319"}},
		{generators.YearMonth, 31, [2]string{"202503", "202504"}},
		{generators.Year, 365, [2]string{"2025", "2026"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			at := date(t, "2025-03-18 12:00:00", "Asia/Shanghai")
			clock := clockAt(at)
			store := newStore(t)
			g, err := periodic.New(store, key, periodic.Calendar{Period: c.period, Zone: at.Location()},
				periodic.DefaultPolicy(), periodic.Options{Clock: clock.now})
			if err != nil {
				t.Fatal(err)
			}
			expectNext(t, g, c.want[0]+"-1", c.want[0]+"-2", c.want[0]+"-3")
			clock.step(time.Duration(c.days) * 24 * time.Hour)
			expectNext(t, g, c.want[1]+"-1", c.want[1]+"-2")
			if first := store.Calls()[0]; first.Key != key+"/"+c.want[0] || first.InitialOffset != 1 {
				t.Errorf("reserved %+v", first)
			}
			mustClose(t, g)
		})
	}
}

// The zone decides what day it is, not the machine.
func TestTheZoneDecidesThePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := clockAt(date(t, "2026-10-26 16:30:00", "UTC"))
		for zone, want := range map[string]string{
			"UTC": "20261026-1", "Asia/Shanghai": "20261027-1", "America/New_York": "20261026-1", "Pacific/Kiritimati": "20261027-1",
		} {
			g := newDaily(t, newStore(t), date(t, "2026-10-26 00:00:00", zone), clock, nil)
			expectNext(t, g, want)
			mustClose(t, g)
		}
	})
}

func TestFillMaySpanTwoPeriods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 23:59:59", "Asia/Shanghai")
		clock := clockAt(at)
		store := newStore(t)
		g := newDaily(t, store, at, clock, func(p *periodic.Policy, _ *periodic.Options) {
			p.Prewarm, p.Lookahead, p.MaxBatch = 0, 0, 100
		})
		expectNext(t, g, "20261027-1")
		store.NextReserves(storetest.Fault{Latency: 2 * time.Second}) // the day ends during it
		var other generators.GroupedID                                // of the call that meets midnight first
		met := make(chan struct{})
		go func() {
			defer close(met)
			time.Sleep(1500 * time.Millisecond)
			other, _ = g.Next(context.Background())
		}()
		ids := make([]generators.GroupedID, 101)
		n, err := g.Fill(context.Background(), ids)
		<-met
		if n != 101 || err != nil {
			t.Fatalf("Fill = %d, %v", n, err)
		}
		for i, id := range ids[:99] {
			if id != (generators.GroupedID{Period: "20261027", Value: int64(i + 2)}) {
				t.Fatalf("id %d is %v, want the rest of the range of 20261027", i, id)
			}
		}
		last := []int64{ids[99].Value, ids[100].Value, other.Value}
		slices.Sort(last)
		if ids[99].Period != "20261028" || ids[100].Period != "20261028" || other.Period != "20261028" ||
			!slices.Equal(last, []int64{1, 2, 3}) {
			t.Errorf("after midnight came %v and %v", ids[99:], other)
		}
		mustClose(t, g)
	})
}

// A batch asks for all that it lacks in one reservation, as with a segment generator.
func TestABatchOfAThousandNeedsTwoReservationsAtMost(t *testing.T) {
	store := newStore(t)
	at := date(t, "2026-10-27 12:00:00", "UTC")
	g := newDaily(t, store, at, clockAt(at), nil)
	ids := make([]generators.GroupedID, 1000)
	if n, err := g.Fill(t.Context(), ids); n != 1000 || err != nil || ids[999].Value != 1000 {
		t.Errorf("Fill = %d, %v, up to %v", n, err, ids[999])
	}
	mustClose(t, g)
	if store.Reserves() > 2 {
		t.Errorf("%d reservations, want 2 at most", store.Reserves())
	}
}

// A call that waits for the store when its period ends gets an id of the next one.
func TestACallThatWaitsAtTheEndOfAPeriodGoesOnInTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 23:59:59", "Asia/Shanghai")
		store := newStore(t)
		store.NextReserves(storetest.Fault{Latency: time.Minute}) // the first day's first range
		g := newDaily(t, store, at, clockAt(at), func(p *periodic.Policy, _ *periodic.Options) { p.Prewarm = 0 })
		waited := make(chan generators.GroupedID, 1)
		go func() {
			id, err := g.Next(context.Background())
			if err != nil {
				t.Error(err)
			}
			waited <- id
		}()
		time.Sleep(1500 * time.Millisecond)
		id, err := g.Next(context.Background()) // meets midnight
		if other := <-waited; err != nil || id.Period != "20261028" || other.Period != "20261028" || id.Value+other.Value != 3 {
			t.Errorf("after midnight came %v, %v and, to the call that waited, %v; want 1 and 2 of 20261028", id, err, other)
		}
		mustClose(t, g)
	})
}

func TestStoreErrorsReachTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:00", "UTC")
		store := newStore(t)
		broken := errors.New("broken")
		store.EveryReserve(storetest.Fault{Before: broken})
		g := newDaily(t, store, at, clockAt(at), nil)
		expectError(t, g, broken)
		expectError(t, g, generators.ErrRangeUnavailable)
		if n, err := g.Fill(context.Background(), make([]generators.GroupedID, 3)); n != 0 || !errors.Is(err, broken) {
			t.Errorf("Fill = %d, %v; want %v", n, err, broken)
		}
		mustClose(t, g)
	})
}

func TestNextDoesNotAllocate(t *testing.T) {
	at := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
	g := newDaily(t, newStore(t), at, clockAt(at), func(p *periodic.Policy, _ *periodic.Options) { p.Step = 1e6 })
	ctx := context.Background()
	var next generators.GroupedGenerator = g
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := next.Next(ctx); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for an id", n)
	}
	mustClose(t, g)
}

func TestCloseTwiceAndBeforeStart(t *testing.T) {
	at := date(t, "2026-10-27 12:00:00", "UTC")
	for name, prepare := range map[string]func(*periodic.Generator){
		"new":  func(*periodic.Generator) {},
		"used": func(g *periodic.Generator) { expectNext(t, g, "20261027-1") },
		"started": func(g *periodic.Generator) {
			if err := g.Start(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		g := newDaily(t, newStore(t), at, clockAt(at), func(p *periodic.Policy, _ *periodic.Options) { p.SealAfter = time.Hour })
		prepare(g)
		mustClose(t, g)
		mustClose(t, g)
		expectError(t, g, generators.ErrClosed)
		if n, err := g.Fill(t.Context(), make([]generators.GroupedID, 3)); n != 0 || !errors.Is(err, generators.ErrClosed) {
			t.Errorf("%s: Fill = %d, %v; want %v", name, n, err, generators.ErrClosed)
		}
		if err := g.Start(t.Context()); err == nil {
			t.Errorf("%s: started after Close", name)
		}
	}
}

func TestCloseEndsCallsThatWaitAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:00", "UTC")
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: time.Minute, Deaf: true})
		g := newDaily(t, store, at, clockAt(at), nil)
		ended := make(chan error)
		go func() {
			_, err := g.Next(context.Background())
			ended <- err
		}()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		closed := make(chan error)
		began := time.Now()
		go func() { closed <- g.Close(ctx) }()
		if err := <-ended; !errors.Is(err, generators.ErrClosed) || time.Since(began) != 0 {
			t.Errorf("the waiting call got %v after %v, want %v at once", err, time.Since(began), generators.ErrClosed)
		}
		if err := <-closed; !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("Close = %v after %v, want the end of its context after 1s", err, time.Since(began))
		}
		mustClose(t, g)
	})
}

// Ids left over from a period are dropped when the next one begins, and the hooks and the account tell of both.
func TestThePeriodThatEndedIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:00", "UTC")
		clock := clockAt(at)
		var events record
		g := newDaily(t, newStore(t), at, clock, func(_ *periodic.Policy, o *periodic.Options) {
			o.Name = "bill"
			o.Hooks = generators.Hooks{
				OnPeriodOpened: func(e generators.PeriodEvent) {
					events.add("%s opened %s %s", e.Generator, e.Key, e.Period)
				},
				OnRangeDropped: func(d generators.RangeDropped) {
					events.add("%s dropped %v of %s", d.Generator, d.Range, d.Key)
				},
			}
		})
		expectNext(t, g, "20261027-1", "20261027-2")
		clock.step(24 * time.Hour)
		expectNext(t, g, "20261028-1")
		synctest.Wait()
		want := []string{
			"bill dropped [3, 101) of shop/bill/20261027",
			"bill opened shop/bill/20261027 20261027",
			"bill opened shop/bill/20261028 20261028",
		}
		if got := slices.Sorted(slices.Values(events.all())); !slices.Equal(got, want) {
			t.Errorf("hooks told %q, want %q", got, want)
		}
		s := g.Stats()
		if s.Issued != 3 || s.Reserved != 200 || s.Dropped != 98 || s.AtHand != 99 || s.Reservations != 2 {
			t.Errorf("stats %+v", s)
		}
		mustClose(t, g)
	})
}

// A period whose store went back before, and that is entered again, is still refused.
func TestTheFloorOfAPeriodOutlivesItsGenerator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 00:00:10", "UTC")
		clock := clockAt(at)
		store := newStore(t)
		g := newDaily(t, store, at, clock, nil)
		expectNext(t, g, "20261027-1")
		clock.step(-time.Minute)
		expectNext(t, g, "20261026-1")
		clock.step(time.Hour)
		expectNext(t, g, "20261027-2") // the later period was kept
		clock.step(-time.Hour)
		store.NextReserves(storetest.Fault{Forge: func(r stores.Range) stores.Range { return stores.Range{Start: 1, End: 101} }})
		expectError(t, g, generators.ErrRangeWentBack)
		mustClose(t, g)
	})
}
