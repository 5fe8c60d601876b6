package memstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// slots is the state of one namespace. A row comes into being with its slot's first grant.
type slots struct {
	limit     int64
	tolerance time.Duration
	rows      map[int64]stores.SlotRow
	last      map[string]int64 // an owner's last slot, for as long as that slot's row names the owner
}

// Acquire implements stores.SlotLeaseStore. Its cost grows with the number of slots in use.
func (s *Store) Acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	err := stores.CheckSlotRequest(request)
	if err == nil {
		err = s.usable(ctx)
	}
	var lease stores.SlotLease
	if err == nil {
		lease, err = s.server.acquire(request)
	}
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("memstore: acquire a slot of %q: %w", request.Namespace, err)
	}
	return lease, nil
}

// Renew implements stores.SlotLeaseStore.
func (s *Store) Renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	err := stores.CheckRenew(lease, ttl, usedThrough)
	if err == nil {
		err = s.usable(ctx)
	}
	var renewed stores.SlotLease
	if err == nil {
		renewed, err = s.server.renew(lease, ttl, usedThrough)
	}
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("memstore: renew slot %d of %q: %w", lease.Slot, lease.Namespace, err)
	}
	return renewed, nil
}

// Release implements stores.SlotLeaseStore.
func (s *Store) Release(ctx context.Context, lease stores.SlotLease, usedThrough int64) error {
	err := stores.CheckRelease(lease, usedThrough)
	if err == nil {
		err = s.usable(ctx)
	}
	if err == nil {
		err = s.server.release(lease, usedThrough)
	}
	if err != nil {
		return fmt.Errorf("memstore: release slot %d of %q: %w", lease.Slot, lease.Namespace, err)
	}
	return nil
}

func (s *Server) acquire(request stores.SlotRequest) (stores.SlotLease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.now()
	if err != nil {
		return stores.SlotLease{}, err
	}
	n, err := s.namespace(request)
	if err != nil {
		return stores.SlotLease{}, err
	}
	slot, found := n.choose(request, now)
	if !found {
		return stores.SlotLease{}, n.noneFree(request.Namespace, now)
	}
	return n.grant(slot, request, now), nil
}

func (s *Server) renew(lease stores.SlotLease, ttl time.Duration, usedThrough int64) (stores.SlotLease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.now()
	if err != nil {
		return stores.SlotLease{}, err
	}
	n := s.slots[lease.Namespace] // the zero value has no rows, so that the lease is lost
	row, err := n.rows[lease.Slot].Renew(lease, ttl, n.tolerance, usedThrough, now)
	if err != nil {
		return stores.SlotLease{}, err
	}
	n.put(row)
	return row.Lease(lease.Namespace, now), nil
}

func (s *Server) release(lease stores.SlotLease, usedThrough int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.slots[lease.Namespace]
	row, err := n.rows[lease.Slot].Release(lease, usedThrough)
	if err != nil {
		return err
	}
	n.put(row)
	return nil
}

// now is under mu.
func (s *Server) now() (int64, error) {
	clock := s.Clock
	if clock == nil {
		clock = time.Now
	}
	now := clock().Add(s.moved).UnixMilli()
	return now, stores.CheckSlotClock(now)
}

// namespace returns the namespace of a request, and makes it if this is the first one. It is under mu.
func (s *Server) namespace(request stores.SlotRequest) (slots, error) {
	n, found := s.slots[request.Namespace]
	if !found {
		n = slots{
			limit:     request.Limit,
			tolerance: request.Tolerance,
			rows:      make(map[int64]stores.SlotRow),
			last:      make(map[string]int64),
		}
		if s.slots == nil {
			s.slots = make(map[string]slots)
		}
		s.slots[request.Namespace] = n
	}
	return n, stores.CheckSlotSettings(request, n.limit, n.tolerance)
}

// choose finds the slot for a request, in the order that stores.SlotLeaseStore.Acquire tells.
func (n slots) choose(request stores.SlotRequest, now int64) (slot int64, found bool) {
	last, hasLast := n.last[request.Owner]
	own := hasLast && n.rows[last].Owner == request.Owner
	if own && n.rows[last].Incarnation == request.Incarnation {
		return last, true
	}
	for _, tolerance := range []time.Duration{0, n.tolerance} { // the ready ones, then the usable ones
		usable := func(slot int64) bool { return n.rows[slot].UsableAt(tolerance) <= now }
		switch {
		case own && usable(last):
			return last, true
		case request.Preferred != stores.NoSlot && usable(request.Preferred):
			return request.Preferred, true
		case hasLast && usable(last):
			return last, true
		}
		for slot := range n.limit { // up to the first without a row at most
			if usable(slot) {
				return slot, true
			}
		}
	}
	if own && n.rows[last].CanTakeOver(request, now) {
		return last, true
	}
	return 0, false
}

func (n slots) grant(slot int64, request stores.SlotRequest, now int64) stores.SlotLease {
	row := n.rows[slot]
	row.Slot = slot
	row = row.Acquire(request, now)
	n.put(row)
	n.last[request.Owner] = slot
	return row.Lease(request.Namespace, now)
}

// put replaces a row, and forgets the owners that it no longer names.
func (n slots) put(row stores.SlotRow) {
	before := n.rows[row.Slot]
	n.rows[row.Slot] = row
	for _, owner := range []string{before.Owner, before.LastOwner} {
		if last, found := n.last[owner]; found && last == row.Slot && owner != row.Owner && owner != row.LastOwner {
			delete(n.last, owner)
		}
	}
}

// noneFree says why none is usable. Every slot has a row by then.
func (n slots) noneFree(namespace string, now int64) error {
	e := &stores.NoFreeSlotError{Namespace: namespace, Limit: n.limit, UsableAt: math.MaxInt64, StoreNow: now}
	for _, row := range n.rows {
		if row.Live(now) {
			e.Live++
		} else {
			e.Ahead++
		}
		e.UsableAt = min(e.UsableAt, row.UsableAt(n.tolerance))
	}
	return e
}
