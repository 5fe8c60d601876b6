package memstore_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// Once with a clock that runs, once with one that stands between its steps, and once with one that cannot be moved.
func TestSlotLeaseStore(t *testing.T) {
	standing := time.UnixMilli(1_800_000_000_000)
	for name, server := range map[string]*memstore.Server{
		"running":  memstore.NewServer(),
		"standing": {Clock: func() time.Time { return standing }},
	} {
		t.Run(name, func(t *testing.T) { runSlotLeaseStore(t, server, true) })
	}
	t.Run("unmoved", func(t *testing.T) { runSlotLeaseStore(t, memstore.NewServer(), false) })
}

func runSlotLeaseStore(t *testing.T, server *memstore.Server, moving bool) {
	h := storetest.SlotHarness{
		New: func() (storetest.SlotStore, error) { return server.Client(), nil },
		Lacks: map[storetest.Ability]string{
			storetest.Restarting: "the server ends with the process",
			storetest.Freezing:   "memory always answers",
		},
	}
	if moving {
		h.MoveClock = func(_ context.Context, delta time.Duration) error {
			server.MoveClock(delta)
			return nil
		}
	} else {
		h.Lacks[storetest.ClockMoving] = "time passes by itself here"
	}
	storetest.RunSlotLeaseStore(t, h)
}

func TestInsaneClockIsRefused(t *testing.T) {
	for _, clock := range []time.Time{time.UnixMilli(-1), time.UnixMilli(1<<52 + 1), {}} {
		store := (&memstore.Server{Clock: func() time.Time { return clock }}).Client()
		if err := store.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease, err := store.Acquire(t.Context(), request)
		if err == nil || errors.Is(err, stores.ErrOutcomeUnknown) || lease != (stores.SlotLease{}) {
			t.Errorf("with the clock at %v Acquire = %+v, %v; want an error", clock, lease, err)
		}
	}
}

var request = stores.SlotRequest{
	Namespace: "shop", Owner: "host-1", Incarnation: "a", Limit: 4, Tolerance: time.Hour, TTL: time.Minute,
	Preferred: stores.NoSlot,
}

// The map of owners does not grow with the names that ever were: a slot's row names two.
func TestOwnersAreForgotten(t *testing.T) {
	store := memstore.New()
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Each has slot 2 in turn.
	for _, owner := range []string{"first", "second", "third"} {
		lease := acquire(t, store, owner, 2, 2)
		if err := store.Release(t.Context(), lease, lease.Floor-1); err != nil {
			t.Fatal(err)
		}
	}
	acquire(t, store, "first", stores.NoSlot, 0)
	acquire(t, store, "third", stores.NoSlot, 2)
}

func acquire(t *testing.T, store *memstore.Store, owner string, preferred, want int64) stores.SlotLease {
	t.Helper()
	r := request
	r.Owner, r.Preferred = owner, preferred
	lease, err := store.Acquire(t.Context(), r)
	if err != nil || lease.Slot != want {
		t.Fatalf("acquire for %s answered %v, %v; want slot %d", owner, lease, err, want)
	}
	return lease
}

func BenchmarkAcquireOf100000Slots(b *testing.B) {
	store := memstore.New()
	if err := store.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	r := request
	r.Limit = 100_000
	for slot := range r.Limit {
		r.Preferred = slot
		r.Incarnation = strconv.FormatInt(slot, 10)
		if _, err := store.Acquire(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	r.Owner = "late"
	r.Preferred = stores.NoSlot
	for b.Loop() {
		if _, err := store.Acquire(b.Context(), r); !errors.Is(err, stores.ErrNoFreeSlot) {
			b.Fatal(err)
		}
	}
}
