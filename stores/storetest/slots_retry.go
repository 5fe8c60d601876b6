package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// The checks of L6.

func ownSlotBack(t *slotTrial) {
	clients := t.openMany(2)
	a := withLimit(t.request("a"), 3)
	t.acquireSlot(clients[0], withLimit(t.request("b"), 3), 0)
	lease := t.acquireSlot(clients[0], a, 1)
	a.Preferred = 2
	lease = t.acquireAgain(clients[1], a, lease)
	a.TTL = 2 * long
	lease = t.acquireAgain(clients[0], a, lease)
	lease = t.renew(clients[0], lease, 3*long, lease.Floor)
	a.TTL = t.brief()
	a.TakeOver = true
	lease = t.acquireAgain(clients[1], a, lease) // with less time, the window stays
	t.expire()
	lease = t.acquireAgain(clients[1], a, lease) // expired, and nobody took it
	t.expire()
	lease = t.renew(clients[0], lease, long, lease.Floor)
	a.TTL = long
	t.acquireAgain(clients[0], a, lease)
}

func ownSlotBackWhenFull(t *slotTrial) {
	clients := t.openMany(2)
	a := withLimit(t.request("a"), 1)
	a.Tolerance = 0 // its window lies further ahead
	lease := t.acquire(clients[0], a)
	for i := range 4 {
		lease = t.acquireAgain(clients[i%2], a, lease)
	}
}

func earlierGrant(t *slotTrial) {
	clients := t.openMany(2)
	a := withLimit(t.request("a"), 1)
	first := t.acquire(clients[0], a) // the reply of this one comes late
	second := t.acquireAgain(clients[1], a, first)
	t.lost(clients[0], first)
	t.noneFree(clients[0], withLimit(t.request("b"), 1))
	second = t.renew(clients[1], second, long, second.Floor)
	t.lost(clients[0], first)
	t.acquireAgain(clients[1], a, second)
	t.lost(clients[0], second)
}

func sameNameTwice(t *slotTrial) {
	clients := t.openMany(2)
	var h slotHistory
	requests := []stores.SlotRequest{t.request("a"), t.request("a")}
	requests[1].Incarnation = "a-2"
	slots := map[int64]string{}
	for round := range 6 { // each asks again and again, as after lost replies
		for i, request := range requests {
			if t.err != nil {
				return
			}
			lease, err := h.acquire(t.ctx, clients[i], request)
			if round > 0 && errors.Is(err, stores.ErrNoFreeSlot) {
				continue
			}
			t.failed(err)
			holder, taken := slots[lease.Slot]
			t.demand(t.err != nil || !taken || holder == request.Incarnation,
				"%+v was granted, but the slot is %s's", lease, holder)
			slots[lease.Slot] = request.Incarnation
		}
	}
	t.failed(h.check())
}

func abandonedLeases(t *slotTrial) {
	const callers, rounds = 4, 12
	clients := t.openMany(4)
	if t.err != nil {
		return
	}
	var h slotHistory
	err := parallel(callers, func(caller int) error {
		request := t.request(fmt.Sprintf("host-%d", caller)) // there is a slot for each, so none may leak for long
		request.TTL = 300 * time.Millisecond
		for round := range rounds {
			// From far too little time to enough, differently for every caller.
			given := time.Duration((caller*7+round*13)%40) * 100 * time.Microsecond
			request.Incarnation = fmt.Sprintf("life-%d-%d", caller, round)
			client := clients[(caller+round)%len(clients)]
			if err := h.liveHurried(t.ctx, client, request, given); err != nil {
				return fmt.Errorf("with %v of time: %w", given, err)
			}
		}
		return nil
	})
	t.failed(err)
	t.failed(h.check())
}

