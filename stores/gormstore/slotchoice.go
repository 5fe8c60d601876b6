package gormstore

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// slotState is what a statement has read of a namespace.
type slotState struct {
	now       int64
	known     bool // the namespace has settings
	limit     int64
	tolerance time.Duration
	freshFrom int64     // every slot below has a row
	rows      []slotRow // each slot at least once
	taken     []int64   // further slots that have rows
}

// slotRow is a row with the number of writes to it, by which a write knows that the row is still as it was read. It is 0
// for a slot that has no row yet.
type slotRow struct {
	stores.SlotRow
	version int64
}

// row returns the row of a slot, or that of a slot never granted.
func (s slotState) row(slot int64) slotRow {
	for _, row := range s.rows {
		if row.Slot == slot {
			return row
		}
	}
	return slotRow{SlotRow: stores.SlotRow{Slot: slot}}
}

// own is the slot that the holder has already, as after a lost reply.
func (s slotState) own(request stores.SlotRequest) *slotRow {
	return s.best(func(row slotRow) bool { return row.HeldBy(request.Owner, request.Incarnation) })
}

// named is a usable slot that the request's owner or its preference names.
func (s slotState) named(request stores.SlotRequest, tolerance time.Duration) *slotRow {
	usable := func(row slotRow) bool { return row.UsableAt(tolerance) <= s.now }
	if row := s.best(func(row slotRow) bool { return row.Owner == request.Owner && usable(row) }); row != nil {
		return row
	}
	if request.Preferred != stores.NoSlot {
		if row := s.row(request.Preferred); usable(row) {
			return &row
		}
	}
	return s.best(func(row slotRow) bool { return row.LastOwner == request.Owner && usable(row) })
}

// takeOver is a live lease of the same owner, where the request allows to take it: the one whose window ends first.
func (s slotState) takeOver(request stores.SlotRequest) *slotRow {
	var first *slotRow
	for _, row := range s.rows {
		if row.CanTakeOver(request, s.now) && (first == nil || row.NextFloor < first.NextFloor) {
			first = &row
		}
	}
	return first
}

// best is the one of the matching rows that was used last.
func (s slotState) best(matches func(slotRow) bool) *slotRow {
	var best *slotRow
	for _, row := range s.rows {
		if matches(row) && (best == nil || row.NextFloor > best.NextFloor) {
			best = &row
		}
	}
	return best
}

// fresh are the first slots, up to count, that have no row, given a page of those from freshFrom on that do, in order.
// Where it finds none, every slot below from has a row.
func (s slotState) fresh(taken []int64, page, count int) (rows []slotRow, from int64) {
	from = s.freshFrom
	for _, slot := range taken {
		for ; from < slot && len(rows) < count; from++ {
			rows = append(rows, slotRow{SlotRow: stores.SlotRow{Slot: from}})
		}
		from = slot + 1
	}
	if len(taken) < page {
		for ; from < s.limit && len(rows) < count; from++ {
			rows = append(rows, slotRow{SlotRow: stores.SlotRow{Slot: from}})
		}
	}
	return rows, from
}

// candidates is among how many slots to choose. Those who have lost a race spread out, so that all who begin at once get
// a slot after a few tries.
func candidates(try int) int { return 1 << min(try, 6) }

// pick chooses one of the smallest slots.
func pick(rows []slotRow, try int) *slotRow {
	slices.SortFunc(rows, func(a, b slotRow) int { return cmp.Compare(a.Slot, b.Slot) })
	return &rows[rand.IntN(min(candidates(try), len(rows)))]
}
