package generators

import (
	"time"

	"github.com/cosid-go/cosid/stores"
)

// Hooks are called when something happens to a generator that is worth watching; a nil function is skipped.
// They run outside the generator's locks, on the goroutine where it happened: they may call the generator, except
// for Close, which waits for them (start it in a goroutine of its own), but while they run the next reservation, or the
// caller who met a range-ttl or a new period, waits for them. They must be safe for concurrent use.
type Hooks struct {
	OnReserved     func(Reserved)
	OnRefillFailed func(RefillFailed)
	OnRangeDropped func(RangeDropped)
	OnPeriodOpened func(PeriodEvent)
	OnPeriodSealed func(PeriodEvent)

	OnLeaseAcquired func(LeaseEvent)
	OnLeaseLost     func(LeaseFailure)
	OnLeaseFailed   func(LeaseFailure)
}

// Reserved tells of a range that came from the store.
type Reserved struct {
	Generator string
	Key       string
	Range     stores.Range
	Latency   time.Duration
}

// RefillFailed tells of a reservation that failed, or whose range was refused. A refused range and one whose
// outcome is unknown are gaps.
type RefillFailed struct {
	Generator string
	Key       string
	Err       error
	RetryAt   time.Time // no reservation is tried before it; zero = none is tried again
}

// RangeDropped tells of ids that were reserved and will not be issued: range-ttl passed, a period ended, or the
// generator was closed.
type RangeDropped struct {
	Generator string
	Key       string
	Range     stores.Range // the ids given up
}

// PeriodEvent tells that a period of a grouped generator was opened, each time that it becomes the current one, or
// sealed, once a process.
type PeriodEvent struct {
	Generator string
	Key       string
	Period    string
}

// LeaseEvent tells that a slot was granted to the process, for all its generators of the lease's namespace: at the start,
// and after a lease was lost.
type LeaseEvent struct {
	Lease stores.SlotLease
}

// LeaseFailure tells that a lease was lost, so that only what is left of its window is used while another slot is
// acquired; or that a call which should have extended it, or brought one, failed.
type LeaseFailure struct {
	Lease   stores.SlotLease // the last one; its Fence is 0 if there was none
	Err     error
	RetryAt time.Time // when the store is asked next
}

// Stats is a generator's account at one moment. Counts start with the process and cover all periods.
type Stats struct {
	Issued            int64   // ids handed out
	Reserved          int64   // ids that came from the store
	Dropped           int64   // ids given up unused; Issued + Dropped + AtHand = Reserved
	AtHand            int64   // ids held; those past range-ttl become dropped when the next caller meets them
	Reservations      int64   // calls to the store that brought a range
	Failures          int64   // calls to the store that did not, and ranges refused
	Rate              float64 // ids a second, over about the last lookahead
	LastRefillLatency time.Duration
}
