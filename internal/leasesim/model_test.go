package leasesim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// model is the slot lease store in the plainest words, to compare others with and to be broken on purpose. Its clock
// is now.
type model struct {
	now    func() int64
	flaws  flaw
	spaces map[string]*space
}

type space struct {
	limit, tolerance int64
	rows             []row
	last             map[string]int64 // the slot that an owner got last
}

type row struct {
	owner, incarnation, lastOwner               string
	fence, expiresAt, floor, ceiling, nextFloor int64
}

var _ stores.SlotLeaseStore = (*model)(nil)

func (m *model) Acquire(_ context.Context, q stores.SlotRequest) (stores.SlotLease, error) {
	if err := stores.CheckSlotRequest(q); err != nil {
		return stores.SlotLease{}, err
	}
	s, err := m.space(q)
	if err != nil {
		return stores.SlotLease{}, err
	}
	now, ttl := m.now(), q.TTL.Milliseconds()
	slot := m.choose(s, q, now)
	if slot == stores.NoSlot {
		return stores.SlotLease{}, s.noFree(q.Namespace, now)
	}
	s.last[q.Owner] = slot
	r := &s.rows[slot]
	if m.owns(*r, q) {
		if !m.flaws.has(reGrantKeepsFence) {
			r.fence++
		}
		r.incarnation = q.Incarnation
		if m.flaws.has(reGrantMovesFloor) {
			r.floor = max(r.floor, now)
		}
		ceiling := min(max(now, r.floor), now+s.tolerance) + ttl
		if !m.flaws.has(reGrantShrinks) {
			ceiling = max(ceiling, r.ceiling)
		}
		r.extend(now+ttl, ceiling)
		return r.lease(q.Namespace, slot, now), nil
	}
	floor := max(r.nextFloor, now)
	taken := r.owner == q.Owner && r.expiresAt > now
	if m.flaws.has(noNextFloor) || m.flaws.has(floorIsNow) || m.flaws.has(takeOverAtNow) && taken {
		floor = now
	}
	if r.owner != "" {
		r.lastOwner = r.owner
	}
	r.owner, r.incarnation = q.Owner, q.Incarnation
	r.fence++
	if m.flaws.has(fenceRestarts) {
		r.fence = 1
	}
	r.floor = floor
	r.extend(now+ttl, floor+ttl)
	return r.lease(q.Namespace, slot, now), nil
}

func (m *model) Renew(
	_ context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	if err := stores.CheckRenew(lease, ttl, usedThrough); err != nil {
		return stores.SlotLease{}, err
	}
	s, r := m.row(lease)
	if r == nil {
		return stores.SlotLease{}, stores.ErrLeaseLost
	}
	same := r.fence == lease.Fence && r.incarnation == lease.Incarnation && r.owner == lease.Owner
	switch {
	case m.flaws.has(renewChecksNothing):
		same = true
	case m.flaws.has(renewForgetsFence):
		same = r.incarnation == lease.Incarnation && r.owner == lease.Owner
	case m.flaws.has(renewRevives) && r.owner == "" && r.fence == lease.Fence:
		r.owner, r.incarnation = lease.Owner, lease.Incarnation
		same = true
	}
	if !same {
		return stores.SlotLease{}, stores.ErrLeaseLost
	}
	now := m.now()
	from := max(now, usedThrough+1)
	if !m.flaws.has(renewRunsAway) {
		from = min(from, now+s.tolerance)
	}
	ceiling, nextFloor := from+ttl.Milliseconds(), r.nextFloor
	if !m.flaws.has(ceilingMovesBack) {
		ceiling = max(ceiling, r.ceiling)
	}
	r.extend(now+ttl.Milliseconds(), ceiling)
	if m.flaws.has(nextFloorStays) {
		r.nextFloor = nextFloor
	}
	return r.lease(lease.Namespace, lease.Slot, now), nil
}

func (m *model) Release(_ context.Context, lease stores.SlotLease, usedThrough int64) error {
	if err := stores.CheckRelease(lease, usedThrough); err != nil {
		return err
	}
	_, r := m.row(lease)
	switch {
	case r == nil:
		return stores.ErrLeaseLost
	case m.flaws.has(releaseChecksNothing):
	case m.flaws.has(releaseForgetsFence) && r.incarnation == lease.Incarnation:
	case r.fence == lease.Fence && r.owner == "":
		return nil
	case r.fence != lease.Fence || r.incarnation != lease.Incarnation:
		return stores.ErrLeaseLost
	}
	if r.owner != "" {
		r.lastOwner = r.owner
	}
	r.owner, r.incarnation, r.expiresAt = "", "", 0
	switch {
	case m.flaws.has(releaseForgetsUsed):
		r.nextFloor = r.floor
	case m.flaws.has(releaseGivesUsed):
		r.nextFloor = max(r.floor, usedThrough)
	case m.flaws.has(releaseForgetsFloor):
		r.nextFloor = usedThrough + 1
	default:
		r.nextFloor = max(r.floor, usedThrough+1)
	}
	return nil
}

