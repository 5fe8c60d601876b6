package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/stores"
)

// Store is what the range suite tests. The promises of S6 also ask for stores.Sealer.
type Store interface {
	stores.Store
	stores.RangeStore
}

// Harness connects the suite with one server: a real one, a file, or memory.
type Harness struct {
	// New returns a new client of the server, not yet started. All clients of one harness share that server. The
	// suite starts them, uses several at once and closes them. It uses keys that nobody else uses, so the server
	// need not be empty. A call should be allowed to take a few seconds: the suite sets its own deadlines.
	New func() (Store, error)

	// Restart ends the server and starts it again on the same data; it is called while no client is open. The more
	// violent it is, the more it proves.
	Restart func(ctx context.Context) error

	// Freeze makes the server stop answering, as a lock held by others or a stopped process does, until thaw is
	// called. Calls that clients make meanwhile must find it frozen.
	Freeze func(ctx context.Context) (thaw func() error, err error)

	// Lacks declares the abilities that the store or the harness does not have, each with the reason. Promises
	// that need one are then not applicable, which the test's log says.
	Lacks map[Ability]string
}

// Ability is something that a promise needs beyond the plain calls.
type Ability string

// The abilities.
const (
	Sealing     Ability = "sealing"      // ranges only: the store is a stores.Sealer
	Restarting  Ability = "restarting"   // Harness.Restart is set
	Freezing    Ability = "freezing"     // Harness.Freeze is set
	ClockMoving Ability = "clock moving" // slots only: SlotHarness.MoveClock is set
)

// Check tells what is missing from or contradicts itself in the harness.
func (h Harness) Check() error {
	if h.New == nil {
		return errors.New("storetest: Harness.New is not set")
	}
	store, err := h.New()
	if err != nil {
		return fmt.Errorf("storetest: Harness.New: %w", err)
	}
	defer store.Close()

	_, seals := store.(stores.Sealer)
	return checkAbilities(h.Lacks, map[Ability]bool{
		Sealing: seals, Restarting: h.Restart != nil, Freezing: h.Freeze != nil,
	})
}

// checkAbilities demands that each ability is there or declared as lacking, and not both.
func checkAbilities(lacks map[Ability]string, has map[Ability]bool) error {
	for ability, present := range has {
		reason, declared := lacks[ability]
		switch {
		case !present && !declared:
			return fmt.Errorf("storetest: no %s; if that is right, declare it in Harness.Lacks with the reason", ability)
		case present && declared:
			return fmt.Errorf("storetest: Harness.Lacks says %q of %s, but it is there", reason, ability)
		}
	}
	for ability := range lacks {
		if _, known := has[ability]; !known {
			return fmt.Errorf("storetest: Harness.Lacks names an unknown ability %q", ability)
		}
	}
	return nil
}
