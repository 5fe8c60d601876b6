package stores

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// What follows are optional abilities of a store for those who operate it: health checks, the command-line tools. No
// generator uses them.

// Pinger tells whether a store can be reached. Health checks ask it.
type Pinger interface {
	// Ping asks the server for the least that shows it is alive and changes nothing. ctx and the store's timeout
	// bound it; its error says what could not be reached.
	Ping(ctx context.Context) error
}

// Inspector tells what an operator should know about a store's server.
type Inspector interface {
	// Inspect asks the server for its version, clock and settings, and changes nothing. What it is not allowed to
	// see becomes a Finding; its error means that the server cannot be reached.
	Inspect(ctx context.Context) (Inspection, error)
}

// Inspection is what Inspect saw.
type Inspection struct {
	Server   string    // the product and version, and its topology if it has one: "Redis 7.0.15, master with 2 replicas"
	Now      time.Time // the server's clock; the zero Time if the store has none of its own
	Findings []Finding // what endangers uniqueness or service; empty = nothing known
}

// Finding is one thing that an operator should mend.
type Finding struct {
	Problem string // what is the case and what it can lead to, a sentence
	Remedy  string // what to do, where possible the command
}

// RangeRecord is what a store keeps of one key.
type RangeRecord struct {
	Key    string
	Next   int64 // the first id that is not reserved; 0 for a key that was sealed before its first reserve
	Sealed bool
}

// RangeAdmin looks at and changes stored ranges while no generator needs them. Deleting is the one thing that breaks
// S6 on purpose: it is for periods that are over, and nothing that runs beside generators does it by itself.
type RangeAdmin interface {
	// Ranges lists the keys that begin with prefix, in no particular order and each at least once; a key that changes
	// meanwhile shows one of its states. An error ends the sequence.
	Ranges(ctx context.Context, prefix string) iter.Seq2[RangeRecord, error]

	// DeleteRange forgets a key, in one atomic step, and tells whether there was one. A key that is not sealed is
	// kept, with ErrNotSealed, unless force is set. After it a Reserve of the key begins again at the initial offset.
	DeleteRange(ctx context.Context, key string, force bool) (bool, error)

	// RaiseRange sets the next id of a key, known or not, in one atomic step, and returns what is stored then. It
	// never moves a counter back: where more is stored already, that stays and the error is ErrWouldGoBack. A sealed
	// key is ErrRangeSealed.
	RaiseRange(ctx context.Context, key string, next int64) (RangeRecord, error)
}

// SlotAdmin looks at the slots of a namespace.
type SlotAdmin interface {
	// Slots returns every slot of the namespace that was ever granted, by number, as of one moment or nearly so. A
	// namespace that nobody has used is the zero SlotTable.
	Slots(ctx context.Context, namespace string) (SlotTable, error)
}

// SlotTable is what a store keeps of the slots of one namespace. Times are milliseconds on the store's clock.
type SlotTable struct {
	Limit           int64
	ToleranceMillis int64
	StoreNow        int64
	Rows            []SlotRow
}

// SlotRow is the stored state of one slot.
type SlotRow struct {
	Slot        int64
	Owner       string // empty once released
	Incarnation string // empty once released
	LastOwner   string
	Fence       int64
	ExpiresAt   int64 // 0 once released
	Floor       int64
	Ceiling     int64
	NextFloor   int64
}

// CheckRaise refuses the arguments of a RaiseRange that no store may accept. Its error wraps ErrInvalidArgument.
func CheckRaise(key string, next int64) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if next < 0 {
		return fmt.Errorf("%w: next id %d must not be negative", ErrInvalidArgument, next)
	}
	return nil
}
