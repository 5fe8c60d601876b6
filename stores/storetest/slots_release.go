package storetest

import (
	"fmt"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// The checks of L8.

func releaseGivesBack(t *slotTrial) {
	clients := t.openMany(2)
	next, fence := int64(0), int64(1)
	for i, used := range []func(stores.SlotLease) int64{
		func(l stores.SlotLease) int64 { return l.Ceiling - 1 }, // all: the next ones begin ahead of the clock
		func(l stores.SlotLease) int64 { return l.Floor },
		func(l stores.SlotLease) int64 { return l.Floor + 1 },
		func(l stores.SlotLease) int64 { return l.Floor - 1 }, // none
		func(l stores.SlotLease) int64 { return l.Floor - 100_000 },
		func(stores.SlotLease) int64 { return 0 },
		func(stores.SlotLease) int64 { return -1 << 62 },
		func(l stores.SlotLease) int64 { return l.Floor + 60_000 },
		func(l stores.SlotLease) int64 { return l.Ceiling - 2 },
	} {
		request := withLimit(t.request(fmt.Sprintf("host-%d", i%3)), 1)
		request.Incarnation = fmt.Sprintf("life-%d", i)
		lease := t.acquireNext(clients[i%2], request, 0, fence, next)
		t.release(clients[(i+1)%2], lease, used(lease))
		next, fence = max(lease.Floor, used(lease)+1), fence+1
	}
}

func releaseWithinWindow(t *slotTrial) {
	client := t.open()
	lease := t.acquire(client, withLimit(t.request("a"), 1))
	claims := lease
	claims.Ceiling += (3 * time.Hour).Milliseconds() // more than was granted
	t.release(client, claims, claims.Ceiling-1)
	t.acquireNext(client, withLimit(t.request("b"), 1), 0, 2, lease.Ceiling)
}

func releaseNeedsItsLease(t *slotTrial) {
	clients := t.openMany(2)
	lease := t.acquireSlot(clients[0], t.request("a"), 0)
	t.acquireSlot(clients[0], t.request("b"), 1)
	for _, forge := range forgeries {
		forged := lease
		forge(&forged)
		t.lostToRelease(clients[1], forged)
	}
	t.renew(clients[0], lease, long, lease.Floor)
	t.acquireNext(clients[1], t.request("c"), 2, 1, 0) // not one that was released
	t.acquireNext(clients[1], t.request("d"), 3, 1, 0)
	t.noneFree(clients[1], t.request("e"))
}

func releaseTwice(t *slotTrial) {
	clients := t.openMany(2)
	a, b := withLimit(t.request("a"), 1), withLimit(t.request("b"), 1)
	lease := t.acquire(clients[0], a)
	t.release(clients[0], lease, lease.Floor+1000)
	for i, used := range []int64{lease.Floor + 1000, lease.Floor - 1, lease.Ceiling - 1} {
		t.release(clients[i%2], lease, used)
	}
	held := t.acquireNext(clients[1], b, 0, 2, lease.Floor+1001)

	// One that comes when another has it.
	t.lostToRelease(clients[0], lease)
	t.noneFree(clients[0], withLimit(t.request("c"), 1))
	held = t.renew(clients[1], held, long, held.Floor)
	t.release(clients[1], held, held.Floor)
	t.lostToRelease(clients[0], lease)
}

func releaseOfEarlierGrant(t *slotTrial) {
	clients := t.openMany(2)
	a := withLimit(t.request("a"), 1)
	first := t.acquire(clients[0], a)
	second := t.acquireAgain(clients[0], a, first)
	t.lostToRelease(clients[1], first)
	t.noneFree(clients[1], withLimit(t.request("b"), 1))
	second = t.renew(clients[0], second, long, second.Floor)
	t.release(clients[0], second, second.Floor)
	t.lostToRelease(clients[1], first)

	// The same name again: what the former life sends late does not touch it.
	a.Incarnation = "a-2"
	third := t.acquireNext(clients[0], a, 0, 3, second.Floor+1)
	t.lostToRelease(clients[1], second)
	t.lostToRelease(clients[1], first)
	t.renew(clients[0], third, long, third.Floor)
}

func releaseLate(t *slotTrial) {
	clients := t.openMany(2)
	a := withLimit(t.request("a"), 2)
	a.TTL = t.brief()
	lease := t.acquireSlot(clients[0], a, 0)
	t.expire()
	b := withLimit(t.request("b"), 2)
	b.Preferred = 1
	t.acquireSlot(clients[1], b, 1) // the store may have noticed by now
	t.release(clients[1], lease, lease.Floor)
	t.acquireNext(clients[0], withLimit(t.request("c"), 2), 0, 2, lease.Floor+1)
	t.noneFree(clients[1], withLimit(t.request("d"), 2)) // it was not free twice
}

// nothingLeaks lets four owners release, or crash and restart, many times.
func nothingLeaks(t *slotTrial) {
	const slots = 4
	cycles := t.harness.Cycles
	if cycles == 0 {
		cycles = 10_000
	}
	clients := t.openMany(2)
	request := func(owner string, life int) stores.SlotRequest {
		r := t.request(owner)
		r.Incarnation = fmt.Sprintf("life-%d", life)
		r.TTL = time.Minute
		r.Tolerance = stores.MaxTolerance // each takeover begins where the crashed one's window ends
		r.TakeOver = true
		return r
	}
	leases := make([]stores.SlotLease, slots)
	for i := range leases {
		leases[i] = t.acquireSlot(clients[i%2], request(fmt.Sprintf("host-%d", i), -1), int64(i))
	}
	for cycle := 0; cycle < cycles && t.err == nil; cycle++ {
		i, client := cycle%slots, clients[cycle/slots%2]
		former := leases[i]
		next := former.Ceiling
		if cycle/slots%2 == 0 {
			t.release(client, former, former.Floor)
			next = former.Floor + 1
		}
		leases[i] = t.acquireNext(client, request(former.Owner, cycle), former.Slot, former.Fence+1, next)
	}
	for i, lease := range leases {
		t.release(clients[i%2], lease, lease.Floor)
	}
	for i := range slots {
		t.acquire(clients[i%2], request(fmt.Sprintf("new-%d", i), i))
	}
	t.noneFree(clients[0], request("one-more", 0))
}
