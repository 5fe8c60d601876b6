package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// The checks of L5.

func withinLimit(t *slotTrial) {
	clients := t.openMany(2)
	for _, limit := range []int64{1, 2, 12} {
		for slot := range limit {
			request := withLimit(t.request(fmt.Sprintf("host-%d", slot)), limit)
			request.Namespace = fmt.Sprintf("%s-%d", t.namespace, limit)
			t.acquireSlot(clients[slot%2], request, slot)
		}
		request := withLimit(t.request("one-more"), limit)
		request.Namespace = fmt.Sprintf("%s-%d", t.namespace, limit)
		none := t.noneFree(clients[0], request)
		t.demand(t.err != nil || none.Live == limit && none.Limit == limit, "of %d slots: %v", limit, none)
	}
}

func largestLimit(t *slotTrial) {
	largest := t.harness.Largest
	if largest == 0 {
		largest = stores.MaxSlots
	}
	client := t.open()
	first, last := withLimit(t.request("a"), largest), withLimit(t.request("b"), largest)
	last.Preferred = largest - 1
	t.acquireSlot(client, first, 0)
	lease := t.acquireSlot(client, last, largest-1)
	lease = t.renew(client, lease, long, lease.Floor)
	t.release(client, lease, lease.Floor)
	t.acquireSlot(client, withLimit(t.request("c"), largest), 1)
}

func settingsStay(t *slotTrial) {
	clients := t.openMany(2)
	lease := t.acquireSlot(clients[0], t.request("a"), 0)
	for i, change := range []func(*stores.SlotRequest){
		func(r *stores.SlotRequest) { r.Limit = 5 },
		func(r *stores.SlotRequest) { r.Limit = 3 },
		func(r *stores.SlotRequest) { r.Limit = stores.MaxSlots },
		func(r *stores.SlotRequest) { r.Tolerance = 2 * time.Hour },
		func(r *stores.SlotRequest) { r.Tolerance -= time.Millisecond },
		func(r *stores.SlotRequest) { r.Tolerance = 0 },
		func(r *stores.SlotRequest) { r.Limit, r.Tolerance = 5, stores.MaxTolerance },
	} {
		for _, owner := range []string{"a", "b"} { // one that has a slot, and one that asks for its first
			request := t.request(owner)
			change(&request)
			t.settingsDiffer(clients[i%2], request)
		}
	}
	t.acquireAgain(clients[1], t.request("a"), lease)
	t.acquireNext(clients[1], t.request("b"), 1, 1, 0)
}

// settingsDiffer expects that the namespace has the settings of t.request, and that request is refused.
func (t *slotTrial) settingsDiffer(store SlotStore, request stores.SlotRequest) {
	if t.err != nil {
		return
	}
	set := t.request("")
	want := stores.SlotSettingsError{
		Namespace: t.namespace, Limit: set.Limit, AskedLimit: request.Limit,
		ToleranceMillis: set.Tolerance.Milliseconds(), AskedMillis: request.Tolerance.Milliseconds(),
	}
	var got *stores.SlotSettingsError
	lease, err := store.Acquire(t.ctx, request)
	if !errors.As(err, &got) || *got != want || !errors.Is(err, stores.ErrSlotSettings) || lease != (stores.SlotLease{}) {
		t.failed(fmt.Errorf("acquire %+v answered %+v and error %v, want %+v", request, lease, err, want))
	}
}

func oneFirstAcquire(t *slotTrial) {
	const callers, rounds = 6, 5
	clients := t.openMany(3)
	for round := range rounds {
		if t.err != nil {
			return
		}
		won := make([]bool, callers)
		err := parallel(callers, func(caller int) error {
			request := withLimit(t.request("host"), int64(1+caller))
			request.Namespace = fmt.Sprintf("%s-%d", t.namespace, round)
			_, err := acquire(t.ctx, clients[caller%len(clients)], request)
			won[caller] = err == nil
			if errors.Is(err, stores.ErrSlotSettings) {
				return nil
			}
			return err
		})
		t.failed(err)
		winners := 0
		for _, one := range won {
			if one {
				winners++
			}
		}
		t.demand(winners == 1, "of %d first acquires with different limits %d succeeded: %v", callers, winners, won)
	}
}
