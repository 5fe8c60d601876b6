package leasesim_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

// The sizes of the runs with real holders, in milliseconds where they are times.
const (
	holderTTL       = 30
	holderTolerance = 100
	holderTimeout   = 8 // of a call
	holderSlots     = 3
)

// TestHoldersMakeNoIDTwice lets real snowflake generators lease from a memstore over a bad network, in the bubble's time.
// The ledger judges what the store answers, and the ids. COSID_SIM_SECONDS is how long it lasts in that time, 8 by
// default. Goroutines run in no order that a seed would fix, so a failure may need several runs to come back.
func TestHoldersMakeNoIDTwice(t *testing.T) {
	first := seed(t)
	lasting := time.Duration(number(t, "COSID_SIM_SECONDS", 8)) * time.Second
	n := runHolders(t, first, lasting, false, func(t *testing.T, now func() time.Time) stores.SlotLeaseStore {
		server := memstore.NewServer()
		server.Clock = now
		store := server.Client()
		if err := store.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return store
	})
	if b := n.ledger.breach; b != nil {
		t.Fatalf("%s: %s", b.promise, b.text)
	}
	t.Logf("%v, %d calls with too few ids", n.ledger.counts, n.short)
	for _, what := range []string{
		"grants", "grants ahead", "re-grants", "takeovers", "renewals", "late renewals", "leases lost", "releases",
		"no free slot", "ids",
	} {
		if n.ledger.counts[what] == 0 {
			t.Errorf("no %s: the run does not show anything about them", what)
		}
	}
}

// TestHoldersShowABrokenStore: with a store that is wrong, the ids of the same run repeat.
func TestHoldersShowABrokenStore(t *testing.T) {
	first := seed(t)
	for _, p := range brokenProtocols() {
		switch p.flaws {
		case noNextFloor, nextFloorStays, releaseForgetsUsed, reGrantToOwner, takeOverAtNow:
		default:
			continue // the holder refuses what the store answers, or it shows too rarely
		}
		t.Run(p.name, func(t *testing.T) {
			const patience = 40
			for i := range uint64(patience) {
				n := runHolders(t, first+i, 10*time.Second, true,
					func(_ *testing.T, now func() time.Time) stores.SlotLeaseStore {
						return openModel(p.flaws)(func() int64 { return now().UnixMilli() })
					})
				if n.ledger.breach != nil {
					t.Logf("after %d ids of run %d", n.ledger.counts["ids"], i+1)
					return
				}
			}
			t.Errorf("no id repeated in %d runs", patience)
		})
	}
}

// runHolders runs six machines on one store, whose clock is now. A breach ends it early.
func runHolders(t *testing.T, seed uint64, lasting time.Duration, repeatsOnly bool,
	open func(t *testing.T, now func() time.Time) stores.SlotLeaseStore,
) *net {
	t.Helper()
	n := &net{rng: rand.New(rand.NewPCG(seed, 0)), ledger: newLedger()}
	n.ledger.repeatsOnly = repeatsOnly
	synctest.Test(t, func(t *testing.T) {
		n.store = open(t, func() time.Time { return time.Now().Add(n.offset) })
		n.end = time.Now().Add(lasting)
		var running sync.WaitGroup
		for i := range 6 {
			m := &machine{t: t, net: n, owner: fmt.Sprintf("host%d", i/2), rng: rand.New(rand.NewPCG(seed, uint64(i+1)))}
			running.Go(m.run)
		}
		running.Go(n.stepClock)
		running.Wait()
		n.late.Wait()
	})
	return n
}

// net is a store and the network before it.
type net struct {
	store stores.SlotLeaseStore // under mu
	end   time.Time
	late  sync.WaitGroup // for what is still on its way

	mu     sync.Mutex
	rng    *rand.Rand
	offset time.Duration // how far the store's clock is off
	ledger *ledger
	lives  int
	short  int // calls that got fewer ids than they asked for
}

// goesOn tells whether the run is neither over nor decided.
func (n *net) goesOn() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ledger.breach == nil && time.Now().Before(n.end)
}

// stepClock lets the store's clock step, within the tolerance and beyond it.
func (n *net) stepClock() {
	for n.goesOn() {
		n.mu.Lock()
		far := holderTolerance
		if n.rng.IntN(4) == 0 {
			far = 5 * (holderTolerance + holderTTL)
		}
		n.offset = millis(int64(n.rng.IntN(2*far+1) - far))
		pause := millis(int64(n.rng.IntN(20 * holderTTL)))
		n.mu.Unlock()
		time.Sleep(pause)
	}
}

// carry brings a request to the store, perhaps twice, late or not at all, and so its answer. execute runs with mu.
func (n *net) carry(ctx context.Context, execute func(now int64) (stores.SlotLease, error)) (stores.SlotLease, error) {
	type answer struct {
		lease stores.SlotLease
		err   error
	}
	answers := make(chan answer, 2)
	n.mu.Lock()
	copies := 1
	switch n.rng.IntN(10) {
	case 0:
		copies = 0
	case 1:
		copies = 2
	}
	delay := func() time.Duration {
		switch n.rng.IntN(10) {
		case 0:
			return millis(int64(n.rng.IntN(4 * holderTTL)))
		case 1, 2:
			return millis(int64(n.rng.IntN(2 * holderTimeout)))
		default:
			return 100 * time.Microsecond
		}
	}
	for range copies {
		there, back := delay(), delay()
		n.late.Go(func() {
			time.Sleep(there)
			n.mu.Lock()
			lease, err := execute(time.Now().Add(n.offset).UnixMilli())
			n.mu.Unlock()
			time.Sleep(back)
			answers <- answer{lease, err}
		})
	}
	n.mu.Unlock()
	select {
	case a := <-answers:
		return a.lease, a.err
	case <-ctx.Done():
		return stores.SlotLease{}, fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, ctx.Err())
	}
}

