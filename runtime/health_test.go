package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

var errRefused = errors.New("dial redis://app:hunter2@redis:6379: connection refused")

// patient is a store type of one store whose calls can be made to fail.
type patient struct{ *storetest.Faults }

func newPatient() patient { return patient{storetest.NewFaults(memstore.New())} }

func (patient) Type() string                                   { return "patient" }
func (patient) NewOptions() any                                { return &struct{}{} }
func (p patient) Build(stores.Spec, any) (stores.Store, error) { return p, nil }
func (p patient) fail(err error)                               { p.EveryReserve(storetest.Fault{Before: err}) }

func (p patient) recover() { p.EveryReserve(storetest.Fault{}) }

func storeOf(name string, f stores.Factory) config.Store {
	return config.Store{Name: name, Factory: f, Timeout: time.Second, Opening: time.Second}
}

// pinged is a patient that can be asked.
type pinged struct {
	patient
	ping func(context.Context) error
	asks *atomic.Int64
}

func newPinged(ping func(context.Context) error) pinged {
	return pinged{newPatient(), ping, &atomic.Int64{}}
}

func (p pinged) Build(stores.Spec, any) (stores.Store, error) { return p, nil }

func (p pinged) Ping(ctx context.Context) error {
	p.asks.Add(1)
	return p.ping(ctx)
}

func fine(context.Context) error { return nil }

