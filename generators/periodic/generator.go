// Package periodic makes ids that restart in each year, month or day of a time zone, for bill numbers such as
// 20261027-000042 (design section 5). Each period is a key of its own in the store, served by a segment generator.
//
// The period is that of the process's wall clock at the moment of the call, and travels with the id. A number never
// repeats within its period, whatever clocks do: a wrong clock costs a wrong period, or, once the period is sealed, an
// error.
package periodic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Generator is a generators.GroupedGenerator over the keys {key}/{period} of a store. It is safe for concurrent use and
// must be closed. Ids can be drawn before Start; sealing begins with Start.
type Generator struct {
	// current is read with every id, so nothing that changes shares its cache lines.
	_       [128]byte
	current atomic.Pointer[window]
	_       [128]byte

	store    stores.RangeStore
	key      string
	calendar Calendar
	policy   Policy
	options  Options
	clock    func() time.Time

	keeper *keeper        // nil without seal-after
	tasks  sync.WaitGroup // the keeper, and segment generators that are being closed

	// mu guards what follows and every change of current. It is never held during I/O or a hook.
	mu      sync.Mutex
	started bool
	closed  bool
	next    *window // of the period after current's, if it is prepared
	past    past
}

var (
	_ generators.GroupedGenerator = (*Generator)(nil)
	_ generators.Instance         = (*Generator)(nil)
)

// Options are what a Generator does not need. The zero value is fine.
type Options struct {
	Name         string           // for hooks and logs; default: the key
	StoreTimeout time.Duration    // the bound of the store on its own calls, checked against ReserveTimeout; 0 = not told
	Hooks        generators.Hooks // called as generators.Hooks says
	Logger       *slog.Logger     // nil = none
	InitialRate  float64          // the expected ids a second in the first period
	Clock        func() time.Time // decides the period; default: time.Now
}

// New makes a generator of the periods of key, {namespace}/{generator}. It does no I/O. Mistakes in the calendar and in
// policy come as field.Errors; a policy that seals on a store that cannot is one of them.
func New(
	store stores.RangeStore, key string, calendar Calendar, policy Policy, options Options,
) (*Generator, error) {
	if options.Name == "" {
		options.Name = key
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	g := &Generator{
		store: store, key: key, calendar: calendar, policy: policy, options: options, clock: options.Clock,
	}
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("periodic: %q: %w", key, err)
	}
	if policy.SealAfter > 0 {
		g.keeper = newKeeper(g, store.(stores.Sealer))
	}
	g.current.Store(&window{})
	return g, nil
}

func (g *Generator) check() error {
	if err := errors.Join(stores.CheckKey(g.key), g.calendar.check(), g.policy.Validate()); err != nil {
		return err
	}
	if _, ok := g.store.(stores.Sealer); !ok && g.policy.SealAfter > 0 {
		return errCannotSeal()
	}
	now := g.clock()
	_, err := g.open(g.calendar.at(now), now, g.options.InitialRate) // for its checks; it holds nothing
	return err
}

func errCannotSeal() error {
	return field.Errorf("seal-after", "left out, or another store", "the store cannot seal keys")
}

// Start begins sealing, if there is a seal-after. It fails where the store turns out not to be able to; if the store
// merely does not answer, sealing is retried in the background. It may be called once.
func (g *Generator) Start(ctx context.Context) error {
	if g.keeper == nil {
		return nil
	}
	if err := g.keeper.probe(ctx); err != nil {
		return fmt.Errorf("periodic: start %q: %w", g.key, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return fmt.Errorf("periodic: start %q: %w", g.key, generators.ErrClosed)
	}
	if g.started {
		return fmt.Errorf("periodic: start %q: it was started before", g.key)
	}
	g.started = true
	g.tasks.Go(g.keeper.run)
	return nil
}

// Next returns one id of the period that contains the present moment. While ids are at hand, which the switch to a
// prewarmed period does not change, it reads the clock once, takes no lock and allocates nothing.
//
// Errors: those of segment.Generator.Next, among them stores.ErrRangeSealed if the period was sealed.
func (g *Generator) Next(ctx context.Context) (generators.GroupedID, error) {
	w, began, err := g.window()
	if err != nil {
		return generators.GroupedID{}, err
	}
	value, err := w.ids.Next(ctx)
	if err == nil {
		return generators.GroupedID{Period: w.period, Value: value}, nil
	}
	if !isOver(err) {
		return generators.GroupedID{}, err
	}
	ctx, cancel := g.bound(ctx, began)
	defer cancel()
	var id [1]generators.GroupedID
	_, err = g.Fill(ctx, id[:])
	return id[0], ended(ctx, err)
}

// Fill implements generators.GroupedGenerator. The ids are of the period of the moment of the call; if it ends while
// the call waits for the store, the rest is of the next one. Reserve-timeout bounds the call as a whole.
func (g *Generator) Fill(ctx context.Context, ids []generators.GroupedID) (int, error) {
	values := make([]int64, len(ids))
	filled, bounded := 0, false
	for filled < len(ids) {
		w, began, err := g.window()
		if err != nil {
			return filled, err
		}
		n, err := w.ids.Fill(ctx, values[filled:])
		for _, value := range values[filled : filled+n] {
			ids[filled] = generators.GroupedID{Period: w.period, Value: value}
			filled++
		}
		if err != nil && !isOver(err) {
			return filled, ended(ctx, err)
		}
		if err != nil && !bounded {
			var cancel context.CancelFunc
			ctx, cancel = g.bound(ctx, began)
			defer cancel()
			bounded = true
		}
	}
	return filled, nil
}

// bound ends the waits of a call that began then and goes on in another period, so that they are no longer than one.
func (g *Generator) bound(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	timeout := g.policy.ReserveTimeout
	return context.WithTimeoutCause(ctx, timeout-g.clock().Sub(began), fmt.Errorf(
		"periodic: next id of %q: %w: the store did not bring enough ids within reserve-timeout %v",
		g.key, generators.ErrRangeUnavailable, timeout))
}

// ended names the bound that ended a call, where it is that of bound: the caller's own ctx goes on.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, generators.ErrRangeUnavailable) {
		return cause
	}
	return err
}

// isOver tells whether a period's generator failed because it was closed. Then it is no longer in current: its period
// ended while the call waited, or the Generator was closed, which window says.
func isOver(err error) bool { return errors.Is(err, generators.ErrClosed) }

// Close stops sealing, closes the periods' generators as segment.Generator.Close does, and waits, no longer than
// ctx. It is safe before Start and more than once.
func (g *Generator) Close(ctx context.Context) error {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		for _, w := range []*window{g.current.Load(), g.next} {
			g.retire(w)
		}
		g.current.Store(&window{})
		g.next = nil
	}
	g.mu.Unlock()
	if g.keeper != nil {
		g.keeper.stop()
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		g.tasks.Wait()
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("periodic: close %q: the store still holds a call: %w", g.key, ctx.Err())
	}
}
