package snowflake_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestGeneratorsOfOneStoreAndNamespaceShareALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		trade, order := p.start("trade", nil), p.start("order", func(s *snowflake.Settings) { s.Unit = "s" })
		wide, err := p.factory.Wide().Build(named(p.spec, "event"), wideSettings(nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := wide.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := p.store.Acquires(); n != 1 {
			t.Errorf("%d slots were acquired, want 1", n)
		}
		if a, b := parts(t, trade, mustNext(t, trade)), parts(t, order, mustNext(t, order)); a.Slot != b.Slot {
			t.Errorf("slots %d and %d", a.Slot, b.Slot)
		}
		p.spec.Namespace = "other"
		other := p.start("trade", nil)
		if n := p.store.Acquires(); n != 2 {
			t.Errorf("another namespace: %d slots were acquired, want 2", n)
		}
		time.Sleep(time.Minute)
		mustClose(t, trade, wide, other)
		if n := p.store.Releases(); n != 1 {
			t.Errorf("%d releases while a generator runs, want that of the other namespace only", n)
		}
		mustNext(t, order)
		mustClose(t, order, order, trade)
		if n := p.store.Releases(); n != 2 {
			t.Errorf("%d releases, want 2", n)
		}
	})
}

func named(spec generators.Spec, name string) generators.Spec {
	spec.Name = name
	return spec
}

func TestLeaseIsRenewedAtAThirdOfItsTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", nil)
		began := time.Now()
		id := mustNext(t, g)
		time.Sleep(95 * time.Second)
		renews := calls(p.store, "renew")
		for i, call := range renews {
			if got, want := call.At.Sub(began), time.Duration(i+1)*ttl/3; got != want {
				t.Errorf("renewal %d after %v, want %v", i, got, want)
			}
			if want := parts(t, g, id).Time.UnixMilli(); call.UsedThrough != want {
				t.Errorf("renewal %d says used through %d, want %d", i, call.UsedThrough, want)
			}
		}
		if len(renews) != 9 {
			t.Errorf("%d renewals in 95s, want 9", len(renews))
		}
		mustClose(t, g)
	})
}

// A store that cannot be reached costs ids only from the window's end on, and only until it answers again.
func TestHoldersStopAtTheirCeilingAndResumeByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		processes := []*process{newProcess(t, server, "a"), newProcess(t, server, "b")}
		var running []*snowflake.Generator
		for _, p := range processes {
			running = append(running, p.start("trade", nil))
			p.store.EveryRenew(storetest.Fault{Before: errStore})
		}
		time.Sleep(ttl - time.Millisecond)
		for i, g := range running {
			if id := parts(t, g, mustNext(t, g)); id.Time.UnixMilli() >= processes[i].lease().Ceiling {
				t.Errorf("id of %v, but the window ended at %d", id.Time, processes[i].lease().Ceiling)
			}
		}
		time.Sleep(time.Millisecond)
		for _, g := range running {
			id, err := g.Next(t.Context())
			if !errors.Is(err, generators.ErrLeaseExpired) || !errors.Is(err, errStore) {
				t.Errorf("at the ceiling: Next = %d, %v", id, err)
			}
		}
		time.Sleep(time.Minute)
		for _, g := range running {
			began := time.Now()
			_, err := g.Next(t.Context())
			if !errors.Is(err, generators.ErrLeaseExpired) || !strings.Contains(err.Error(), "2000-01-01T00:00:30Z, 1m0s ago") {
				t.Errorf("later: %v; want since when", err)
			}
			if time.Since(began) != 0 {
				t.Errorf("it took %v to say so", time.Since(began))
			}
			if s := g.LeaseStats(); s.State != generators.LeaseExpired || s.Remaining != 0 || !errors.Is(s.Err, errStore) {
				t.Errorf("stats %+v", s)
			}
		}
		for _, p := range processes {
			p.store.EveryRenew(storetest.Fault{})
		}
		time.Sleep(5 * time.Second)
		for _, g := range running {
			near(t, "after it", parts(t, g, mustNext(t, g)).Time, time.Now())
			if s := g.LeaseStats(); s.State != generators.LeaseHeld || s.Err != nil {
				t.Errorf("stats %+v", s)
			}
		}
		mustClose(t, running[0], running[1])
	})
}

