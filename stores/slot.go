package stores

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// SlotLease is a time window on a machine slot: its holder may make ids of Slot whose time t, in milliseconds, lies
// in Floor <= t < Ceiling. The windows of one slot never overlap, whoever holds it (L1), so ids are unique whatever
// any clock says. A lease is a value: each grant and each renewal is a new one.
//
// All times are milliseconds since the Unix epoch on the store's clock (L7).
type SlotLease struct {
	Namespace   string
	Slot        int64
	Owner       string // who holds it, for people and for finding a slot again
	Incarnation string // which process of that owner
	Fence       int64  // the number of the grant; it rises with each one (L2)
	Floor       int64  // the first millisecond of the window
	Ceiling     int64  // the first millisecond after it
	ExpiresAt   int64  // when others may take the slot, unless it is renewed
	StoreNow    int64  // T of the call that this is the answer to
}

// String tells all of it in a line.
func (l SlotLease) String() string {
	return fmt.Sprintf("slot %d of %s with fence %d, window [%d, %d), held by %s/%s until %d, as of %d",
		l.Slot, l.Namespace, l.Fence, l.Floor, l.Ceiling, l.Owner, l.Incarnation, l.ExpiresAt, l.StoreNow)
}

// SlotRequest asks for a slot.
type SlotRequest struct {
	Namespace string

	// Owner is a stable name of the holder, such as a host name: a restarted process finds its slot again by it.
	// Incarnation is a random word that no other process uses, and that this one gives up after Release.
	Owner, Incarnation string

	// Limit is how many slots the namespace has, and Tolerance how far a window may lie ahead of the store's clock.
	// The namespace's first acquire fixes both (L5).
	Limit     int64
	Tolerance time.Duration

	TTL time.Duration // how long the lease lasts without a renewal; whole milliseconds, at least 1

	Preferred int64 // the slot to try before any other free one; NoSlot = none

	// TakeOver allows to take a live lease of the same owner and another incarnation, once nothing else is usable. A
	// process sets it for its first lease only: then a restart gets its slot back, and two processes of one name
	// do not steal from each other in turns.
	TakeOver bool
}

// NoSlot is the SlotRequest.Preferred of a caller without a preference.
const NoSlot int64 = -1

// SlotLeaseStore leases slots as time windows (design section 6). Every namespace is a set of Limit slots of its own
// (L10). The suite in stores/storetest checks each promise by its name.
//
// Implementations are safe for concurrent use, several clients of one server count as one store, and only the
// server's clock decides; if it steps, in either direction, L1 and L2 still hold (L7).
//
// With T for the store's clock, a slot is expired where its lease's ExpiresAt <= T. The end of the last window granted
// on a slot is its next floor, 0 for a slot never granted. A free or expired slot is ready if its next floor <= T,
// and usable if it is <= T+Tolerance.
//
// All methods return, matched with errors.Is: ErrInvalidArgument before any I/O; ErrOutcomeUnknown where the request
// was sent and no answer came, after which the same call may be made again (L6); ErrClosed.
type SlotLeaseStore interface {
	// Acquire leases a slot: the fence rises by one, ExpiresAt is T+TTL, Floor the larger of the next floor and T,
	// and Ceiling, which becomes the next floor, Floor+TTL. Among the ready slots, then among the usable ones, it
	// tries: the one whose row records this owner, Preferred, the owner's last one, the smallest.
	//
	// The same owner with the same incarnation, as after a lost reply, gets its own slot and Floor back, with a
	// higher fence and a window that is extended as Renew does with nothing used. A live lease of others is never taken
	// (L3), except as SlotRequest.TakeOver says; even then the new window begins where the old one ends.
	//
	// A store looks for an owner's row in the slot that the owner acquired last. Of two processes of one name the
	// other one may so get a further slot, never the same; and a slot that others have had since may be forgotten.
	//
	// Errors: a *NoFreeSlotError (ErrNoFreeSlot) where no slot is usable (L9); a *SlotSettingsError
	// (ErrSlotSettings) where Limit or Tolerance are not those of the namespace (L5).
	Acquire(ctx context.Context, request SlotRequest) (SlotLease, error)

	// Renew extends the lease: ExpiresAt becomes T+ttl, Ceiling at least min(max(T, usedThrough+1), T+Tolerance)+ttl.
	// The window never shrinks. A lease that expired is renewed too, as long as nobody else has taken the slot; else,
	// and where slot, fence, incarnation and owner are not those of the row, it is ErrLeaseLost (L4). So it is where the
	// store knows no such namespace or slot.
	//
	// usedThrough is the last millisecond that an id of this lease carries, less than Floor if there is none.
	Renew(ctx context.Context, lease SlotLease, ttl time.Duration, usedThrough int64) (SlotLease, error)

	// Release frees the slot for others, and what lies after usedThrough of its window: the next floor becomes
	// max(Floor, usedThrough+1), and at most the Ceiling that was granted. The caller has stopped to make ids of it, for
	// good. It needs the lease's slot, fence and incarnation, else it is ErrLeaseLost (L8). Releasing what the same lease
	// has already released succeeds and changes nothing.
	Release(ctx context.Context, lease SlotLease, usedThrough int64) error
}

