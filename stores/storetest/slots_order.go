package storetest

import (
	"fmt"

	"github.com/cosid-go/cosid/stores"
)

// The checks of the order in which Acquire tries slots.

// fill acquires slots for owners of their own, of which none expires.
func (t *slotTrial) fill(store SlotStore, slots ...int64) []stores.SlotLease {
	leases := make([]stores.SlotLease, len(slots))
	for i, slot := range slots {
		request := t.request(fmt.Sprintf("filler-%d", slot))
		request.Preferred = slot
		leases[i] = t.acquireSlot(store, request, slot)
	}
	return leases
}

func smallestFree(t *slotTrial) {
	clients := t.openMany(2)
	for i := range int64(12) { // as numbers: 10 comes after 9
		t.acquireSlot(clients[i%2], withLimit(t.request(fmt.Sprintf("host-%d", i)), 12), i)
	}
	t.namespace += "-2"
	leases := t.fill(clients[0], 3, 1, 0, 2)
	for _, lease := range leases {
		t.release(clients[0], lease, lease.Floor-1)
	}
	for i := range int64(4) {
		t.acquireSlot(clients[i%2], t.request(fmt.Sprintf("new-%d", i)), i)
	}

	// Among those that are only usable as well.
	t.namespace += "-3"
	leases = t.fill(clients[0], 2, 3, 0, 1)
	for _, lease := range leases {
		t.release(clients[1], lease, lease.Ceiling-1)
	}
	for i := range int64(4) {
		t.acquireNext(clients[i%2], t.request(fmt.Sprintf("new-%d", i)), i, 2, leases[(i+2)%4].Ceiling)
	}
}

func preferredFirst(t *slotTrial) {
	clients := t.openMany(2)
	a := t.request("a")
	a.Preferred = 2
	lease := t.acquireSlot(clients[0], a, 2)
	t.release(clients[0], lease, lease.Floor-1)
	a.Incarnation, a.Preferred = "a-2", 3
	lease = t.acquireSlot(clients[1], a, 3) // not its last one
	t.release(clients[0], lease, lease.Floor-1)
	a.Incarnation, a.Preferred = "a-3", 0
	t.acquireSlot(clients[1], a, 0)

	// Taken: any other will do.
	b := t.request("b")
	b.Preferred = 0
	t.acquireSlot(clients[0], b, 1)
	c := t.request("c")
	c.Preferred = 0
	t.acquireSlot(clients[1], c, 2)
}

func stickyNext(t *slotTrial) {
	clients := t.openMany(2)
	a := t.request("a")
	a.Preferred = 2
	lease := t.acquireSlot(clients[0], a, 2)
	filled := t.fill(clients[0], 1)
	for i := range 3 {
		t.release(clients[0], lease, lease.Floor-1)
		a.Incarnation, a.Preferred = fmt.Sprintf("next-%d", i), stores.NoSlot
		if i == 1 {
			a.Preferred = 1 // is taken
		}
		lease = t.acquireSlot(clients[1], a, 2) // not 0
	}
	// Somebody else has it: any other will do.
	t.release(clients[0], lease, lease.Floor-1)
	b := t.request("b")
	b.Preferred = 2
	t.acquireSlot(clients[1], b, 2)
	a.Incarnation, a.Preferred = "last", stores.NoSlot
	t.acquireSlot(clients[0], a, 0)
	t.renew(clients[0], filled[0], long, filled[0].Floor)
}

func ownRowFirst(t *slotTrial) {
	clients := t.openMany(2)
	a := t.request("a")
	a.Preferred, a.TTL = 2, t.brief()
	first := t.acquireSlot(clients[0], a, 2)
	t.expire() // it crashed, and the lease expired
	a.Incarnation, a.Preferred, a.TTL = "a-2", 1, long
	second := t.acquireNext(clients[1], a, 2, 2, first.Ceiling)
	t.lost(clients[0], first)

	// Live: it is another process then, or one that may not take it over.
	a.Incarnation, a.Preferred, a.TakeOver = "a-3", 1, true
	t.acquireNext(clients[0], a, 1, 1, 0)
	t.renew(clients[1], second, long, second.Floor)
}

func readyFirst(t *slotTrial) {
	clients := t.openMany(2)
	filled := t.fill(clients[0], 0, 3)

	// Its own row is usable, its preferred and last slots too, but slot 2 is ready.
	a := t.request("a")
	a.Preferred = 1
	own := t.acquireSlot(clients[0], a, 1)
	own = t.renew(clients[0], own, t.brief(), own.Floor)
	t.expire()
	ready := t.acquireSlot(clients[1], t.request("b"), 2)
	t.release(clients[1], ready, ready.Floor-1)
	t.release(clients[0], filled[1], filled[1].Ceiling-1) // slot 3 is usable
	a.Incarnation, a.Preferred = "a-2", 3
	t.acquireNext(clients[1], a, 2, 2, ready.Floor)

	// None is ready: the same order among the usable ones.
	c := t.request("c")
	c.Preferred = 3
	third := t.acquireNext(clients[0], c, 3, 2, filled[1].Ceiling) // not 1
	t.release(clients[0], third, third.Floor+1)
	c.Incarnation, c.Preferred = "c-2", stores.NoSlot
	third = t.acquireNext(clients[1], c, 3, 3, third.Floor+2) // its last one, not 1
	third = t.renew(clients[1], third, t.brief(), third.Floor)
	t.expire()
	c.Incarnation, c.Preferred = "c-3", 1
	t.acquireNext(clients[0], c, 3, 4, third.Ceiling) // its own row, not the preferred 1
	t.acquireNext(clients[0], t.request("d"), 1, 2, own.Ceiling)
}
