package segment_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestTheFirstIdIsTheInitialOffset(t *testing.T) {
	for _, offset := range []int64{0, 1, 1000} {
		g := newGenerator(t, newStore(t), policy(func(p *segment.Policy) { p.InitialOffset = offset }), segment.Options{})
		expectNext(t, g, offset, offset+1, offset+2)
		mustClose(t, g)
	}
}

// A hundred callers that find a new generator make one reservation (F91).
func TestAHundredFirstCallsMakeOneReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead = 0 }), segment.Options{})
		ids := make([]int64, 100)
		var callers sync.WaitGroup
		for i := range ids {
			callers.Go(func() { ids[i] = mustNext(t, g) })
		}
		callers.Wait()
		slices.Sort(ids)
		if ids[0] != 1 || ids[99] != 100 || store.Reserves() != 1 {
			t.Errorf("ids %d to %d with %d reservations, want 1 to 100 with 1", ids[0], ids[99], store.Reserves())
		}
		mustClose(t, g)
	})
}

// Small steps and many threads: F82.
func TestFiveHundredCallersWithStepTen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step = 10 }), segment.Options{})
		const callers, each = 500, 100
		ids := make([][]int64, callers)
		var running sync.WaitGroup
		for i := range callers {
			running.Go(func() {
				for range each {
					id, err := g.Next(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					ids[i] = append(ids[i], id)
				}
			})
		}
		running.Wait()
		checkIncreasingAndDistinct(t, ids, callers*each)
		mustClose(t, g)
	})
}

// checkIncreasingAndDistinct wants each caller's ids to increase, and all of them to be distinct.
func checkIncreasingAndDistinct(t *testing.T, ids [][]int64, want int) {
	t.Helper()
	total, largest := 0, int64(0)
	for i, own := range ids {
		for j := 1; j < len(own); j++ {
			if own[j] <= own[j-1] {
				t.Fatalf("caller %d got %d after %d", i, own[j], own[j-1])
			}
		}
		total += len(own)
		if len(own) > 0 {
			largest = max(largest, own[len(own)-1])
		}
	}
	seen := make([]bool, largest+1)
	for i, own := range ids {
		for _, id := range own {
			if seen[id] {
				t.Fatalf("caller %d got %d, which was issued before", i, id)
			}
			seen[id] = true
		}
	}
	if want >= 0 && total != want {
		t.Errorf("%d ids, want %d", total, want)
	}
}

func TestFillTakesConsecutiveIdsAndGoesOnInTheNextRange(t *testing.T) {
	store := newStore(t)
	g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead, p.Step = 0, 10 }), segment.Options{})
	defer mustClose(t, g)
	expectNext(t, g, 1, 2)
	if _, err := store.Reserve(t.Context(), key, 5, 1); err != nil { // another instance
		t.Fatal(err)
	}
	got, err := g.NextN(t.Context(), 12)
	want := []int64{3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18, 19}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("NextN = %v, %v; want %v", got, err, want)
	}
	expectNext(t, g, 20)
}

// A batch asks for what it lacks in one reservation (G41).
func TestABatchOfAThousandNeedsTwoReservationsAtMost(t *testing.T) {
	for name, before := range map[string]int{"cold": 0, "begun": 1, "at the last id": 100, "prefetched": 150} {
		synctest.Test(t, func(t *testing.T) {
			store := newStore(t)
			g := newGenerator(t, store, policy(nil), segment.Options{})
			for range before {
				mustNext(t, g)
			}
			time.Sleep(time.Hour) // whatever was prefetched is there, and the rate is low
			used := store.Reserves()
			ids, err := g.NextN(t.Context(), 1000)
			synctest.Wait()
			if made := store.Reserves() - used; err != nil || len(ids) != 1000 || made > 2 {
				t.Errorf("%s: %d ids, %v, %d reservations; want 1000 ids with at most 2", name, len(ids), err, made)
			}
			mustClose(t, g)
		})
	}
}

func TestABatchLargerThanMaxBatchTakesSeveralRanges(t *testing.T) {
	store := newStore(t)
	g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead, p.MaxBatch = 0, 250 }), segment.Options{})
	defer mustClose(t, g)
	ids, err := g.NextN(t.Context(), 500)
	if err != nil || ids[0] != 1 || ids[499] != 500 {
		t.Errorf("NextN = %d ids, %v; want 1 to 500", len(ids), err)
	}
	var sizes []int64
	for _, call := range store.Calls() {
		sizes = append(sizes, call.Size)
	}
	if want := []int64{200, 200, 100}; !slices.Equal(sizes, want) { // max-batch is rounded down to whole steps
		t.Errorf("reserved %v, want %v", sizes, want)
	}
}

