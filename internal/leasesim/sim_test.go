package leasesim_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

// worldSteps is how long a world lasts. Many short worlds meet more than one long one.
const worldSteps = 5_000

// opener opens a store that goes by the clock it is given.
type opener func(now func() int64) stores.SlotLeaseStore

func openModel(flaws flaw) opener {
	return func(now func() int64) stores.SlotLeaseStore {
		return &model{now: now, flaws: flaws, spaces: make(map[string]*space)}
	}
}

// outcome is how a run ended: with a breach, or after all of its steps.
type outcome struct {
	breach *breach
	seed   uint64         // of the world that broke
	steps  int            // of all worlds together
	at     int            // the step of that world
	counts map[string]int // of what happened in those worlds that did not break
}

// trial is a run to be.
type trial struct {
	seed        uint64 // of the first world; the others follow
	steps       int
	flaws       flaw
	open        opener
	repeatsOnly bool
	tell        func(format string, args ...any)
}

func (t trial) run() outcome {
	o := outcome{counts: make(map[string]int)}
	for o.seed = t.seed; o.steps < t.steps; o.seed++ {
		w := newWorld(o.seed, t.flaws, t.open)
		w.ledger.repeatsOnly = t.repeatsOnly
		w.tell = t.tell
		for o.at = 1; o.at <= worldSteps && o.steps < t.steps; o.at++ {
			w.step()
			o.steps++
			if w.ledger.breach != nil {
				o.breach = w.ledger.breach
				return o
			}
		}
		for what, n := range w.ledger.counts {
			o.counts[what] += n
		}
	}
	return o
}

// fatal fails the test, and tells what led to the breach.
func (o outcome) fatal(t *testing.T, again trial) {
	t.Helper()
	var events []string
	again.seed, again.steps = o.seed, o.at
	again.tell = func(format string, args ...any) {
		events = append(events, fmt.Sprintf(format, args...))
	}
	again.run()
	t.Fatalf("%s: %s\nat step %d of seed %d; COSID_SIM_SEED=%[4]d repeats it; before:\n%s", o.breach.promise,
		o.breach.text, o.at, o.seed, strings.Join(events[max(0, len(events)-60):], "\n"))
}

// seed is COSID_SIM_SEED, or a fresh one.
func seed(t *testing.T) uint64 {
	t.Helper()
	seed := number(t, "COSID_SIM_SEED", rand.IntN(1<<31-1)+1)
	t.Logf("COSID_SIM_SEED=%d", seed)
	return uint64(seed)
}
