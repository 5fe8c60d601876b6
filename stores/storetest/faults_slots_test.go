package storetest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func newSlotFaults(t *testing.T) *storetest.Faults {
	t.Helper()
	f := storetest.NewFaults(memstore.New())
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

var aSlot = stores.SlotRequest{
	Namespace: "shop", Owner: "host-1", Incarnation: "a", Limit: 4, Tolerance: time.Hour, TTL: 30 * time.Second,
	Preferred: stores.NoSlot,
}

func TestFaultsPassLeasesOnAndLogThem(t *testing.T) {
	f := newSlotFaults(t)
	acquired, err := f.Acquire(t.Context(), aSlot)
	if err != nil || acquired.Fence != 1 {
		t.Fatalf("Acquire = %+v, %v", acquired, err)
	}
	renewed, err := f.Renew(t.Context(), acquired, time.Minute, acquired.Floor)
	if err != nil || renewed.Ceiling <= acquired.Ceiling {
		t.Fatalf("Renew = %+v, %v", renewed, err)
	}
	if err := f.Release(t.Context(), renewed, acquired.Floor+1); err != nil {
		t.Fatal(err)
	}
	calls := f.Calls()
	if len(calls) != 3 || f.Acquires() != 1 || f.Renews() != 1 || f.Releases() != 1 || f.Reserves() != 0 {
		t.Fatalf("logged %+v", calls)
	}
	a, n, r := calls[0], calls[1], calls[2]
	if a.Op != "acquire" || a.Key != "shop" || a.Request != aSlot || !a.Done || a.Granted != acquired {
		t.Errorf("logged %+v", a)
	}
	if n.Op != "renew" || n.Lease != acquired || n.TTL != time.Minute || n.UsedThrough != acquired.Floor ||
		!n.Done || n.Granted != renewed {
		t.Errorf("logged %+v", n)
	}
	if r.Op != "release" || r.Lease != renewed || r.UsedThrough != acquired.Floor+1 || !r.Done || r.Err != nil {
		t.Errorf("logged %+v", r)
	}
}

func TestFaultsFailLeasesBeforeOrAfterTheCommit(t *testing.T) {
	f := newSlotFaults(t)
	f.NextAcquires(storetest.Fault{Before: errFault}, storetest.Fault{After: errFault})
	for range 2 {
		if got, err := f.Acquire(t.Context(), aSlot); !errors.Is(err, errFault) || got != (stores.SlotLease{}) {
			t.Errorf("Acquire = %+v, %v; want %v", got, err, errFault)
		}
	}
	lease, err := f.Acquire(t.Context(), aSlot)
	if err != nil || lease.Fence != 2 {
		t.Fatalf("Acquire = %+v, %v; want the grant after the lost one", lease, err)
	}

	f.EveryRenew(storetest.Fault{After: errFault})
	if got, err := f.Renew(t.Context(), lease, time.Hour, lease.Floor); !errors.Is(err, errFault) || got.Fence != 0 {
		t.Errorf("Renew = %+v, %v; want %v", got, err, errFault)
	}
	f.EveryRenew(storetest.Fault{})
	if got, err := f.Renew(t.Context(), lease, time.Second, lease.Floor); err != nil || got.Ceiling < lease.Floor+3_600_000 {
		t.Errorf("Renew = %+v, %v; want the window of the lost one", got, err)
	}

	f.NextReleases(storetest.Fault{Before: errFault}, storetest.Fault{After: errFault})
	for range 2 {
		if err := f.Release(t.Context(), lease, lease.Floor); !errors.Is(err, errFault) {
			t.Errorf("Release = %v, want %v", err, errFault)
		}
	}
	if _, err := f.Renew(t.Context(), lease, time.Second, lease.Floor); !errors.Is(err, stores.ErrLeaseLost) {
		t.Errorf("Renew = %v after the release, want it lost", err)
	}
}

func TestFaultsLoseTheLeaseIfTheContextEndsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSlotFaults(t)
		f.EveryAcquire(storetest.Fault{Latency: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := f.Acquire(ctx, aSlot)
		if !errors.Is(err, stores.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Acquire failed with %v, want an unknown outcome", err)
		}
		f.EveryRelease(storetest.Fault{Until: make(chan struct{})})
		if err := f.Release(ctx, stores.SlotLease{}, 0); !errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("Release failed with %v, want an unknown outcome", err)
		}
	})
}

func TestFaultsForgeLeases(t *testing.T) {
	f := newSlotFaults(t)
	f.NextAcquires(storetest.Fault{ForgeLease: func(l stores.SlotLease) stores.SlotLease { l.Fence = 77; return l }})
	if got, err := f.Acquire(t.Context(), aSlot); err != nil || got.Fence != 77 {
		t.Errorf("Acquire = %+v, %v; want fence 77", got, err)
	}
}

func TestFaultsSayWhenTheInnerStoreLeasesNothing(t *testing.T) {
	f := storetest.NewFaults(&tally{})
	_, acquireErr := f.Acquire(t.Context(), aSlot)
	_, renewErr := f.Renew(t.Context(), stores.SlotLease{}, time.Second, 0)
	releaseErr := f.Release(t.Context(), stores.SlotLease{}, 0)
	for _, err := range []error{acquireErr, renewErr, releaseErr} {
		if err == nil {
			t.Error("want an error")
		}
	}
}
