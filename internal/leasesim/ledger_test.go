package leasesim_test

import (
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/stores"
)

// ledger judges what the store answers and what ids are made, from the outside: it knows the promises L1–L10 of
// stores.SlotLeaseStore, not how a store keeps them. It sees each answer when the store gives it, lost or not.
type ledger struct {
	repeatsOnly bool // judge nothing but ids that repeat

	spaces map[string]*history
	ids    map[id]int     // which life of a process made it
	last   map[int]id     // the last id of each life
	breach *breach        // the first one
	counts map[string]int // of what happened
}

// id is what must never be twice. Namespaces and slots are small numbers here.
type id struct {
	namespace, slot, seq uint16
	tick                 int64 // milliseconds on the store's clock
}

// history is the windows of each slot of one namespace, in the order in which they were granted.
type history struct {
	limit, tolerance int64
	windows          [][]window
	last             map[string]int64 // the slot that an owner got last
}

// window is one grant together with its renewals and re-grants.
type window struct {
	owner, incarnation        string
	fence                     int64
	floor, ceiling, expiresAt int64
	used                      int64 // the last millisecond that an id really carries
	next                      int64 // where the next window may begin
	expired, released         bool  // an acquire has found it expired
}

// breach is a promise that was broken.
type breach struct{ promise, text string }

func newLedger() *ledger {
	return &ledger{
		spaces: make(map[string]*history), ids: make(map[id]int), last: make(map[int]id),
		counts: make(map[string]int),
	}
}

func (l *ledger) broken(promise, format string, args ...any) {
	if l.breach == nil && (promise == "ids" || !l.repeatsOnly) {
		l.breach = &breach{promise, fmt.Sprintf(format, args...)}
	}
}

// acquired judges the answer to q that the store gave at now.
func (l *ledger) acquired(now int64, q stores.SlotRequest, got stores.SlotLease, err error) {
	h := l.spaces[q.Namespace]
	if h == nil {
		h = &history{q.Limit, q.Tolerance.Milliseconds(), make([][]window, q.Limit), make(map[string]int64)}
		l.spaces[q.Namespace] = h
	}
	if h.limit != q.Limit || h.tolerance != q.Tolerance.Milliseconds() {
		l.counts["other settings"]++
		if !errors.Is(err, stores.ErrSlotSettings) {
			l.broken("L5", "other settings were answered with %+v, %v", got, err)
		}
		return
	}
	for slot := range h.windows {
		if w := h.current(int64(slot)); w != nil {
			w.expired = w.expired || w.expiresAt <= now
		}
	}
	own, found := h.last[q.Owner]
	mustReGrant := found && h.current(own).isOf(q)
	if err != nil {
		if mustReGrant {
			l.broken("L6", "the holder of slot %d was refused: %v", own, err)
		}
		l.refused(now, h, q, err)
		return
	}
	ttl := q.TTL.Milliseconds()
	if got.Slot < 0 || got.Slot >= h.limit {
		l.broken("L5", "slot %d of %d was granted", got.Slot, h.limit)
		return
	}
	if got.Namespace != q.Namespace || got.Owner != q.Owner || got.Incarnation != q.Incarnation || got.StoreNow != now ||
		got.ExpiresAt != now+ttl {
		l.broken("L6", "%+v was answered with %+v", q, got)
	}
	w := h.current(got.Slot)
	if w != nil && got.Fence <= w.fence || got.Fence < 1 {
		l.broken("L2", "slot %d was granted with fence %d again, %+v", got.Slot, got.Fence, w)
	}
	if mustReGrant && got.Slot != own {
		l.broken("L6", "the holder of slot %d got slot %d", own, got.Slot)
	}
	h.last[q.Owner] = got.Slot
	if w.isOf(q) {
		l.reGranted(now, h, w, ttl, got)
	} else {
		l.granted(now, h, q, got)
	}
}

