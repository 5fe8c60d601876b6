package stores

import (
	"context"
	"fmt"
)

// Range is a half-open run of ids, [Start, End). A store that hands one out will never hand out any of its
// ids again. The zero Range is empty.
type Range struct {
	Start int64 // the first id
	End   int64 // one past the last id
}

// Size is the number of ids in the range.
func (r Range) Size() int64 { return r.End - r.Start }

// String writes the range in interval notation: [1, 101).
func (r Range) String() string { return fmt.Sprintf("[%d, %d)", r.Start, r.End) }

// RangeStore reserves ranges of ids. It is the only thing that replicas of a service share, so its
// promises S1 to S6 (design section 3) are what uniqueness rests on. The suite in stores/storetest checks
// each of them, by name.
//
// Implementations are safe for concurrent use, and several clients of one server count as one store.
type RangeStore interface {
	// Reserve takes size ids of key for the caller, in one atomic step.
	//
	// A key seen for the first time starts at initialOffset; of several first calls exactly one creates it (S2).
	// Ranges of one key never overlap and strictly increase in the order in which reserves complete (S1).
	// An implementation returns the range that it stored, never one computed from a step or a later read (S3).
	// It may leave gaps, but never hands out an id twice (S4).
	//
	// Errors, all matched with errors.Is:
	//   - ErrInvalidArgument before any I/O, for a bad key, size < 1 or initialOffset < 0 (see CheckReserve);
	//   - ErrRangeExhausted where the range would end above math.MaxInt64; the stored value stays as it was (S5);
	//   - ErrRangeSealed once the key is sealed (S6);
	//   - ErrOutcomeUnknown where the request was sent and no answer came, for instance because ctx ended: the
	//     range may or may not be taken. Calling again is safe and leaves a gap at worst;
	//   - ErrClosed after Close.
	Reserve(ctx context.Context, key string, size, initialOffset int64) (Range, error)
}

// Sealer is the optional ability of a RangeStore to end a key for good.
type Sealer interface {
	// Seal makes every later Reserve of key fail with ErrRangeSealed; the stored value is kept (S6).
	// It reports whether the key is sealed when it returns: a wrapper around a store without the ability
	// answers false. Sealing is idempotent, and sealing a key that does not exist keeps it from ever existing.
	Seal(ctx context.Context, key string) (bool, error)
}

// CheckReserve refuses the arguments of a Reserve that no store may accept. Every implementation calls it
// before any I/O.
func CheckReserve(key string, size, initialOffset int64) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if size < 1 {
		return fmt.Errorf("%w: size %d of a reservation must be at least 1", ErrInvalidArgument, size)
	}
	if initialOffset < 0 {
		return fmt.Errorf("%w: initial offset %d must not be negative", ErrInvalidArgument, initialOffset)
	}
	return nil
}
