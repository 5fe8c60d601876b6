package storetest

import (
	"fmt"
	"strings"
	"time"
)

// The checks of L9.

func fullOfLive(t *slotTrial) {
	clients := t.openMany(2)
	ttls := []time.Duration{2 * long, long, 3 * long}
	var earliest int64
	for i, ttl := range ttls {
		request := withLimit(t.request(fmt.Sprintf("host-%d", i)), 3)
		request.TTL = ttl
		if lease := t.acquire(clients[i%2], request); ttl == long {
			earliest = lease.ExpiresAt
		}
	}
	none := t.noneFree(clients[0], withLimit(t.request("d"), 3))
	t.demand(t.err != nil || none.Namespace == t.namespace && none.Limit == 3 && none.Live == 3 && none.Ahead == 0,
		"with 3 of 3 live: %+v", *none)
	t.demand(t.err != nil || none.UsableAt == earliest && none.StoreNow <= earliest &&
		none.StoreNow > earliest-2*long.Milliseconds(), "the first expires at %d: %+v", earliest, *none)
	t.demand(t.err != nil || strings.Contains(none.Error(), "3 of 3"), "the message is %q", none.Error())
}

func fullUntilExpiry(t *slotTrial) {
	clients := t.openMany(2)
	t.acquireSlot(clients[0], withLimit(t.request("a"), 2), 0)
	b := withLimit(t.request("b"), 2)
	b.TTL = t.brief()
	gone := t.acquireSlot(clients[0], b, 1)
	gone = t.renew(clients[1], gone, 2*t.brief(), gone.Floor) // what counts is the latest expiry
	if t.harness.MoveClock != nil {
		none := t.noneFree(clients[1], withLimit(t.request("c"), 2))
		t.demand(t.err != nil || none.UsableAt == gone.ExpiresAt, "%+v expires first: %+v", gone, *none)
	}
	t.expire()
	t.expire()
	t.acquireNext(clients[1], withLimit(t.request("c"), 2), 1, 2, gone.Ceiling)
}

func fullOfWindowsAhead(t *slotTrial) {
	clients := t.openMany(2)
	const tolerance = time.Second
	ask := t.request("d")
	ask.Limit, ask.Tolerance = 3, tolerance

	// Free, and used up far ahead.
	a := ask
	a.Owner, a.Incarnation = "a", "a-1"
	free := t.acquireSlot(clients[0], a, 0)
	t.release(clients[0], free, free.Ceiling-1)

	// Expired, and renewed for less than it had.
	b := ask
	b.Owner, b.Incarnation, b.TTL = "b", "b-1", 2*long
	expired := t.acquireSlot(clients[0], b, 1)
	expired = t.renewWithin(clients[1], expired, t.brief(), tolerance, expired.Floor)

	// Live, and its window outlasts it.
	c := ask
	c.Owner, c.Incarnation, c.TTL = "c", "c-1", 3*long
	live := t.acquireSlot(clients[1], c, 2)
	live = t.renewWithin(clients[0], live, 2*long, tolerance, live.Floor)
	t.expire()

	none := t.noneFree(clients[0], ask)
	t.demand(t.err != nil || none.Live == 1 && none.Ahead == 2, "with 1 of 3 live and 2 ahead: %+v", *none)
	want := free.Ceiling - tolerance.Milliseconds()
	t.demand(t.err != nil || none.UsableAt == want, "slot 0 is usable at %d: %+v", want, *none)

	if t.harness.MoveClock == nil {
		return
	}
	t.moveClock(time.Duration(want-none.StoreNow) * time.Millisecond)
	d := t.acquireNext(clients[1], ask, 0, 2, free.Ceiling)
	ask.Owner, ask.Incarnation = "e", "e-1"
	none = t.noneFree(clients[0], ask)
	want = min(max(d.ExpiresAt, d.Ceiling-tolerance.Milliseconds()), expired.Ceiling-tolerance.Milliseconds())
	t.demand(t.err != nil || none.UsableAt == want, "slot 0 or 1 is usable at %d: %+v", want, *none)
}
