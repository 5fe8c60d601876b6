package periodic_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
)

func TestPeriodStatsFollowTheClockAndCountOnlyTheIdsOfThePresentPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noon := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
		clock := clockAt(noon)
		g := newDaily(t, newStore(t), noon, clock, nil)
		midnight := date(t, "2026-10-28 00:00:00", "Asia/Shanghai")
		expect := func(when string, want generators.PeriodStats) {
			t.Helper()
			synctest.Wait()
			if got := g.PeriodStats(); got.Period != want.Period || !got.Ends.Equal(want.Ends) || got.AtHand != want.AtHand {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		expect("before the first id", generators.PeriodStats{Period: "20261027", Ends: midnight})
		expectNext(t, g, "20261027-1")
		expect("after it", generators.PeriodStats{Period: "20261027", Ends: midnight, AtHand: g.Stats().AtHand})

		clock.step(midnight.Sub(noon) - time.Second)
		expectNext(t, g, "20261027-2") // prepares the next day
		synctest.Wait()
		if today, all := g.PeriodStats().AtHand, g.Stats().AtHand; today != 98 || all <= today {
			t.Errorf("%d of %d ids at hand are of today; want 98 of 100, and tomorrow's", today, all)
		}
		clock.step(time.Second)
		after := midnight.AddDate(0, 0, 1)
		if got := g.PeriodStats(); got.Period != "20261028" || !got.Ends.Equal(after) || got.AtHand == 0 {
			t.Errorf("after midnight, before the first id of the day: %+v", got)
		}
		mustClose(t, g)
	})
}