// space is the namespace of a request, which the first acquire makes.
func (m *model) space(q stores.SlotRequest) (*space, error) {
	name := m.name(q.Namespace)
	tolerance := q.Tolerance.Milliseconds()
	s := m.spaces[name]
	if s == nil {
		s = &space{limit: q.Limit, tolerance: tolerance, rows: make([]row, q.Limit), last: make(map[string]int64)}
		m.spaces[name] = s
	}
	if (s.limit != q.Limit || s.tolerance != tolerance) && !m.flaws.has(settingsIgnored) {
		return nil, &stores.SlotSettingsError{
			Namespace: q.Namespace, Limit: s.limit, AskedLimit: q.Limit,
			ToleranceMillis: s.tolerance, AskedMillis: tolerance,
		}
	}
	return s, nil
}

func (m *model) row(lease stores.SlotLease) (*space, *row) {
	s := m.spaces[m.name(lease.Namespace)]
	if s == nil || lease.Slot >= int64(len(s.rows)) {
		return nil, nil
	}
	return s, &s.rows[lease.Slot]
}

func (m *model) name(namespace string) string {
	if m.flaws.has(namespacesTouch) {
		return ""
	}
	return namespace
}

// owns tells whether the row was granted to the request before.
func (m *model) owns(r row, q stores.SlotRequest) bool {
	return r.owner == q.Owner && (r.incarnation == q.Incarnation || m.flaws.has(reGrantToOwner)) &&
		!m.flaws.has(noReGrant)
}

// choose is the slot that the owner got last, if it is the request's own, or else the first in the order of trial that
// stores.SlotLeaseStore gives.
func (m *model) choose(s *space, q stores.SlotRequest, now int64) int64 {
	free := func(r row, until int64) bool {
		return (r.expiresAt <= now || m.flaws.has(liveIsTaken)) &&
			(r.nextFloor <= until || m.flaws.has(noNextFloor) || m.flaws.has(aheadIsUsable))
	}
	last, found := s.last[q.Owner]
	if found && m.owns(s.rows[last], q) {
		return last
	}
	for _, until := range []int64{now, now + s.tolerance} {
		for _, wanted := range []func(slot int64, r row) bool{
			func(slot int64, r row) bool { return found && slot == last && r.owner == q.Owner },
			func(slot int64, _ row) bool { return slot == q.Preferred },
			func(slot int64, _ row) bool { return found && slot == last },
			func(int64, row) bool { return true },
		} {
			slot := s.first(func(slot int64, r row) bool { return free(r, until) && wanted(slot, r) })
			if slot != stores.NoSlot {
				return slot
			}
		}
	}
	if !q.TakeOver && !m.flaws.has(takeOverUnasked) {
		return stores.NoSlot
	}
	return s.first(func(slot int64, r row) bool {
		return found && slot == last && r.owner == q.Owner && r.nextFloor <= now+s.tolerance
	})
}

func (s *space) first(accept func(slot int64, r row) bool) int64 {
	for i, r := range s.rows {
		if accept(int64(i), r) {
			return int64(i)
		}
	}
	return stores.NoSlot
}

func (s *space) noFree(namespace string, now int64) error {
	e := &stores.NoFreeSlotError{Namespace: namespace, Limit: s.limit, StoreNow: now}
	for i, r := range s.rows {
		at := max(r.expiresAt, r.nextFloor-s.tolerance)
		if r.expiresAt <= now {
			e.Ahead++
		} else {
			e.Live++
		}
		if i == 0 || at < e.UsableAt {
			e.UsableAt = at
		}
	}
	return fmt.Errorf("model: %w", e)
}

func (r *row) extend(expiresAt, ceiling int64) {
	r.expiresAt, r.ceiling, r.nextFloor = expiresAt, ceiling, ceiling
}

func (r *row) lease(namespace string, slot, now int64) stores.SlotLease {
	return stores.SlotLease{
		Namespace: namespace, Slot: slot, Owner: r.owner, Incarnation: r.incarnation, Fence: r.fence,
		Floor: r.floor, Ceiling: r.ceiling, ExpiresAt: r.expiresAt, StoreNow: now,
	}
}
