package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/redact"
	"github.com/cosid-go/cosid/stores"
)

// Health is how a Runtime does.
type Health struct {
	// Status is that of the worst generator; a store that is not up makes it degraded at least. What counts is whether ids
	// can be made.
	Status Status `json:"status"`

	// Reason says what concerns the runtime as a whole, for instance that it is not started.
	Reason string `json:"reason,omitempty"`

	Generators []Condition `json:"generators"` // sorted by name
	Stores     []Condition `json:"stores"`     // sorted by name
}

// Condition is how one generator or one store does. Its texts hold no secret.
type Condition struct {
	Name   string `json:"name"`
	Status Status `json:"status"`

	// Reason says in plain words why the status is not up, or how it was found out.
	Reason string `json:"reason,omitempty"`

	// Since is when that began, as far as this process saw it.
	Since time.Time `json:"since,omitzero"`

	// RetryAt is when what failed is tried again without anybody asking; zero = it is not.
	RetryAt time.Time `json:"retryAt,omitzero"`
}

// Status is how well something does.
type Status string

// The values of a Status.
const (
	Up       Status = "up"
	Degraded Status = "degraded" // it works, but something needs a look before it stops
	Down     Status = "down"     // the next id, or the next call to the store, fails as far as is known
)

// stale is how long a failure counts after its retry was due. An attempt that nobody makes, because nobody asks for
// ids, must not hold a generator down for ever.
const stale = 10 * time.Second

// Health asks every store, all at once, whether it can be reached, and judges every generator by its ids at hand, by
// its reservations and by its store. It waits for each store no longer than ctx and the store's own timeout. It is
// safe for concurrent use, and calls at one time share their questions to the stores.
func (rt *Runtime) Health(ctx context.Context) Health {
	if rt.disabled {
		return Health{
			Status: Up, Reason: "cosid is disabled: the configuration says `enabled: false`",
			Generators: []Condition{}, Stores: []Condition{},
		}
	}
	if reason := rt.idle(); reason != "" {
		return rt.allDown(reason)
	}
	answers := rt.askStores(ctx)
	if reason := rt.idle(); reason != "" { // it was closed meanwhile, and so were the questions
		return rt.allDown(reason)
	}
	stats := rt.Stats()
	rt.watch.mu.Lock()
	defer rt.watch.mu.Unlock()
	v := view{watch: rt.watch, stats: stats.Generators, now: time.Now(), answers: answers}
	health := Health{Status: Up, Generators: []Condition{}, Stores: []Condition{}}
	byStore := map[string]Condition{}
	for _, s := range rt.sortedStores() {
		c := v.storeCondition(s)
		byStore[s.name] = c
		health.Stores = append(health.Stores, c)
		if c.Status != Up {
			health.Status = Degraded
		}
	}
	for _, g := range stats.Generators {
		c := v.generatorCondition(g, byStore)
		health.Generators = append(health.Generators, c)
		health.Status = worse(health.Status, c.Status)
	}
	return health
}

// idle says why the runtime makes no ids, "" if it does.
func (rt *Runtime) idle() string {
	switch rt.phase.Load() {
	case started:
		if rt.life.Err() != nil {
			return "the runtime is being closed"
		}
		return ""
	case closed:
		return "the runtime is closed"
	case starting:
		return "the runtime is starting: its stores are being opened"
	default:
		return "the runtime is not started"
	}
}

func (rt *Runtime) allDown(reason string) Health {
	health := Health{Status: Down, Reason: reason, Generators: []Condition{}, Stores: []Condition{}}
	for _, name := range rt.Names() {
		health.Generators = append(health.Generators, Condition{Name: name, Status: Down, Reason: reason})
	}
	for _, s := range rt.sortedStores() {
		health.Stores = append(health.Stores, Condition{Name: s.name, Status: Down, Reason: reason})
	}
	return health
}

func (rt *Runtime) sortedStores() []openStore {
	return slices.SortedFunc(slices.Values(rt.stores), func(a, b openStore) int {
		return cmp.Compare(a.name, b.name)
	})
}

