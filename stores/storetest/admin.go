package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// RunAdmin checks what a store promises to those who operate it: stores.RangeAdmin, stores.Pinger and
// stores.Inspector, which the store must have, and stores.SlotAdmin where it leases slots.
func RunAdmin(t *testing.T, h Harness) {
	t.Helper()
	for _, promise := range AdminPromises() {
		t.Run(promise.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), checkTimeout)
			defer cancel()
			if err := promise.Check(ctx, h); err != nil {
				t.Errorf("broken: %s\n%v", promise.Text, err)
			}
		})
	}
}

// AdminPromises returns the promises that RunAdmin checks.
func AdminPromises() []Promise {
	return []Promise{
		{
			Name:  "ranges_lists_what_is_stored",
			Text:  "every key with the prefix is listed with its next id and whether it is sealed, and no other key",
			Check: check(listsRanges),
		},
		{
			Name:  "ranges_lists_many_keys",
			Text:  "a thousand periods are listed, none is missing",
			Check: check(listsManyRanges),
		},
		{
			Name:  "ranges_may_be_left",
			Text:  "a listing that is broken off leaves the store usable",
			Check: check(leavesListing),
		},
		{
			Name:  "delete_keeps_what_is_not_sealed",
			Text:  "a key that is not sealed is deleted by force only, and any deletion is of that key alone",
			Check: check(deletesSealed),
		},
		{
			Name:  "raise_never_goes_back",
			Text:  "a counter is set forward, exactly, and never back; a sealed one is left alone",
			Check: check(raises),
		},
		{
			Name:  "raise_beside_reserves",
			Text:  "a counter that is raised while it is reserved from repeats nothing",
			Check: check(raisesUnderConcurrency),
		},
		{
			Name:  "ping_and_inspect_answer",
			Text:  "an open store answers a ping, names its server, and tells its clock",
			Check: check(answers),
		},
		{
			Name:  "slots_lists_what_is_leased",
			Text:  "every slot that was granted is listed with its holder, and as free once it is released",
			Check: check(listsSlots),
		},
		{
			Name:  "admin_of_a_closed_store",
			Text:  "all of it is ErrClosed after Close, and a wrong argument is ErrInvalidArgument",
			Check: check(adminLifeCycle),
		},
	}
}

// admin is what RunAdmin asks of a store.
type admin interface {
	stores.RangeAdmin
	stores.Pinger
	stores.Inspector
}

func (t *trial) openAdmin() (Store, admin, error) {
	store, err := t.open()
	if err != nil {
		return nil, nil, err
	}
	a, ok := store.(admin)
	if !ok {
		return nil, nil, fmt.Errorf("a %T is not a stores.RangeAdmin, Pinger and Inspector", store)
	}
	return store, a, nil
}

// list collects a listing by key. A key that comes twice must look the same.
func (t *trial) list(a admin, prefix string) (map[string]stores.RangeRecord, error) {
	records := map[string]stores.RangeRecord{}
	for record, err := range a.Ranges(t.ctx, prefix) {
		if err != nil {
			return nil, fmt.Errorf("list %q: %w", prefix, err)
		}
		if !strings.HasPrefix(record.Key, prefix) {
			return nil, fmt.Errorf("list %q gave %+v", prefix, record)
		}
		if before, found := records[record.Key]; found && before != record {
			return nil, fmt.Errorf("list %q gave %+v and %+v", prefix, before, record)
		}
		records[record.Key] = record
	}
	return records, nil
}

func (t *trial) listed(a admin, prefix string, want ...stores.RangeRecord) error {
	records, err := t.list(a, prefix)
	if err != nil {
		return err
	}
	for _, record := range want {
		if records[record.Key] != record {
			return fmt.Errorf("list %q gave %+v for %q, want %+v", prefix, records[record.Key], record.Key, record)
		}
	}
	if len(records) != len(want) {
		return fmt.Errorf("list %q gave %d keys, want %d: %v", prefix, len(records), len(want), records)
	}
	return nil
}

func listsRanges(t *trial) error {
	store, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	if err := t.listed(a, t.namespace+"/"); err != nil {
		return fmt.Errorf("of an unused namespace: %w", err)
	}
	bill, bills, day := t.key("bill"), t.key("bills"), stores.PeriodKey(t.key("bill"), "20261027")
	large, largex := t.key("Large_.-x"), t.key("LargeX.-x")
	neighbour := stores.RangeKey(t.namespace+"x", "bill")
	for _, r := range []struct {
		key          string
		size, offset int64
	}{{bill, 10, 1}, {bills, 5, 0}, {day, 1, 1}, {large, 1, 1<<53 + 1}, {largex, 1, 1}, {neighbour, 1, 1}} {
		if _, err := t.reserve(store, r.key, r.size, r.offset); err != nil {
			return err
		}
	}
	unborn := t.key("unborn")
	for _, key := range []string{bills, unborn} {
		if err := t.seal(store, key); err != nil {
			return err
		}
	}
	all := []stores.RangeRecord{
		{Key: bill, Next: 11},
		{Key: bills, Next: 5, Sealed: true},
		{Key: day, Next: 2},
		{Key: large, Next: 1<<53 + 2},
		{Key: largex, Next: 2},
		{Key: unborn, Sealed: true},
	}
	return errors.Join(
		t.listed(a, t.namespace+"/", all...),
		t.listed(a, bill, all[0], all[1], all[2]),
		t.listed(a, bill+"/", all[2]),
		t.listed(a, t.key("BILL")),
		t.listed(a, t.key("Large_"), all[3]), // neither _ nor * stands for others
		t.listed(a, t.key("%")),
		t.listed(a, t.key("L")+"*"),
	)
}

