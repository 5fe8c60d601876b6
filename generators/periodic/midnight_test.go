package periodic_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores/storetest"
)

// A store of 2 s can only be hidden by a lookahead that is longer: 5 s here, so that the next ids arrive while the
// last ids for 5 s are used. Until the load is known callers may wait for several reservations. The load of 200 callers
// with an id each 100 ms is 2,000 ids a second; it begins two minutes before midnight, a minute before the prewarm.
const (
	slow      = 2 * time.Second
	callers   = 200
	pace      = 100 * time.Millisecond
	lookahead = 5 * time.Second
)

// Nobody waits at midnight, and no id has another period than that of its moment, on ordinary days and on those of 23
// and 25 hours.
func TestNobodyWaitsAtMidnight(t *testing.T) {
	for _, c := range []struct{ zone, midnight string }{
		{"Asia/Shanghai", "2026-10-27 00:00:00"},
		{"America/New_York", "2026-03-08 00:00:00"}, // the day of 23 hours begins
		{"America/New_York", "2026-03-09 00:00:00"}, // and ends
		{"America/New_York", "2026-11-01 00:00:00"}, // the day of 25 hours begins
		{"America/New_York", "2026-11-02 00:00:00"}, // and ends
	} {
		t.Run(c.zone+" "+c.midnight[:10], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				midnight := date(t, c.midnight, c.zone)
				clock := clockAt(midnight.Add(-2 * time.Minute))
				store := newStore(t)
				store.EveryReserve(storetest.Fault{Latency: slow})
				g := newDaily(t, store, midnight, clock, func(p *periodic.Policy, _ *periodic.Options) {
					p.Lookahead, p.ReserveTimeout = lookahead, 5*slow
				})
				ids := newCollector()
				var longest time.Duration // of the calls from half a minute before midnight on
				var running sync.WaitGroup
				for i := range callers {
					running.Go(func() {
						time.Sleep(pace * time.Duration(i) / callers)
						for clock.now().Before(midnight.Add(30 * time.Second)) {
							called := clock.now()
							id, err := g.Next(context.Background())
							if err != nil {
								t.Error(err)
								return
							}
							ids.add(t, id)
							if called.After(midnight.Add(-30 * time.Second)) {
								ids.mu.Lock()
								longest = max(longest, clock.now().Sub(called))
								ids.mu.Unlock()
								if want := generators.YearMonthDay.Format(called.In(midnight.Location())); id.Period != want {
									t.Errorf("%v was drawn at %v", id, called)
								}
							}
							time.Sleep(pace)
						}
					})
				}
				running.Wait()
				t.Logf("the longest wait around midnight: %v; %d ids", longest, len(ids.seen))
				if longest > 5*time.Millisecond {
					t.Errorf("a caller waited %v around midnight", longest)
				}
				if low := ids.low[generators.YearMonthDay.Format(midnight)]; low != 1 {
					t.Errorf("the new day begins at %d, want 1", low)
				}
				mustClose(t, g)
			})
		})
	}
}

// An idle generator reserves nothing ahead, and one with little traffic a single step.
func TestOnlyTrafficPrewarms(t *testing.T) {
	for _, c := range []struct {
		name  string
		draws bool
		want  int
	}{{"idle", false, 1}, {"used", true, 2}} {
		synctest.Test(t, func(t *testing.T) {
			at := date(t, "2026-10-26 12:00:00", "Asia/Shanghai")
			store := newStore(t)
			g := newDaily(t, store, at, clockAt(at), nil)
			expectNext(t, g, "20261026-1")
			time.Sleep(12*time.Hour - 30*time.Second)
			if c.draws {
				expectNext(t, g, "20261026-2", "20261026-3")
			}
			time.Sleep(29 * time.Second)
			calls := store.Calls()
			if len(calls) != c.want || calls[len(calls)-1].Size != 100 {
				t.Errorf("%s: reservations %+v, want %d, the last one of a step", c.name, calls, c.want)
			}
			time.Sleep(time.Second)
			expectNext(t, g, "20261027-1")
			mustClose(t, g)
		})
	}
}

func TestWithoutPrewarmTheFirstCallerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-26 23:59:59", "Asia/Shanghai")
		store := newStore(t)
		g := newDaily(t, store, at, clockAt(at), func(p *periodic.Policy, _ *periodic.Options) { p.Prewarm = 0 })
		expectNext(t, g, "20261026-1", "20261026-2")
		store.EveryReserve(storetest.Fault{Latency: slow})
		time.Sleep(time.Second)
		began := time.Now()
		expectNext(t, g, "20261027-1")
		if time.Since(began) != slow {
			t.Errorf("the first caller waited %v, want %v", time.Since(began), slow)
		}
		mustClose(t, g)
	})
}

// A prewarmed range does not age before its period begins, or the period would not begin at the initial offset.
func TestRangeTTLDoesNotSpoilThePrewarmedRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-26 23:59:10", "Asia/Shanghai")
		g := newDaily(t, newStore(t), at, clockAt(at), func(p *periodic.Policy, _ *periodic.Options) { p.RangeTTL = time.Second })
		expectNext(t, g, "20261026-1")
		time.Sleep(50 * time.Second)
		expectNext(t, g, "20261027-1")
		time.Sleep(time.Second)
		expectNext(t, g, "20261027-101")
		mustClose(t, g)
	})
}