// machine is where one process after the other runs.
type machine struct {
	t     *testing.T
	net   *net
	owner string
	rng   *rand.Rand
}

func (m *machine) run() {
	for m.net.goesOn() {
		m.process()
		m.sleep(2 * holderTTL)
	}
}

func (m *machine) sleep(most int) {
	time.Sleep(time.Duration(m.rng.Int64N(int64(millis(int64(most))))))
}

// process starts a generator, makes ids, and closes it or crashes.
func (m *machine) process() {
	m.net.mu.Lock()
	m.net.lives++
	life := m.net.lives
	m.net.mu.Unlock()
	line := &line{net: m.net}
	g, err := m.build(line)
	if err != nil {
		m.t.Error(err)
		return
	}
	for range 1 + m.rng.IntN(3) { // a generator may be started again after a failure, with the same holder
		if err = m.within(5*holderTTL, g.Start); err == nil {
			break
		}
		m.sleep(holderTTL)
	}
	for range m.rng.IntN(400) {
		if err != nil || !m.net.goesOn() {
			break
		}
		ids := make([]int64, 1+m.rng.IntN(12))
		filled := 0
		failed := m.within(holderTimeout, func(ctx context.Context) (err error) {
			filled, err = g.Fill(ctx, ids)
			return err
		})
		m.record(life, g, ids[:filled], failed)
		switch m.rng.IntN(60) {
		case 0:
			m.sleep(4 * holderTTL)
		case 1:
			line.cut(millis(int64(m.rng.IntN(4 * holderTTL)))) // as if all of the process stood still
		default:
			m.sleep(3)
		}
	}
	if m.rng.IntN(3) == 0 {
		line.cut(time.Hour) // a crash: nothing that the process still sends arrives
	}
	for m.within(5*holderTTL, g.Close) != nil { // until its goroutine has ended
		m.sleep(holderTTL)
	}
}

func (m *machine) build(line *line) (*snowflake.Generator, error) {
	settings := snowflake.DefaultSettings()
	settings.Epoch = 0 // the bubble's time begins in the year 2000
	settings.MaxAhead = millis(holderTTL / 3)
	slotBits, sequenceBits := 2, 1
	settings.Bits = snowflake.Bits{Slot: &slotBits, Sequence: &sequenceBits}
	built, err := snowflake.NewFactory().Build(generators.Spec{
		Namespace: "ns", Name: "trade", Store: line, StoreName: "net", StoreTimeout: millis(holderTimeout),
		Slots: generators.Slots{
			Limit: holderSlots, TTL: millis(holderTTL), Tolerance: millis(holderTolerance), Owner: m.owner,
		},
	}, &settings)
	if err != nil {
		return nil, err
	}
	g, ok := built.(*snowflake.Generator)
	if !ok {
		return nil, fmt.Errorf("built a %T", built)
	}
	return g, nil
}

func (m *machine) within(most int, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), millis(int64(most)))
	defer cancel()
	return do(ctx)
}

func (m *machine) record(life int, g *snowflake.Generator, ids []int64, failed error) {
	m.net.mu.Lock()
	defer m.net.mu.Unlock()
	if failed != nil {
		m.net.short++
	}
	for _, one := range ids {
		parts, err := g.Layout().Decode(one)
		if err != nil {
			m.t.Error(err)
		}
		m.net.ledger.made(life, "ns", anyIncarnation, id{
			slot: uint16(parts.Slot), seq: uint16(parts.Sequence), tick: parts.Time.UnixMilli(),
		})
	}
}

// line is the connection of one process to the store.
type line struct {
	net    *net
	mu     sync.Mutex
	cutFor time.Time // nothing passes until then
}

var (
	_ stores.Store          = (*line)(nil)
	_ stores.SlotLeaseStore = (*line)(nil)
)

// errCut is a connection that cannot be made: nothing was sent.
var errCut = errors.New("the connection is cut")

func (l *line) Start(context.Context) error { return nil }

func (l *line) Close() error { return nil }

func (l *line) cut(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cutFor = time.Now().Add(d)
}

func (l *line) carry(
	ctx context.Context, execute func(now int64) (stores.SlotLease, error),
) (stores.SlotLease, error) {
	l.mu.Lock()
	isCut := time.Now().Before(l.cutFor)
	l.mu.Unlock()
	if isCut {
		return stores.SlotLease{}, errCut
	}
	return l.net.carry(ctx, execute)
}

func (l *line) Acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	return l.carry(ctx, func(now int64) (stores.SlotLease, error) {
		lease, err := l.net.store.Acquire(context.Background(), request)
		l.net.ledger.acquired(now, request, lease, err)
		return lease, err
	})
}

func (l *line) Renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	return l.carry(ctx, func(now int64) (stores.SlotLease, error) {
		renewed, err := l.net.store.Renew(context.Background(), lease, ttl, usedThrough)
		l.net.ledger.renewed(now, lease, ttl.Milliseconds(), usedThrough, renewed, err)
		return renewed, err
	})
}

func (l *line) Release(ctx context.Context, lease stores.SlotLease, usedThrough int64) error {
	_, err := l.carry(ctx, func(int64) (stores.SlotLease, error) {
		err := l.net.store.Release(context.Background(), lease, usedThrough)
		l.net.ledger.releasedAs(lease, usedThrough, err)
		return stores.SlotLease{}, err
	})
	return err
}
