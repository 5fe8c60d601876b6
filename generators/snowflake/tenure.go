package snowflake

import (
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// tenure is what a process knows of its slot, and when it asks the store next. It is a value: each answer makes a new
// one. Moments are readings of the monotonic clock.
type tenure struct {
	lease stores.SlotLease // of the last grant or renewal; the zero lease if there was none
	ttl   time.Duration
	clock clock
	lost  bool // the lease cannot be extended; ids are made of its window until another slot is granted

	since   time.Duration // when the slot was granted, or lost
	due     time.Duration // when the store is asked next
	backoff time.Duration // the wait that led to due, after a failure

	failure  error         // why the last attempt failed, or why it did not help; nil after a success
	failedAt time.Duration // when the first of these failures came
}

// The wait after a failure doubles from the first to the second, or to a third of the ttl if that is less.
const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 5 * time.Second
)

// errBehind is why a renewal did not help.
var errBehind = errors.New("the store's clock lies further behind the ids already made than the tolerance allows")

// has tells whether a slot was ever granted.
func (t tenure) has() bool { return t.lease.Fence > 0 }

// renewable tells whether the next thing to ask for is a renewal, rather than a slot.
func (t tenure) renewable() bool { return t.has() && !t.lost }

// isNew tells whether lease is another one than that of the tenure, rather than its renewal.
func (t tenure) isNew(lease stores.SlotLease) bool {
	return lease.Slot != t.lease.Slot || lease.Fence != t.lease.Fence
}

// usedThrough is what the store is told of the ids made, where the last one of the process carries the millisecond used.
func (t tenure) usedThrough(used int64) int64 {
	return max(min(used, t.lease.Ceiling-1), t.lease.Floor-1)
}

// answered is the tenure after a grant or a renewal that was asked for at sent and came at the moment at.
func (t tenure) answered(lease stores.SlotLease, used int64, sent, at time.Duration) tenure {
	granted := t.isNew(lease)
	grown := granted || lease.Ceiling > t.lease.Ceiling
	if granted {
		t.since = at
	}
	t.lease, t.lost = lease, false
	t.clock = t.clock.answered(lease.StoreNow, lease.Floor, used, at)
	t.failure, t.backoff = nil, 0
	t.due = sent + t.ttl/3
	if lease.Ceiling-t.clock.millis >= t.ttl.Milliseconds()/3 {
		return t
	}
	// The window ends before the next renewal, because the ids' time runs ahead of the store's: each renewal can
	// move the window by one ttl, until it meets that time or the tolerance.
	if grown {
		t.due = at
		return t
	}
	t.failure, t.failedAt = errBehind, at
	return t
}

// failed is the tenure after an attempt that brought nothing.
func (t tenure) failed(err error, at time.Duration) tenure {
	if t.renewable() && errors.Is(err, stores.ErrLeaseLost) {
		t.lost, t.since, t.due = true, at, at
		t.backoff = 0
		return t
	}
	if t.failure == nil {
		t.failedAt = at
	}
	t.failure = err
	t.backoff = min(max(2*t.backoff, firstBackoff), lastBackoff, max(t.ttl/3, time.Millisecond))
	t.due = at + t.backoff
	return t
}

// refuses says what is wrong with a lease that the store answered with, if anything: from one that its contract rules out
// no id is made.
func (t tenure) refuses(lease stores.SlotLease, limit int64) error {
	renewal := t.renewable()
	switch {
	case lease.Slot < 0 || lease.Slot >= limit || lease.Fence < 1 || lease.Floor < 0 || lease.Ceiling <= lease.Floor:
		return fmt.Errorf("the store breaks its contract: it answered %+v, with limit %d", lease, limit)
	case renewal && (lease.Slot != t.lease.Slot || lease.Fence != t.lease.Fence || lease.Floor != t.lease.Floor ||
		lease.Ceiling < t.lease.Ceiling):
		return fmt.Errorf("the store breaks its contract: it renewed %+v as %+v", t.lease, lease)
	}
	return nil
}

// expiresAt is the moment at which the window ends.
func (t tenure) expiresAt() time.Duration {
	return t.clock.at + time.Duration(t.lease.Ceiling-t.clock.millis)*time.Millisecond
}

// stats is the tenure as it is watched; wall turns a moment into a time.
func (t tenure) stats(at time.Duration, wall func(time.Duration) time.Time) generators.LeaseStats {
	s := generators.LeaseStats{State: generators.LeaseNone, Slot: stores.NoSlot, Err: t.failure}
	if t.due > 0 {
		s.RetryAt = wall(t.due)
	}
	if !t.has() {
		return s
	}
	s.Slot, s.Fence, s.Since = t.lease.Slot, t.lease.Fence, wall(t.since)
	s.Remaining = max(t.expiresAt()-at, 0)
	switch {
	case s.Remaining == 0:
		s.State, s.Since = generators.LeaseExpired, wall(t.expiresAt())
	case t.lost:
		s.State = generators.LeaseTaken
	case t.failure != nil:
		s.State, s.Since = generators.LeaseLate, wall(t.failedAt)
	default:
		s.State = generators.LeaseHeld
	}
	return s
}