// clinic is a started runtime of one store "db" and one generator "order", in its own bubble of time.
func clinic(t *testing.T, store config.Store, use func(t *testing.T, rt *runtime.Runtime, order *runtime.Entry)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rt := healthRuntime(t, store)
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		order, err := rt.Get("order")
		if err != nil {
			t.Fatal(err)
		}
		use(t, rt, order)
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func healthRuntime(t *testing.T, all ...config.Store) *runtime.Runtime {
	t.Helper()
	policy := segment.DefaultPolicy()
	policy.Step, policy.Lookahead = 2, 0
	g := config.Generator{
		Name: "order", Store: all[0].Name, Factory: segment.Factory{}, Settings: &segment.Settings{Policy: policy},
		Codec: codecs.Default(),
	}
	rt, err := runtime.New(
		&config.Config{Enabled: true, Namespace: "shop", Stores: all, Generators: []config.Generator{g}},
		runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

// expectHealth compares the statuses, and looks for a part of each reason; "" = it must be empty.
func expectHealth(t *testing.T, h runtime.Health, status runtime.Status, order, db runtime.Condition) {
	t.Helper()
	if h.Status != status {
		t.Errorf("status %q, want %q (%+v)", h.Status, status, h)
	}
	for what, pair := range map[string][2]runtime.Condition{"order": {h.Generators[0], order}, "db": {h.Stores[0], db}} {
		got, want := pair[0], pair[1]
		if got.Status != want.Status || (want.Reason == "") != (got.Reason == "") || !strings.Contains(got.Reason, want.Reason) {
			t.Errorf("%s: got %s %q, want %s %q", what, got.Status, got.Reason, want.Status, want.Reason)
		}
	}
	if text, err := json.Marshal(h); err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("the password is shown: %s (%v)", text, err)
	}
}

type is = runtime.Condition

func TestHealthBeforeStartAndAfterCloseSaysSo(t *testing.T) {
	rt := healthRuntime(t, storeOf("db", newPinged(fine)))
	const before, after = "the runtime is not started", "the runtime is closed"
	h := rt.Health(t.Context())
	expectHealth(t, h, runtime.Down, is{Status: runtime.Down, Reason: before}, is{Status: runtime.Down, Reason: before})
	if h.Reason != before {
		t.Errorf("reason %q", h.Reason)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h = rt.Health(t.Context())
	expectHealth(t, h, runtime.Down, is{Status: runtime.Down, Reason: after}, is{Status: runtime.Down, Reason: after})
}

func TestHealthDuringStartDoesNotWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeStore{journal: &journal{}, name: "db", start: func(context.Context) error { time.Sleep(time.Second); return nil }}
		rt := newRuntime(t, &config.Config{Enabled: true, Stores: []config.Store{{Name: "db", Factory: s}}})
		done := make(chan error, 1)
		go func() { done <- rt.Start(t.Context()) }()
		synctest.Wait()
		began := time.Now()
		if h := rt.Health(t.Context()); h.Status != runtime.Down || !strings.Contains(h.Reason, "starting") || time.Since(began) > 0 {
			t.Errorf("after %v: %+v", time.Since(began), h)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if h := rt.Health(t.Context()); h.Status != runtime.Up {
			t.Errorf("started: %+v", h)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestADisabledRuntimeIsUpAndSaysThatItIsDisabled(t *testing.T) {
	h := newRuntime(t, &config.Config{}).Health(t.Context())
	if h.Status != runtime.Up || !strings.Contains(h.Reason, "enabled: false") {
		t.Errorf("%+v", h)
	}
}

func TestAnIdleGeneratorOnAStoreThatAnswersIsUp(t *testing.T) {
	clinic(t, storeOf("db", newPinged(fine)), func(t *testing.T, rt *runtime.Runtime, _ *runtime.Entry) {
		began := time.Now()
		time.Sleep(time.Minute)
		h := rt.Health(t.Context())
		expectHealth(t, h, runtime.Up, is{Status: runtime.Up}, is{Status: runtime.Up})
		if !h.Generators[0].Since.Equal(began) || !h.Stores[0].Since.Equal(began) {
			t.Errorf("up since %v and %v, want %v", h.Generators[0].Since, h.Stores[0].Since, began)
		}
	})
}

func TestIdsAtHandKeepAGeneratorOfADeadStoreDegraded(t *testing.T) {
	down := &atomic.Bool{}
	store := newPinged(func(context.Context) error {
		if down.Load() {
			return errRefused
		}
		return nil
	})
	clinic(t, storeOf("db", store), func(t *testing.T, rt *runtime.Runtime, order *runtime.Entry) {
		if _, err := order.Next(t.Context()); err != nil { // one of two
			t.Fatal(err)
		}
		store.fail(errRefused)
		down.Store(true)
		died := time.Now()
		h := rt.Health(t.Context())
		expectHealth(t, h, runtime.Degraded,
			is{Status: runtime.Degraded, Reason: `ids at hand: 1, but store "db" is down`},
			is{Status: runtime.Down, Reason: "cannot be reached: dial redis://***@redis:6379: connection refused"})

		time.Sleep(time.Second)
		if h = rt.Health(t.Context()); !h.Stores[0].Since.Equal(died) || !h.Generators[0].Since.Equal(died) {
			t.Errorf("down since %v, degraded since %v, want %v", h.Stores[0].Since, h.Generators[0].Since, died)
		}

		_, _ = order.Next(t.Context())
		expectHealth(t, rt.Health(t.Context()), runtime.Down,
			is{Status: runtime.Down, Reason: `no id is at hand, and store "db" is down`},
			is{Status: runtime.Down, Reason: "cannot be reached"})

		if _, err := order.Next(t.Context()); err == nil {
			t.Fatal("an id of a dead store")
		}
		failed := time.Now()
		h = rt.Health(t.Context())
		expectHealth(t, h, runtime.Down,
			is{Status: runtime.Down, Reason: "no id is at hand, and none can be reserved: "},
			is{Status: runtime.Down, Reason: "cannot be reached"})
		if c := h.Generators[0]; !c.Since.Equal(failed) || !c.RetryAt.Equal(failed.Add(100*time.Millisecond)) {
			t.Errorf("since %v, retry at %v", c.Since, c.RetryAt)
		}
		time.Sleep(200 * time.Millisecond)
		if _, err := order.Next(t.Context()); err == nil {
			t.Fatal("an id of a dead store")
		}
		if c := rt.Health(t.Context()).Generators[0]; !c.Since.Equal(failed) {
			t.Errorf("after another failure: since %v, want %v", c.Since, failed)
		}

		time.Sleep(time.Second)
		store.recover()
		down.Store(false)
		if _, err := order.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // a caller gets its id before the hooks hear of the range
		h = rt.Health(t.Context())
		expectHealth(t, h, runtime.Up, is{Status: runtime.Up}, is{Status: runtime.Up})
		if now := time.Now(); !h.Generators[0].Since.Equal(now) || !h.Stores[0].Since.Equal(now) {
			t.Errorf("recovered at %v and %v, want %v", h.Generators[0].Since, h.Stores[0].Since, now)
		}
	})
}

func TestIdsAtHandKeepAGeneratorThatCannotRefillDegraded(t *testing.T) {
	store := newPinged(fine)
	clinic(t, storeOf("db", store), func(t *testing.T, rt *runtime.Runtime, order *runtime.Entry) {
		if _, err := order.Next(t.Context()); err != nil { // one of two
			t.Fatal(err)
		}
		store.fail(errRefused)
		ids, err := runtime.As[*segment.Generator](rt, "order")
		if err != nil {
			t.Fatal(err)
		}
		ids.Prefetch()
		synctest.Wait()
		expectHealth(t, rt.Health(t.Context()), runtime.Degraded,
			is{Status: runtime.Degraded, Reason: "ids at hand: 1, but they cannot be refilled: "},
			is{Status: runtime.Degraded, Reason: `it answers, but its last call for generator "order" failed: `})
	})
}

// Else an instance that is taken out of service for its health would never be asked for an id, and so never recover.
func TestAnOldFailureDoesNotHoldAGeneratorDownWhileItsStoreAnswers(t *testing.T) {
	store := newPinged(fine)
	clinic(t, storeOf("db", store), func(t *testing.T, rt *runtime.Runtime, order *runtime.Entry) {
		store.NextReserves(storetest.Fault{Before: errRefused})
		if _, err := order.Next(t.Context()); err == nil {
			t.Fatal("no failure")
		}
		expectHealth(t, rt.Health(t.Context()), runtime.Down,
			is{Status: runtime.Down, Reason: "none can be reserved"}, is{Status: runtime.Degraded, Reason: "failed"})
		time.Sleep(11 * time.Second)
		expectHealth(t, rt.Health(t.Context()), runtime.Degraded,
			is{Status: runtime.Degraded, Reason: "the next call tries again"}, is{Status: runtime.Up})
	})
}

func TestAFailureThatWillLastHoldsAGeneratorDownAndNotItsStore(t *testing.T) {
	store := newPinged(fine)
	clinic(t, storeOf("db", store), func(t *testing.T, rt *runtime.Runtime, order *runtime.Entry) {
		store.fail(stores.ErrRangeExhausted)
		if _, err := order.Next(t.Context()); err == nil {
			t.Fatal("no failure")
		}
		time.Sleep(time.Hour)
		expectHealth(t, rt.Health(t.Context()), runtime.Down,
			is{Status: runtime.Down, Reason: "range exhausted"}, is{Status: runtime.Up})
	})
}

func TestAStoreThatCannotBeAskedIsJudgedByItsGenerators(t *testing.T) {
	store := newPatient()
	clinic(t, storeOf("db", store), func(t *testing.T, rt *runtime.Runtime, order *runtime.Entry) {
		expectHealth(t, rt.Health(t.Context()), runtime.Up,
			is{Status: runtime.Up}, is{Status: runtime.Up, Reason: "cannot be asked"})
		store.fail(errRefused)
		if _, err := order.Next(t.Context()); err == nil {
			t.Fatal("no failure")
		}
		expectHealth(t, rt.Health(t.Context()), runtime.Down,
			is{Status: runtime.Down, Reason: "connection refused"}, is{Status: runtime.Down, Reason: `its last call for generator "order" failed`})
	})
}

func TestALazyStoreThatIsNotOpenSaysSoAndWhenItIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Bool
		s := &fakeStore{journal: &journal{}, name: "db", start: func(context.Context) error {
			if open.Load() {
				return nil
			}
			return errRefused
		}}
		rt := newRuntime(t, &config.Config{Enabled: true, Stores: []config.Store{{Name: "db", Factory: s, Lazy: true}}})
		began := time.Now()
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, at := range []struct{ wait, retry time.Duration }{
			{0, 100 * time.Millisecond}, {150 * time.Millisecond, 300 * time.Millisecond}, {200 * time.Millisecond, 700 * time.Millisecond},
		} {
			time.Sleep(at.wait)
			synctest.Wait()
			h := rt.Health(t.Context())
			c := h.Stores[0]
			if h.Status != runtime.Degraded || c.Status != runtime.Down || !strings.Contains(c.Reason, "it is not open yet: ") ||
				strings.Contains(c.Reason, "hunter2") || !c.Since.Equal(began) || !c.RetryAt.Equal(began.Add(at.retry)) {
				t.Errorf("after %v: %+v; want a retry at %v", time.Since(began), h, began.Add(at.retry))
			}
		}
		open.Store(true)
		time.Sleep(time.Second)
		synctest.Wait()
		if h := rt.Health(t.Context()); h.Status != runtime.Up || h.Stores[0].Since.Equal(began) {
			t.Errorf("open: %+v", h)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestStoresAreAskedAllAtOnceEachWithinItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
		a, b := newPinged(slow), newPinged(slow)
		rt := healthRuntime(t, storeOf("a", a), storeOf("b", b))
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		h := rt.Health(t.Context())
		if took := time.Since(began); took != time.Second {
			t.Errorf("two stores with a timeout of one second each took %v", took)
		}
		for _, c := range h.Stores {
			if c.Status != runtime.Down || !c.Since.Equal(began.Add(time.Second)) {
				t.Errorf("%+v", c)
			}
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestTheCallersContextBoundsHealthEvenWhereAStoreIsDeafToIt(t *testing.T) {
	store := newPinged(func(context.Context) error { time.Sleep(10 * time.Second); return nil })
	clinic(t, storeOf("db", store), func(t *testing.T, rt *runtime.Runtime, _ *runtime.Entry) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		for range 10 { // however often it is asked, one question is under way
			h := rt.Health(ctx)
			expectHealth(t, h, runtime.Down,
				is{Status: runtime.Down, Reason: "no id is at hand"}, is{Status: runtime.Down, Reason: "no answer yet: context deadline exceeded"})
		}
		if took := time.Since(began); took != 50*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if n := store.asks.Load(); n != 1 {
			t.Errorf("%d questions are under way", n)
		}
	})
}

func TestHealthAsksNothingOnceTheRuntimeIsClosedAndCloseAwaitsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newPinged(func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Millisecond) // cleaning up
			return ctx.Err()
		})
		rt := healthRuntime(t, storeOf("db", store))
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		asked := make(chan runtime.Health, 1)
		go func() { asked <- rt.Health(t.Context()) }()
		synctest.Wait()
		began := time.Now()
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != time.Millisecond {
			t.Errorf("Close took %v, want the millisecond that the store needs", took)
		}
		if h := <-asked; h.Status != runtime.Down || !strings.Contains(h.Reason, "closed") {
			t.Errorf("%+v", h)
		}
		rt.Health(t.Context())
		if n := store.asks.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// leaser is a generator that tells of a lease.
type leaser struct {
	fakeStrategy
	lease generators.LeaseStats
}

func (g *leaser) Build(generators.Spec, any) (generators.Instance, error) { return g, nil }
func (g *leaser) LeaseStats() generators.LeaseStats                       { return g.lease }

func TestAGeneratorWithASlotIsJudgedByItsTimeWindow(t *testing.T) {
	dead := func(context.Context) error { return errRefused }
	lost := fmt.Errorf("renew: %w", stores.ErrLeaseLost)
	const half = 30 * time.Second
	for name, c := range map[string]struct {
		ping      func(context.Context) error // nil = the store cannot be asked
		lease     generators.LeaseStats
		status    runtime.Status
		order, db is
	}{
		"held": {
			fine,
			generators.LeaseStats{State: generators.LeaseHeld, Remaining: half},
			runtime.Up,
			is{Status: runtime.Up},
			is{Status: runtime.Up},
		},
		"held, dead store": {
			dead,
			generators.LeaseStats{State: generators.LeaseHeld, Remaining: half},
			runtime.Degraded,
			is{Status: runtime.Degraded, Reason: `ids can be made for 30s more, but store "db" is down`},
			is{Status: runtime.Down, Reason: "cannot be reached"},
		},
		"late": {
			fine,
			generators.LeaseStats{State: generators.LeaseLate, Slot: 7, Remaining: half, Err: errRefused},
			runtime.Degraded,
			is{Status: runtime.Degraded, Reason: "ids can be made for 30s more, but the lease of slot 7 is late: "},
			is{Status: runtime.Degraded, Reason: "its last call"},
		},
		"late, a store that cannot be asked": {
			nil,
			generators.LeaseStats{State: generators.LeaseLate, Slot: 7, Remaining: half, Err: errRefused},
			runtime.Degraded,
			is{Status: runtime.Degraded, Reason: "late"},
			is{Status: runtime.Down, Reason: "its last call"},
		},
		"taken by others": {
			fine,
			generators.LeaseStats{State: generators.LeaseTaken, Slot: 7, Remaining: half},
			runtime.Degraded,
			is{Status: runtime.Degraded, Reason: "others have it now"},
			is{Status: runtime.Up},
		},
		"expired": {
			fine,
			generators.LeaseStats{State: generators.LeaseExpired, Slot: 7, Err: lost},
			runtime.Down,
			is{Status: runtime.Down, Reason: "no time window is left on a machine slot (lease expired): "},
			is{Status: runtime.Up},
		},
		"none": {
			fine,
			generators.LeaseStats{State: generators.LeaseNone, Slot: -1},
			runtime.Down,
			is{Status: runtime.Down, Reason: "no store has answered yet"},
			is{Status: runtime.Up},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var store stores.Factory = newPatient()
			if c.ping != nil {
				store = newPinged(c.ping)
			}
			since := time.Now().Add(-time.Minute)
			c.lease.Since = since
			g := plain("order", &leaser{fakeStrategy: fakeStrategy{journal: &journal{}}, lease: c.lease})
			g.Store = "db"
			rt := newRuntime(t, &config.Config{
				Enabled: true, Stores: []config.Store{storeOf("db", store)}, Generators: []config.Generator{g},
			})
			if err := rt.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			h := rt.Health(t.Context())
			expectHealth(t, h, c.status, c.order, c.db)
			if c.lease.State != generators.LeaseHeld && !h.Generators[0].Since.Equal(since) {
				t.Errorf("since %v, want %v", h.Generators[0].Since, since)
			}
			if err := rt.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// The lease is held and renewed, and yet there is no next id.
func TestALayoutWhoseTimeIsOverHoldsItsGeneratorDownAndNotItsStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		factory := snowflake.NewFactory()
		layout := func(name string, bits int) config.Generator {
			g := plain(name, factory)
			s := snowflake.DefaultSettings()
			s.Epoch = generators.Epoch(time.Now().Add(10*time.Second).UnixMilli() - 1<<32)
			s.Bits.Timestamp = &bits
			g.Store, g.Settings = "db", &s
			return g
		}
		rt := newRuntime(t, &config.Config{
			Enabled: true, Namespace: "shop",
			Slots:      generators.Slots{Limit: 4, TTL: 30 * time.Second, Tolerance: time.Hour, Owner: "host"},
			Stores:     []config.Store{storeOf("db", newPatient())},
			Generators: []config.Generator{layout("order", 32), layout("wider", 41)},
		})
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		calm := is{Status: runtime.Up, Reason: "its generators saw no failure"}
		expectHealth(t, rt.Health(t.Context()), runtime.Up, is{Status: runtime.Up}, calm)
		time.Sleep(11 * time.Second)
		h := rt.Health(t.Context())
		expectHealth(t, h, runtime.Down, is{Status: runtime.Down, Reason: "32 bits end"}, calm)
		if wider := h.Generators[1]; wider.Status != runtime.Up {
			t.Errorf("a layout with time left: %+v", wider)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestOnlyTheIdsOfThePresentPeriodKeepAGeneratorOfADeadStoreFromBeingDown(t *testing.T) {
	for present, want := range map[int64]runtime.Status{0: runtime.Down, 3: runtime.Degraded} {
		g := plain("order", &calendar{present: present})
		g.Store = "db"
		rt := newRuntime(t, &config.Config{
			Enabled: true, Generators: []config.Generator{g},
			Stores: []config.Store{storeOf("db", newPinged(func(context.Context) error { return errRefused }))},
		})
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := rt.Health(t.Context()).Generators[0]; got.Status != want {
			t.Errorf("%d ids of the present period: %+v, want %s", present, got, want)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// calendar is a generator with 100 ids at hand, of which some are of the present period.
type calendar struct {
	fakeStrategy
	present int64
}

func (g *calendar) Build(generators.Spec, any) (generators.Instance, error) {
	g.journal = &journal{}
	return g, nil
}
func (g *calendar) Stats() generators.Stats { return generators.Stats{AtHand: 100} }
func (g *calendar) PeriodStats() generators.PeriodStats {
	return generators.PeriodStats{Period: "2026", AtHand: g.present}
}

func TestACallerWhoGoesAwayLeavesNoTraceInWhatOthersSee(t *testing.T) {
	store := newPinged(func(context.Context) error { time.Sleep(100 * time.Millisecond); return nil })
	clinic(t, storeOf("db", store), func(t *testing.T, rt *runtime.Runtime, _ *runtime.Entry) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		rt.Health(ctx)
		if got := rt.Health(t.Context()).Stores[0]; got.Status != runtime.Up || !got.Since.Equal(began) {
			t.Errorf("%+v, want up since %v", got, began)
		}
	})
}

func TestHealthAndStatsBesideIds(t *testing.T) {
	store := newPinged(fine)
	rt := healthRuntime(t, storeOf("db", store))
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				if _, err := order.Next(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 50 {
				rt.Health(t.Context())
				rt.Stats()
			}
		})
	}
	all.Wait()
	if issued := rt.Stats().Generators[0].Counts.Issued; issued != 800 {
		t.Errorf("%d ids were counted, want 800", issued)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAFailureOfAPeriodThatIsOverIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newPinged(fine)
		settings := periodic.Factory{}.NewSettings().(*periodic.Settings)
		settings.Period, settings.Zone = "YEAR_MONTH_DAY", "UTC"
		rt, err := runtime.New(&config.Config{
			Enabled: true, Namespace: "shop", Stores: []config.Store{storeOf("db", store)},
			Generators: []config.Generator{{
				Name: "order", Store: "db", Factory: periodic.Factory{}, Settings: settings,
				Period: generators.YearMonthDay, GroupedCodec: codecs.DefaultGrouped(generators.YearMonthDay),
			}},
		}, runtime.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		order, _ := rt.Get("order")
		store.NextReserves(storetest.Fault{Before: stores.ErrRangeSealed})
		if _, err := order.NextGrouped(t.Context()); err == nil {
			t.Fatal("no failure")
		}
		expectHealth(t, rt.Health(t.Context()), runtime.Down,
			is{Status: runtime.Down, Reason: "range sealed"}, is{Status: runtime.Up})
		time.Sleep(24 * time.Hour)
		if _, err := order.NextGrouped(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectHealth(t, rt.Health(t.Context()), runtime.Up, is{Status: runtime.Up}, is{Status: runtime.Up})
		if stats := rt.Stats().Generators[0]; stats.Period == nil || stats.Period.Period != time.Now().UTC().Format("20060102") {
			t.Errorf("%+v", stats)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
