package redisstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// slotKeys are the keys of a namespace's slots, in the order in which the scripts take them.
func slotKeys(namespace string) []string {
	keys := []string{"meta", "slot", "free", "live", "owner", "held"}
	for i, name := range keys {
		keys[i] = "cosid:{" + namespace + "}:" + name
	}
	return keys
}

// Acquire implements stores.SlotLeaseStore, in one round trip and O(log n) as a rule. The first call of a namespace
// writes its slots down, 2,000 in each round trip. Where the 1,023 smallest free slots are all unusable, as after a
// step of the clock, each 1,023 more take a round trip, and so do each SweepBatch expired leases; a usable slot found
// on the way comes before a ready one further on. Each round trip may take the timeout, and ctx bounds all of them.
func (s *Store) Acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	err := stores.CheckSlotRequest(request)
	var lease stores.SlotLease
	if err == nil {
		lease, err = s.acquire(ctx, request)
	}
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("redisstore: acquire a slot of %q: %w", request.Namespace, err)
	}
	return lease, nil
}

func (s *Store) acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	looked, usableAt := "-1", int64(math.MaxInt64)
	for {
		v, err := s.run(ctx, ScriptCall{
			Script: s.scripts.acquire,
			Keys:   slotKeys(request.Namespace),
			Args: []string{
				request.Owner, request.Incarnation,
				decimal(request.Limit), millis(request.Tolerance), millis(request.TTL),
				preferred(request), flag(request.TakeOver), strconv.Itoa(s.options.SweepBatch), looked,
			},
		})
		switch {
		case err != nil:
			return stores.SlotLease{}, err
		case v.name == "granted":
			return v.lease(request.Namespace)
		case v.name == "filling":
			continue
		case v.refusal() == "more":
			at, err := v.number(2)
			if err != nil {
				return stores.SlotLease{}, err
			}
			looked, usableAt = v.value(1), min(usableAt, at)
		default:
			return stores.SlotLease{}, v.notGranted(request, usableAt)
		}
	}
}

// preferred is the slot, or empty for none.
func preferred(request stores.SlotRequest) string {
	if request.Preferred == stores.NoSlot {
		return ""
	}
	return decimal(request.Preferred)
}

// notGranted explains why acquire.lua has granted nothing. Earlier calls have seen when a slot becomes usable, too.
func (v verdict) notGranted(request stores.SlotRequest, usableAt int64) error {
	switch v.refusal() {
	case "none":
		numbers, err := v.numbers(1, 5)
		if err != nil {
			return err
		}
		return &stores.NoFreeSlotError{
			Namespace: request.Namespace, Limit: request.Limit,
			StoreNow: numbers[0], Live: numbers[1], Ahead: numbers[2], UsableAt: min(usableAt, numbers[3]),
		}
	case "settings":
		numbers, err := v.numbers(1, 3)
		if err != nil {
			return fmt.Errorf("cosid:{%s}:meta holds limit %q and tolerance %q, which cosid did not write: correct it",
				request.Namespace, v.value(1), v.value(2))
		}
		return stores.CheckSlotSettings(request, numbers[0], time.Duration(numbers[1])*time.Millisecond)
	case "clock":
		return v.wrongClock()
	case "fence":
		return fmt.Errorf("slot %s has used up its fences, or somebody else wrote its row: use another namespace", v.value(1))
	}
	return v.unexpected()
}

// Renew implements stores.SlotLeaseStore, in one round trip.
func (s *Store) Renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	err := stores.CheckRenew(lease, ttl, usedThrough)
	var renewed stores.SlotLease
	if err == nil {
		renewed, err = s.renew(ctx, lease, ttl, usedThrough)
	}
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("redisstore: renew slot %d of %q: %w", lease.Slot, lease.Namespace, err)
	}
	return renewed, nil
}

func (s *Store) renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	v, err := s.run(ctx, ScriptCall{
		Script: s.scripts.renew,
		Keys:   slotKeys(lease.Namespace),
		Args: []string{
			decimal(lease.Slot), lease.Owner, lease.Incarnation, decimal(lease.Fence), millis(ttl), used(usedThrough),
		},
	})
	switch {
	case err != nil:
		return stores.SlotLease{}, err
	case v.name == "renewed":
		return v.lease(lease.Namespace)
	case v.refusal() == "clock":
		return stores.SlotLease{}, v.wrongClock()
	case v.refusal() == "lost":
		return stores.SlotLease{}, v.lost(lease, func(row stores.SlotRow) error {
			_, err := row.Renew(lease, ttl, 0, usedThrough, 0)
			return err
		})
	}
	return stores.SlotLease{}, v.unexpected()
}

// Release implements stores.SlotLeaseStore, in one round trip.
func (s *Store) Release(ctx context.Context, lease stores.SlotLease, usedThrough int64) error {
	err := stores.CheckRelease(lease, usedThrough)
	if err == nil {
		err = s.release(ctx, lease, usedThrough)
	}
	if err != nil {
		return fmt.Errorf("redisstore: release slot %d of %q: %w", lease.Slot, lease.Namespace, err)
	}
	return nil
}

func (s *Store) release(ctx context.Context, lease stores.SlotLease, usedThrough int64) error {
	v, err := s.run(ctx, ScriptCall{
		Script: s.scripts.release,
		Keys:   slotKeys(lease.Namespace),
		Args:   []string{decimal(lease.Slot), lease.Incarnation, decimal(lease.Fence), used(usedThrough)},
	})
	switch {
	case err != nil:
		return err
	case v.name == "released":
		return nil
	case v.refusal() == "lost":
		return v.lost(lease, func(row stores.SlotRow) error {
			_, err := row.Release(lease, usedThrough)
			return err
		})
	}
	return v.unexpected()
}

// lease reads {name, now, slot, row}.
func (v verdict) lease(namespace string) (stores.SlotLease, error) {
	now, err := v.number(0)
	if err != nil {
		return stores.SlotLease{}, err
	}
	if len(v.values) != 3 {
		return stores.SlotLease{}, v.unexpected()
	}
	row, err := readRow(v.value(1), v.value(2))
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, err)
	}
	return row.Lease(namespace, now), nil
}

// lost explains a lease that is not the row's: by the rule that the script follows, too.
func (v verdict) lost(lease stores.SlotLease, rule func(stores.SlotRow) error) error {
	row := stores.SlotRow{Slot: lease.Slot}
	if text := v.value(1); text != "" {
		var err error
		if row, err = readRow(decimal(lease.Slot), text); err != nil {
			return err
		}
	}
	if err := rule(row); errors.Is(err, stores.ErrLeaseLost) {
		return err
	}
	return stores.ErrLeaseLost
}

func (v verdict) wrongClock() error {
	now, err := v.number(1)
	if err != nil {
		return err
	}
	return stores.CheckSlotClock(now)
}

// number reads the decimal number at a place of an answer.
func (v verdict) number(i int) (int64, error) {
	n, err := strconv.ParseInt(v.value(i), 10, 64)
	if err != nil {
		return 0, v.unexpected()
	}
	return n, nil
}

// numbers reads those from one place up to another.
func (v verdict) numbers(from, to int) ([]int64, error) {
	var numbers []int64
	for i := from; i < to; i++ {
		n, err := v.number(i)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func millis(d time.Duration) string { return decimal(d.Milliseconds()) }

// used is the last used millisecond as Lua holds it exactly: all those before 1970 mean that nothing was.
func used(through int64) string { return decimal(max(through, -1)) }

func flag(set bool) string {
	if set {
		return "1"
	}
	return ""
}
