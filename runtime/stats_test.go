package runtime_test

import (
	"testing"
	"time"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

// teller is a generator that tells everything there is to tell.
type teller struct{ leaser }

func (g *teller) Build(generators.Spec, any) (generators.Instance, error) { return g, nil }
func (g *teller) Stats() generators.Stats                                 { return generators.Stats{Issued: 42} }

func (g *teller) PeriodStats() generators.PeriodStats { return generators.PeriodStats{Period: "2026"} }

func TestStatsTellWhatEachGeneratorTellsAndNilForTheRest(t *testing.T) {
	all := plain("order", &teller{leaser{lease: generators.LeaseStats{Slot: 7, Remaining: time.Second}}})
	all.Store = "db"
	rt := newRuntime(t, &config.Config{
		Enabled: true, Namespace: "shop",
		Stores:     []config.Store{{Name: "db", Factory: &fakeStore{journal: &journal{}}}},
		Generators: []config.Generator{plain("bill", &fakeStrategy{}), all},
	})
	stats := rt.Stats() // before Start, too
	if stats.Namespace != "shop" || len(stats.Generators) != 2 {
		t.Fatalf("%+v", stats)
	}
	if got, want := stats.Generators[0], (runtime.GeneratorStats{Name: "bill", Strategy: "fake"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got := stats.Generators[1]
	if got.Name != "order" || got.Store != "db" || got.Counts == nil || got.Counts.Issued != 42 ||
		got.Period == nil || got.Period.Period != "2026" || got.Lease == nil || got.Lease.Slot != 7 {
		t.Errorf("%+v", got)
	}
}