func (l *ledger) reGranted(now int64, h *history, w *window, ttl int64, got stores.SlotLease) {
	l.counts["re-grants"]++
	ceiling := max(w.ceiling, min(max(now, w.floor), now+h.tolerance)+ttl)
	if got.Floor != w.floor || got.Ceiling != ceiling {
		l.broken("L6", "%+v was granted again as %+v", *w, got)
	}
	w.fence, w.ceiling, w.next, w.expiresAt, w.expired = got.Fence, got.Ceiling, got.Ceiling, got.ExpiresAt, false
}

func (l *ledger) granted(now int64, h *history, q stores.SlotRequest, got stores.SlotLease) {
	l.counts["grants"]++
	if got.Floor > now {
		l.counts["grants ahead"]++
		if slot := h.open(now, now); slot != stores.NoSlot {
			l.broken("ready", "slot %d is ready at %d, and %+v was granted", slot, now, got)
		}
	}
	if w := h.current(got.Slot); w != nil {
		if got.Floor < w.end() {
			l.broken("L1", "the window of %+v begins in that of %+v", got, *w)
		}
		if !w.released && !w.expired {
			l.counts["takeovers"]++
			if w.owner != q.Owner || !q.TakeOver || h.open(now, now+h.tolerance) != stores.NoSlot {
				l.broken("L3", "%+v is live, and was taken by %+v", *w, got)
			}
		}
	}
	if got.Floor < now || got.Floor > now+h.tolerance || got.Ceiling != got.Floor+q.TTL.Milliseconds() {
		l.broken("L1", "at %d, %+v was granted a window of %+v", now, q, got)
	}
	h.windows[got.Slot] = append(h.windows[got.Slot], window{
		owner: got.Owner, incarnation: got.Incarnation, fence: got.Fence,
		floor: got.Floor, ceiling: got.Ceiling, expiresAt: got.ExpiresAt, used: got.Floor - 1, next: got.Ceiling,
	})
}

// refused judges an acquire without a lease.
func (l *ledger) refused(now int64, h *history, q stores.SlotRequest, err error) {
	l.counts["no free slot"]++
	var none *stores.NoFreeSlotError
	if !errors.As(err, &none) || !errors.Is(err, stores.ErrNoFreeSlot) {
		l.broken("L9", "%+v was refused with %v", q, err)
		return
	}
	if none.Limit != h.limit || none.Live < 0 || none.Ahead < 0 || none.Live+none.Ahead > h.limit ||
		none.StoreNow != now || none.UsableAt <= now {
		l.broken("L9", "at %d: %+v", now, *none)
	}
	if slot := h.open(now, now+h.tolerance); slot != stores.NoSlot {
		l.broken("L9", "slot %d is usable, and %+v was refused at %d with %v", slot, q, now, err)
	}
	if last, found := h.last[q.Owner]; found && q.TakeOver {
		if w := h.current(last); w.owner == q.Owner && !w.released && w.next <= now+h.tolerance {
			l.broken("L9", "%+v was not taken over by %+v at %d: %v", *w, q, now, err)
		}
	}
}

// renewed judges the answer to a renewal of lease that the store gave at now.
func (l *ledger) renewed(now int64, lease stores.SlotLease, ttl, usedThrough int64, got stores.SlotLease, err error) {
	h, w := l.find(lease)
	if err != nil {
		l.counts["leases lost"]++
		if !errors.Is(err, stores.ErrLeaseLost) || w != nil {
			l.broken("L4", "at %d, the renewal of %+v was refused with %v; the window is %+v", now, lease, err, w)
		}
		return
	}
	l.counts["renewals"]++
	if w == nil {
		l.broken("L4", "%+v is not current, and was renewed as %+v", lease, got)
		return
	}
	if w.expiresAt <= now {
		l.counts["late renewals"]++
	}
	ceiling := max(w.ceiling, min(max(now, usedThrough+1), now+h.tolerance)+ttl)
	want := lease
	want.Floor, want.Ceiling, want.ExpiresAt, want.StoreNow = w.floor, ceiling, now+ttl, now
	if got != want {
		l.broken("L4", "at %d, %+v, used through %d, was renewed as %+v, not %+v", now, lease, usedThrough, got, want)
	}
	w.ceiling, w.next, w.expiresAt, w.expired = got.Ceiling, got.Ceiling, got.ExpiresAt, false
}