// A process that stood still finds its window ended before anybody could renew it; its callers wait for the store's
// answer instead of failing.
func TestCallersWaitForARenewalThatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", nil)
		p.store.NextRenews(storetest.Fault{Latency: 22 * time.Second}) // until 2s after the ceiling
		time.Sleep(ttl)
		began := time.Now()
		mustNext(t, g)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("waited %v, want 2s", took)
		}
		time.Sleep(time.Minute) // the next renewal is due now
		synctest.Wait()
		p.store.NextRenews(storetest.Fault{Latency: 22 * time.Second, After: errStore})
		due := g.LeaseStats().RetryAt
		time.Sleep(time.Until(due) + ttl - ttl/3)
		began = time.Now()
		if id, err := g.Next(t.Context()); !errors.Is(err, errStore) || time.Since(began) != 2*time.Second {
			t.Errorf("Next = %d, %v after %v; want the error of the renewal after 2s", id, err, time.Since(began))
		}
		time.Sleep(time.Minute)
		p.store.NextRenews(storetest.Fault{Latency: 5 * time.Minute})
		time.Sleep(time.Minute)
		began = time.Now()
		if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrLeaseExpired) || time.Since(began) != 3*time.Second {
			t.Errorf("Next = %d, %v after %v; want an error after 3s", id, err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if id, err := g.Next(ctx); !errors.Is(err, generators.ErrLeaseExpired) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next = %d, %v; want the end of its context", id, err)
		}
		time.Sleep(5 * time.Minute)
		near(t, "after the pause", parts(t, g, mustNext(t, g)).Time, time.Now())
		mustClose(t, g)
	})
}

func TestALostLeaseIsUsedToItsCeilingWhileAnotherIsAcquired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		var events []string
		p.spec.Hooks = generators.Hooks{
			OnLeaseAcquired: func(e generators.LeaseEvent) { events = append(events, fmt.Sprint("acquired ", e.Lease.Slot)) },
			OnLeaseLost: func(e generators.LeaseFailure) {
				events = append(events, fmt.Sprint("lost ", e.Lease.Slot, errors.Is(e.Err, stores.ErrLeaseLost)))
			},
			OnLeaseFailed: func(e generators.LeaseFailure) {
				if !errors.Is(e.Err, errStore) || e.RetryAt.Before(time.Now()) {
					t.Errorf("failure %+v", e)
				}
				if len(events) < 3 {
					events = append(events, "failed")
				}
			},
		}
		g := p.start("trade", nil)
		first := p.lease()
		last := mustNext(t, g)
		p.takeAway(first)
		p.store.EveryAcquire(storetest.Fault{Before: errStore})
		for range 29 {
			time.Sleep(time.Second)
			id := mustNext(t, g)
			if at := parts(t, g, id); id <= last || at.Slot != first.Slot || at.Time.UnixMilli() >= first.Ceiling {
				t.Fatalf("id %d after %d: %+v, of %+v", id, last, at, first)
			}
			last = id
		}
		if s := g.LeaseStats(); s.State != generators.LeaseTaken || s.Remaining != time.Second {
			t.Errorf("stats %+v", s)
		}
		time.Sleep(time.Second)
		if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrLeaseExpired) || !errors.Is(err, errStore) {
			t.Errorf("at the ceiling: Next = %d, %v", id, err)
		}
		p.store.EveryAcquire(storetest.Fault{})
		time.Sleep(5 * time.Second)
		id := mustNext(t, g)
		if at := parts(t, g, id); id <= last || at.Time.UnixMilli() < first.Ceiling {
			t.Errorf("id %d after %d, %+v: want it beyond the window lost", id, last, at)
		}
		mustClose(t, g) // with it the calls of the hooks are over
		if got, want := strings.Join(events, ", "), "acquired 0, lost 0 true, failed, acquired 0"; got != want {
			t.Errorf("events %q, want %q", got, want)
		}
		acquires := calls(p.store, "acquire")
		a, b := acquires[0].Request, acquires[len(acquires)-1].Request
		if a.Incarnation != b.Incarnation || !a.TakeOver || b.TakeOver {
			t.Errorf("first %+v, last %+v; want one incarnation, and TakeOver only at first", a, b)
		}
	})
}

