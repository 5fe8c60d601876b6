package snowflake

import "time"

// stopwatch is the monotonic clock: it tells the time since it began, whatever happens to the wall clock. Its time has a
// monotonic reading.
type stopwatch struct{ began time.Time }

func (s *stopwatch) now() time.Duration { return time.Since(s.began) }

// clock is the store's time, carried forward by the monotonic clock from the moment at which the store last told it. No
// step of this machine's wall clock touches it. It is a value.
type clock struct {
	millis int64         // since the Unix epoch
	at     time.Duration // the monotonic moment that millis belongs to
}

// now is the time at the monotonic moment at.
func (c clock) now(at time.Duration) int64 { return c.millis + (at - c.at).Milliseconds() }

// slewing is how much slower than real time the clock runs while it is ahead of the store's: 1 in so many.
const slewing = 1000

// answered is the clock after the store told its time, storeNow, at the moment at. It never shows less than floor, where
// the window begins.
//
// If the store's clock stepped back, time goes on from the last millisecond used, at the pace of real time, or there
// would be no ids until the store's clock has caught up. It loses a thousandth of that pace, so that it meets the store's
// clock again, and so that a machine whose clock is too fast is held back.
func (c clock) answered(storeNow, floor, used int64, at time.Duration) clock {
	slewed := c.now(at) - ((at-c.at)/slewing + time.Millisecond - 1).Milliseconds()
	return clock{millis: max(storeNow, floor, min(used, slewed)), at: at}
}
