package generators

import (
	"context"
	"errors"
)

// Generator makes unique ids that strictly increase within one instance. It is safe for concurrent use.
type Generator interface {
	// Next returns one id. It waits only where no id is at hand, and then no longer than ctx and the
	// strategy's own bound.
	Next(ctx context.Context) (int64, error)

	// Fill writes ids in increasing order, consecutive where they come from one range, and returns how many it
	// wrote. The error is nil exactly if it wrote them all; those that it wrote are the caller's either way.
	Fill(ctx context.Context, ids []int64) (int, error)
}

// GroupedID is a number that is unique within its period, for instance bill 42 of 20261027.
type GroupedID struct {
	Period string // as Period.Format writes it; the period travels with the value
	Value  int64
}

// GroupedGenerator makes ids whose values restart in each period. It is safe for concurrent use.
type GroupedGenerator interface {
	// Next returns one id of the period that contains the present moment. It waits as Generator.Next does.
	Next(ctx context.Context) (GroupedID, error)

	// Fill does for grouped ids what Generator.Fill does. The ids of one call may span two periods.
	Fill(ctx context.Context, ids []GroupedID) (int, error)
}

// TextGenerator makes unique texts that strictly increase, compared byte by byte, within one instance. It is safe for
// concurrent use.
type TextGenerator interface {
	// Next returns one text. It waits as Generator.Next does.
	Next(ctx context.Context) (string, error)

	// Fill does for texts what Generator.Fill does.
	Fill(ctx context.Context, texts []string) (int, error)
}

// Errors of generators, for matching with errors.Is. What a generator returns wraps one of them together with
// the key, and where a store was the cause also the store's error.
var (
	// ErrRangeUnavailable means that no id is at hand: the running reservation did not finish in time, or the
	// last one failed and the next is not due yet.
	ErrRangeUnavailable = errors.New("no range available")

	// ErrRangeWentBack means that the store returned a range that does not lie above everything this process has
	// issued for the key, as a wiped or restored store does. Nothing is issued from such a range.
	ErrRangeWentBack = errors.New("range went back")

	// ErrLeaseExpired means that the time window on the machine slot is used up, and that it could not be extended.
	// The generator goes on trying.
	ErrLeaseExpired = errors.New("slot lease expired")

	// ErrTimestampExhausted means that the present does not fit the timestamp bits of the layout: no id can be made
	// any more.
	ErrTimestampExhausted = errors.New("timestamp bits used up")

	// ErrRateExceeded means that ids were asked for faster than the layout of the ids allows, for longer than a caller
	// waits.
	ErrRateExceeded = errors.New("more ids than the layout holds")

	// ErrClosed means that the generator was closed.
	ErrClosed = errors.New("generator closed")
)