// A slot below the former one must not make the ids smaller.
func TestIDsIncreaseAcrossSlotChangesWithinATick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		blocker := newProcess(t, server, "blocker")
		b := blocker.start("trade", nil)
		ms := p.start("ms", func(s *snowflake.Settings) { s.Bits.Sequence = new(4) })
		s := p.start("s", func(s *snowflake.Settings) { s.Unit, s.Bits.Sequence = "s", new(4) })
		time.Sleep(9900 * time.Millisecond)
		last := map[*snowflake.Generator]int64{}
		for g, n := range map[*snowflake.Generator]int{ms: 10_001, s: 20} { // into ticks that lie behind the change
			for range n {
				id := mustNext(t, g)
				if id <= last[g] {
					t.Fatalf("id %d after %d", id, last[g])
				}
				last[g] = id
			}
		}
		mustClose(t, b)
		p.takeAway(p.lease())
		time.Sleep(100 * time.Millisecond) // renews, finds it lost, takes slot 0
		synctest.Wait()
		for _, g := range []*snowflake.Generator{ms, s} {
			id := mustNext(t, g)
			before, after := parts(t, g, last[g]), parts(t, g, id)
			if before.Slot != 1 || after.Slot != 0 || id <= last[g] || after.Tick <= before.Tick {
				t.Errorf("%+v after %+v", after, before)
			}
		}
		mustClose(t, ms, s)
	})
}

func TestCloseGivesBackWhatWasNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		time.Sleep(5 * time.Second)
		id := mustNext(t, g)
		mustClose(t, g)
		row := rows(t, server)[0]
		if want := parts(t, g, id).Time.UnixMilli() + 1; row.NextFloor != want || row.Owner != "" || row.LastOwner != "host" {
			t.Errorf("row %+v, want the next floor %d", row, want)
		}
		if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrClosed) {
			t.Errorf("Next = %d, %v after Close", id, err)
		}
		time.Sleep(time.Millisecond)
		again := p.start("trade", nil)
		if next := mustNext(t, again); next <= id || parts(t, again, next).Slot != parts(t, g, id).Slot {
			t.Errorf("id %d after %d", next, id)
		}
		mustClose(t, again)
		acquires := calls(p.store, "acquire")
		if a, b := acquires[0].Request, acquires[1].Request; a.Incarnation == b.Incarnation || b.TakeOver {
			t.Errorf("%+v after %+v: want a new incarnation and no TakeOver", b, a)
		}
	})
}

// One that was closed and another of the same name may not make the same ids, though the lease is still the same.
func TestAGeneratorThatIsReplacedGoesOnAfterTheFormerOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		keeper, first := p.start("keeper", nil), p.start("trade", nil)
		twin := p.build("trade", nil)
		if err := twin.Start(t.Context()); err == nil {
			t.Error("two generators of one name run at once")
		}
		ids := make([]int64, 10_000)
		if _, err := first.Fill(t.Context(), ids); err != nil {
			t.Fatal(err)
		}
		mustClose(t, first)
		if err := twin.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if id, last := mustNext(t, twin), ids[len(ids)-1]; id <= last {
			t.Errorf("id %d after %d", id, last)
		}
		mustClose(t, twin, keeper)
	})
}

func TestTheFourthOfThreeSlotsIsToldWhyAndUntilWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		var running []generators.Instance
		for i := range 3 {
			p := newProcess(t, server, fmt.Sprint("host", i))
			p.spec.Slots.Limit = 3
			running = append(running, p.start("trade", nil))
			time.Sleep(time.Second)
		}
		p := newProcess(t, server, "host3")
		p.spec.Slots.Limit = 3
		began := time.Now()
		err := p.build("trade", nil).Start(t.Context())
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v to say so", took)
		}
		var none *stores.NoFreeSlotError
		if !errors.Is(err, stores.ErrNoFreeSlot) || !errors.As(err, &none) {
			t.Fatalf("Start: %v", err)
		}
		if none.Live != 3 || none.Limit != 3 || none.UsableAt-none.StoreNow != (ttl-3*time.Second).Milliseconds() {
			t.Errorf("%+v", none)
		}
		p.spec.Slots.Limit = 5
		if err := newProcessWith(p).build("trade", nil).Start(t.Context()); !errors.Is(err, stores.ErrSlotSettings) {
			t.Errorf("another limit: %v", err)
		}
		mustClose(t, running...)
	})
}