// releasedAs judges the answer to a release of lease that the store gave at now.
func (l *ledger) releasedAs(lease stores.SlotLease, usedThrough int64, err error) {
	h, w := l.find(lease)
	if w == nil {
		again := h != nil && h.current(lease.Slot) != nil && h.current(lease.Slot).released &&
			h.current(lease.Slot).fence == lease.Fence
		if again {
			l.counts["doubled releases"]++
		}
		if again != (err == nil) || err != nil && !errors.Is(err, stores.ErrLeaseLost) {
			l.broken("L8", "the release of %+v, which is not current, was answered with %v", lease, err)
		}
		return
	}
	l.counts["releases"]++
	if err != nil {
		l.broken("L8", "the release of %+v was refused with %v", lease, err)
		return
	}
	w.released = true
	w.next = max(w.floor, usedThrough+1)
}

// anyIncarnation is that of ids whose maker does not tell.
const anyIncarnation = ""

// made judges an id of the given life of a process.
func (l *ledger) made(life int, namespace, incarnation string, made id) {
	l.counts["ids"]++
	if other, found := l.ids[made]; found {
		l.broken("ids", "%+v was made by life %d, and again by life %d", made, other, life)
	}
	l.ids[made] = life
	h := l.spaces[namespace]
	if l.repeatsOnly || h == nil {
		return
	}
	if last, found := l.last[life]; found && (made.tick < last.tick || made.tick == last.tick && made.seq <= last.seq) {
		l.broken("order", "life %d made %+v after %+v", life, made, last)
	}
	l.last[life] = made
	windows := h.windows[made.slot]
	for i := len(windows) - 1; i >= 0; i-- {
		w := &windows[i]
		if (w.incarnation == incarnation || incarnation == anyIncarnation) && w.floor <= made.tick && made.tick < w.end() {
			w.used = max(w.used, made.tick)
			return
		}
	}
	l.broken("window", "life %d, %q, made %+v outside of its windows", life, incarnation, made)
}

// find is the current window of lease, nil if it is not lease's.
func (l *ledger) find(lease stores.SlotLease) (*history, *window) {
	h := l.spaces[lease.Namespace]
	if h == nil || lease.Slot >= h.limit {
		return h, nil
	}
	w := h.current(lease.Slot)
	if w == nil || w.released || w.fence != lease.Fence || w.incarnation != lease.Incarnation || w.owner != lease.Owner {
		return h, nil
	}
	return h, w
}

// open is a slot that nobody holds at now, and whose next window may begin by until; NoSlot if there is none.
func (h *history) open(now, until int64) int64 {
	for slot := range h.limit {
		w := h.current(slot)
		if w == nil || (w.released || w.expiresAt <= now) && w.next <= until {
			return slot
		}
	}
	return stores.NoSlot
}

// current is the last window of a slot, nil before the first grant.
func (h *history) current(slot int64) *window {
	windows := h.windows[slot]
	if len(windows) == 0 {
		return nil
	}
	return &windows[len(windows)-1]
}

// isOf tells whether the window is the one that a request asks for once more.
func (w *window) isOf(q stores.SlotRequest) bool {
	return w != nil && !w.released && w.owner == q.Owner && w.incarnation == q.Incarnation
}

// end is the first millisecond after what the holder can still use, or has used.
func (w *window) end() int64 {
	if w.released {
		return max(w.floor, w.used+1)
	}
	return w.ceiling
}