// askStores asks those that are open and can be asked, and returns what they answered, by name.
func (rt *Runtime) askStores(ctx context.Context) map[string]error {
	var asking sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]error{}
	for _, s := range rt.stores {
		pinger, ok := s.store.(stores.Pinger)
		if !ok || rt.watch.isOpening(s.name) {
			continue
		}
		asking.Go(func() {
			watched := rt.watch.stores[s.name]
			err := watched.check.ask(ctx, rt.life, pinger, watched.timeout)
			if ctx.Err() == nil { // an impatient caller says nothing about the store
				rt.watch.answered(s.name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[s.name] = err
		})
	}
	asking.Wait()
	return answers
}

// view is what is known at one moment. The watch is locked meanwhile.
type view struct {
	watch   *watch
	stats   []GeneratorStats
	now     time.Time
	answers map[string]error // of the stores that were asked
}

// storeCondition judges a store by its own answer; one that cannot be asked by what its generators met.
func (v view) storeCondition(s openStore) Condition {
	watched := v.watch.stores[s.name]
	c := Condition{Name: s.name, Status: Up, Since: later(watched.calm, v.watch.began)}
	if t := watched.opening; t != nil {
		return c.be(Down, *t, "it is not open yet: "+text(t.err))
	}
	if answer := v.answers[s.name]; answer != nil {
		since := watched.downSince
		if since.IsZero() {
			since = v.now
		}
		return c.be(Down, trouble{since: since}, "it cannot be reached: "+text(answer))
	}
	met, who := v.met(s.name)
	if _, canBeAsked := s.store.(stores.Pinger); canBeAsked {
		if who != "" {
			return c.be(Degraded, met,
				fmt.Sprintf("it answers, but its last call for generator %q failed: %s", who, text(met.err)))
		}
		return c
	}
	c.Reason = "this type of store cannot be asked: its generators saw no failure"
	if who != "" {
		return c.be(Down, met, fmt.Sprintf("its last call for generator %q failed: %s", who, text(met.err)))
	}
	return c
}

// met is the trouble with a store that its generators have met for the longest, and which one of them.
func (v view) met(store string) (met trouble, who string) {
	for _, g := range v.stats {
		if g.Store != store {
			continue
		}
		troubles := slices.Collect(maps.Values(v.watch.generators[g.Name].failing))
		if g.Lease != nil && g.Lease.Err != nil {
			troubles = append(troubles, trouble{g.Lease.Since, g.Lease.Err, g.Lease.RetryAt})
		}
		for _, t := range troubles {
			if !ofKey(t.err) && v.fresh(t) && (who == "" || t.since.Before(met.since)) {
				met, who = t, g.Name
			}
		}
	}
	return met, who
}

// ofKey tells whether an error concerns what is stored at a key or of a slot, or a layout, and not whether the store can
// be reached.
func ofKey(err error) bool {
	for _, of := range []error{
		stores.ErrRangeSealed, stores.ErrRangeExhausted, stores.ErrInvalidArgument, generators.ErrRangeWentBack,
		stores.ErrNoFreeSlot, stores.ErrLeaseLost, stores.ErrSlotSettings, generators.ErrTimestampExhausted,
	} {
		if errors.Is(err, of) {
			return true
		}
	}
	return false
}

// fresh tells whether a failure still counts. One that is final always does.
func (v view) fresh(t trouble) bool { return t.retryAt.IsZero() || v.now.Before(t.retryAt.Add(stale)) }

// generatorCondition judges a generator.
func (v view) generatorCondition(stats GeneratorStats, byStore map[string]Condition) Condition {
	g := v.watch.generators[stats.Name]
	c := Condition{Name: stats.Name, Status: Up, Since: later(g.calm, v.watch.began)}
	store, hasStore := byStore[stats.Store]
	switch {
	case stats.Lease != nil:
		return v.leaseCondition(c, *stats.Lease, store)
	case len(g.failing) > 0:
		return v.refillCondition(c, g.longest(), stats, store)
	case !hasStore || store.Status != Down:
		return c
	case atHand(stats) > 0:
		t := trouble{since: store.Since, retryAt: store.RetryAt}
		return c.be(Degraded, t, fmt.Sprintf("ids at hand: %d, but store %q is down", atHand(stats), stats.Store))
	default:
		t := trouble{since: store.Since, retryAt: store.RetryAt}
		return c.be(Down, t, fmt.Sprintf("no id is at hand, and store %q is down", stats.Store))
	}
}

// refillCondition judges a generator whose last reservation failed.
func (v view) refillCondition(c Condition, t trouble, stats GeneratorStats, store Condition) Condition {
	n := atHand(stats)
	switch {
	case n > 0:
		return c.be(Degraded, t, fmt.Sprintf("ids at hand: %d, but they cannot be refilled: %s", n, text(t.err)))
	case v.fresh(t) || ofKey(t.err) || store.Status == Down:
		return c.be(Down, t, "no id is at hand, and none can be reserved: "+text(t.err))
	default:
		return c.be(Degraded, t, "no id is at hand; the last reservation failed, the next call tries again: "+text(t.err))
	}
}

// leaseCondition judges a generator by the time window on its slot.
func (v view) leaseCondition(c Condition, l generators.LeaseStats, store Condition) Condition {
	t := trouble{since: l.Since, err: l.Err, retryAt: l.RetryAt}
	cause := "no store has answered yet"
	switch {
	case l.Err != nil:
		cause = text(l.Err)
	case l.State == generators.LeaseTaken:
		cause = "others have it now"
	}
	left := l.Remaining.Round(time.Millisecond)
	switch {
	case left <= 0:
		return c.be(Down, t, fmt.Sprintf("no time window is left on a machine slot (lease %s): %s", l.State, cause))
	case l.State != generators.LeaseHeld:
		return c.be(Degraded, t, fmt.Sprintf("ids can be made for %v more, but the lease of slot %d is %s: %s",
			left, l.Slot, l.State, cause))
	case store.Status == Down:
		t = trouble{since: store.Since, retryAt: store.RetryAt}
		return c.be(Degraded, t, fmt.Sprintf("ids can be made for %v more, but store %q is down", left, store.Name))
	default:
		c.Since = later(c.Since, l.Since)
		return c
	}
}

// longest is the failing reservation that began first.
func (g *watchedGenerator) longest() trouble {
	return slices.MinFunc(slices.Collect(maps.Values(g.failing)), func(a, b trouble) int {
		return a.since.Compare(b.since)
	})
}

// atHand is how many ids can be drawn without a call to the store.
func atHand(stats GeneratorStats) int64 {
	switch {
	case stats.Period != nil:
		return stats.Period.AtHand
	case stats.Counts != nil:
		return stats.Counts.AtHand
	default:
		return 0
	}
}

func (c Condition) be(status Status, t trouble, reason string) Condition {
	c.Status, c.Reason, c.Since, c.RetryAt = status, reason, t.since, t.retryAt
	return c
}

// text is an error as strangers may read it.
func text(err error) string { return redact.Text(err.Error()) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func worse(a, b Status) Status {
	for _, s := range []Status{Down, Degraded} {
		if a == s || b == s {
			return s
		}
	}
	return Up
}
