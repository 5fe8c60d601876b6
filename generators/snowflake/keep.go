package snowflake

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// keep asks the store whenever that is due, until it is stopped; then it releases the slot. It owns all calls that a
// running holder makes, so that a lease which comes late is released, too.
func (h *holder) keep(k *keeping) {
	defer close(k.done)
	defer k.end()
	for sleep(h.untilDue(), k.stop) {
		h.ask(k.life)
	}
	k.err = h.release(k.life)
}

func (h *holder) untilDue() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tenure.due - h.now()
}

// ask makes one call to the store, a renewal or else an acquire, and takes in the answer.
func (h *holder) ask(ctx context.Context) {
	h.mu.Lock()
	t := h.tenure
	used := h.used()
	request := h.request
	request.Incarnation = h.incarnation
	request.TakeOver = !h.granted
	h.mu.Unlock()

	ctx, cancel := h.bounded(ctx)
	defer cancel()
	sent := h.now()
	var lease stores.SlotLease
	var err error
	if t.renewable() {
		lease, err = h.store.Renew(ctx, t.lease, request.TTL, t.usedThrough(used))
	} else {
		lease, err = h.store.Acquire(ctx, request)
	}
	if err == nil {
		err = t.refuses(lease, request.Limit)
	}
	if err != nil {
		h.failed(err)
		return
	}
	h.answered(lease, sent)
}

func (h *holder) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, h.timeout)
}

func (h *holder) answered(lease stores.SlotLease, sent time.Duration) {
	h.mu.Lock()
	before := h.tenure
	h.tenure = before.answered(lease, h.used(), sent, h.now())
	h.granted = true
	after := h.tenure
	moved := !before.has() || before.lease.Slot != lease.Slot
	if moved {
		h.vacate()
	}
	ending := h.publish()
	h.announce()
	h.mu.Unlock()

	switch {
	case before.isNew(lease):
		h.logger.Info("slot leased", "slot", lease.Slot, "fence", lease.Fence, "owner", lease.Owner, "ttl", h.request.TTL)
		if h.hooks.OnLeaseAcquired != nil {
			h.hooks.OnLeaseAcquired(generators.LeaseEvent{Lease: lease})
		}
	case before.failure != nil && after.failure == nil:
		h.logger.Info("slot lease is renewed again", "slot", lease.Slot)
	}
	if after.failure != nil {
		h.reportFailure(before, after)
	}
	h.warnOf(ending)
}

func (h *holder) failed(err error) {
	h.mu.Lock()
	before := h.tenure
	h.tenure = before.failed(err, h.now())
	after := h.tenure
	h.announce()
	h.mu.Unlock()

	if after.lost && !before.lost {
		h.logger.Warn("slot lease lost; its window is used up while another slot is acquired",
			"slot", before.lease.Slot, "fence", before.lease.Fence, "error", err)
		if h.hooks.OnLeaseLost != nil {
			h.hooks.OnLeaseLost(generators.LeaseFailure{Lease: before.lease, Err: err, RetryAt: h.wall(after.due)})
		}
		return
	}
	h.reportFailure(before, after)
}

func (h *holder) reportFailure(before, after tenure) {
	switch {
	case before.failure != nil:
	case after.renewable():
		h.logger.Warn("slot lease not extended; retrying with back-off, silently",
			"slot", after.lease.Slot, "fence", after.lease.Fence, "error", after.failure)
	default:
		h.logger.Warn("no slot leased; retrying with back-off, silently", "error", after.failure)
	}
	if h.hooks.OnLeaseFailed != nil {
		h.hooks.OnLeaseFailed(generators.LeaseFailure{Lease: after.lease, Err: after.failure, RetryAt: h.wall(after.due)})
	}
}

// release gives the slot back, together with what was not used of its window. The incarnation is given up with it,
// whatever the outcome: a release that arrives late must not meet a new lease. A slot that an acquire may have brought
// although no answer came frees itself.
func (h *holder) release(life context.Context) error {
	h.mu.Lock()
	t := h.tenure
	h.past = h.used()
	used := t.usedThrough(h.past)
	h.incarnation = rand.Text()
	h.tenure = tenure{ttl: t.ttl, clock: t.clock}
	h.mu.Unlock()
	if !t.renewable() {
		return nil
	}
	const attempts = 3
	backoff := firstBackoff
	for i := 1; ; i++ {
		ctx, cancel := h.bounded(life)
		err := h.store.Release(ctx, t.lease, used)
		cancel()
		switch {
		case err == nil:
			h.logger.Info("slot released", "slot", t.lease.Slot, "fence", t.lease.Fence)
			return nil
		case errors.Is(err, stores.ErrLeaseLost):
			return nil // nothing is left to release
		case i == attempts || lasting(err) || !sleep(backoff, life.Done()):
			h.logger.Warn("slot not released; it frees itself", "slot", t.lease.Slot, "within", h.request.TTL,
				"error", err)
			return err
		}
		backoff *= 2
	}
}

// used is the last millisecond of any tick taken by a generator of this process. Under mu.
func (h *holder) used() int64 {
	used := h.past
	for _, q := range h.members {
		used = max(used, q.used())
	}
	return used
}

// vacate ends the windows of the members before they get another slot, and makes them go on in a later tick than any
// taken: an id of a lower slot in the same tick would be smaller. Under mu.
func (h *holder) vacate() {
	for _, q := range h.members {
		if !q.member.closed {
			q.window.Store(endedWindow(errMoving))
			q.skip()
		}
	}
}

// publish gives every member the window of the present lease, and returns those whose timestamp bits end within a year
// and who do not know yet. Under mu.
func (h *holder) publish() []*sequence {
	var ending []*sequence
	year := h.tenure.clock.millis + 365*24*time.Hour.Milliseconds()
	for _, q := range h.members {
		if q.member.closed {
			continue
		}
		q.window.Store(h.windowOf(q))
		if !q.member.warned && q.layout.TickAt(year) > q.layout.MaxTick() {
			q.member.warned = true
			ending = append(ending, q)
		}
	}
	return ending
}

// windowOf is the window of q on the present lease. Under mu.
func (h *holder) windowOf(q *sequence) *window {
	t := h.tenure
	if !t.has() {
		return endedWindow(errNoSlotYet)
	}
	if err := fits(q.layout, t.clock.millis); err != nil && !errors.Is(err, generators.ErrTimestampExhausted) {
		return endedWindow(err) // otherwise Start has seen to it
	}
	return newWindow(q.layout, t.lease, t.clock)
}

func (h *holder) warnOf(ending []*sequence) {
	for _, q := range ending {
		h.logger.Warn("the timestamp bits end within a year; from then on no id can be made: move to a wider layout",
			"generator", q.name, "end", q.layout.End())
	}
}

// announce wakes the callers that wait. Under mu.
func (h *holder) announce() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// watch returns the tenure, and a channel that is closed when it changes next.
func (h *holder) watch() (tenure, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tenure, h.changed
}

// wall is a monotonic moment as a time of this machine's clock, for people.
func (h *holder) wall(moment time.Duration) time.Time { return time.Now().Add(moment - h.now()) }

func (h *holder) stats() generators.LeaseStats {
	t, _ := h.watch()
	return t.stats(h.now(), h.wall)
}
