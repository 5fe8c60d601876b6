package storetest

import (
	"fmt"
	"time"
)

// The checks of L3.

func liveStays(t *slotTrial) {
	clients := t.openMany(2)
	a, b := t.request("a"), t.request("b")
	a.Limit, b.Limit = 2, 2
	first := t.acquireSlot(clients[0], a, 0)
	second := t.acquireSlot(clients[1], b, 1)
	for i := range 6 {
		other := t.request(fmt.Sprintf("other-%d", i))
		other.Limit, other.Preferred, other.TakeOver = 2, int64(i%2), i%3 == 0
		t.noneFree(clients[i%2], other)
	}
	// They are as they were.
	first = t.renew(clients[1], first, long, first.Floor)
	t.acquireAgain(clients[0], a, first)
	t.acquireAgain(clients[1], b, second)
}

func expiredGoes(t *slotTrial) {
	clients := t.openMany(2)
	a, b, c := t.request("a"), t.request("b"), t.request("c")
	a.Limit, b.Limit, c.Limit = 3, 3, 3
	b.TTL = t.brief()
	t.acquireSlot(clients[0], a, 0)
	gone := t.acquireSlot(clients[0], b, 1) // nothing is heard of it any more
	c.Preferred = 2
	t.acquireSlot(clients[0], c, 2)
	t.expire()
	t.acquireNext(clients[1], withLimit(t.request("d"), 3), 1, 2, gone.Ceiling)
	t.lost(clients[0], gone)
	t.noneFree(clients[0], withLimit(t.request("e"), 3))
}

func manyExpire(t *slotTrial) {
	const slots = 50 // more than a store may look at in one call
	clients := t.openMany(2)
	for i := range slots {
		request := withLimit(t.request(fmt.Sprintf("gone-%d", i)), slots)
		request.Preferred = int64(i)
		request.TTL = t.brief() // those of a slow store expire meanwhile, and are taken again
		t.acquire(clients[i%2], request)
	}
	t.expire()
	for i := range slots {
		t.acquire(clients[i%2], withLimit(t.request(fmt.Sprintf("new-%d", i)), slots))
	}
	none := t.noneFree(clients[0], withLimit(t.request("one-more"), slots))
	t.demand(t.err != nil || none.Live == slots, "%d slots are taken, but the error is %v", slots, none)
}

func takeOverLast(t *slotTrial) {
	clients := t.openMany(2)
	old := withLimit(t.request("a"), 2)
	held := t.acquireSlot(clients[0], old, 0)

	// Another slot is ready: that one is taken.
	restarted := old
	restarted.Incarnation, restarted.TakeOver = "a-2", true
	other := t.acquireNext(clients[1], restarted, 1, 1, 0)
	held = t.renew(clients[0], held, long, held.Floor)

	// It is usable at least.
	t.release(clients[1], other, other.Ceiling-1)
	restarted.Incarnation = "a-3"
	other = t.acquireNext(clients[1], restarted, 1, 2, other.Ceiling)
	held = t.renew(clients[0], held, long, held.Floor)

	// Nothing is usable, but the request does not say so.
	t.release(clients[1], other, other.Floor)
	b := withLimit(t.request("b"), 2)
	b.TTL = 2 * long
	t.acquireSlot(clients[1], b, 1)
	restarted.Incarnation, restarted.TakeOver = "a-4", false
	t.noneFree(clients[1], restarted)
	t.renew(clients[0], held, long, held.Floor)
}

func takeOver(t *slotTrial) {
	clients := t.openMany(2)
	old := withLimit(t.request("a"), 1)
	held := t.acquireSlot(clients[0], old, 0)
	held = t.renew(clients[0], held, long, held.Floor+1000)

	restarted := old
	restarted.Incarnation, restarted.TakeOver = "a-2", true
	taken := t.acquireNext(clients[1], restarted, 0, 2, held.Ceiling)
	t.demand(t.err != nil || taken.Floor > taken.StoreNow, "the old holder of %+v still has %+v", taken, held)
	t.lost(clients[0], held)
	taken = t.renew(clients[1], taken, long, taken.Floor)

	// The old one may take it back only with the same words.
	t.noneFree(clients[0], old)
	stranger := withLimit(t.request("b"), 1)
	stranger.TakeOver = true
	t.noneFree(clients[0], stranger)
	old.TakeOver = true
	t.acquireNext(clients[0], old, 0, 3, taken.Ceiling)
	t.lost(clients[1], taken)
}

func takeOverWithinTolerance(t *slotTrial) {
	client := t.open()
	old := withLimit(t.request("a"), 1)
	old.Tolerance = time.Second // the window of a live lease lies further ahead
	held := t.acquireSlot(client, old, 0)
	restarted := old
	restarted.Incarnation, restarted.TakeOver = "a-2", true
	t.noneFree(client, restarted)
	t.renewWithin(client, held, long, time.Second, held.Floor)
}