// Errors of slot leases, for matching with errors.Is.
var (
	// ErrNoFreeSlot means that no slot of the namespace can be leased now; the error is a *NoFreeSlotError.
	ErrNoFreeSlot = errors.New("no free slot")

	// ErrLeaseLost means that the slot was granted again since, or released: the lease cannot be extended any more.
	// Ids may still be made up to its Ceiling, unless it was released.
	ErrLeaseLost = errors.New("lease lost")

	// ErrSlotSettings means that a namespace has another limit or tolerance; the error is a *SlotSettingsError.
	ErrSlotSettings = errors.New("slot settings differ")
)

// NoFreeSlotError says why no slot is usable (L9). It matches ErrNoFreeSlot.
type NoFreeSlotError struct {
	Namespace string
	Limit     int64
	Live      int64 // leases that have not expired
	Ahead     int64 // other slots, whose next window would begin beyond the tolerance; as many as were looked at

	// UsableAt is the earliest time at which one becomes usable, in milliseconds on the store's clock: the earliest of
	// each slot's next floor less the tolerance, or of its lease's ExpiresAt if that is later.
	UsableAt int64
	StoreNow int64
}

// Error gives the counts, and how long to wait.
func (e *NoFreeSlotError) Error() string {
	return fmt.Sprintf("%v in namespace %q: %d of %d are leased, the window of %d more lies too far ahead of the store's "+
		"clock; the next becomes usable in %v, unless renewed; stop a process, or wait: the limit "+
		"was fixed by the first process of the namespace",
		ErrNoFreeSlot, e.Namespace, e.Live, e.Limit, e.Ahead, time.Duration(e.UsableAt-e.StoreNow)*time.Millisecond)
}

// Is matches ErrNoFreeSlot.
func (e *NoFreeSlotError) Is(target error) bool { return target == ErrNoFreeSlot }

// SlotSettingsError shows the settings that a namespace has, and those that were asked for. It matches ErrSlotSettings.
type SlotSettingsError struct {
	Namespace                    string
	Limit, AskedLimit            int64
	ToleranceMillis, AskedMillis int64
}

// Error shows both.
func (e *SlotSettingsError) Error() string {
	return fmt.Sprintf("%v: namespace %q was created with limit %d and tolerance %v, not limit %d and tolerance %v; "+
		"its first process fixed them: configure the same", ErrSlotSettings, e.Namespace,
		e.Limit, time.Duration(e.ToleranceMillis)*time.Millisecond,
		e.AskedLimit, time.Duration(e.AskedMillis)*time.Millisecond)
}

// Is matches ErrSlotSettings.
func (e *SlotSettingsError) Is(target error) bool { return target == ErrSlotSettings }

const (
	// MaxSlots is the largest limit of a namespace.
	MaxSlots = 1 << 20

	// MaxTTL and MaxTolerance bound what a request may ask for.
	MaxTTL       = 24 * time.Hour
	MaxTolerance = 365 * 24 * time.Hour

	// maxMillis is far beyond every sane clock, and far below what a double holds exactly, tolerance and ttl included.
	maxMillis = 1 << 52

	// OwnerGrammar and IncarnationGrammar are what the two names of a holder must match. They hold none of the
	// characters that separate the columns of a stored row.
	OwnerGrammar       = `[A-Za-z0-9][A-Za-z0-9._:@-]{0,254}`
	IncarnationGrammar = `[A-Za-z0-9-]{1,64}`
)

