package segment_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

// With range-ttl an instance that was idle does not come back with ids older than those of a busy one (F92).
func TestRangeTTLKeepsInstancesInTheOrderOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		p := policy(func(p *segment.Policy) { p.RangeTTL = time.Second })
		idle, busy := newGenerator(t, store, p, segment.Options{}), newGenerator(t, store, p, segment.Options{})
		for range 10 {
			mustNext(t, idle)
			var last int64
			for range 1000 {
				last = mustNext(t, busy)
			}
			time.Sleep(time.Second)
			if id := mustNext(t, idle); id <= last {
				t.Errorf("the idle instance came back with %d, after %d of the busy one", id, last)
			}
		}
		mustClose(t, idle)
		mustClose(t, busy)
	})
}

func TestARangeIsDroppedAtItsTTLAndNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 100 * time.Millisecond})
		var dropped []stores.Range
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.RangeTTL = time.Second }), segment.Options{
			Hooks: generators.Hooks{OnRangeDropped: func(d generators.RangeDropped) { dropped = append(dropped, d.Range) }},
		})
		expectNext(t, g, 1)
		time.Sleep(time.Second - time.Nanosecond)
		expectNext(t, g, 2)
		time.Sleep(time.Nanosecond)
		expectNext(t, g, 101)
		if want := []stores.Range{{Start: 3, End: 101}}; !slices.Equal(dropped, want) {
			t.Errorf("dropped %v, want %v", dropped, want)
		}
		checkStats(t, g)
		if s := g.Stats(); s.Dropped != 98 || s.Issued != 3 {
			t.Errorf("stats %+v, want 98 dropped and 3 issued", s)
		}
		mustClose(t, g)
	})
}

// A range that was prefetched ages like any other.
func TestAPrefetchedRangeIsDroppedAtItsTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step, p.RangeTTL = 2, time.Second }), segment.Options{})
		expectNext(t, g, 1, 2) // the last one prefetches [3, 5)
		time.Sleep(time.Second)
		expectNext(t, g, 5)
		checkStats(t, g)
		mustClose(t, g)
	})
}

// A range that is reserved for later ages from then.
func TestARangeForLaterAgesFromItsOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(func(p *segment.Policy) { p.RangeTTL = time.Second })
		g := newGenerator(t, newStore(t), p, segment.Options{Opens: time.Now().Add(time.Minute)})
		g.Prefetch()
		time.Sleep(time.Minute + time.Second - time.Nanosecond)
		expectNext(t, g, 1)
		time.Sleep(time.Nanosecond)
		expectNext(t, g, 101)
		mustClose(t, g)
	})
}
