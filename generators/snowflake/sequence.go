package snowflake

import (
	"sync/atomic"
	"time"

	"github.com/cosid-go/cosid/generators"
)

// cacheLines is the distance between what every caller reads and what every caller changes: two lines, since processors
// fetch them in pairs.
const cacheLines = 128

// sequence counts the ids of one generator. A tick and the sequence within it are packed into one word, which therefore
// orders as the ids do, and a sequence that is full carries into the next tick by itself.
type sequence struct {
	_      [cacheLines]byte
	window atomic.Pointer[window] // never nil
	stopwatch
	bits     uint8 // of the sequence in a word
	slotBits uint8
	seconds  bool  // the unit of ticks; otherwise it is milliseconds
	mask     int64 // the largest sequence
	ahead    int64 // how many ticks may be borrowed from the future
	_        [cacheLines]byte
	last     atomic.Int64 // the last word taken; -1 = none
	_        [cacheLines]byte

	name   string
	layout generators.Layout
	holder *holder
	member membership
}

func newSequence(name string, l generators.Layout, maxAhead time.Duration, h *holder) *sequence {
	q := &sequence{
		stopwatch: h.stopwatch,
		bits:      uint8(l.SequenceBits),
		slotBits:  uint8(l.SlotBits),
		seconds:   l.Unit == time.Second,
		mask:      l.MaxSequence(),
		ahead:     int64(maxAhead / l.Unit),
		name:      name,
		layout:    l,
		holder:    h,
	}
	q.last.Store(-1)
	q.window.Store(endedWindow(errNotStarted))
	return q
}

// present is the tick of this moment.
func (q *sequence) present(w *window) int64 {
	since := q.now() - w.origin
	if q.seconds { // divisions by a constant are quick
		return w.tick + int64(since/time.Second)
	}
	return w.tick + int64(since/time.Millisecond)
}

// takeOne is take for one word, for the hot path. A word that somebody else was quicker to take is none, too.
func (q *sequence) takeOne(w *window) (word int64, ok bool) {
	tick := q.present(w)
	last := q.last.Load()
	word = q.after(last, tick)
	in := word >> (q.bits & 63)
	if in < w.first || in > w.last || in-tick > q.ahead {
		return 0, false
	}
	return word, q.last.CompareAndSwap(last, word) && q.window.Load() == w
}

// take takes up to n successive words, and returns the first and their number. It takes none where w holds none that
// may be used now, or is not the current window any more.
//
// What was taken lies in w. That w is still current afterwards means that whoever replaces w sees these words as taken:
// none is issued that a release of the slot, or the first word on the next slot, does not know of.
func (q *sequence) take(w *window, n int64) (first, got int64) {
	tick := q.present(w)
	if tick > w.last {
		return 0, 0
	}
	top := min(tick+q.ahead, w.last)<<q.bits | q.mask
	for {
		last := q.last.Load()
		if last >= top {
			return 0, 0
		}
		first = q.after(last, max(tick, w.first))
		if first > top {
			return 0, 0
		}
		got = min(n, top-first+1)
		if q.last.CompareAndSwap(last, first+got-1) {
			if q.window.Load() != w {
				return 0, 0
			}
			return first, got
		}
	}
}

// after is the word after last, not before tick. The sequence goes on from tick to tick, and begins anew only where
// less than half of it would be left, so that few ids a tick still spread evenly over id % n.
func (q *sequence) after(last, tick int64) int64 {
	if last>>(q.bits&63) >= tick {
		return last + 1
	}
	next := (last + 1) & q.mask
	if 2*next > q.mask {
		next = 0
	}
	return tick<<(q.bits&63) | next
}

// id is the number that a word in w stands for.
func (q *sequence) id(w *window, word int64) int64 {
	return word&^q.mask<<(q.slotBits&63) | w.slotInPlace | word&q.mask
}

// skip leaves the rest of the last tick unused, so that what follows lies in a later one.
func (q *sequence) skip() {
	for last := q.last.Load(); last >= 0; last = q.last.Load() {
		if q.last.CompareAndSwap(last, last|q.mask) {
			return
		}
	}
}

// beginAfter makes the first word lie after the millisecond used.
func (q *sequence) beginAfter(used int64) {
	if tick := q.layout.TickAt(used); tick >= 0 {
		q.last.Store(min(tick, q.layout.MaxTick())<<q.bits | q.mask)
	}
}

// used is the last millisecond of the last tick taken, less than any window's floor if there is none.
func (q *sequence) used() int64 { return q.layout.MillisOf(q.last.Load()>>q.bits+1) - 1 }

// shortage says why take took nothing.
type shortage int

const (
	passing   shortage = iota // it is over: another look helps
	ended                     // the window is one that ended for good
	exhausted                 // the timestamp bits are
	outside                   // the window holds no tick that is due
	borrowed                  // the tick lies too far in the future
)

// look says what the next word after last lacks, and for borrowed ones how long that will be so.
func (q *sequence) look(w *window) (shortage, time.Duration) {
	if w.end != nil {
		return ended, 0
	}
	at := q.now()
	present := q.present(w)
	last := q.last.Load()
	due := max(present, w.first, last>>q.bits)
	if last>>q.bits == due && last&q.mask == q.mask {
		due++
	}
	switch {
	case due > q.layout.MaxTick():
		return exhausted, 0
	case due > w.last:
		return outside, 0
	case due > present+q.ahead:
		return borrowed, w.origin + time.Duration(due-q.ahead-w.tick)*q.layout.Unit - at
	}
	return passing, 0
}
