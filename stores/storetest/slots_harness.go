package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// SlotStore is what the slot suite tests.
type SlotStore interface {
	stores.Store
	stores.SlotLeaseStore
}

// SlotHarness connects the slot suite with one server, as Harness does the range suite.
type SlotHarness struct {
	// New returns a new client of the server, not yet started. All clients of one harness share that server. The
	// suite starts them, uses several at once and closes them. It uses namespaces that nobody else uses.
	New func() (SlotStore, error)

	// MoveClock steps the server's clock by delta, forward or back, and returns once the server reads the new time;
	// the clock may stand or run on between the steps. The suite moves it back after each promise.
	//
	// Without it time passes by itself: the suite then leases for tens of milliseconds and sleeps.
	MoveClock func(ctx context.Context, delta time.Duration) error

	// Restart and Freeze are those of Harness.
	Restart func(ctx context.Context) error
	Freeze  func(ctx context.Context) (thaw func() error, err error)

	// Cycles is how many release and restart cycles must leak no slot; 0 = 10,000. Each takes one or
	// two round trips.
	Cycles int

	// Largest is the largest limit that the suite asks for, at least 4; 0 = stores.MaxSlots. A store may need seconds to
	// write down so many slots.
	Largest int64

	// Lacks declares the abilities that the store or the harness does not have, each with the reason.
	Lacks map[Ability]string
}

// Check tells what is missing from or contradicts itself in the harness.
func (h SlotHarness) Check() error {
	if h.New == nil {
		return errors.New("storetest: SlotHarness.New is not set")
	}
	store, err := h.New()
	if err != nil {
		return fmt.Errorf("storetest: SlotHarness.New: %w", err)
	}
	defer store.Close()
	return checkAbilities(h.Lacks, map[Ability]bool{
		ClockMoving: h.MoveClock != nil, Restarting: h.Restart != nil, Freezing: h.Freeze != nil,
	})
}
