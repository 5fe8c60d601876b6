// Package segment makes ids from ranges that are reserved in a store, one call to the store a range (design section 4).
// An id costs one atomic addition; the store is asked ahead of need, for as many ids as are issued in a
// second or so, so that callers do not wait for it.
//
// Ids strictly increase within a process and leave gaps. No id is ever issued twice, as long as the store keeps
// the promises of stores.RangeStore.
package segment

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Generator is a generators.Generator over one key of a store. It is safe for concurrent use, needs no Start, and
// must be closed.
type Generator struct {
	// current is what ids are taken from, never nil. It is read with every id, so it shares its cache lines with
	// nothing that changes.
	_       [cacheLines]byte
	current atomic.Pointer[span]
	_       [cacheLines]byte

	store  stores.RangeStore
	key    string
	name   string
	policy Policy
	opens  time.Time
	hooks  generators.Hooks
	logger *slog.Logger

	life context.Context // of the reservations; ends with Close
	end  context.CancelFunc

	empty *span // current, where there is none

	// mu guards what follows and every change of current. It is never held during I/O or a hook.
	mu     sync.Mutex
	closed bool
	next   *span     // reserved ahead, nobody has taken from it yet
	queue  []*waiter // calls that wait, in the order of their arrival; then nothing is at hand
	refill refill
	meter  meter
	floor  int64 // ranges must start at or above: the end of the last one accepted
	totals totals
}

var (
	_ generators.Generator = (*Generator)(nil)
	_ generators.Instance  = (*Generator)(nil)
)

// Options are what a Generator does not need. The zero value is fine.
type Options struct {
	Name         string           // for hooks and logs; default: the key
	StoreTimeout time.Duration    // the bound of the store on its own calls, checked against ReserveTimeout; 0 = not told
	Hooks        generators.Hooks // called as generators.Hooks says
	Logger       *slog.Logger     // nil = none

	// Floor is where ranges may start at the earliest. An earlier generator for the key in this process hands its
	// HighWater over with it. 0 = anywhere.
	Floor int64

	// InitialRate is the expected number of ids a second, so that a busy generator need not begin with a small range.
	InitialRate float64

	// Opens is when the first id will be asked for, if that is later than now: a prefetched range ages from then, and
	// the time before does not count as slack demand. It must carry a monotonic reading.
	Opens time.Time
}

// New makes a generator of ids of key, {namespace}/{generator} or with a period. It does no I/O: the first call of
// Next, or Prefetch, does. Mistakes in policy come as field.Errors.
func New(store stores.RangeStore, key string, policy Policy, options Options) (*Generator, error) {
	if err := check(key, policy, options); err != nil {
		return nil, fmt.Errorf("segment: %q: %w", key, err)
	}
	if options.Name == "" {
		options.Name = key
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	g := &Generator{
		store:  store,
		key:    key,
		name:   options.Name,
		policy: policy,
		opens:  options.Opens,
		hooks:  options.Hooks,
		logger: options.Logger.With("generator", options.Name, "key", key),
		empty:  &span{trigger: -1},
		floor:  options.Floor,
		meter:  newMeter(policy.Lookahead, options),
	}
	g.life, g.end = context.WithCancel(context.Background())
	g.current.Store(g.empty)
	return g, nil
}

func check(key string, policy Policy, options Options) error {
	if err := stores.CheckKey(key); err != nil {
		return err
	}
	if err := policy.Validate(); err != nil {
		return err
	}
	if options.StoreTimeout > policy.ReserveTimeout {
		return field.Errorf("reserve-timeout", "at least "+options.StoreTimeout.String(),
			"%v is shorter than the store's timeout", policy.ReserveTimeout)
	}
	if !(options.InitialRate >= 0 && options.InitialRate <= math.MaxInt64) {
		return fmt.Errorf("%w: initial rate %v", stores.ErrInvalidArgument, options.InitialRate)
	}
	return nil
}

// Open tells the generator that ids are wanted from now on, at another time than Options.Opens if the clock was stepped
// since. It does nothing once an id was issued.
func (g *Generator) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.issued() > 0 {
		return
	}
	now := time.Now()
	g.opens, g.meter.at = now, now
	if s := g.next; s != nil && s.timed {
		g.next = &span{start: s.start, size: s.size, trigger: s.trigger, timed: true, expires: now.Add(g.policy.RangeTTL)}
	}
}

