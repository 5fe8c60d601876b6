package snowflake_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores/memstore"
)

// drive takes an id every step for a while, and fails the test unless they increase. It returns the last.
func drive(t *testing.T, next func() (int64, error), last int64, step, long time.Duration) int64 {
	t.Helper()
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(step) {
		id, err := next()
		if err != nil {
			t.Fatal(err)
		}
		if id <= last {
			t.Fatalf("id %d after %d", id, last)
		}
		last = id
	}
	return last
}

// A step back within the tolerance costs nothing: the ids' time goes on at the pace of real time.
func TestStoreClockThatStepsBackWithinTheToleranceCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		next := func() (int64, error) { return g.Next(t.Context()) }
		last := drive(t, next, 0, 100*time.Millisecond, time.Minute)
		server.MoveClock(-50 * time.Minute)
		began := time.Now()
		last = drive(t, next, last, 100*time.Millisecond, 10*time.Minute)
		ran := parts(t, g, last).Time.Sub(began)
		if ran < 9*time.Minute+55*time.Second || ran > 10*time.Minute {
			t.Errorf("in 10m the ids' time ran %v", ran)
		}
		server.MoveClock(50 * time.Minute)
		last = drive(t, next, last, 100*time.Millisecond, time.Minute)
		near(t, "after it was set right", parts(t, g, last).Time, time.Now())
		mustClose(t, g)
	})
}

// Whoever made no id in the meantime has nothing to go on from.
func TestAnIdleGeneratorFollowsTheStoreClockBackToItsLastID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		id := mustNext(t, g)
		time.Sleep(45 * time.Minute)
		server.MoveClock(-40 * time.Minute)
		time.Sleep(time.Minute)
		near(t, "idle", parts(t, g, mustNext(t, g)).Time, time.Now().Add(-40*time.Minute))
		server.MoveClock(-40 * time.Minute)
		last := drive(t, func() (int64, error) { return g.Next(t.Context()) }, id, time.Second, time.Minute)
		server.MoveClock(80 * time.Minute)
		drive(t, func() (int64, error) { return g.Next(t.Context()) }, last, time.Second, time.Minute)
		mustClose(t, g)
	})
}

func TestStoreClockThatStepsBackBeyondTheToleranceStopsTheIDsUntilItHasCaughtUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		last := mustNext(t, g)
		server.MoveClock(-90 * time.Minute)
		failures := 0
		for range 60 * 60 {
			time.Sleep(time.Second)
			id, err := g.Next(t.Context())
			switch {
			case err == nil && id <= last:
				t.Fatalf("id %d after %d", id, last)
			case err == nil:
				last = id
			case errors.Is(err, generators.ErrLeaseExpired):
				failures++
			default:
				t.Fatal(err)
			}
		}
		if failures < 25*60 || failures > 31*60 {
			t.Errorf("%d seconds without ids, want about half an hour", failures)
		}
		mustNext(t, g)
		mustClose(t, g)
	})
}

func TestStoreClockThatStepsForwardTakesTheIDsAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		next := func() (int64, error) { return g.Next(t.Context()) }
		last := drive(t, next, 0, time.Second, time.Minute)
		server.MoveClock(30 * time.Minute)
		last = drive(t, next, last, time.Second, time.Minute)
		near(t, "after the step", parts(t, g, last).Time, time.Now().Add(30*time.Minute-time.Second))
		server.MoveClock(-30 * time.Minute)
		drive(t, next, last, time.Second, time.Minute)
		mustClose(t, g)
	})
}

// After a step back a new slot has a window far before the ids that were made: it is extended until they fit.
func TestASlotWhoseWindowLiesBeforeTheIDsIsExtendedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		time.Sleep(9 * time.Second)
		last := mustNext(t, g)
		server.MoveClock(-30 * time.Minute)
		p.takeAway(p.lease())
		time.Sleep(2 * time.Second)
		id := mustNext(t, g)
		if at := parts(t, g, id); id <= last || at.Slot == 0 {
			t.Errorf("id %d after %d, %+v", id, last, at)
		}
		mustClose(t, g)
	})
}

// A restart after a crash begins where the window of the former process ends, and a restart in order where its ids do.
func TestARestartNeverRepeatsThoughTheStoreClockSteppedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		first := newProcess(t, server, "host")
		first.spec.Slots.Limit = 1
		g := first.start("trade", nil)
		last := drive(t, func() (int64, error) { return g.Next(t.Context()) }, 0, time.Second, 55*time.Second)
		ceiling := first.lease().Ceiling
		server.MoveClock(-10 * time.Minute)

		second := newProcess(t, server, "host") // while the first still holds the only slot: it is taken over
		second.spec.Slots.Limit = 1
		restarted := second.start("trade", nil)
		id := mustNext(t, restarted)
		if id <= last || parts(t, restarted, id).Time.UnixMilli() < ceiling {
			t.Errorf("id %d after %d, window of the former process to %d", id, last, ceiling)
		}
		for range 100 { // the former process is fenced
			time.Sleep(time.Second)
			if old, err := g.Next(t.Context()); err == nil && parts(t, g, old).Time.UnixMilli() >= ceiling {
				t.Fatalf("the former process made %+v beyond its window", parts(t, g, old))
			}
		}
		mustClose(t, restarted)
		mustClose(t, g)
	})
}
