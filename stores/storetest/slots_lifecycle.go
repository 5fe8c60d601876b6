package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cosid-go/cosid/stores"
)

// The checks of opening and closing.

func slotLifeCycle(t *slotTrial) {
	other, store := t.open(), t.unstarted()
	held := t.acquireSlot(other, t.request("a"), 0)
	t.slotUnusable(store, held, "before Start")
	if t.err != nil {
		return
	}
	t.failed(store.Start(t.ctx))
	b := t.acquireNext(store, t.request("b"), 1, 1, 0)
	for range 3 {
		if err := store.Close(); err != nil {
			t.failed(fmt.Errorf("close: %w", err))
		}
		t.slotUnusable(store, held, "after Close")
	}
	unstarted := t.unstarted()
	if t.err == nil {
		t.failed(errors.Join(unstarted.Close(), unstarted.Close()))
	}
	// Closing a client frees nothing: its holder may have gone to another.
	b = t.renew(other, b, long, b.Floor)
	t.acquireAgain(other, t.request("a"), held)
	t.acquireNext(other, t.request("c"), 2, 1, 0)
}

func (t *slotTrial) slotUnusable(store SlotStore, held stores.SlotLease, when string) {
	if t.err != nil {
		return
	}
	for name, call := range slotCalls(t.ctx, store, t.request("x"), held) {
		err := call()
		t.demand(errors.Is(err, stores.ErrClosed), "%s %s answered error %v, want ErrClosed", name, when, err)
	}
}

func slotCloseUnderConcurrency(t *slotTrial) {
	const callers = 4
	clients := t.openMany(2)
	if t.err != nil {
		return
	}
	var h slotHistory
	var closed atomic.Bool // Close has returned
	err := parallel(callers+1, func(caller int) error {
		if caller == callers {
			defer closed.Store(true)
			request := withLimit(t.request("other"), callers+1)
			if _, err := h.acquire(t.ctx, clients[1], request); err != nil { // lets the others begin
				return err
			}
			return clients[0].Close()
		}
		request := withLimit(t.request(fmt.Sprintf("host-%d", caller)), callers+1)
		return h.liveUntilClosed(t.ctx, clients[0], request, &closed)
	})
	t.failed(err)
	if t.err == nil {
		_, err = h.acquire(t.ctx, clients[1], withLimit(t.request("other"), callers+1))
		t.failed(err)
	}
	t.failed(h.check())
}

// liveUntilClosed acquires and renews until the client is closed.
func (h *slotHistory) liveUntilClosed(
	ctx context.Context, store SlotStore, request stores.SlotRequest, closed *atomic.Bool,
) error {
	for {
		closedBefore := closed.Load()
		lease, err := h.acquire(ctx, store, request)
		if err == nil {
			_, err = h.renew(ctx, store, lease, request.TTL, lease.Floor)
		}
		switch {
		case errors.Is(err, stores.ErrClosed):
			return nil
		case err != nil && !errors.Is(err, stores.ErrOutcomeUnknown):
			return fmt.Errorf("while the store closes: %w; want ErrClosed", err)
		case closedBefore:
			return fmt.Errorf("a call after Close answered error %v, want ErrClosed", err)
		}
	}
}

func slotReopened(t *slotTrial) { t.leasesGoOnAfter(func() error { return nil }) }

func slotRestarted(t *slotTrial) {
	t.leasesGoOnAfter(func() error { return t.harness.Restart(t.ctx) })
}

// leasesGoOnAfter demands that rows and settings outlive an interruption while no client is open, three times.
func (t *slotTrial) leasesGoOnAfter(interrupt func() error) {
	store := t.open()
	held := t.acquireSlot(store, t.request("a"), 0)
	b := t.request("b")
	free := t.acquireNext(store, b, 1, 1, 0)
	for round := range 3 {
		t.release(store, free, free.Ceiling-1)
		t.closeAll()
		if t.failed(interrupt()) {
			return
		}
		store = t.open()
		other := t.request("c")
		other.Limit = 5
		t.settingsDiffer(store, other)
		b.Incarnation, b.Preferred = fmt.Sprintf("b-%d", round+2), 1
		held = t.renew(store, held, long, held.Floor)
		held = t.acquireAgain(store, t.request("a"), held)
		if round == 0 {
			t.fill(store, 2, 3)
		}
		free = t.acquireNext(store, b, 1, free.Fence+1, free.Ceiling)
	}
}
