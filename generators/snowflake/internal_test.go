package snowflake

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

func TestClockRunsFromTheStoresTimeAndNeverBeforeTheFloor(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		before                clock
		storeNow, floor, used int64
		at                    time.Duration
		want                  int64
	}{
		"the first answer":              {clock{}, 5_000_000, 0, never, 3 * s, 5_000_000},
		"a floor ahead":                 {clock{}, 5_000_000, 5_020_000, never, 3 * s, 5_020_000},
		"ahead of the carried time":     {clock{5_000_000, 0}, 5_060_000, 0, 5_001_000, 10 * s, 5_060_000},
		"stepped back, busy":            {clock{5_000_000, 0}, 1_000_000, 0, 5_010_900, 10 * s, 5_009_990},
		"stepped back, idle":            {clock{5_000_000, 0}, 1_000_000, 0, 5_000_700, 10 * s, 5_000_700},
		"stepped back, nothing used":    {clock{5_000_000, 0}, 1_000_000, 4_000_000, never, 10 * s, 4_000_000},
		"a host clock that is too fast": {clock{5_000_000, 0}, 5_009_995, 0, 5_011_000, 10 * s, 5_009_995},
	} {
		got := c.before.answered(c.storeNow, c.floor, c.used, c.at)
		if got.now(c.at) != c.want || got.now(c.at+s) != c.want+1000 {
			t.Errorf("%s: %d, a second later %d; want %d", name, got.now(c.at), got.now(c.at+s), c.want)
		}
	}
}

func lease(slot, fence, floor, ceiling, now int64) stores.SlotLease {
	return stores.SlotLease{Slot: slot, Fence: fence, Floor: floor, Ceiling: ceiling, StoreNow: now}
}

func TestTenureAsksAgainWhenItShould(t *testing.T) {
	const ms = time.Millisecond
	down := errors.New("down")
	start := tenure{ttl: 30 * time.Second}
	held := start.answered(lease(1, 1, 1000, 31_000, 1000), never, 5*ms, 8*ms)
	if !held.renewable() || held.due != 10_005*ms || held.failure != nil {
		t.Errorf("granted: %+v", held)
	}
	var waits []time.Duration
	failing := held
	for range 8 {
		failing = failing.failed(down, 0)
		waits = append(waits, failing.due/ms)
	}
	for i, want := range []time.Duration{100, 200, 400, 800, 1600, 3200, 5000, 5000} {
		if waits[i] != want {
			t.Errorf("waits %v", waits)
			break
		}
	}
	if !failing.renewable() || failing.failure != down {
		t.Errorf("failing: %+v", failing)
	}
	short := tenure{ttl: 90 * ms}.failed(down, 0)
	if short.due != 30*ms {
		t.Errorf("a short lease is tried again after %v, want a third of its ttl", short.due)
	}
	lost := failing.failed(stores.ErrLeaseLost, 77*ms)
	if lost.renewable() || !lost.has() || lost.due != 77*ms || lost.backoff != 0 {
		t.Errorf("lost: %+v", lost)
	}
	if again := lost.failed(stores.ErrLeaseLost, 80*ms); again.due != 180*ms {
		t.Errorf("an acquire that answers %v is repeated at %v", stores.ErrLeaseLost, again.due)
	}
	moved := lost.answered(lease(2, 1, 900, 2000, 900), 5000, 80*ms, 90*ms) // its window lies before the ids
	if !moved.renewable() || moved.due != 90*ms || moved.failure != nil {
		t.Errorf("a window that must be extended: %+v", moved)
	}
	stuck := moved.answered(lease(2, 1, 900, 2000, 900), 5000, 90*ms, 95*ms)
	if stuck.due != 90*ms+10*time.Second || stuck.failure != errBehind {
		t.Errorf("a window that cannot be extended: %+v", stuck)
	}
}

func TestUsedThroughLiesInTheWindow(t *testing.T) {
	held := tenure{}.answered(lease(1, 1, 1000, 31_000, 1000), never, 0, 0)
	for used, want := range map[int64]int64{
		never: 999, 500: 999, 1000: 1000, 30_999: 30_999, 31_000: 30_999, math.MaxInt64: 30_999,
	} {
		if got := held.usedThrough(used); got != want {
			t.Errorf("usedThrough(%d) = %d, want %d", used, got, want)
		}
	}
}

// A caller that read a window before it was replaced gets nothing of it, even if it goes on much later.
func TestAWindowThatIsReplacedIsClosedToLateTakers(t *testing.T) {
	h := &holder{terms: terms{stopwatch: stopwatch{time.Now()}}}
	l := generators.DefaultLayout()
	q := newSequence("trade", l, time.Second, h)
	now := l.EpochMillis + 1_000_000
	one := newWindow(l, lease(1, 1, now-1000, now+30_000, now), clock{now, 0})
	q.window.Store(one)
	if word, ok := q.takeOne(one); !ok || word>>12 < 1_000_000 {
		t.Fatalf("takeOne = %d, %v", word, ok)
	}
	for name, next := range map[string]*window{
		"renewed": newWindow(l, lease(1, 1, now-1000, now+40_000, now), clock{now, 0}),
		"moved":   newWindow(l, lease(2, 1, now-1000, now+30_000, now), clock{now, 0}),
		"closed":  endedWindow(generators.ErrClosed),
	} {
		q.window.Store(next)
		if word, ok := q.takeOne(one); ok {
			t.Errorf("%s: takeOne = %d", name, word)
		}
		if first, got := q.take(one, 10); got != 0 {
			t.Errorf("%s: take = %d, %d", name, first, got)
		}
	}
}

