package snowflake

import (
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// window is what a generator may make ids of: a slot, the ticks on it, and the clock that says which tick is now. It is
// immutable; each grant, renewal and end makes a new one.
type window struct {
	first, last int64 // ticks; last < first where there is none
	slot        int64
	slotInPlace int64 // at the bits that it has in an id

	tick   int64         // the tick at origin
	origin time.Duration // a monotonic moment

	end error // why it holds no ticks, for good; nil = it does, or did
}

// newWindow is the window of a lease in the ticks of a layout. Only ticks that lie in the lease as a whole count.
func newWindow(l generators.Layout, lease stores.SlotLease, c clock) *window {
	first := l.TickAt(lease.Floor)
	if l.MillisOf(first) < lease.Floor {
		first++
	}
	tick := l.TickAt(c.millis)
	return &window{
		first:       max(first, 0),
		last:        min(l.TickAt(lease.Ceiling)-1, l.MaxTick()),
		slot:        lease.Slot,
		slotInPlace: lease.Slot << l.SequenceBits,
		tick:        tick,
		origin:      c.at - time.Duration(c.millis-l.MillisOf(tick))*time.Millisecond,
	}
}

// endedWindow holds no ticks.
func endedWindow(end error) *window { return &window{last: -1, end: end} }