// CheckSlotRequest refuses the arguments of an Acquire that no store may accept. Every implementation calls it before
// any I/O. Its error wraps ErrInvalidArgument.
func CheckSlotRequest(r SlotRequest) error {
	if err := CheckName(r.Namespace); err != nil {
		return err
	}
	if err := CheckOwner(r.Owner); err != nil {
		return err
	}
	if !isIncarnation(r.Incarnation) {
		return fmt.Errorf("%w: incarnation %q does not match %s", ErrInvalidArgument, r.Incarnation, IncarnationGrammar)
	}
	switch {
	case r.Limit < 1 || r.Limit > MaxSlots:
		return fmt.Errorf("%w: limit %d must be 1 to %d", ErrInvalidArgument, r.Limit, MaxSlots)
	case r.Tolerance < 0 || r.Tolerance > MaxTolerance || r.Tolerance%time.Millisecond != 0:
		return fmt.Errorf("%w: tolerance %v must be whole milliseconds, 0 to %v", ErrInvalidArgument, r.Tolerance, MaxTolerance)
	case r.Preferred < NoSlot || r.Preferred >= r.Limit:
		return fmt.Errorf("%w: preferred slot %d must be below the limit %d, or NoSlot", ErrInvalidArgument, r.Preferred, r.Limit)
	}
	return checkTTL(r.TTL)
}

// CheckSlotSettings compares the settings that a request asks for with those that its namespace has (L5). Its error
// is a *SlotSettingsError.
func CheckSlotSettings(r SlotRequest, limit int64, tolerance time.Duration) error {
	if r.Limit == limit && r.Tolerance == tolerance {
		return nil
	}
	return &SlotSettingsError{
		Namespace: r.Namespace,
		Limit:     limit, AskedLimit: r.Limit,
		ToleranceMillis: tolerance.Milliseconds(), AskedMillis: r.Tolerance.Milliseconds(),
	}
}

// CheckSlotClock refuses a clock of the store, in milliseconds since the Unix epoch, that cannot be right: windows
// computed from it would pass the integers that every store holds exactly.
func CheckSlotClock(now int64) error {
	if now < 0 || now > maxMillis {
		return fmt.Errorf("the store's clock reads %d ms since 1970; set it right", now)
	}
	return nil
}

// CheckRenew refuses the arguments of a Renew that no store may accept, as CheckSlotRequest does.
func CheckRenew(lease SlotLease, ttl time.Duration, usedThrough int64) error {
	if err := checkTTL(ttl); err != nil {
		return err
	}
	return CheckRelease(lease, usedThrough)
}

// CheckRelease refuses the arguments of a Release that no store may accept, as CheckSlotRequest does.
func CheckRelease(lease SlotLease, usedThrough int64) error {
	if err := CheckName(lease.Namespace); err != nil {
		return err
	}
	switch {
	case lease.Slot < 0 || lease.Slot >= MaxSlots || lease.Fence < 1 || !isIncarnation(lease.Incarnation):
		return fmt.Errorf("%w: slot %d with fence %d and incarnation %q is not a lease that a store has granted",
			ErrInvalidArgument, lease.Slot, lease.Fence, lease.Incarnation)
	case lease.Ceiling > 2*maxMillis:
		return fmt.Errorf("%w: the window ends at %d ms, which no store has granted", ErrInvalidArgument, lease.Ceiling)
	case usedThrough >= lease.Ceiling:
		return fmt.Errorf("%w: used through %d, but the window ends before %d", ErrInvalidArgument, usedThrough, lease.Ceiling)
	default:
		return CheckOwner(lease.Owner)
	}
}

// CheckOwner tells whether owner matches OwnerGrammar. Its error wraps ErrInvalidArgument.
func CheckOwner(owner string) error {
	ok := len(owner) >= 1 && len(owner) <= 255 && isAlphanumeric(owner[0])
	for i := 1; ok && i < len(owner); i++ {
		switch c := owner[i]; c {
		case '.', '_', ':', '@', '-':
		default:
			ok = isAlphanumeric(c)
		}
	}
	if !ok {
		return fmt.Errorf("%w: owner %q does not match %s", ErrInvalidArgument, owner, OwnerGrammar)
	}
	return nil
}

func checkTTL(ttl time.Duration) error {
	if ttl < time.Millisecond || ttl > MaxTTL || ttl%time.Millisecond != 0 {
		return fmt.Errorf("%w: ttl %v must be whole milliseconds, 1ms to %v", ErrInvalidArgument, ttl, MaxTTL)
	}
	return nil
}

func isIncarnation(s string) bool {
	if len(s) < 1 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && !isAlphanumeric(c) {
			return false
		}
	}
	return true
}