// Before another slot is published nobody takes words of the former one any more, and the tick is over.
func TestAMoveEndsTheTickForEverybody(t *testing.T) {
	h := newHolder(terms{stopwatch: stopwatch{time.Now()}})
	l := generators.DefaultLayout()
	q := newSequence("trade", l, time.Second, h)
	now := l.EpochMillis + 1_000_000
	one := newWindow(l, lease(1, 1, now-1000, now+30_000, now), clock{now, 0})
	q.window.Store(one)
	h.members = []*sequence{q}
	word, ok := q.takeOne(one)
	if !ok {
		t.Fatal("no word")
	}
	h.vacate()
	if got := q.last.Load(); got != word|q.mask {
		t.Errorf("the last word is %d, want the end of the tick, %d", got, word|q.mask)
	}
	if late, ok := q.takeOne(one); ok {
		t.Errorf("takeOne = %d", late)
	}
}

// One that is being closed gets no window back by a renewal that comes meanwhile.
func TestARenewalDoesNotOpenWhatWasClosed(t *testing.T) {
	h := newHolder(terms{stopwatch: stopwatch{time.Now()}})
	q := newSequence("trade", generators.DefaultLayout(), time.Second, h)
	q.member.closed = true
	h.members = []*sequence{q}
	before := q.window.Load()
	h.vacate()
	h.publish()
	if q.window.Load() != before {
		t.Error("the window is another one")
	}
}

// A shutdown whose time is over closes its generators all the same, though another has the turn.
func TestCloseWithoutTimeReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		store := server.Client()
		if err := store.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		spec := generators.Spec{
			Namespace: "shop", Name: "trade", Store: store,
			Slots: generators.Slots{Limit: 4, TTL: 30 * time.Second, Tolerance: time.Hour, Owner: "host"},
		}
		settings := DefaultSettings()
		settings.Epoch = 946598400000 // the bubble begins in the year 2000
		factory := NewFactory()
		start := func() *Generator {
			built, err := factory.Build(spec, &settings)
			if err != nil {
				t.Fatal(err)
			}
			if err := built.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			return built.(*Generator)
		}
		owner := func() string {
			table, err := store.Slots(t.Context(), "shop")
			if err != nil {
				t.Fatal(err)
			}
			return table.Rows[0].Owner
		}
		g := start()
		over, cancel := context.WithCancel(t.Context())
		cancel()
		g.holder.turn <- struct{}{}
		if err := g.Close(over); !errors.Is(err, context.Canceled) {
			t.Errorf("Close = %v", err)
		}
		synctest.Wait()
		if left := owner(); left != "" {
			t.Errorf("the last generator is closed, and the slot is still leased by %q", left)
		}
		g.holder.giveTurn()
		if err := g.Close(t.Context()); err != nil {
			t.Errorf("the second Close = %v", err)
		}
		again := start()
		time.Sleep(time.Minute)
		if _, err := again.Next(t.Context()); err != nil || owner() != "host" {
			t.Errorf("the next generator: %v, the slot is leased by %q", err, owner())
		}
		if err := again.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Where bits use up an int64, what follows the last word is no word.
func TestNothingFollowsTheLargestWord(t *testing.T) {
	h := &holder{terms: terms{stopwatch: stopwatch{time.Now()}}}
	l := generators.Layout{Unit: time.Millisecond, TimestampBits: 41, SequenceBits: 22}
	q := newSequence("trade", l, time.Second, h)
	end := l.MillisOf(l.MaxTick())
	w := newWindow(l, lease(0, 1, end-1000, end+30_000, end), clock{end, 0})
	q.window.Store(w)
	q.last.Store(math.MaxInt64)
	if word, ok := q.takeOne(w); ok {
		t.Errorf("takeOne = %d", word)
	}
	if first, got := q.take(w, 10); got != 0 {
		t.Errorf("take = %d, %d", first, got)
	}
	if lack, _ := q.look(w); lack != exhausted {
		t.Errorf("look = %v, want exhausted", lack)
	}
	early := newWindow(l, lease(0, 1, end-9000, end+30_000, end-5000), clock{end - 5000, 0})
	q.window.Store(early)
	if first, got := q.take(early, 10); got != 0 || q.last.Load() != math.MaxInt64 {
		t.Errorf("take = %d, %d, and the last word is %d", first, got, q.last.Load())
	}
	late := newWindow(l, lease(0, 1, end-1000, end+30_000, end+5000), clock{end + 5000, 0})
	q.window.Store(late)
	q.last.Store(math.MaxInt64 - 1000)
	if word, ok := q.takeOne(late); ok {
		t.Errorf("takeOne = %d", word)
	}
	if first, got := q.take(late, 10); got != 0 {
		t.Errorf("take = %d, %d", first, got)
	}
}

func FuzzParseState(f *testing.F) {
	row := stores.SlotRow{
		Slot: 7, Owner: "host", Incarnation: "x1", LastOwner: "old", Fence: 3, ExpiresAt: 9, Floor: 5, Ceiling: 9, NextFloor: 9,
	}
	f.Add(formatState("shop", row))
	f.Add(formatState("shop", stores.SlotRow{}))
	f.Add([]byte("cosid-slot 1 shop 7 |||1|0|5|9|6 00000000\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		namespace, row, err := parseState(text)
		if err == nil && string(formatState(namespace, row)) != string(text) {
			t.Errorf("%q is %q, %+v", text, namespace, row)
		}
		// What is read may be granted, and what is written is read again.
		if err == nil {
			next := row.Acquire(stores.SlotRequest{Owner: "o", Incarnation: "i", TTL: time.Second}, 1)
			if _, again, err := parseState(formatState(namespace, next)); next.NextFloor > 0 && (err != nil || again != next) {
				t.Errorf("%+v is read as %+v, %v", next, again, err)
			}
		}
	})
}
