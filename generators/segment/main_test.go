package segment_test

import (
	"context"
	"math"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "shop/order"

// newStore is a store of the memory, with faults on request.
func newStore(t *testing.T) *storetest.Faults {
	t.Helper()
	store := storetest.NewFaults(memstore.New())
	if err := store.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return store
}

// policy is the default one, changed by edit.
func policy(edit func(*segment.Policy)) segment.Policy {
	p := segment.DefaultPolicy()
	if edit != nil {
		edit(&p)
	}
	return p
}

func newGenerator(t *testing.T, store stores.RangeStore, p segment.Policy, options segment.Options) *segment.Generator {
	t.Helper()
	g, err := segment.New(store, key, p, options)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustClose(t *testing.T, g *segment.Generator) {
	t.Helper()
	if err := g.Close(context.Background()); err != nil {
		t.Error(err)
	}
	checkStats(t, g)
}

// checkStats checks that the account of a quiet generator adds up.
func checkStats(t *testing.T, g *segment.Generator) {
	t.Helper()
	s := g.Stats()
	if s.Issued+s.Dropped+s.AtHand != s.Reserved || s.AtHand < 0 || s.Dropped < 0 || s.Issued < 0 {
		t.Errorf("stats do not add up: %+v", s)
	}
}

func mustNext(t *testing.T, g *segment.Generator) int64 {
	t.Helper()
	id, err := g.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// expectNext wants the generator's next ids to be these.
func expectNext(t *testing.T, g *segment.Generator, want ...int64) {
	t.Helper()
	for _, id := range want {
		if got := mustNext(t, g); got != id {
			t.Fatalf("Next = %d, want %d", got, id)
		}
	}
}

// millis is d in milliseconds, for messages.
func millis(d time.Duration) float64 { return math.Round(float64(d.Microseconds())) / 1000 }
