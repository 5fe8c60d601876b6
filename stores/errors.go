package stores

import "errors"

// Errors of stores. They are for matching with errors.Is; what a store returns wraps one of them together
// with the operation and the key.
var (
	// ErrInvalidArgument means that the call can never succeed: a bad key, size or offset. Nothing was sent.
	ErrInvalidArgument = errors.New("invalid argument")

	// ErrRangeExhausted means that the range would pass math.MaxInt64 (S5). The stored value is unchanged.
	ErrRangeExhausted = errors.New("range exhausted")

	// ErrRangeSealed means that the key was sealed, for instance because its period is over (S6).
	ErrRangeSealed = errors.New("range sealed")

	// ErrOutcomeUnknown means that a request was sent and its effect is not known. Retrying is safe: the
	// worst outcome is a gap.
	ErrOutcomeUnknown = errors.New("outcome unknown")

	// ErrNotSealed means that a key is kept because it is not sealed: its period may still be in use.
	ErrNotSealed = errors.New("range not sealed")

	// ErrWouldGoBack means that a stored next id lies above the one it was to be set to, and was left alone: ids below
	// it may have been handed out.
	ErrWouldGoBack = errors.New("counter would go back")

	// ErrClosed means that the store was closed, or that it is not open yet.
	ErrClosed = errors.New("store closed, or not open yet")
)
