package snowflake_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// Renewals, lost leases, slot changes, steps of the store's clock, outages, doubled requests and generators that are
// closed and replaced in the middle: no id comes twice, and those that one goroutine sees increase.
// COSID_STRESS_SECONDS makes it longer.
func TestConcurrentCallersNeverSeeAnIDTwice(t *testing.T) {
	long := 2 * time.Second
	if n, err := strconv.Atoi(os.Getenv("COSID_STRESS_SECONDS")); err == nil {
		long = time.Duration(n) * time.Second
	}
	server := memstore.NewServer()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	var all sync.WaitGroup
	var workers []*worker
	for _, owner := range []string{"a", "b", "c"} {
		p := newProcess(t, server, owner)
		p.spec.Slots.TTL = 60 * time.Millisecond
		keeper := p.start("keeper", fewAhead)
		var shared atomic.Pointer[snowflake.Generator]
		shared.Store(p.build("trade", fewAhead)) // until the first one is started
		all.Go(func() { replace(ctx, p, &shared) })
		all.Go(func() { disturb(ctx, p.store) })
		for range 2 {
			w := &worker{}
			workers = append(workers, w)
			all.Go(func() { w.run(ctx, t, &shared) })
		}
		t.Cleanup(func() { mustClose(t, keeper) })
	}
	all.Go(func() { meddle(ctx, t, server) })
	all.Wait()

	var trade []int64
	failures := map[string]int{}
	for _, w := range workers {
		trade = append(trade, w.ids...)
		for kind, n := range w.failures {
			failures[kind] += n
		}
	}
	slices.Sort(trade)
	for i := 1; i < len(trade); i++ {
		if trade[i] == trade[i-1] {
			t.Fatalf("id %d twice", trade[i])
		}
	}
	slots := map[int64]int{}
	for _, id := range trade {
		slots[id>>12&(1<<10-1)]++
	}
	t.Logf("%d ids on slots %v, failures %v", len(trade), slots, failures)
	if len(trade) < 10_000 || len(slots) < 3 {
		t.Errorf("only %d ids on slots %v", len(trade), slots)
	}
}

// worker draws ids, and keeps those of generator trade.
type worker struct {
	ids      []int64
	failures map[string]int
}

// fewAhead suits the short leases.
func fewAhead(s *snowflake.Settings) { s.MaxAhead = 5 * time.Millisecond }

func (w *worker) run(ctx context.Context, t *testing.T, shared *atomic.Pointer[snowflake.Generator]) {
	w.failures = map[string]int{}
	batch := make([]int64, 50)
	last := int64(-1)
	for ctx.Err() == nil {
		g := shared.Load()
		n := 1
		var err error
		if rand.IntN(2) == 0 {
			n, err = g.Fill(ctx, batch[:1+rand.IntN(len(batch))])
		} else if batch[0], err = g.Next(ctx); err != nil {
			n = 0
		}
		for _, id := range batch[:n] {
			if id <= last {
				t.Errorf("id %d after %d", id, last)
				return
			}
			last = id
			w.ids = append(w.ids, id)
		}
		switch {
		case err == nil:
		case errors.Is(err, generators.ErrClosed):
			w.failures["closed"]++
		case errors.Is(err, generators.ErrLeaseExpired):
			w.failures["expired"]++
		case errors.Is(err, generators.ErrRateExceeded):
			w.failures["rate"]++
		default:
			t.Error(err)
		}
		if err != nil || len(w.ids)%7 == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// replace closes the process' generator and starts another of the same name, again and again. Those of name keeper keep
// the lease meanwhile.
func replace(ctx context.Context, p *process, shared *atomic.Pointer[snowflake.Generator]) {
	bg := context.Background()
	var g *snowflake.Generator
	for ctx.Err() == nil {
		if g != nil {
			_ = g.Close(bg)
		}
		built, err := p.factory.Build(named(p.spec, "trade"), settings(fewAhead))
		if err != nil {
			p.t.Error(err)
			return
		}
		g = built.(*snowflake.Generator)
		if err := g.Start(bg); err != nil {
			p.t.Error(err)
			return
		}
		shared.Store(g)
		time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
	}
	_ = g.Close(bg)
}

// disturb makes the store fail and answer late now and then.
func disturb(ctx context.Context, store *storetest.Faults) {
	for ctx.Err() == nil {
		var f storetest.Fault
		switch rand.IntN(5) {
		case 0:
			f.Before = errStore
		case 1:
			f.After = stores.ErrOutcomeUnknown
		case 2:
			f.Latency = time.Duration(rand.IntN(30)) * time.Millisecond
		}
		store.EveryRenew(f)
		store.EveryAcquire(f)
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
	}
	store.EveryRenew(storetest.Fault{})
	store.EveryAcquire(storetest.Fault{})
}

// meddle steps the store's clock, grants leases anew behind their holders' backs and frees them.
func meddle(ctx context.Context, t *testing.T, server *memstore.Server) {
	client := server.Client()
	if err := client.Start(context.Background()); err != nil {
		t.Error(err)
		return
	}
	for ctx.Err() == nil {
		time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
		table, err := client.Slots(context.Background(), "shop")
		if err != nil || len(table.Rows) == 0 {
			t.Error(err)
			return
		}
		row := table.Rows[rand.IntN(len(table.Rows))]
		switch rand.IntN(3) {
		case 0:
			server.MoveClock(time.Duration(rand.IntN(100)-50) * time.Millisecond)
		case 1:
			if row.Owner != "" { // a doubled request
				_, _ = client.Acquire(context.Background(), stores.SlotRequest{
					Namespace: "shop", Owner: row.Owner, Incarnation: row.Incarnation, Limit: 4, Tolerance: time.Hour,
					TTL: 60 * time.Millisecond, Preferred: stores.NoSlot,
				})
			}
		case 2:
			if row.Owner != "" { // as if all of the window were used, which may have grown since
				lease := row.Lease("shop", table.StoreNow)
				lease.Ceiling = math.MaxInt64 / 2
				_ = client.Release(context.Background(), lease, lease.Ceiling-1)
			}
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	p := newProcess(t, memstore.NewServer(), "host")
	g := p.start("trade", nil)
	var next generators.Generator = g
	ctx := t.Context()
	ids := make([]int64, 100)
	if n := testing.AllocsPerRun(1000, func() { _, _ = next.Next(ctx) }); n != 0 {
		t.Errorf("%v allocations for Next", n)
	}
	if n := testing.AllocsPerRun(1000, func() { _, _ = next.Fill(ctx, ids) }); n != 0 {
		t.Errorf("%v allocations for Fill", n)
	}
	mustClose(t, g)
}
