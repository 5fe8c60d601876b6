package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// slotTrial is one run of one check: its clients, its own namespace and the first thing that went wrong, after which
// its methods do nothing and return zero values. One goroutine uses it.
type slotTrial struct {
	ctx       context.Context
	harness   SlotHarness
	namespace string
	clients   []SlotStore
	moved     time.Duration // the sum of the steps of the server's clock
	err       error
}

// long is a ttl that no check outlives.
const long = 10 * time.Minute

// checkSlots makes a SlotPromise's Check of a check on a trial, whose clients it closes and whose clock it sets right.
func checkSlots(run func(t *slotTrial)) func(context.Context, SlotHarness) error {
	return func(ctx context.Context, h SlotHarness) error {
		t := &slotTrial{ctx: ctx, harness: h, namespace: "t" + strings.ToLower(rand.Text())}
		run(t)
		t.closeAll()
		if t.moved != 0 {
			if err := h.MoveClock(context.WithoutCancel(ctx), -t.moved); err != nil {
				t.err = errors.Join(t.err, fmt.Errorf("move the clock back by %v: %w", t.moved, err))
			}
		}
		return t.err
	}
}

// failed notes err, and tells whether anything went wrong so far.
func (t *slotTrial) failed(err error) bool {
	if t.err == nil {
		t.err = err
	}
	return t.err != nil
}

// demand fails the trial with a message unless ok.
func (t *slotTrial) demand(ok bool, format string, args ...any) {
	if !ok {
		t.failed(fmt.Errorf(format, args...))
	}
}

// unstarted returns a new client, which the trial closes.
func (t *slotTrial) unstarted() SlotStore {
	if t.err != nil {
		return nil
	}
	store, err := t.harness.New()
	if err != nil {
		t.failed(fmt.Errorf("new client: %w", err))
		return nil
	}
	t.clients = append(t.clients, store)
	return store
}

// open returns a new client that is started.
func (t *slotTrial) open() SlotStore {
	store := t.unstarted()
	if t.err != nil {
		return nil
	}
	if err := store.Start(t.ctx); err != nil {
		t.failed(fmt.Errorf("start: %w", err))
	}
	return store
}

func (t *slotTrial) openMany(n int) []SlotStore {
	clients := make([]SlotStore, n)
	for i := range clients {
		clients[i] = t.open()
	}
	return clients
}

func (t *slotTrial) closeAll() {
	for _, store := range t.clients {
		if err := store.Close(); err != nil {
			t.failed(fmt.Errorf("close: %w", err))
		}
	}
	t.clients = nil
}

// request is what most checks ask for: a slot of 4, for long, with an hour's tolerance.
func (t *slotTrial) request(owner string) stores.SlotRequest {
	return stores.SlotRequest{
		Namespace: t.namespace, Owner: owner, Incarnation: owner + "-1",
		Limit: 4, Tolerance: time.Hour, TTL: long, Preferred: stores.NoSlot,
	}
}

// brief is a ttl that expire waits for.
func (t *slotTrial) brief() time.Duration {
	if t.harness.MoveClock != nil {
		return 30 * time.Second
	}
	return 60 * time.Millisecond
}

// expire lets the leases for t.brief() expire.
func (t *slotTrial) expire() {
	switch {
	case t.err != nil:
	case t.harness.MoveClock != nil:
		t.moveClock(t.brief() + time.Millisecond)
	default:
		time.Sleep(t.brief() + 5*time.Millisecond)
	}
}

// moveClock needs the ability ClockMoving.
func (t *slotTrial) moveClock(delta time.Duration) {
	if t.err != nil {
		return
	}
	if err := t.harness.MoveClock(t.ctx, delta); err != nil {
		t.failed(fmt.Errorf("move the clock by %v: %w", delta, err))
		return
	}
	t.moved += delta
}

// acquire leases a slot and checks all of the answer that does not depend on what was there before.
func (t *slotTrial) acquire(store SlotStore, request stores.SlotRequest) stores.SlotLease {
	if t.err != nil {
		return stores.SlotLease{}
	}
	lease, err := acquire(t.ctx, store, request)
	if t.failed(err) {
		return stores.SlotLease{}
	}
	return lease
}

func acquire(ctx context.Context, store SlotStore, request stores.SlotRequest) (stores.SlotLease, error) {
	lease, err := store.Acquire(ctx, request)
	if err != nil {
		if lease != (stores.SlotLease{}) {
			err = fmt.Errorf("answered %+v beside the error %w", lease, err)
		}
		return stores.SlotLease{}, fmt.Errorf("acquire for %s/%s: %w", request.Owner, request.Incarnation, err)
	}
	switch {
	case lease.Namespace != request.Namespace, lease.Owner != request.Owner, lease.Incarnation != request.Incarnation:
		err = errors.New("want the names of the request")
	case lease.Slot < 0 || lease.Slot >= request.Limit:
		err = fmt.Errorf("want a slot below %d", request.Limit)
	case lease.Fence < 1:
		err = errors.New("want a fence of at least 1")
	case lease.ExpiresAt != lease.StoreNow+request.TTL.Milliseconds():
		err = fmt.Errorf("want it to expire %v after the store's now", request.TTL)
	case lease.Ceiling <= lease.Floor:
		err = errors.New("want a window")
	}
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("acquire %+v answered %+v: %w", request, lease, err)
	}
	return lease, nil
}

