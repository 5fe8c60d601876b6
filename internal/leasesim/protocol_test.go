package leasesim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

// TestModelKeepsItsPromises runs the protocol as it is written down.
func TestModelKeepsItsPromises(t *testing.T) { keepsPromises(t, openModel(0)) }

// TestMemstoreKeepsItsPromises runs the store that every program has.
func TestMemstoreKeepsItsPromises(t *testing.T) {
	keepsPromises(t, func(now func() int64) stores.SlotLeaseStore {
		server := memstore.NewServer()
		server.Clock = func() time.Time { return time.UnixMilli(now()) }
		store := server.Client()
		if err := store.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return store
	})
}

// keepsPromises runs COSID_SIM_STEPS steps, a million by default, and checks that they met what they are for.
func keepsPromises(t *testing.T, open opener) {
	t.Helper()
	r := trial{seed: seed(t), steps: number(t, "COSID_SIM_STEPS", 1_000_000), open: open}
	began := time.Now()
	o := r.run()
	if o.breach != nil {
		o.fatal(t, r)
	}
	t.Logf("%d steps in %v: %v", o.steps, time.Since(began), o.counts)
	for _, what := range []string{
		"grants", "grants ahead", "re-grants", "takeovers", "renewals", "late renewals", "leases lost", "releases",
		"doubled releases", "no free slot", "other settings", "ids",
	} {
		if o.counts[what] < o.steps/5_000 {
			t.Errorf("%d %s in %d steps are too few to show anything", o.counts[what], what, o.steps)
		}
	}
}

// TestSeedRepeatsItsRun: or else the seed of a failure would be worth nothing.
func TestSeedRepeatsItsRun(t *testing.T) {
	tell := func(events *[]string) func(string, ...any) {
		return func(format string, args ...any) { *events = append(*events, fmt.Sprintf(format, args...)) }
	}
	var first, second, other []string
	trial{seed: 7, steps: 6_000, open: openModel(0), tell: tell(&first)}.run()
	trial{seed: 7, steps: 6_000, open: openModel(0), tell: tell(&second)}.run()
	trial{seed: 70, steps: 6_000, open: openModel(0), tell: tell(&other)}.run()
	if !slices.Equal(first, second) {
		t.Error("two runs of one seed differ")
	}
	if slices.Equal(first, other) {
		t.Error("two seeds give one run")
	}
}
