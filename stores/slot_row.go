package stores

import (
	"fmt"
	"time"
)

// The rules by which a slot's row changes (design section 6), for stores that compute the next row in Go and write it
// under a lock or by compare-and-set. A slot that was never granted is a row with nothing but its Slot. Rows are values:
// a rule returns the next row and leaves its receiver as it is.
//
// All times are milliseconds on the store's clock; now is that clock as CheckSlotClock has accepted it.

// UsableAt is when the slot can be granted to anybody, if it is not renewed until then. It is ready at now if
// UsableAt(0) <= now, and usable if UsableAt(tolerance) <= now.
func (r SlotRow) UsableAt(tolerance time.Duration) int64 {
	return max(r.ExpiresAt, r.NextFloor-tolerance.Milliseconds())
}

// Live tells whether somebody holds the slot with a lease that has not expired.
func (r SlotRow) Live(now int64) bool { return r.ExpiresAt > now }

// HeldBy tells whether the row is this holder's own, expired or not: an Acquire of the holder gets it back.
func (r SlotRow) HeldBy(owner, incarnation string) bool {
	return r.Owner == owner && r.Incarnation == incarnation && owner != ""
}

// CanTakeOver tells whether a request with TakeOver may take the slot's live lease, once nothing else is usable.
func (r SlotRow) CanTakeOver(request SlotRequest, now int64) bool {
	return request.TakeOver && r.Owner == request.Owner && r.NextFloor-request.Tolerance.Milliseconds() <= now
}

// Acquire grants the slot, which the caller has chosen. What is its holder's own already keeps its floor.
func (r SlotRow) Acquire(request SlotRequest, now int64) SlotRow {
	r.Fence++
	if r.HeldBy(request.Owner, request.Incarnation) {
		return r.extended(now, request.TTL, request.Tolerance, r.Floor-1)
	}
	if r.Owner != "" {
		r.LastOwner = r.Owner
	}
	r.Owner, r.Incarnation = request.Owner, request.Incarnation
	r.ExpiresAt = now + request.TTL.Milliseconds()
	r.Floor = max(r.NextFloor, now)
	r.Ceiling = r.Floor + request.TTL.Milliseconds()
	r.NextFloor = r.Ceiling
	return r
}

// Renew extends lease, or answers ErrLeaseLost.
func (r SlotRow) Renew(lease SlotLease, ttl, tolerance time.Duration, usedThrough, now int64) (SlotRow, error) {
	if r.Fence != lease.Fence || !r.HeldBy(lease.Owner, lease.Incarnation) {
		return r, r.lost(lease)
	}
	return r.extended(now, ttl, tolerance, usedThrough), nil
}

// Release frees the slot and what lies after usedThrough, or answers ErrLeaseLost.
func (r SlotRow) Release(lease SlotLease, usedThrough int64) (SlotRow, error) {
	switch {
	case r.Fence != lease.Fence || r.Owner != "" && r.Incarnation != lease.Incarnation:
		return r, r.lost(lease)
	case r.Owner == "":
		return r, nil // by an earlier call for the same lease
	}
	r.LastOwner = r.Owner
	r.Owner, r.Incarnation = "", ""
	r.ExpiresAt = 0
	r.NextFloor = min(max(r.Floor, usedThrough+1), r.Ceiling)
	return r, nil
}

// Lease is the answer to the call that wrote the row at now.
func (r SlotRow) Lease(namespace string, now int64) SlotLease {
	return SlotLease{
		Namespace: namespace, Slot: r.Slot, Owner: r.Owner, Incarnation: r.Incarnation,
		Fence: r.Fence, Floor: r.Floor, Ceiling: r.Ceiling, ExpiresAt: r.ExpiresAt, StoreNow: now,
	}
}

// extended is the row with more time for its holder. Neither end of the window moves back.
func (r SlotRow) extended(now int64, ttl, tolerance time.Duration, usedThrough int64) SlotRow {
	from := min(max(now, usedThrough+1), now+tolerance.Milliseconds())
	r.ExpiresAt = now + ttl.Milliseconds()
	r.Ceiling = max(r.Ceiling, from+ttl.Milliseconds())
	r.NextFloor = r.Ceiling
	return r
}

func (r SlotRow) lost(lease SlotLease) error {
	switch {
	case r.Fence == lease.Fence && r.Owner == "":
		return fmt.Errorf("%w: slot %d was released", ErrLeaseLost, lease.Slot)
	case r.Fence > lease.Fence:
		return fmt.Errorf("%w: slot %d was granted again since, with fence %d to %q; this lease has fence %d",
			ErrLeaseLost, lease.Slot, r.Fence, r.Owner, lease.Fence)
	default:
		return fmt.Errorf("%w: slot %d has fence %d and is held by %q, not fence %d by %q: another lease, or a store that "+
			"lost data", ErrLeaseLost, lease.Slot, r.Fence, r.Owner, lease.Fence, lease.Owner)
	}
}
