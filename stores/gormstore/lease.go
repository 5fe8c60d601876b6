package gormstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
)

// Acquire implements stores.SlotLeaseStore. It reads, chooses by the rules of stores.SlotRow, and writes the row if
// nobody has written it meanwhile, or else begins again: two round trips for a slot that its owner, Preferred or the
// last lease names, three for another one, and four where a window begins ahead of the clock. No transaction spans them.
// Its errors are those of Reserve too.
func (s *Store) Acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	var lease stores.SlotLease
	err := stores.CheckSlotRequest(request)
	if err == nil {
		err = s.callSlots(ctx, func(tx *gorm.DB) (err error) {
			lease, err = s.acquire(tx, request)
			return err
		})
	}
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("gormstore: acquire a slot of %q: %w", request.Namespace, err)
	}
	return lease, nil
}

// Renew implements stores.SlotLeaseStore, in two round trips. Its errors are those of Reserve too.
func (s *Store) Renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	var renewed stores.SlotLease
	err := stores.CheckRenew(lease, ttl, usedThrough)
	if err == nil {
		err = s.changeSlot(ctx, lease, func(state slotState, row stores.SlotRow) (stores.SlotRow, error) {
			if err := stores.CheckSlotClock(state.now); err != nil {
				return row, err
			}
			row, err := row.Renew(lease, ttl, state.tolerance, usedThrough, state.now)
			renewed = row.Lease(lease.Namespace, state.now)
			return row, err
		})
	}
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("gormstore: renew slot %d of %q: %w", lease.Slot, lease.Namespace, err)
	}
	return renewed, nil
}

// Release implements stores.SlotLeaseStore, in two round trips. Its errors are those of Reserve too.
func (s *Store) Release(ctx context.Context, lease stores.SlotLease, usedThrough int64) error {
	err := stores.CheckRelease(lease, usedThrough)
	if err == nil {
		err = s.changeSlot(ctx, lease, func(_ slotState, row stores.SlotRow) (stores.SlotRow, error) {
			return row.Release(lease, usedThrough)
		})
	}
	if err != nil {
		return fmt.Errorf("gormstore: release slot %d of %q: %w", lease.Slot, lease.Namespace, err)
	}
	return nil
}

// changeSlot applies a rule to the row of a lease, again whenever somebody else has changed the row meanwhile.
func (s *Store) changeSlot(
	ctx context.Context, lease stores.SlotLease, rule func(slotState, stores.SlotRow) (stores.SlotRow, error),
) error {
	return s.callSlots(ctx, func(tx *gorm.DB) error {
		for {
			state, err := s.readSlot(tx, lease.Namespace, lease.Slot)
			if err != nil {
				return err
			}
			row := state.row(lease.Slot)
			next, err := rule(state, row.SlotRow)
			if err != nil || next == row.SlotRow && next.Owner == "" {
				return err // refused, or released by an earlier call
			}
			if won, err := s.writeSlot(tx, lease.Namespace, row, next); won || err != nil {
				return err
			}
		}
	})
}

func (s *Store) acquire(tx *gorm.DB, request stores.SlotRequest) (stores.SlotLease, error) {
	for try := 0; ; try++ {
		state, row, err := s.findSlot(tx, request, try)
		if err != nil {
			return stores.SlotLease{}, err
		}
		if row == nil {
			continue // others were quicker
		}
		granted := row.Acquire(request, state.now)
		if won, err := s.writeSlot(tx, request.Namespace, *row, granted); err != nil {
			return stores.SlotLease{}, err
		} else if won {
			return granted.Lease(request.Namespace, state.now), nil
		}
	}
}

// findSlot chooses the slot for a request, in the order that stores.SlotLeaseStore.Acquire tells. A nil row asks for
// another try.
func (s *Store) findSlot(tx *gorm.DB, request stores.SlotRequest, try int) (slotState, *slotRow, error) {
	state, err := s.readNamed(tx, request)
	if err == nil {
		err = stores.CheckSlotClock(state.now)
	}
	if err != nil {
		return state, nil, err
	}
	if !state.known {
		made, err := s.makeNamespace(tx, request)
		if err != nil || !made {
			return state, nil, err
		}
		return state, &slotRow{SlotRow: stores.SlotRow{Slot: max(request.Preferred, 0)}}, nil // most probably still free
	}
	if err := stores.CheckSlotSettings(request, state.limit, state.tolerance); err != nil {
		return state, nil, err
	}
	if row := state.own(request); row != nil {
		return state, row, nil
	}
	if row := state.named(request, 0); row != nil {
		return state, row, nil
	}
	if row, err := s.findReady(tx, request.Namespace, state, try); row != nil || err != nil {
		return state, row, err
	}
	if row := state.named(request, state.tolerance); row != nil {
		return state, row, nil
	}
	usable, err := s.readUsable(tx, request.Namespace, state, candidates(try))
	if err != nil {
		return state, nil, err
	}
	if len(usable.rows) > 0 {
		return state, pick(usable.rows, try), nil
	}
	if row := state.takeOver(request); row != nil {
		return state, row, nil
	}
	none, err := s.noneFree(tx, request.Namespace, state)
	if err == nil && none.UsableAt > state.now {
		err = none
	}
	return state, nil, err
}

// findReady chooses the smallest slot that is ready: one that was used before, or one that never was.
func (s *Store) findReady(tx *gorm.DB, namespace string, state slotState, try int) (*slotRow, error) {
	for page := takenAtOnce; ; page = min(2*page, mostTakenAtOnce) {
		ready, err := s.readReady(tx, namespace, state, candidates(try), page)
		if err != nil {
			return nil, err
		}
		fresh, from := state.fresh(ready.taken, page, candidates(try))
		if rows := append(ready.rows, fresh...); len(rows) > 0 {
			return pick(rows, try), nil
		}
		if len(ready.taken) < page {
			return nil, nil // that was the end
		}
		if err := s.skipTaken(tx, namespace, from); err != nil {
			return nil, err
		}
		state.freshFrom = from
	}
}