// liveHurried acquires, renews and releases, each first with little time and then once more with plenty.
func (h *slotHistory) liveHurried(
	ctx context.Context, store SlotStore, request stores.SlotRequest, given time.Duration,
) error {
	var lease stores.SlotLease
	acquireIt := func(ctx context.Context) (err error) {
		// A former call may reach the server after the one that was made again, and hold a slot until it expires.
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			lease, err = h.acquire(ctx, store, request)
			if !errors.Is(err, stores.ErrNoFreeSlot) || time.Now().After(end) {
				return err
			}
		}
	}
	renewIt := func(ctx context.Context) error {
		renewed, err := h.renew(ctx, store, lease, request.TTL, lease.Floor+2)
		if err == nil {
			lease = renewed
		}
		return err
	}
	releaseIt := func(ctx context.Context) error { return h.release(ctx, store, lease, lease.Floor+5) }
	for _, call := range []func(context.Context) error{acquireIt, renewIt, releaseIt} {
		short, cancel := context.WithTimeout(ctx, given)
		err := call(short)
		if err != nil && endedBy(err, short) {
			err = call(ctx)
		}
		cancel()
		if errors.Is(err, stores.ErrLeaseLost) {
			return nil // for the same reason
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func doneContextLeases(t *slotTrial) {
	client := t.open()
	held := t.acquireSlot(client, t.request("a"), 0)
	cancelled, cancel := context.WithCancel(t.ctx)
	cancel()
	expired, cancel := context.WithDeadline(t.ctx, time.Now().Add(-time.Second))
	defer cancel()
	if t.err != nil {
		return
	}
	for _, ctx := range []context.Context{cancelled, expired} {
		for name, call := range slotCalls(ctx, client, t.request("b"), held) {
			err := call()
			t.demand(errors.Is(err, ctx.Err()), "%s with a context that is done answered error %v, want %v",
				name, err, ctx.Err())
		}
	}
	// Nothing was sent, so nothing happened.
	t.acquireAgain(client, t.request("a"), held)
	t.acquireNext(client, t.request("b"), 1, 1, 0)
}

// slotCalls is one call of each kind; the renewal asks for two hours.
func slotCalls(
	ctx context.Context, store SlotStore, request stores.SlotRequest, lease stores.SlotLease,
) map[string]func() error {
	return map[string]func() error{
		"acquire": func() error {
			answer, err := store.Acquire(ctx, request)
			return besides(answer, err)
		},
		"renew": func() error {
			answer, err := store.Renew(ctx, lease, 2*time.Hour, lease.Floor)
			return besides(answer, err)
		},
		"release": func() error { return store.Release(ctx, lease, lease.Floor) },
	}
}

// besides makes an error of an answer that comes with one.
func besides(answer stores.SlotLease, err error) error {
	if err != nil && answer != (stores.SlotLease{}) {
		return fmt.Errorf("%+v came beside an error", answer)
	}
	return err
}

func frozenLeases(t *slotTrial) {
	clients := t.openMany(2)
	held := t.acquire(clients[0], t.request("a"))
	if t.err != nil {
		return
	}
	thaw, err := t.harness.Freeze(t.ctx)
	if t.failed(err) {
		return
	}
	t.failed(slotCallsEnd(t.ctx, clients, t.request("b"), held))
	t.failed(thaw())

	// The renewal and the release may have arrived, in any order.
	var h slotHistory
	for i, owner := range []string{"b", "c", "d"} {
		_, err := h.acquire(t.ctx, clients[i%2], t.request(owner))
		if t.failed(err) {
			return
		}
	}
	t.failed(h.check())
}

// slotCallsEnd makes calls, some cancelled and some timed out, and demands that each ends soon after its context.
func slotCallsEnd(
	ctx context.Context, clients []SlotStore, request stores.SlotRequest, held stores.SlotLease,
) error {
	const given = 100 * time.Millisecond
	names := []string{"acquire", "renew", "release"}
	return parallel(2*len(names), func(caller int) error {
		short, cancel := context.WithTimeout(ctx, given)
		if caller%2 == 0 {
			cancel()
			short, cancel = context.WithCancel(ctx)
			time.AfterFunc(given, cancel)
		}
		defer cancel()

		name := names[caller%len(names)]
		ended := make(chan error, 1)
		go func() { ended <- slotCalls(short, clients[caller%len(clients)], request, held)[name]() }()
		select {
		case err := <-ended:
			if !endedBy(err, short) {
				return fmt.Errorf("%s of a frozen server answered error %v, want its context's error", name, err)
			}
			return nil
		case <-time.After(given + patience):
			return fmt.Errorf("%s of a frozen server still waits %v after its context ended", name, patience)
		}
	})
}