// Two instances over midnight: numbers are unique in each day, and the days restart at 1 (F101).
func TestTwoInstancesOverMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		midnight := date(t, "2026-10-27 00:00:00", "Asia/Shanghai")
		clock := clockAt(midnight.Add(-time.Second))
		store := newStore(t)
		ids := newCollector()
		instances := []*periodic.Generator{newDaily(t, store, midnight, clock, nil), newDaily(t, store, midnight, clock, nil)}
		var running sync.WaitGroup
		for _, g := range instances {
			running.Go(func() {
				for range 2000 {
					id, err := g.Next(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					ids.add(t, id)
					time.Sleep(time.Millisecond)
				}
			})
		}
		running.Wait()
		if len(ids.seen) != 4000 || ids.low["20261026"] != 1 || ids.low["20261027"] != 1 {
			t.Errorf("%d ids, the days begin at %v; want 4000, and 1", len(ids.seen), ids.low)
		}
		for _, g := range instances {
			mustClose(t, g)
		}
	})
}

// A clock that steps back over midnight brings the earlier day back, never a number of it.
func TestAClockThatStepsBackNeverRepeats(t *testing.T) {
	for _, back := range []time.Duration{10 * time.Second, 90 * time.Minute, 50 * time.Hour} {
		t.Run(back.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				midnight := date(t, "2026-10-27 00:00:00", "Asia/Shanghai")
				clock := clockAt(midnight.Add(-5 * time.Second))
				store := newStore(t)
				store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
				g := newDaily(t, store, midnight, clock, nil)
				ids := newCollector()
				var running sync.WaitGroup
				for range 8 {
					running.Go(func() {
						for range 3000 {
							before := clock.now()
							id, err := g.Next(context.Background())
							if err != nil {
								t.Error(err)
								return
							}
							after := clock.now()
							ids.add(t, id)
							zone := midnight.Location()
							day := generators.YearMonthDay
							if id.Period != day.Format(before.In(zone)) && id.Period != day.Format(after.In(zone)) {
								t.Errorf("%v was drawn between %v and %v", id, before, after)
							}
							time.Sleep(10 * time.Millisecond)
						}
					})
				}
				time.Sleep(8 * time.Second)
				clock.step(-back) // back to the day before, or further
				time.Sleep(15 * time.Second)
				clock.step(back) // and over midnight once more
				running.Wait()
				if len(ids.seen) != 24000 || ids.low["20261027"] != 1 {
					t.Errorf("%d ids, the days begin at %v", len(ids.seen), ids.low)
				}
				mustClose(t, g)
			})
		})
	}
}

// A day that was left by a step back, with its own next day prepared, prepares that again when its time comes.
func TestADayThatWasKeptPrewarmsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 23:59:30", "Asia/Shanghai")
		clock := clockAt(at)
		store := newStore(t)
		var dropped record
		g := newDaily(t, store, at, clock, func(_ *periodic.Policy, o *periodic.Options) {
			o.Hooks.OnRangeDropped = func(d generators.RangeDropped) { dropped.add("%v of %s", d.Range, d.Key) }
		})
		expectNext(t, g, "20261027-1", "20261027-2") // prepares the 28th
		synctest.Wait()
		clock.step(-24 * time.Hour)
		expectNext(t, g, "20261026-1") // keeps the 27th, gives up the 28th
		synctest.Wait()
		if want := []string{"[1, 101) of shop/bill/20261028"}; !slices.Equal(dropped.all(), want) {
			t.Errorf("dropped %v, want %v", dropped.all(), want)
		}
		clock.step(24 * time.Hour)
		expectNext(t, g, "20261027-3") // prepares the 28th again
		synctest.Wait()
		store.EveryReserve(storetest.Fault{Latency: slow})
		time.Sleep(30 * time.Second)
		began := time.Now()
		expectNext(t, g, "20261028-101")
		if time.Since(began) != 0 {
			t.Errorf("the first caller of the day waited %v", time.Since(began))
		}
		mustClose(t, g)
	})
}

// The next day begins with the load of the day before: no small first range, no wait.
func TestTheRateIsHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		midnight := date(t, "2026-10-27 00:00:00", "UTC")
		clock := clockAt(midnight.Add(-time.Minute - 10*time.Second))
		store := newStore(t)
		g := newDaily(t, store, midnight, clock, func(p *periodic.Policy, _ *periodic.Options) {
			p.Policy = segment.DefaultPolicy()
		})
		ids := make([]generators.GroupedID, 10)
		for clock.now().Before(midnight) {
			if _, err := g.Fill(context.Background(), ids); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		var first int64
		for _, call := range store.Calls() {
			if call.Key == key+"/20261027" {
				first = call.Size
				break
			}
		}
		if first < 9000 || first > 11000 {
			t.Errorf("the first range of the day has %d ids at 10,000 a second, want about 10,000", first)
		}
		mustClose(t, g)
	})
}