// Start does nothing: reservations start with the first id. It implements generators.Instance.
func (g *Generator) Start(context.Context) error { return nil }

// Next returns one id. While ids are at hand it takes no lock, reads no clock (without range-ttl), looks at no ctx and
// allocates nothing. Otherwise it waits for the running reservation, no longer than ctx and reserve-timeout.
//
// Errors: generators.ErrRangeUnavailable, together with the store's error if a reservation failed and with that of
// ctx if it ended; generators.ErrClosed.
func (g *Generator) Next(ctx context.Context) (int64, error) {
	s := g.current.Load()
	if s.timed {
		return g.nextSlowly(ctx)
	}
	i := s.taken.Add(1) - 1
	if i >= s.size {
		return g.nextSlowly(ctx)
	}
	if i == s.trigger {
		g.Prefetch()
	}
	return s.start + i, nil
}

// nextSlowly is kept out of Next, so that Next needs next to no stack.
//
//go:noinline
func (g *Generator) nextSlowly(ctx context.Context) (int64, error) {
	var id [1]int64
	_, err := g.Fill(ctx, id[:])
	return id[0], err
}

// NextN returns n ids in increasing order, as Fill does. If it fails, the ids it could get come with the error. A
// negative n is stores.ErrInvalidArgument.
func (g *Generator) NextN(ctx context.Context, n int) ([]int64, error) {
	if n < 0 {
		return nil, fmt.Errorf("segment: %d ids of %q: %w: the number must not be negative",
			n, g.key, stores.ErrInvalidArgument)
	}
	ids := make([]int64, n)
	got, err := g.Fill(ctx, ids)
	return ids[:got], err
}

// Fill implements generators.Generator. Ids that come from one range are consecutive, and cost one atomic addition
// together. It waits and fails as Next does; reserve-timeout bounds the call as a whole.
func (g *Generator) Fill(ctx context.Context, ids []int64) (int, error) {
	filled := 0
	for filled < len(ids) {
		s := g.current.Load()
		n, prefetch := s.fill(ids[filled:])
		filled += n
		if prefetch {
			g.Prefetch()
		}
		if filled == len(ids) {
			break
		}
		w, err := g.advance(ctx, s, int64(len(ids)-filled))
		if err != nil {
			return filled, err
		}
		if w != nil {
			n, err := g.await(ctx, w, ids[filled:])
			return filled + n, err
		}
	}
	return filled, nil
}

// HighWater is one past the largest id that the generator can have issued, or Options.Floor. It is final once Close
// has returned without an error. After generators.ErrRangeWentBack it is the largest int64.
func (g *Generator) HighWater() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.floor
}

// Close drops the ids at hand, ends the calls that wait with generators.ErrClosed, cancels a running reservation and
// waits for it, no longer than ctx. It is safe before the first id and more than once.
func (g *Generator) Close(ctx context.Context) error {
	g.mu.Lock()
	var dropped []stores.Range
	if !g.closed {
		g.closed = true
		g.end()
		dropped = append(g.retire(g.current.Load(), g.empty), g.dropNext()...)
	}
	running := g.refill.attempt
	g.mu.Unlock()
	g.announceDropped(dropped)
	if running == nil {
		return nil
	}
	select {
	case <-running.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("segment: close %q: the store still holds a reservation: %w", g.key, ctx.Err())
	}
}

// retire closes span s, makes follower the current one and returns what was given up of s. Under mu.
func (g *Generator) retire(s, follower *span) []stores.Range {
	taken := s.close() // first, so that no id of s is taken after one of its follower
	g.current.Store(follower)
	g.totals.issued += taken
	g.totals.dropped += s.size - taken
	if taken == s.size {
		return nil
	}
	return []stores.Range{{Start: s.start + taken, End: s.start + s.size}}
}

// dropNext gives up the prefetched span, if any. Under mu.
func (g *Generator) dropNext() []stores.Range {
	s := g.next
	if s == nil {
		return nil
	}
	g.next = nil
	g.totals.dropped += s.size
	return []stores.Range{{Start: s.start, End: s.start + s.size}}
}

func (g *Generator) announceDropped(ranges []stores.Range) {
	if g.hooks.OnRangeDropped == nil {
		return
	}
	for _, r := range ranges {
		g.hooks.OnRangeDropped(generators.RangeDropped{Generator: g.name, Key: g.key, Range: r})
	}
}
