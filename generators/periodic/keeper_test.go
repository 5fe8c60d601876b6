package periodic_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// sealing makes a daily generator that seals, and starts it.
func sealing(
	t *testing.T, store stores.RangeStore, at time.Time, clock *wallClock, after time.Duration, hooks generators.Hooks,
) *periodic.Generator {
	t.Helper()
	g := newDaily(t, store, at, clock, func(p *periodic.Policy, o *periodic.Options) { p.SealAfter, o.Hooks = after, hooks })
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

// isSealed asks the store whether a day's key is sealed, at the price of an id.
func isSealed(t *testing.T, store stores.RangeStore, day string) bool {
	t.Helper()
	_, err := store.Reserve(context.Background(), key+"/"+day, 1, 1)
	if err != nil && !errors.Is(err, stores.ErrRangeSealed) {
		t.Fatal(err)
	}
	return err != nil
}

// A period is sealed seal-after its end, on time; the present one and the latest never.
func TestPeriodsAreSealedWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:20", "Asia/Shanghai")
		clock := clockAt(at)
		store := newStore(t)
		var sealed record
		g := sealing(t, store, at, clock, 36*time.Hour, generators.Hooks{
			OnPeriodSealed: func(e generators.PeriodEvent) {
				sealed.add("%s", e.Period)
				if e.Key != key+"/"+e.Period {
					t.Errorf("key %q of %s", e.Key, e.Period)
				}
			},
		})
		expectNext(t, g, "20261027-1")
		synctest.Wait()
		if got := sealed.all(); len(got) != 31 || got[0] != "20261025" || got[30] != "20260925" {
			t.Errorf("sealed at the start: %v; want 31 days back from 20261025", got)
		}
		time.Sleep(24*time.Hour - 20*time.Second - time.Nanosecond)
		synctest.Wait()
		if got := sealed.all(); len(got) != 31 {
			t.Errorf("sealed early: %v", got[31:])
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := sealed.all(); len(got) != 32 || got[31] != "20261026" {
			t.Errorf("sealed %v, want 20261026 on time", got[31:])
		}
		if isSealed(t, store, "20261027") || isSealed(t, store, "20261028") || !isSealed(t, store, "20261026") {
			t.Error("the wrong days are sealed")
		}
		mustClose(t, g)
	})
}

// Periods that ended while nobody ran, and those that were never used, are sealed at the start.
func TestPeriodsThatEndedWhileTheProcessWasDownAreSealed(t *testing.T) {
	for _, c := range []struct {
		period                   generators.Period
		latest, oldest, unsealed string
		start                    string
		after                    time.Duration
		calls                    int
	}{
		{generators.YearMonthDay, "20261025", "20260925", "20261026", "2026-10-27 12:00:00", 24 * time.Hour, 31},
		{generators.YearMonth, "202609", "202510", "202610", "2026-10-27 12:00:00", 24 * time.Hour, 12},
		{generators.Year, "2025", "2024", "2026", "2026-10-27 12:00:00", 24 * time.Hour, 2},
		{generators.Year, "2024", "2023", "2025", "2026-01-01 12:00:00", 24 * time.Hour, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			at := date(t, c.start, "Asia/Shanghai")
			clock := clockAt(at)
			store := newStore(t)
			p := periodic.DefaultPolicy()
			p.SealAfter = c.after
			g, err := periodic.New(store, key, periodic.Calendar{Period: c.period, Zone: at.Location()}, p,
				periodic.Options{Clock: clock.now})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if !isSealed(t, store, c.latest) || !isSealed(t, store, c.oldest) || isSealed(t, store, c.unsealed) {
				t.Errorf("%v: want %s to %s sealed, and %s not", c.period, c.oldest, c.latest, c.unsealed)
			}
			if store.Seals() != c.calls+1 { // and the one of Start
				t.Errorf("%v: %d seals, want %d", c.period, store.Seals(), c.calls+1)
			}
			mustClose(t, g)
		})
	}
}

// An instance whose clock lags asks for a period that others have sealed: failing beats repeating (F99).
func TestALaggingInstanceIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
		store := newStore(t)
		right := sealing(t, store, at, clockAt(at), 24*time.Hour, generators.Hooks{})
		synctest.Wait()
		behind := clockAt(at.Add(-48 * time.Hour))
		lagging := newDaily(t, store, at, behind, nil)
		expectError(t, lagging, stores.ErrRangeSealed)
		behind.step(48 * time.Hour)
		expectNext(t, lagging, "20261027-1")
		mustClose(t, right)
		mustClose(t, lagging)
	})
}

func TestSealingIsRetriedAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
		store := newStore(t)
		store.EverySeal(storetest.Fault{Before: errors.New("down")})
		var sealed record
		g := sealing(t, store, at, clockAt(at), 24*time.Hour, generators.Hooks{
			OnPeriodSealed: func(e generators.PeriodEvent) { sealed.add("%s", e.Period) },
		})
		expectNext(t, g, "20261027-1")
		time.Sleep(10 * time.Second)
		// The one of Start, and then at 0, 0.1, 0.3, 0.7, 1.5, 3.1 and 6.3 s.
		if store.Seals() != 8 || len(sealed.all()) != 0 {
			t.Errorf("%d seals tried, %v sealed; want 8 and none", store.Seals(), sealed.all())
		}
		store.EverySeal(storetest.Fault{})
		time.Sleep(10 * time.Second)
		distinct := slices.Compact(slices.Sorted(slices.Values(sealed.all())))
		if len(sealed.all()) != 31 || len(distinct) != 31 {
			t.Errorf("sealed %v, want 31 days, each once", sealed.all())
		}
		mustClose(t, g)
	})
}

// The keeper follows a clock that is stepped, within a minute, and never seals what that clock calls the present.
func TestSealingFollowsAClockThatSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
		clock := clockAt(at)
		store := newStore(t)
		var sealed record
		g := sealing(t, store, at, clock, 24*time.Hour, generators.Hooks{
			OnPeriodSealed: func(e generators.PeriodEvent) { sealed.add("%s", e.Period) },
		})
		synctest.Wait()
		before := len(sealed.all())
		clock.step(-36 * time.Hour)
		time.Sleep(2 * time.Minute)
		for _, day := range sealed.all()[before:] {
			if day > "20260925" {
				t.Errorf("sealed %s after a step back", day)
			}
		}
		before = len(sealed.all())
		clock.step(36*time.Hour + 48*time.Hour)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := sealed.all()[before:]; !slices.Equal(got, []string{"20261027", "20261026"}) {
			t.Errorf("sealed %v after two days at a step, want 20261027 and 20261026", got)
		}
		if isSealed(t, store, "20261028") || isSealed(t, store, "20261029") {
			t.Error("a period was sealed too early")
		}
		mustClose(t, g)
	})
}

// Its memory is bounded, and nothing is sealed twice, through years of days.
func TestSealingGoesOnForYears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
		clock := clockAt(at)
		var sealed record
		g := sealing(t, newStore(t), at, clock, 24*time.Hour, generators.Hooks{
			OnPeriodSealed: func(e generators.PeriodEvent) { sealed.add("%s", e.Period) },
		})
		synctest.Wait() // the look-back of the start: 31 days
		for range 1000 {
			clock.step(24 * time.Hour)
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		// The clock moved by 1000 days and 1000 minutes, from noon into the early morning: 1001 days came to an end.
		days := sealed.all()
		distinct := slices.Compact(slices.Sorted(slices.Values(days)))
		if len(days) != 1032 || len(distinct) != 1032 {
			t.Errorf("%d seals of %d days, want 1032 of each", len(days), len(distinct))
		}
		mustClose(t, g)
	})
}

// plainStore is a store that cannot seal.
type plainStore struct{ stores.RangeStore }

func TestSealAfterNeedsAStoreThatCanSeal(t *testing.T) {
	at := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
	p := periodic.DefaultPolicy()
	p.SealAfter = 24 * time.Hour
	calendar := periodic.Calendar{Period: generators.YearMonthDay, Zone: at.Location()}
	inner := memstore.New()
	if err := inner.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := periodic.New(plainStore{inner}, key, calendar, p, periodic.Options{}); err == nil ||
		!strings.Contains(err.Error(), "seal-after") {
		t.Errorf("New on a store without Seal failed with %v", err)
	}

	wrapped := storetest.NewFaults(plainStore{inner}) // has the method, but not the ability
	g, err := periodic.New(wrapped, key, calendar, p, periodic.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "seal-after") {
		t.Errorf("Start on a store that answers false failed with %v", err)
	}
	mustClose(t, g)
}

func TestStartTwiceIsAnError(t *testing.T) {
	at := date(t, "2026-10-27 12:00:00", "UTC")
	g := sealing(t, newStore(t), at, clockAt(at), 24*time.Hour, generators.Hooks{})
	if err := g.Start(t.Context()); err == nil {
		t.Error("started twice")
	}
	mustClose(t, g)
}
