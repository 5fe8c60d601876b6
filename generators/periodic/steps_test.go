package periodic_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/stores/storetest"
)

// Reserve-timeout bounds a call as a whole, also one that begins in one period and goes on in the next.
func TestReserveTimeoutBoundsACallOverMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		silent := make(chan struct{})
		store.EveryReserve(storetest.Fault{Until: silent})
		at := date(t, "2026-10-27 23:59:57", "UTC").Add(500 * time.Millisecond)
		g := newDaily(t, store, at, clockAt(at), nil)
		began := time.Now()
		var running sync.WaitGroup
		for name, call := range map[string]func() error{
			"Next": func() error { _, err := g.Next(context.Background()); return err },
			"Fill": func() error { _, err := g.Fill(context.Background(), make([]generators.GroupedID, 5)); return err },
		} {
			running.Go(func() {
				err := call()
				if waited := time.Since(began); err == nil || waited > 3*time.Second {
					t.Errorf("%s waited %v and failed with %v", name, waited, err)
				}
			})
		}
		time.Sleep(2600 * time.Millisecond)
		running.Go(func() { _, _ = g.Next(context.Background()) }) // enters the new day
		running.Wait()
		close(silent)
		mustClose(t, g)
	})
}

// The clock may step between the prewarm moment and the period's start. What was prepared then ages from the start, and
// the demand is measured from there.
func TestAStepWhileTheNextPeriodIsPrepared(t *testing.T) {
	ttl := func(p *periodic.Policy, _ *periodic.Options) { p.RangeTTL = time.Second }
	t.Run("forward, the range ages from the period's start", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			at := date(t, "2026-10-27 23:59:05", "UTC")
			clock := clockAt(at)
			g := newDaily(t, newStore(t), at, clock, ttl)
			expectNext(t, g, "20261027-1")
			synctest.Wait()
			clock.step(55 * time.Second)
			expectNext(t, g, "20261028-1")
			time.Sleep(30 * time.Second)
			expectNext(t, g, "20261028-101") // the range of 1 is half a minute old
			mustClose(t, g)
		})
	})
	t.Run("back, the period still starts at its initial offset", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			at := date(t, "2026-10-27 23:59:50", "UTC")
			clock := clockAt(at)
			g := newDaily(t, newStore(t), at, clock, ttl)
			expectNext(t, g, "20261027-1")
			synctest.Wait()
			clock.step(-30 * time.Second)
			time.Sleep(40 * time.Second)
			expectNext(t, g, "20261028-1")
			mustClose(t, g)
		})
	})
	t.Run("forward, the demand is measured", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newStore(t)
			store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
			at := date(t, "2026-10-27 12:00:00", "UTC")
			clock := clockAt(at)
			g := newDaily(t, store, at, clock, func(p *periodic.Policy, _ *periodic.Options) { p.Prewarm = 13 * time.Hour })
			expectNext(t, g, "20261027-1")
			time.Sleep(time.Minute)
			clock.step(12 * time.Hour)
			ids := make([]generators.GroupedID, 100)
			for range 6000 { // a minute of 10,000 ids a second
				if _, err := g.Fill(t.Context(), ids); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Millisecond)
			}
			if rate := g.Stats().Rate; rate < 9000 || rate > 11000 {
				t.Errorf("a rate of %.0f, want about 10000", rate)
			}
			if n := store.Reserves(); n > 100 {
				t.Errorf("%d reservations in a minute, want about one a second", n)
			}
			mustClose(t, g)
		})
	})
}
