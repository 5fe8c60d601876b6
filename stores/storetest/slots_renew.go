package storetest

import (
	"time"

	"github.com/cosid-go/cosid/stores"
)

// The checks of L4. What a renewal answers is compared in slotTrial.renewWithin.

func withLimit(request stores.SlotRequest, limit int64) stores.SlotRequest {
	request.Limit = limit
	return request
}

func renewExtends(t *slotTrial) {
	clients := t.openMany(2)
	const tolerance = time.Minute
	request := t.request("a")
	request.Tolerance = tolerance
	lease := t.acquire(clients[0], request)
	renew := func(ttl time.Duration, usedThrough int64) {
		lease = t.renewWithin(clients[1], lease, ttl, tolerance, usedThrough)
	}
	renew(2*long, lease.Floor-1)   // nothing used: from now on
	renew(3*long, lease.Floor+1)   // used up to now, about
	renew(3*long, lease.Floor-500) // less than nothing: the same
	renew(3*long, -1<<62)
	renew(3*long, lease.StoreNow+30_000) // used ahead of the clock: from there on
	renew(3*long, lease.StoreNow+59_000)
	renew(3*long, lease.Ceiling-1) // too far ahead: no further than the tolerance
	t.demand(t.err != nil || lease.Ceiling == lease.StoreNow+(tolerance+3*long).Milliseconds(),
		"%+v reaches beyond the tolerance", lease)
}

func renewNeverShrinks(t *slotTrial) {
	clients := t.openMany(2)
	request := withLimit(t.request("a"), 1)
	lease := t.acquire(clients[0], request)
	wide := t.renew(clients[0], lease, 2*long, lease.Floor)
	again := t.renew(clients[1], wide, long, wide.Floor)
	again = t.renew(clients[0], again, t.brief(), again.Floor-1)
	t.demand(t.err != nil || again.Ceiling == wide.Ceiling, "%+v was renewed to %+v", wide, again)
	t.expire()
	t.acquireNext(clients[1], withLimit(t.request("b"), 1), 0, 2, wide.Ceiling)
}

func renewTwice(t *slotTrial) {
	clients := t.openMany(2)
	lease := t.acquire(clients[0], t.request("a"))
	for i := range 20 {
		// The same message, once more: it carries the lease as it was.
		renewed := t.renew(clients[i%2], lease, long, lease.Floor+int64(i))
		if t.err != nil {
			return
		}
		repeated, err := clients[(i+1)%2].Renew(t.ctx, lease, long, lease.Floor+int64(i))
		t.demand(err == nil && repeated.Ceiling >= renewed.Ceiling && repeated.Fence == lease.Fence &&
			repeated.Floor == lease.Floor && repeated.ExpiresAt == repeated.StoreNow+long.Milliseconds(),
			"renewed %+v, and once more: %+v and error %v", renewed, repeated, err)
		lease = repeated
	}
}

func renewLate(t *slotTrial) {
	clients := t.openMany(2)
	a, b := withLimit(t.request("a"), 2), withLimit(t.request("b"), 2)
	a.TTL, b.Preferred = t.brief(), 1
	lease := t.acquireSlot(clients[0], a, 0)
	t.expire()
	t.acquireSlot(clients[1], b, 1) // the store may have noticed by now
	lease = t.renew(clients[0], lease, long, lease.Floor+1)
	none := t.noneFree(clients[1], withLimit(t.request("c"), 2))
	t.demand(t.err != nil || none.Live == 2, "after a late renewal %v", none)

	// And once it is free again, it is free once.
	t.release(clients[0], lease, lease.Floor)
	t.acquireSlot(clients[0], withLimit(t.request("d"), 2), 0)
	t.noneFree(clients[1], withLimit(t.request("e"), 2))
}

func renewAfterTakeover(t *slotTrial) {
	clients := t.openMany(2)
	a, b := withLimit(t.request("a"), 1), withLimit(t.request("b"), 1)
	a.TTL = t.brief()
	gone := t.acquire(clients[0], a)
	t.expire()
	held := t.acquireNext(clients[1], b, 0, 2, gone.Ceiling)
	for range 3 {
		t.lostToRenew(clients[0], gone)
	}
	t.noneFree(clients[0], a) // its own words do not give it back either
	held = t.renew(clients[1], held, long, held.Floor)
	t.release(clients[1], held, held.Floor)
	t.lostToRenew(clients[0], gone)
	t.acquireNext(clients[0], a, 0, 3, held.Floor+1)
}

func renewNeedsItsLease(t *slotTrial) {
	clients := t.openMany(2)
	lease := t.acquireSlot(clients[0], t.request("a"), 0)
	t.acquireSlot(clients[0], t.request("b"), 1)
	for _, forge := range forgeries {
		forged := lease
		forge(&forged)
		t.lostToRenew(clients[1], forged)
	}
	forged := lease
	forged.Owner = "b"
	t.lostToRenew(clients[1], forged)
	t.renew(clients[0], lease, long, lease.Floor)
}

// forgeries change a first lease of slot 0 into one that was never granted.
var forgeries = []func(*stores.SlotLease){
	func(l *stores.SlotLease) { l.Slot = 1 },
	func(l *stores.SlotLease) { l.Slot = 3 },       // never granted
	func(l *stores.SlotLease) { l.Slot = 4 },       // beyond the limit
	func(l *stores.SlotLease) { l.Slot = 1 << 19 }, // far beyond
	func(l *stores.SlotLease) { l.Fence++ },
	func(l *stores.SlotLease) { l.Fence += 1 << 32 },
	func(l *stores.SlotLease) { l.Incarnation += "x" },
	func(l *stores.SlotLease) { l.Incarnation = "x" },
	func(l *stores.SlotLease) { l.Incarnation = l.Incarnation[:1] },
	func(l *stores.SlotLease) { l.Incarnation = "A-1" }, // it was a-1
	func(l *stores.SlotLease) { l.Namespace += "-unknown" },
}

func renewAfterRelease(t *slotTrial) {
	clients := t.openMany(2)
	lease := t.acquire(clients[0], t.request("a"))
	t.release(clients[0], lease, lease.Floor-1)
	for _, client := range clients {
		t.lostToRenew(client, lease)
	}
	t.acquireNext(clients[1], t.request("b"), 0, 2, lease.Floor) // it is free
}