func TestBatchesOfNoneAndOfLessThanNone(t *testing.T) {
	store := newStore(t)
	g := newGenerator(t, store, policy(nil), segment.Options{})
	defer mustClose(t, g)
	if ids, err := g.NextN(t.Context(), 0); len(ids) != 0 || err != nil {
		t.Errorf("NextN(0) = %v, %v", ids, err)
	}
	if ids, err := g.NextN(t.Context(), -1); len(ids) != 0 || !errors.Is(err, stores.ErrInvalidArgument) {
		t.Errorf("NextN(-1) = %v, %v; want %v", ids, err, stores.ErrInvalidArgument)
	}
	if store.Reserves() != 0 {
		t.Error("ids were reserved for nothing")
	}
}

// A batch that fails half-way hands over what it got.
func TestAFailedBatchKeepsWhatItGot(t *testing.T) {
	store := newStore(t)
	g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Lookahead, p.Step = 0, 10 }), segment.Options{})
	defer mustClose(t, g)
	expectNext(t, g, 1)
	store.EveryReserve(storetest.Fault{Before: errStore})
	ids, err := g.NextN(t.Context(), 20)
	if !slices.Equal(ids, []int64{2, 3, 4, 5, 6, 7, 8, 9, 10}) || !errors.Is(err, errStore) {
		t.Errorf("NextN = %v, %v; want 2 to 10 and %v", ids, err, errStore)
	}
}

// Without lookahead and with step 1 every id is a reservation of its own, as in a central sequence.
func TestStepOneWithoutLookaheadIsACentralSequence(t *testing.T) {
	store := newStore(t)
	p := policy(func(p *segment.Policy) { p.Lookahead, p.Step = 0, 1 })
	a, b := newGenerator(t, store, p, segment.Options{}), newGenerator(t, store, p, segment.Options{})
	defer mustClose(t, a)
	defer mustClose(t, b)
	for id := int64(1); id < 100; id += 2 {
		expectNext(t, a, id)
		expectNext(t, b, id+1)
	}
	if store.Reserves() != 100 {
		t.Errorf("%d reservations, want 100", store.Reserves())
	}
}

// The range is the fact, whatever size was asked for (S3).
func TestARangeOfAnotherSizeIsUsedAsItIs(t *testing.T) {
	store := newStore(t)
	p := policy(func(p *segment.Policy) { p.Lookahead, p.Step = 0, 10 })
	g := newGenerator(t, store, p, segment.Options{})
	defer mustClose(t, g)
	store.NextReserves(
		storetest.Fault{Forge: func(r stores.Range) stores.Range { return stores.Range{Start: r.Start, End: r.Start + 3} }},
		storetest.Fault{Forge: func(r stores.Range) stores.Range { return stores.Range{Start: 50, End: 65} }},
	)
	expectNext(t, g, 1, 2, 3)
	for id := int64(50); id < 65; id++ {
		expectNext(t, g, id)
	}
}

// Late takers at the very end of the id space must not wrap around.
func TestIdsEndAtTheLargestOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(func(p *segment.Policy) { p.InitialOffset, p.Step = math.MaxInt64-10, 10 })
		g := newGenerator(t, newStore(t), p, segment.Options{})
		for i := range int64(10) {
			expectNext(t, g, math.MaxInt64-10+i)
		}
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				for range 50 {
					id, err := g.Next(t.Context())
					if id != 0 || !errors.Is(err, stores.ErrRangeExhausted) || !errors.Is(err, generators.ErrRangeUnavailable) {
						t.Errorf("Next = %d, %v; want %v", id, err, stores.ErrRangeExhausted)
					}
					time.Sleep(10 * time.Millisecond)
				}
			})
		}
		callers.Wait()
		mustClose(t, g)
	})
}

func TestNextDoesNotAllocate(t *testing.T) {
	for name, p := range map[string]segment.Policy{
		"plain":          policy(func(p *segment.Policy) { p.Step = 1e6 }),
		"with range-ttl": policy(func(p *segment.Policy) { p.Step, p.RangeTTL = 1e6, time.Hour }),
	} {
		g := newGenerator(t, newStore(t), p, segment.Options{})
		mustNext(t, g)
		ctx := context.Background()
		var next generators.Generator = g
		if n := testing.AllocsPerRun(1000, func() {
			if _, err := next.Next(ctx); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations for an id", name, n)
		}
		ids := make([]int64, 10)
		if n := testing.AllocsPerRun(1000, func() {
			if _, err := next.Fill(ctx, ids); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations for a batch", name, n)
		}
		mustClose(t, g)
	}
}
