package generators

import "time"

// What follows is what an Instance may tell about itself besides Stats, for those who operate it. Reading it costs a
// lock, and the making of ids nothing.

// PeriodStats is where a generator of grouped ids stands in the calendar.
type PeriodStats struct {
	Period string    // the present one, as Period.Format writes it
	Ends   time.Time // the first moment of the next one
	AtHand int64     // ids of the present period that are held; Stats.AtHand counts those of other periods too
}

// LeaseStats is what a generator knows of the time window on its machine slot.
type LeaseStats struct {
	State   LeaseState
	Slot    int64     // -1 without a window
	Fence   int64     // the number of the grant
	Since   time.Time // when State began
	Err     error     // why the last attempt to acquire or renew failed; nil after a success
	RetryAt time.Time // when the next attempt is made; zero = none is due

	// Remaining is for how long ids can still be made without another answer of the store: until the window's ceiling,
	// by the generator's own time.
	Remaining time.Duration
}

// LeaseState says how a generator stands with its slot.
type LeaseState string

// The states of a lease.
const (
	LeaseNone    LeaseState = "none"    // no window yet, or none any more
	LeaseHeld    LeaseState = "held"    // renewed in time
	LeaseLate    LeaseState = "late"    // the last renewal failed; the window still lasts
	LeaseTaken   LeaseState = "lost"    // others have the slot; what is left of the window is used up
	LeaseExpired LeaseState = "expired" // the window is used up and was not extended
)

// LeaseStates lists every state, from well to ill.
func LeaseStates() []LeaseState {
	return []LeaseState{LeaseHeld, LeaseLate, LeaseTaken, LeaseExpired, LeaseNone}
}