// acquireSlot expects one slot.
func (t *slotTrial) acquireSlot(store SlotStore, request stores.SlotRequest, slot int64) stores.SlotLease {
	lease := t.acquire(store, request)
	t.demand(t.err != nil || lease.Slot == slot, "acquire %+v answered %+v, want slot %d", request, lease, slot)
	return lease
}

// acquireNext expects a new window, of a slot whose next floor is given.
func (t *slotTrial) acquireNext(store SlotStore, request stores.SlotRequest, slot, fence, nextFloor int64) stores.SlotLease {
	lease := t.acquireSlot(store, request, slot)
	floor := max(nextFloor, lease.StoreNow)
	t.demand(t.err != nil || lease.Floor == floor && lease.Ceiling == floor+request.TTL.Milliseconds(),
		"acquire for %v answered %+v, want the window [%d, %d)", request.TTL, lease, floor, floor+request.TTL.Milliseconds())
	t.demand(t.err != nil || lease.Fence == fence, "acquire answered %+v, want fence %d", lease, fence)
	return lease
}

// acquireAgain expects that the holder of lease gets back what is its own.
func (t *slotTrial) acquireAgain(store SlotStore, request stores.SlotRequest, lease stores.SlotLease) stores.SlotLease {
	again := t.acquireSlot(store, request, lease.Slot)
	ceiling := extended(lease, request.TTL, request.Tolerance, lease.Floor-1, again.StoreNow)
	t.demand(t.err != nil || again.Floor == lease.Floor && again.Ceiling == ceiling && again.Fence == lease.Fence+1,
		"the same incarnation had %+v and acquired %+v, want floor %d, ceiling %d and fence %d",
		lease, again, lease.Floor, ceiling, lease.Fence+1)
	return again
}

// extended is the ceiling of a lease that is renewed at now.
func extended(lease stores.SlotLease, ttl, tolerance time.Duration, usedThrough, now int64) int64 {
	return max(lease.Ceiling, min(max(now, usedThrough+1), now+tolerance.Milliseconds())+ttl.Milliseconds())
}

// noneFree expects a *stores.NoFreeSlotError, which it returns; it is never nil.
func (t *slotTrial) noneFree(store SlotStore, request stores.SlotRequest) *stores.NoFreeSlotError {
	none := &stores.NoFreeSlotError{}
	if t.err != nil {
		return none
	}
	lease, err := store.Acquire(t.ctx, request)
	if !errors.As(err, &none) || !errors.Is(err, stores.ErrNoFreeSlot) || lease != (stores.SlotLease{}) {
		t.failed(fmt.Errorf("acquire %+v answered %+v and error %v, want a NoFreeSlotError", request, lease, err))
	}
	return none
}

// renew extends the latest lease of a holder, whose namespace has the tolerance of t.request.
func (t *slotTrial) renew(store SlotStore, lease stores.SlotLease, ttl time.Duration, usedThrough int64) stores.SlotLease {
	return t.renewWithin(store, lease, ttl, time.Hour, usedThrough)
}

// renewWithin is renew for another tolerance.
func (t *slotTrial) renewWithin(
	store SlotStore, lease stores.SlotLease, ttl, tolerance time.Duration, usedThrough int64,
) stores.SlotLease {
	if t.err != nil {
		return stores.SlotLease{}
	}
	renewed, err := store.Renew(t.ctx, lease, ttl, usedThrough)
	if err != nil {
		t.failed(fmt.Errorf("renew %+v for %v, used through %d: %w", lease, ttl, usedThrough, err))
		return stores.SlotLease{}
	}
	want := lease
	want.StoreNow = renewed.StoreNow
	want.ExpiresAt = want.StoreNow + ttl.Milliseconds()
	want.Ceiling = extended(lease, ttl, tolerance, usedThrough, want.StoreNow)
	t.demand(renewed == want, "renew %+v for %v, used through %d, answered %+v, want %+v",
		lease, ttl, usedThrough, renewed, want)
	return renewed
}

// release expects success.
func (t *slotTrial) release(store SlotStore, lease stores.SlotLease, usedThrough int64) {
	if t.err != nil {
		return
	}
	if err := store.Release(t.ctx, lease, usedThrough); err != nil {
		t.failed(fmt.Errorf("release %+v, used through %d: %w", lease, usedThrough, err))
	}
}

// lost expects that lease can neither be renewed nor released.
func (t *slotTrial) lost(store SlotStore, lease stores.SlotLease) {
	t.lostToRenew(store, lease)
	t.lostToRelease(store, lease)
}

func (t *slotTrial) lostToRenew(store SlotStore, lease stores.SlotLease) {
	if t.err != nil {
		return
	}
	renewed, err := store.Renew(t.ctx, lease, long, lease.Floor)
	t.demand(errors.Is(err, stores.ErrLeaseLost) && renewed == (stores.SlotLease{}),
		"renew %+v answered %+v and error %v, want ErrLeaseLost", lease, renewed, err)
}

func (t *slotTrial) lostToRelease(store SlotStore, lease stores.SlotLease) {
	if t.err != nil {
		return
	}
	err := store.Release(t.ctx, lease, lease.Floor)
	t.demand(errors.Is(err, stores.ErrLeaseLost), "release %+v answered error %v, want ErrLeaseLost", lease, err)
}
