package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// The checks of L1 and L2.

func freshSlot(t *slotTrial) {
	clients := t.openMany(2)
	for slot := range int64(4) {
		lease := t.acquireNext(clients[slot%2], t.request(fmt.Sprintf("host-%d", slot)), slot, 1, 0)
		t.demand(t.err != nil || lease.Floor == lease.StoreNow, "a fresh slot's window is that of %+v", lease)
	}
}

func nextWindow(t *slotTrial) {
	clients := t.openMany(2)
	a := t.request("a")
	a.Limit, a.TTL = 1, t.brief()
	b := t.request("b")
	b.Limit = 1

	// After an expiry: what was renewed and borrowed counts too, and not what the last renewal asked for.
	first := t.acquireNext(clients[0], a, 0, 1, 0)
	first = t.renew(clients[0], first, long, first.Floor)
	first = t.renew(clients[0], first, t.brief(), first.Ceiling-1)
	t.expire()
	second := t.acquireNext(clients[1], b, 0, 2, first.Ceiling)
	t.demand(t.err != nil || second.Floor > second.StoreNow, "%+v begins in the past of %+v", second, first)

	// After a release of all that there was, and of a part.
	t.release(clients[1], second, second.Ceiling-1)
	third := t.acquireNext(clients[0], a, 0, 3, second.Ceiling)
	t.expire()
	t.release(clients[0], third, third.Floor+10)
	t.acquireNext(clients[1], b, 0, 4, third.Floor+11)
}

func windowsInSequence(t *slotTrial) {
	const processes, steps = 5, 120
	t.drive(processes, steps, func(*rand.Rand) {})
}

// drive lets processes acquire, renew, release, crash and let leases expire on too few slots, by a fixed script, with
// something between the steps.
func (t *slotTrial) drive(processes, steps int, between func(*rand.Rand)) {
	clients := t.openMany(3)
	random := rand.New(rand.NewPCG(6, 8))
	var h slotHistory
	held := make([]stores.SlotLease, processes)
	lives := make([]int, processes) // of each process
	for step := 0; step < steps && t.err == nil; step++ {
		between(random)
		p, client := random.IntN(processes), clients[random.IntN(len(clients))]
		if dice := random.IntN(10); dice == 0 { // it crashes, and a new one has its name
			lives[p]++
			held[p] = stores.SlotLease{}
		}
		ttl := time.Duration(1+random.IntN(2000)) * time.Millisecond
		request := t.request(fmt.Sprintf("host-%d", p))
		request.Incarnation = fmt.Sprintf("life-%d-%d", p, lives[p])
		request.Limit, request.TTL, request.TakeOver = 3, ttl, random.IntN(2) == 0

		lease := held[p]
		used := lease.Floor - 1
		if width := lease.Ceiling - lease.Floor; width > 0 {
			used += random.Int64N(width + 1)
		}
		var err error
		switch dice := random.IntN(4); {
		case lease.Fence == 0 || dice == 0:
			lease, err = h.acquire(t.ctx, client, request)
			if errors.Is(err, stores.ErrNoFreeSlot) {
				lease, err = held[p], nil
			}
		case dice == 1:
			err = h.release(t.ctx, client, lease, used)
			lives[p]++
			lease = stores.SlotLease{}
		default:
			lease, err = h.renew(t.ctx, client, lease, ttl, used)
		}
		if errors.Is(err, stores.ErrLeaseLost) {
			err = nil
		}
		if t.failed(err) {
			return
		}
		held[p] = lease
	}
	t.failed(h.check())
}

func windowsUnderConcurrency(t *slotTrial) {
	const callers, rounds = 8, 12
	clients := t.openMany(4)
	if t.err != nil {
		return
	}
	var h slotHistory
	err := parallel(callers, func(caller int) error {
		request := t.request(fmt.Sprintf("host-%d", caller))
		request.TTL = 20 * time.Millisecond
		for round := range rounds {
			request.Incarnation = fmt.Sprintf("life-%d-%d", caller, round)
			if err := h.liveOnce(t.ctx, clients[(caller+round)%len(clients)], request, round); err != nil {
				return err
			}
		}
		return nil
	})
	t.failed(err)
	t.failed(h.check())
}

// liveOnce is a short life: a lease, a renewal and mostly a release, with all or little used. Having no slot or losing
// it is no failure.
func (h *slotHistory) liveOnce(ctx context.Context, store SlotStore, request stores.SlotRequest, round int) error {
	lease, err := h.acquire(ctx, store, request)
	if err == nil {
		lease, err = h.renew(ctx, store, lease, request.TTL, lease.Floor+int64(round))
	}
	switch {
	case err != nil || round%6 == 5: // it crashes
	case round%2 == 0:
		err = h.release(ctx, store, lease, lease.Ceiling-1)
	default:
		err = h.release(ctx, store, lease, lease.Floor)
	}
	if errors.Is(err, stores.ErrNoFreeSlot) || errors.Is(err, stores.ErrLeaseLost) {
		return nil
	}
	return err
}

func oneHolderASlot(t *slotTrial) {
	const callers, rounds = 8, 4
	clients := t.openMany(4)
	if t.err != nil {
		return
	}
	for round := range rounds {
		leases := make([]stores.SlotLease, callers)
		err := parallel(callers, func(caller int) error {
			request := t.request(fmt.Sprintf("host-%d", caller))
			request.Namespace = fmt.Sprintf("%s-%d", t.namespace, round)
			var err error
			leases[caller], err = acquire(t.ctx, clients[caller%len(clients)], request)
			if errors.Is(err, stores.ErrNoFreeSlot) {
				return nil
			}
			return err
		})
		if t.failed(err) {
			return
		}
		holders := make(map[int64]int)
		for _, lease := range leases {
			if lease.Fence != 0 {
				holders[lease.Slot]++
				t.demand(holders[lease.Slot] == 1 && lease.Fence == 1, "%d at once acquired %+v", callers, leases)
			}
		}
		t.demand(len(holders) == 4, "%d at once hold %d of 4 slots", callers, len(holders))
	}
}

func fenceRises(t *slotTrial) {
	clients := t.openMany(2)
	a, b := t.request("a"), t.request("b")
	a.Limit, b.Limit = 1, 1
	fence := int64(1)
	for round := range 3 {
		a.Incarnation, b.Incarnation = fmt.Sprintf("a-%d", round), fmt.Sprintf("b-%d", round)
		lease := t.acquire(clients[0], a)
		t.demand(t.err != nil || lease.Fence == fence, "%+v, want fence %d", lease, fence)

		lease = t.acquireAgain(clients[1], a, lease) // fence + 1
		lease = t.renew(clients[1], lease, long, lease.Floor)
		lease = t.acquireAgain(clients[0], a, lease) // fence + 2
		t.release(clients[0], lease, lease.Floor)

		b.TTL = t.brief()
		lease = t.acquire(clients[1], b) // fence + 3
		t.demand(t.err != nil || lease.Fence == fence+3, "after a release %+v, want fence %d", lease, fence+3)
		t.expire()
		lease = t.acquireAgain(clients[1], b, lease) // fence + 4
		t.expire()
		fence += 5
	}
}