// newProcessWith is another process with the store and settings of p.
func newProcessWith(p *process) *process {
	return &process{t: p.t, server: p.server, store: p.store, factory: snowflake.NewFactory(), spec: p.spec}
}

func TestRestartsLeakNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		shared := newProcess(t, server, "shared")
		last := int64(0)
		for i := range 10_000 {
			p := newProcessWith(shared)
			if i%3 == 0 {
				p = shared // the same factory again
			}
			p.spec.Slots.Owner = fmt.Sprint("host", i%7)
			g := p.start("trade", nil)
			id := mustNext(t, g)
			if id == last {
				t.Fatalf("id %d twice", id)
			}
			last = id
			mustClose(t, g)
			if i%100 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		for _, row := range rows(t, server) {
			if row.Owner != "" {
				t.Errorf("slot %d is still leased by %q", row.Slot, row.Owner)
			}
		}
		if n := len(rows(t, server)); n > 4 {
			t.Errorf("%d slots were used", n)
		}
	})
}

func TestStartTriesAgainAndTakesBackWhatALostReplyGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		p.spec.Slots.Limit = 1
		p.store.NextAcquires(storetest.Fault{Before: errStore}, storetest.Fault{After: stores.ErrOutcomeUnknown})
		g := p.start("trade", nil)
		mustNext(t, g)
		if n := p.store.Acquires(); n != 3 {
			t.Errorf("%d acquires, want 3", n)
		}
		mustClose(t, g)
		p.store.EveryAcquire(storetest.Fault{Before: errStore})
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		began := time.Now()
		if err := p.build("trade", nil).Start(ctx); !errors.Is(err, errStore) || time.Since(began) > 250*time.Millisecond {
			t.Errorf("Start = %v after %v", err, time.Since(began))
		}
		p.store.EveryAcquire(storetest.Fault{Latency: time.Hour})
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		late := p.build("trade", nil)
		if err := late.Start(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Start = %v", err)
		}
		p.store.EveryAcquire(storetest.Fault{})
		if err := late.Start(t.Context()); err != nil { // the only slot is its own
			t.Errorf("the second Start: %v", err)
		}
		mustClose(t, late)
	})
}

// A lease that comes while the process is being stopped is released, too.
func TestCloseReleasesALeaseThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		p.takeAway(p.lease())
		p.store.EveryAcquire(storetest.Fault{Latency: time.Second})
		time.Sleep(ttl/3 + time.Millisecond)
		mustClose(t, g)
		for _, row := range rows(t, server) {
			if row.Owner == "host" {
				t.Errorf("slot %d is still leased", row.Slot)
			}
		}
	})
}

func TestCloseWaitsForADeafStoreNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", nil)
		p.store.EveryRelease(storetest.Fault{Latency: time.Minute, Deaf: true, After: errStore})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := g.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("Close = %v after %v", err, time.Since(began))
		}
		again := p.build("trade", nil)
		if err := again.Start(ctx); !errors.Is(err, context.DeadlineExceeded) || p.store.Acquires() != 1 {
			t.Errorf("Start while the slot is being released: %v", err)
		}
		if err := again.Start(t.Context()); err != nil || time.Since(began) != time.Minute {
			t.Errorf("Start = %v after %v, want the end of the call", err, time.Since(began))
		}
		mustClose(t, g)
		mustNext(t, again)
		p.store.EveryRelease(storetest.Fault{})
		mustClose(t, again)
	})
}

