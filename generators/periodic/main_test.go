package periodic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "shop/bill"

func newStore(t testing.TB) *storetest.Faults {
	t.Helper()
	store := storetest.NewFaults(memstore.New())
	if err := store.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return store
}

// wallClock is a clock that runs with time.Now and can be stepped.
type wallClock struct {
	mu     sync.Mutex
	offset time.Duration
}

// clockAt makes a clock that shows at now.
func clockAt(at time.Time) *wallClock { return &wallClock{offset: time.Until(at)} }

func (c *wallClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *wallClock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}

// date reads "2006-01-02 15:04:05" in a zone.
func date(t testing.TB, text, zone string) time.Time {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation(time.DateTime, text, location)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// newDaily makes a generator of daily ids in the clock's zone.
func newDaily(
	t testing.TB, store stores.RangeStore, at time.Time, clock *wallClock, edit func(*periodic.Policy, *periodic.Options),
) *periodic.Generator {
	t.Helper()
	p, options := periodic.DefaultPolicy(), periodic.Options{Clock: clock.now}
	if edit != nil {
		edit(&p, &options)
	}
	calendar := periodic.Calendar{Period: generators.YearMonthDay, Zone: at.Location()}
	g, err := periodic.New(store, key, calendar, p, options)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustClose(t testing.TB, g *periodic.Generator) {
	t.Helper()
	if err := g.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if s := g.Stats(); s.Issued+s.Dropped != s.Reserved || s.AtHand != 0 {
		t.Errorf("stats of a closed generator do not add up: %+v", s)
	}
}

// expectNext wants the next ids to be these, each written period-value.
func expectNext(t testing.TB, g *periodic.Generator, want ...string) {
	t.Helper()
	for _, text := range want {
		id, err := g.Next(context.Background())
		if got := fmt.Sprintf("%s-%d", id.Period, id.Value); err != nil || got != text {
			t.Fatalf("Next = %s, %v; want %s", got, err, text)
		}
	}
}

// expectError wants Next to fail with err.
func expectError(t testing.TB, g *periodic.Generator, want error) {
	t.Helper()
	if id, err := g.Next(context.Background()); !errors.Is(err, want) || id != (generators.GroupedID{}) {
		t.Fatalf("Next = %v, %v; want %v", id, err, want)
	}
}

// collector gathers ids of many callers and knows a repeat.
type collector struct {
	mu   sync.Mutex
	seen map[generators.GroupedID]bool
	low  map[string]int64 // the smallest value of each period
}

func newCollector() *collector {
	return &collector{seen: make(map[generators.GroupedID]bool), low: make(map[string]int64)}
}

func (c *collector) add(t testing.TB, id generators.GroupedID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[id] {
		t.Errorf("%v is repeated", id)
	}
	c.seen[id] = true
	if low, ok := c.low[id.Period]; !ok || id.Value < low {
		c.low[id.Period] = id.Value
	}
}

// record is a list that hooks write and tests read.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// all is what was recorded so far.
func (r *record) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}
