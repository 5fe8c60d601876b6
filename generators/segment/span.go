package segment

import (
	"sync/atomic"
	"time"
)

// closedMark is a count of taken ids above the size of any span. A span whose count was set to it gives no more ids,
// also to callers that loaded the pointer to it before.
const closedMark = 1 << 62

// cacheLines is the distance between what every caller reads and what every caller adds to: two lines, since
// processors fetch them in pairs.
const cacheLines = 128

// span is a reserved range that ids are being taken from. All but taken is immutable.
//
// Takers count from 0 and compare with size, so that those who come too late cannot overflow an id near
// math.MaxInt64: start+index is computed only where index < size.
type span struct {
	start   int64
	size    int64
	trigger int64     // whoever takes this index starts the prefetch; -1 = nobody
	expires time.Time // when the rest is dropped; meant only if timed
	timed   bool

	_     [cacheLines]byte
	taken atomic.Int64 // how many were taken; above size where callers came too late
	_     [cacheLines]byte
}

// take takes up to n ids and returns the index of the first and their number. The count is read first, so that
// what is added never exceeds the size, however often exhausted spans are asked.
func (s *span) take(n int64) (first, got int64) {
	left := s.size - s.taken.Load()
	if left <= 0 || n <= 0 {
		return 0, 0
	}
	n = min(n, left)
	first = s.taken.Add(n) - n
	if first >= s.size {
		return 0, 0
	}
	return first, min(n, s.size-first)
}

// fill takes as many ids as fit into ids and the span, returns their number, and tells whether they include the one
// that starts the prefetch.
func (s *span) fill(ids []int64) (n int, prefetch bool) {
	if s.timed && s.expired(time.Now()) {
		return 0, false
	}
	first, got := s.take(int64(len(ids)))
	ids = ids[:got]
	for i := range ids {
		ids[i] = s.start + first + int64(i)
	}
	return len(ids), first <= s.trigger && s.trigger < first+got
}

// expired tells whether the span's time is over.
func (s *span) expired(now time.Time) bool { return s.timed && !now.Before(s.expires) }

// issued is how many of the span's ids have been taken so far. Not for closed spans.
func (s *span) issued() int64 { return min(s.taken.Load(), s.size) }

// close ends the span and returns how many ids were taken from it, exactly.
func (s *span) close() int64 { return min(s.taken.Swap(closedMark), s.size) }