// A store that never answers is not waited for longer than its timeout.
func TestCallsToTheStoreAreBoundedByItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		p.spec.StoreTimeout = 2 * time.Second
		g := p.start("trade", nil)
		p.store.EveryRenew(storetest.Fault{Latency: time.Hour})
		time.Sleep(ttl/3 + 2*time.Second)
		synctest.Wait()
		if s := g.LeaseStats(); s.State != generators.LeaseLate || !errors.Is(s.Err, stores.ErrOutcomeUnknown) ||
			!s.RetryAt.Equal(time.Now().Add(100*time.Millisecond)) {
			t.Errorf("stats %+v", s)
		}
		p.store.EveryRelease(storetest.Fault{Latency: time.Hour})
		began := time.Now()
		if err := g.Close(t.Context()); !errors.Is(err, stores.ErrOutcomeUnknown) || time.Since(began) > 10*time.Second {
			t.Errorf("Close = %v after %v", err, time.Since(began))
		}
		p.store.EveryAcquire(storetest.Fault{Latency: time.Hour})
		began = time.Now()
		if err := p.build("trade", nil).Start(t.Context()); err == nil || time.Since(began) > 15*time.Second {
			t.Errorf("Start = %v after %v", err, time.Since(began))
		}
	})
}

func TestCloseRepeatsAReleaseWhoseReplyIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		p := newProcess(t, server, "host")
		g := p.start("trade", nil)
		p.store.NextReleases(storetest.Fault{Before: errStore}, storetest.Fault{After: stores.ErrOutcomeUnknown})
		mustClose(t, g)
		if n := p.store.Releases(); n != 3 || rows(t, server)[0].Owner != "" {
			t.Errorf("%d releases, row %+v", n, rows(t, server)[0])
		}
	})
}

func TestCloseEndsCallsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		g := p.start("trade", func(s *snowflake.Settings) { s.Unit, s.MaxAhead, s.Bits.Sequence = "s", 0, new(0) })
		mustNext(t, g)
		waited := make(chan error)
		go func() {
			_, err := g.Next(t.Context())
			waited <- err
		}()
		synctest.Wait()
		began := time.Now()
		mustClose(t, g)
		if err := <-waited; !errors.Is(err, generators.ErrClosed) || time.Since(began) != 0 {
			t.Errorf("the call that waits: %v, after %v", err, time.Since(began))
		}
		if err := g.Start(t.Context()); !errors.Is(err, generators.ErrClosed) || p.store.Acquires() != 1 {
			t.Errorf("Start after Close: %v", err)
		}
	})
}

func TestCloseBeforeStart(t *testing.T) {
	p := newProcess(t, memstore.NewServer(), "host")
	g := p.build("trade", nil)
	if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrLeaseExpired) {
		t.Errorf("Next before Start = %d, %v", id, err)
	}
	mustClose(t, g, g)
	if n := len(p.store.Calls()); n != 0 {
		t.Errorf("%d calls to the store", n)
	}
}

// A store that breaks its contract is refused, and asked again.
func TestALeaseThatTheContractRulesOutIsNotUsed(t *testing.T) {
	for name, forge := range map[string]func(stores.SlotLease) stores.SlotLease{
		"a slot beyond the limit":  func(l stores.SlotLease) stores.SlotLease { l.Slot = 4; return l },
		"another slot":             func(l stores.SlotLease) stores.SlotLease { l.Slot++; return l },
		"another fence":            func(l stores.SlotLease) stores.SlotLease { l.Fence++; return l },
		"a window that shrinks":    func(l stores.SlotLease) stores.SlotLease { l.Ceiling = l.Floor + 1; return l },
		"a floor that moves":       func(l stores.SlotLease) stores.SlotLease { l.Floor--; return l },
		"the zero lease":           func(stores.SlotLease) stores.SlotLease { return stores.SlotLease{} },
		"a window without an inch": func(l stores.SlotLease) stores.SlotLease { l.Ceiling = l.Floor; return l },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProcess(t, memstore.NewServer(), "host")
				g := p.start("trade", nil)
				lease := p.lease()
				p.store.EveryRenew(storetest.Fault{ForgeLease: forge})
				for range 60 {
					time.Sleep(time.Second)
					if id, err := g.Next(t.Context()); err == nil {
						if at := parts(t, g, id); at.Slot != lease.Slot || at.Time.UnixMilli() >= lease.Ceiling {
							t.Fatalf("id %+v, of %+v", at, lease)
						}
					} else if !strings.Contains(err.Error(), "breaks its contract") {
						t.Fatal(err)
					}
				}
				p.store.EveryRenew(storetest.Fault{})
				time.Sleep(5 * time.Second)
				mustNext(t, g)
				mustClose(t, g)
			})
		})
	}
}
