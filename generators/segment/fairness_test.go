package segment_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores/storetest"
)

// Callers that wait are served in the order of their arrival: none is overtaken until its time is over.
func TestWaitingCallersTakeTurns(t *testing.T) {
	for name, p := range map[string]segment.Policy{
		"a central sequence":         policy(func(p *segment.Policy) { p.Step, p.Lookahead = 1, 0 }),
		"one id a reservation":       policy(func(p *segment.Policy) { p.Step, p.Lookahead, p.MaxBatch = 1, 0, 1 }),
		"small ranges, no lookahead": policy(func(p *segment.Policy) { p.Step, p.Lookahead, p.MaxBatch = 10, 0, 10 }),
		"small ranges":               policy(func(p *segment.Policy) { p.Step, p.MaxBatch = 10, 10 }),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
				g := newGenerator(t, store, p, segment.Options{})
				const callers = 64
				end := time.Now().Add(10 * time.Second)
				ids := make([][]int64, callers)
				var running sync.WaitGroup
				for i := range callers {
					running.Go(func() {
						for time.Now().Before(end) {
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
				least, most := len(ids[0]), len(ids[0])
				for _, own := range ids {
					least, most = min(least, len(own)), max(most, len(own))
				}
				// Who takes an id at hand does not queue, so shares differ; nobody goes without.
				t.Logf("%d to %d ids a caller", least, most)
				if least < 25 || least*20 < most {
					t.Errorf("%d to %d ids a caller", least, most)
				}
				checkIncreasingAndDistinct(t, ids, -1)
				mustClose(t, g)
			})
		})
	}
}

// A call that is too large for its time says so, and not that the store was silent. What it got is its own.
func TestABatchTooLargeForItsTimeIsExplained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: 5 * time.Millisecond})
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step, p.MaxBatch = 10, 10 }), segment.Options{})
		ids := make([]int64, 100_000)
		got, err := g.Fill(t.Context(), ids)
		if !errors.Is(err, generators.ErrRangeUnavailable) || !strings.Contains(err.Error(), "did not bring enough ids within reserve-timeout 3s") {
			t.Errorf("got %v", err)
		}
		if got < 5000 || ids[got-1] != int64(got) || ids[got] != 0 {
			t.Errorf("%d ids, the last %d", got, ids[max(got-1, 0)])
		}
		expectNext(t, g, int64(got)+1)
		mustClose(t, g)
	})
}

// Silence after a failure is no stall: nobody was kept waiting, so the demand is gone.
func TestSilenceAfterAFailureIsNoDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Latency: time.Millisecond})
		g := newGenerator(t, store, policy(nil), segment.Options{})
		draw := func() error {
			_, err := g.NextN(t.Context(), 10)
			time.Sleep(time.Millisecond)
			return err
		}
		for range 5000 { // 10,000 ids a second
			if err := draw(); err != nil {
				t.Fatal(err)
			}
		}
		store.EveryReserve(storetest.Fault{Before: errStore})
		for draw() == nil {
		}
		time.Sleep(time.Hour)
		if rate := g.Stats().Rate; rate > 1 {
			t.Errorf("a rate of %v after an hour without an id", rate)
		}
		store.EveryReserve(storetest.Fault{})
		time.Sleep(time.Minute)
		calls := store.Calls()
		if size := calls[len(calls)-1].Size; size != 100 {
			t.Errorf("%d ids are reserved after an hour of silence, want a step", size)
		}
		mustClose(t, g)
	})
}
