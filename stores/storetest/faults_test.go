package storetest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

// tally is the smallest store there is: it counts.
type tally struct {
	mu   sync.Mutex
	next int64
}

func (s *tally) Reserve(_ context.Context, _ string, size, _ int64) (stores.Range, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start := s.next
	s.next += size
	return stores.Range{Start: start, End: s.next}, nil
}

// sealingTally can seal.
type sealingTally struct{ tally }

func (s *sealingTally) Seal(context.Context, string) (bool, error) { return true, nil }

var errFault = errors.New("on request")

func reserve(t *testing.T, f *storetest.Faults) (stores.Range, error) {
	t.Helper()
	return f.Reserve(t.Context(), "shop/bill", 10, 1)
}

func TestFaultsPassCallsOnAndLogThem(t *testing.T) {
	f := storetest.NewFaults(&tally{})
	for _, want := range []stores.Range{{Start: 0, End: 10}, {Start: 10, End: 20}} {
		if got, err := reserve(t, f); err != nil || got != want {
			t.Errorf("Reserve = %v, %v; want %v", got, err, want)
		}
	}
	calls := f.Calls()
	if len(calls) != 2 || f.Reserves() != 2 || f.Seals() != 0 {
		t.Fatalf("log has %d calls, %d reserves, %d seals; want 2, 2, 0", len(calls), f.Reserves(), f.Seals())
	}
	call := calls[1]
	if call.Op != "reserve" || call.Key != "shop/bill" || call.Size != 10 || call.InitialOffset != 1 ||
		!call.Done || call.Range != (stores.Range{Start: 10, End: 20}) || call.Err != nil {
		t.Errorf("logged %+v", call)
	}
}

func TestFaultsFailBeforeOrAfterTheCommit(t *testing.T) {
	f := storetest.NewFaults(&tally{})
	f.NextReserves(storetest.Fault{Before: errFault}, storetest.Fault{After: errFault})
	for range 2 {
		if got, err := reserve(t, f); !errors.Is(err, errFault) || got != (stores.Range{}) {
			t.Errorf("Reserve = %v, %v; want %v", got, err, errFault)
		}
	}
	if got, err := reserve(t, f); err != nil || got.Start != 10 {
		t.Errorf("Reserve = %v, %v; want the range after the lost one", got, err)
	}
}

func TestFaultsForgeAnswers(t *testing.T) {
	f := storetest.NewFaults(&tally{})
	f.EveryReserve(storetest.Fault{Forge: func(r stores.Range) stores.Range { return stores.Range{Start: r.End, End: r.Start} }})
	if got, err := reserve(t, f); err != nil || got != (stores.Range{Start: 10, End: 0}) {
		t.Errorf("Reserve = %v, %v; want it reversed", got, err)
	}
	f.EveryReserve(storetest.Fault{})
	if got, err := reserve(t, f); err != nil || got != (stores.Range{Start: 10, End: 20}) {
		t.Errorf("Reserve = %v, %v; want it as it is", got, err)
	}
}

func TestFaultsDelayTheReplyNotTheCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &tally{}
		f := storetest.NewFaults(inner)
		release := make(chan struct{})
		f.NextReserves(storetest.Fault{Latency: time.Second, Until: release})
		began := time.Now()
		time.AfterFunc(3*time.Second, func() { close(release) })
		go func() {
			time.Sleep(time.Millisecond)
			next, _ := inner.Reserve(t.Context(), "shop/bill", 0, 0)
			if call := f.Calls()[0]; next.Start != 10 || call.Done {
				t.Errorf("after a millisecond the store is at %v, the call %+v; want it committed, not answered", next, call)
			}
		}()
		if _, err := reserve(t, f); err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("Reserve answered %v after %v, want nil after 3s", err, time.Since(began))
		}
	})
}

func TestFaultsLoseTheReplyIfTheContextEndsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := storetest.NewFaults(&tally{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, fault := range []storetest.Fault{{Latency: time.Hour}, {Until: make(chan struct{})}} {
			f.NextReserves(fault)
			_, err := f.Reserve(ctx, "shop/bill", 10, 1)
			if !errors.Is(err, stores.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Reserve failed with %v, want an unknown outcome", err)
			}
		}
		f.NextReserves(storetest.Fault{Latency: time.Hour, Deaf: true})
		if got, err := f.Reserve(ctx, "shop/bill", 10, 1); err != nil || got.Start != 20 {
			t.Errorf("deaf Reserve = %v, %v; want a late answer", got, err)
		}
	})
}

func TestFaultsSealWhereTheInnerStoreCan(t *testing.T) {
	if sealed, err := storetest.NewFaults(&tally{}).Seal(t.Context(), "shop/bill"); sealed || err != nil {
		t.Errorf("Seal = %v, %v; want false, nil without the ability", sealed, err)
	}
	f := storetest.NewFaults(&sealingTally{})
	f.EverySeal(storetest.Fault{After: errFault})
	f.NextSeals(storetest.Fault{Before: errFault})
	for range 2 {
		if sealed, err := f.Seal(t.Context(), "shop/bill"); sealed || !errors.Is(err, errFault) {
			t.Errorf("Seal = %v, %v; want %v", sealed, err, errFault)
		}
	}
	f.EverySeal(storetest.Fault{})
	if sealed, err := f.Seal(t.Context(), "shop/bill"); !sealed || err != nil || f.Seals() != 3 {
		t.Errorf("Seal = %v, %v after %d calls; want true, nil", sealed, err, f.Seals())
	}
}

func TestFaultsAreSafeForConcurrentUse(t *testing.T) {
	f := storetest.NewFaults(&tally{})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 100 {
				f.NextReserves(storetest.Fault{})
				if _, err := f.Reserve(t.Context(), "shop/bill", 1, 0); err != nil {
					t.Error(err)
				}
				f.Calls()
			}
		})
	}
	callers.Wait()
	if f.Reserves() != 800 {
		t.Errorf("%d reserves, want 800", f.Reserves())
	}
}
