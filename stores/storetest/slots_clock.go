package storetest

import (
	"math/rand/v2"
	"time"
)

// The checks of L7. The clock of the server is stepped between calls.

func storeClockDecides(t *slotTrial) {
	clients := t.openMany(2)
	a := withLimit(t.request("a"), 1)
	lease := t.acquire(clients[0], a)
	for _, delta := range []time.Duration{time.Hour, -time.Hour} {
		before := lease
		t.moveClock(delta)
		lease = t.acquireAgain(clients[1], a, before)
		moved := time.Duration(lease.StoreNow-before.StoreNow) * time.Millisecond
		t.demand(t.err != nil || moved > delta-time.Second && moved < delta+time.Minute,
			"the server's clock was moved by %v, but now went from %d to %d", delta, before.StoreNow, lease.StoreNow)
	}
	// By the server's clock the lease expires, whatever the client's says.
	t.moveClock(2 * time.Hour)
	t.acquireNext(clients[0], withLimit(t.request("b"), 1), 0, lease.Fence+1, lease.Ceiling)
}

func backWithinTolerance(t *slotTrial) {
	clients := t.openMany(2)
	a, b := withLimit(t.request("a"), 2), withLimit(t.request("b"), 2)
	held := t.acquireSlot(clients[0], a, 0)
	free := t.acquireSlot(clients[0], b, 1)
	t.release(clients[0], free, free.Floor)
	t.moveClock(-30 * time.Minute)

	held = t.renew(clients[0], held, long, held.Floor-1) // it expires sooner by now, and its window stays
	held = t.renew(clients[1], held, long, held.Ceiling-1)
	c := t.acquireNext(clients[1], withLimit(t.request("c"), 2), 1, 2, free.Floor+1)
	t.demand(t.err != nil || c.Floor > c.StoreNow, "%+v begins in a window that was used", c)
	held = t.acquireAgain(clients[1], a, held)
	t.renew(clients[0], c, long, c.Floor-1)

	t.release(clients[0], held, held.Floor-1)
	b.Incarnation = "b-2"
	t.acquireNext(clients[1], b, 0, 3, held.Floor)
}

func backBeyondTolerance(t *slotTrial) {
	clients := t.openMany(2)
	a, b, c := withLimit(t.request("a"), 3), withLimit(t.request("b"), 3), withLimit(t.request("c"), 3)
	held := t.acquireSlot(clients[0], a, 0)
	free := t.acquireSlot(clients[0], b, 1)
	t.release(clients[0], free, free.Floor-1)
	t.moveClock(-2 * time.Hour)

	// What was never granted can be; the rest waits for the clock.
	fresh := t.acquireNext(clients[1], c, 2, 1, 0)
	none := t.noneFree(clients[1], withLimit(t.request("d"), 3))
	t.demand(t.err != nil || none.Live == 2 && none.Ahead == 1 && none.UsableAt == fresh.ExpiresAt,
		"%v: %+v, want 2 live, 1 ahead and one usable at %d", none, *none, fresh.ExpiresAt)

	// A holder keeps what it has, and gets no more.
	held = t.renew(clients[1], held, long, held.Floor)
	held = t.acquireAgain(clients[0], a, held)

	t.moveClock(2*time.Hour + time.Minute)
	t.acquireNext(clients[0], withLimit(t.request("d"), 3), 1, 2, free.Floor)
	t.lostToRelease(clients[0], free)
	t.renew(clients[1], held, long, held.Floor)
}

func forward(t *slotTrial) {
	clients := t.openMany(2)
	a, b := withLimit(t.request("a"), 1), withLimit(t.request("b"), 1)
	first := t.acquire(clients[0], a)
	t.moveClock(24 * time.Hour)
	second := t.acquireNext(clients[1], b, 0, 2, first.Ceiling)
	t.demand(t.err != nil || second.Floor == second.StoreNow, "%+v does not begin now", second)
	t.lost(clients[0], first)
	t.moveClock(-24 * time.Hour) // it was wrong
	t.lost(clients[0], first)
	second = t.renew(clients[1], second, long, second.Floor-1)
	t.noneFree(clients[0], withLimit(t.request("c"), 1))
	t.release(clients[1], second, second.Floor)
	t.noneFree(clients[0], withLimit(t.request("c"), 1))
	t.moveClock(24 * time.Hour)
	t.acquireNext(clients[0], withLimit(t.request("c"), 1), 0, 3, second.Floor+1)
}

func anySteps(t *slotTrial) {
	const processes, steps = 5, 150
	t.drive(processes, steps, func(random *rand.Rand) {
		switch random.IntN(12) {
		case 0:
			t.moveClock(-time.Duration(random.IntN(90)) * time.Minute)
		case 1:
			t.moveClock(time.Duration(random.IntN(90)) * time.Minute)
		case 2, 3:
			t.moveClock(time.Duration(random.IntN(4000)-2000) * time.Millisecond)
		}
	})
}