func listsManyRanges(t *trial) error {
	const keys, callers = 1000, 8
	store, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	err = parallel(callers, func(caller int) error {
		for i := caller; i < keys; i += callers {
			if _, err := reserve(t.ctx, store, stores.PeriodKey(t.key("bill"), fmt.Sprint(i)), 1, int64(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	want := make([]stores.RangeRecord, keys)
	for i := range want {
		want[i] = stores.RangeRecord{Key: stores.PeriodKey(t.key("bill"), fmt.Sprint(i)), Next: int64(i) + 1}
	}
	return t.listed(a, t.key("bill")+"/", want...)
}

func leavesListing(t *trial) error {
	store, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	for i := range 50 {
		if _, err := t.reserve(store, stores.PeriodKey(t.key("bill"), fmt.Sprint(i)), 1, 1); err != nil {
			return err
		}
	}
	for range 20 {
		for record, err := range a.Ranges(t.ctx, t.namespace+"/") {
			if err != nil {
				return err
			}
			// A caller deletes and reserves while it lists.
			if _, err := a.DeleteRange(t.ctx, record.Key, true); err != nil {
				return err
			}
			if _, err := t.reserve(store, t.key("other"), 1, 1); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

func deletesSealed(t *trial) error {
	store, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	deletes := func(key string, force, want bool, wantErr error) error {
		deleted, err := a.DeleteRange(t.ctx, key, force)
		if deleted != want || !errors.Is(err, wantErr) {
			return fmt.Errorf("delete %s with force %v answered %v, %v; want %v, %v", key, force, deleted, err, want, wantErr)
		}
		return nil
	}
	bill, other, unborn := t.key("bill"), t.key("bill.x"), t.key("unborn")
	for _, key := range []string{bill, other} {
		if _, err := t.reserve(store, key, 10, 1); err != nil {
			return err
		}
	}
	if err := errors.Join(
		deletes(t.key("unknown"), false, false, nil),
		deletes(t.key("unknown"), true, false, nil),
		deletes(bill, false, false, stores.ErrNotSealed),
		t.expect(store, bill, 10, 1, 11),
		deletes(bill, true, true, nil),
		deletes(bill, true, false, nil),
		t.expect(store, bill, 10, 5, 5),
		t.seal(store, bill), t.seal(store, unborn),
		deletes(bill, false, true, nil),
		deletes(unborn, false, true, nil),
		deletes(bill, false, false, nil),
		t.expect(store, bill, 1, 7, 7),
		t.expect(store, unborn, 1, 3, 3),
		t.expect(store, other, 1, 1, 11),
	); err != nil {
		return err
	}
	return nil
}

func raises(t *trial) error {
	store, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	bill := t.key("bill")
	raised := func(next int64, want stores.RangeRecord, wantErr error) error {
		want.Key = bill
		record, err := a.RaiseRange(t.ctx, bill, next)
		if record != want || !errors.Is(err, wantErr) || wantErr == nil && err != nil {
			return fmt.Errorf("raise to %d answered %+v, %v; want %+v, %v", next, record, err, want, wantErr)
		}
		return nil
	}
	at := func(next int64) stores.RangeRecord { return stores.RangeRecord{Next: next} }
	if err := errors.Join(
		raised(100, at(100), nil),
		raised(100, at(100), nil),
		t.expect(store, bill, 10, 1, 100),
		raised(109, at(110), stores.ErrWouldGoBack),
		raised(0, at(110), stores.ErrWouldGoBack),
		raised(1<<53+1, at(1<<53+1), nil),
		raised(1<<53, at(1<<53+1), stores.ErrWouldGoBack),
		t.expect(store, bill, 1, 1, 1<<53+1),
		raised(math.MaxInt64-1, at(math.MaxInt64-1), nil),
		t.expect(store, bill, 1, 1, math.MaxInt64-1),
		t.refused(store, bill, 1, 1, stores.ErrRangeExhausted),
		raised(math.MaxInt64, at(math.MaxInt64), nil),
		t.seal(store, bill),
		raised(math.MaxInt64, stores.RangeRecord{Next: math.MaxInt64, Sealed: true}, stores.ErrRangeSealed),
	); err != nil {
		return err
	}
	return t.refused(store, bill, 1, 1, stores.ErrRangeSealed)
}

func raisesUnderConcurrency(t *trial) error {
	const callers, rounds = 6, 20
	store, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	key := t.key("bill")
	var h history
	err = parallel(callers, func(caller int) error {
		for round := range rounds {
			if caller > 0 {
				if _, err := h.reserve(t.ctx, store, key, 7, 1); err != nil {
					return err
				}
				continue
			}
			_, err := a.RaiseRange(t.ctx, key, int64(round*200))
			if err != nil && !errors.Is(err, stores.ErrWouldGoBack) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return h.check()
}

func answers(t *trial) error {
	_, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	if err := a.Ping(t.ctx); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	seen, err := a.Inspect(t.ctx)
	if err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	if seen.Server == "" {
		return errors.New("inspect names no server")
	}
	if offset := time.Since(seen.Now).Abs(); !seen.Now.IsZero() && offset > 10*time.Minute {
		return fmt.Errorf("inspect says it is %v, %v off", seen.Now, offset)
	}
	for _, finding := range seen.Findings {
		if finding.Problem == "" || finding.Remedy == "" {
			return fmt.Errorf("a finding without a problem or a remedy: %+v", finding)
		}
	}
	return nil
}

func listsSlots(t *trial) error {
	store, _, err := t.openAdmin()
	if err != nil {
		return err
	}
	leases, ok := store.(stores.SlotLeaseStore)
	if !ok {
		return nil
	}
	a, ok := store.(stores.SlotAdmin)
	if !ok {
		return fmt.Errorf("a %T leases slots and is no stores.SlotAdmin", store)
	}
	table, err := a.Slots(t.ctx, t.namespace)
	if err != nil || table.Limit != 0 || len(table.Rows) != 0 {
		return fmt.Errorf("the slots of an unused namespace: %+v, %w", table, err)
	}
	var granted []stores.SlotLease
	for i := range 3 {
		lease, err := leases.Acquire(t.ctx, stores.SlotRequest{
			Namespace: t.namespace, Owner: fmt.Sprintf("host-%d", i), Incarnation: fmt.Sprintf("i-%d", i),
			Limit: 8, Tolerance: time.Hour, TTL: time.Minute, Preferred: stores.NoSlot,
		})
		if err != nil {
			return err
		}
		granted = append(granted, lease)
	}
	if err := leases.Release(t.ctx, granted[1], granted[1].Floor+5); err != nil {
		return err
	}
	if table, err = a.Slots(t.ctx, t.namespace); err != nil {
		return err
	}
	if table.Limit != 8 || table.ToleranceMillis != 3_600_000 || len(table.Rows) != 3 ||
		table.StoreNow < granted[2].StoreNow-60_000 {
		return fmt.Errorf("the slots are %+v", table)
	}
	if !slices.IsSortedFunc(table.Rows, func(a, b stores.SlotRow) int { return int(a.Slot - b.Slot) }) {
		return fmt.Errorf("the slots are not in order: %+v", table.Rows)
	}
	for i, lease := range granted {
		want := stores.SlotRow{
			Slot: lease.Slot, Owner: lease.Owner, Incarnation: lease.Incarnation, Fence: lease.Fence,
			ExpiresAt: lease.ExpiresAt, Floor: lease.Floor, Ceiling: lease.Ceiling, NextFloor: lease.Ceiling,
		}
		if i == 1 {
			want.LastOwner, want.Owner, want.Incarnation = lease.Owner, "", ""
			want.ExpiresAt, want.NextFloor = 0, lease.Floor+6
		}
		j := slices.IndexFunc(table.Rows, func(row stores.SlotRow) bool { return row.Slot == lease.Slot })
		if j < 0 || table.Rows[j] != want {
			return fmt.Errorf("slot %d is not listed as %+v: %+v", lease.Slot, want, table.Rows)
		}
	}
	return nil
}

func adminLifeCycle(t *trial) error {
	store, a, err := t.openAdmin()
	if err != nil {
		return err
	}
	all := func(key string) map[string]error {
		errs := map[string]error{}
		_, errs["delete"] = a.DeleteRange(t.ctx, key, true)
		_, errs["raise"] = a.RaiseRange(t.ctx, key, 1)
		return errs
	}
	for name, err := range all("no-key") {
		if !errors.Is(err, stores.ErrInvalidArgument) {
			return fmt.Errorf("%s of a bad key: %w, want ErrInvalidArgument", name, err)
		}
	}
	if _, err := a.RaiseRange(t.ctx, t.key("bill"), -1); !errors.Is(err, stores.ErrInvalidArgument) {
		return fmt.Errorf("raise to -1: %w, want ErrInvalidArgument", err)
	}
	if err := store.Close(); err != nil {
		return err
	}
	errs := all(t.key("bill"))
	errs["ping"] = a.Ping(t.ctx)
	_, errs["inspect"] = a.Inspect(t.ctx)
	_, errs["list"] = t.list(a, t.namespace)
	if slots, ok := store.(stores.SlotAdmin); ok {
		_, errs["slots"] = slots.Slots(t.ctx, t.namespace)
	}
	for name, err := range errs {
		if !errors.Is(err, stores.ErrClosed) {
			return fmt.Errorf("%s after Close: %w, want ErrClosed", name, err)
		}
	}
	return nil
}
