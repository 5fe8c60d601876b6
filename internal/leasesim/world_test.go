package leasesim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// world is one store, its clock, the processes, and the network between them. All that happens in it follows from the
// seed.
type world struct {
	rng    *rand.Rand
	scene  scene
	flaws  flaw
	store  stores.SlotLeaseStore
	ledger *ledger

	base, offset int64 // the true time, and how far the store's clock is off, in milliseconds
	processes    []*process
	lives        int     // how often a process has started
	calls        int     // how many were sent
	requests     []*call // on their way to the store, in no order
	answers      []*call // on their way back
	tell         func(format string, args ...any)
}

// scene is what makes one seed's world differ from another's.
type scene struct {
	processes, owners, namespaces int
	slots, ttl, tolerance         int64

	lose, double int // percent of requests, and of answers
	release      int // percent of the turns of a holder
	wild         int // percent of ids at any time whatever
	weights      [events]int
}

// The things that happen.
const (
	timePasses = iota
	clockSteps
	requestArrives
	answerArrives
	processTurns
	processPauses
	processCrashes
	events
)

// call is a request, and its answer once the store gave one. A double has the same number, and an answer of its own:
// the process takes the first that arrives.
type call struct {
	number int
	from   *process
	life   int // of the process, when it sent it
	kind   kind

	request     stores.SlotRequest
	lease       stores.SlotLease
	usedThrough int64

	answer stores.SlotLease
	err    error
}

type kind string

const (
	acquire kind = "acquire"
	renew   kind = "renew"
	release kind = "release"
)

// newWorld is the world of a seed. The store that open returns goes by the clock that it is given.
func newWorld(seed uint64, flaws flaw, open func(now func() int64) stores.SlotLeaseStore) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 0x636f736964)), flaws: flaws, ledger: newLedger(), base: 1_000_000}
	pick := func(from ...int) int { return from[w.rng.IntN(len(from))] }
	s := &w.scene
	s.processes = 2 + w.rng.IntN(5)
	s.owners = 1 + w.rng.IntN(s.processes)
	s.namespaces = pick(1, 1, 2)
	s.slots = int64(pick(1, 1, 2, 3, 5))
	s.ttl = int64(pick(1, 3, 10, 30))
	s.tolerance = s.ttl * int64(pick(0, 1, 3, 10)) / 2
	s.lose, s.double = pick(0, 5, 20), pick(0, 10, 30)
	s.release = pick(0, 5, 20, 50)
	s.wild = pick(0, 10, 50)
	s.weights = [events]int{
		pick(10, 40), pick(0, 1, 5), pick(20, 60), pick(20, 60), pick(60, 100), pick(0, 1, 3), pick(0, 1, 3),
	}
	w.store = open(w.now)
	for i := range s.processes {
		place := w.rng.IntN(s.namespaces)
		p := &process{
			world: w, name: fmt.Sprintf("p%d", i), owner: fmt.Sprintf("host%d", w.rng.IntN(s.owners)),
			namespace: fmt.Sprintf("ns%d", place), place: uint16(place),
		}
		p.start()
		w.processes = append(w.processes, p)
	}
	return w
}

// now is the store's clock.
func (w *world) now() int64 { return w.base + w.offset }

// step lets one thing happen.
func (w *world) step() {
	s := &w.scene
	switch w.event() {
	case timePasses:
		w.base += 1 + w.rng.Int64N(max(1, s.ttl/2))
		w.trace("it is %d", w.now())
	case clockSteps:
		far := s.tolerance + 1
		if w.chance(1, 4) {
			far = 10 * (s.tolerance + s.ttl)
		}
		w.offset = w.rng.Int64N(2*far+1) - far
		w.trace("the store's clock steps to %d", w.now())
	case requestArrives:
		if c := take(w, &w.requests, s.double); c != nil && !w.chance(s.lose, 100) {
			w.serve(c)
			w.answers = append(w.answers, c)
		}
	case answerArrives:
		if c := take(w, &w.answers, s.double); c != nil && !w.chance(s.lose, 100) {
			if c.from.paused { // it waits in the socket
				w.answers = append(w.answers, c)
				return
			}
			c.from.receive(c)
		}
	case processTurns:
		w.process().turn()
	case processPauses:
		w.process().paused = true
	case processCrashes:
		p := w.process()
		w.trace("%s crashes", p.name)
		p.start()
	}
}

// serve lets the store execute c, and the ledger judge it.
func (w *world) serve(c *call) {
	ctx, now := context.Background(), w.now()
	switch c.kind {
	case acquire:
		c.answer, c.err = w.store.Acquire(ctx, c.request)
		w.ledger.acquired(now, c.request, c.answer, c.err)
	case renew:
		c.answer, c.err = w.store.Renew(ctx, c.lease, millis(w.scene.ttl), c.usedThrough)
		w.ledger.renewed(now, c.lease, w.scene.ttl, c.usedThrough, c.answer, c.err)
	case release:
		c.err = w.store.Release(ctx, c.lease, c.usedThrough)
		w.ledger.releasedAs(c.lease, c.usedThrough, c.err)
	}
	w.trace("at %d the store answers %v: %+v, %v", now, c, c.answer, c.err)
}

// event draws what happens next.
func (w *world) event() int {
	sum := 0
	for _, weight := range w.scene.weights {
		sum += weight
	}
	drawn := w.rng.IntN(sum)
	for event, weight := range w.scene.weights {
		if drawn < weight {
			return event
		}
		drawn -= weight
	}
	return timePasses
}

func (w *world) process() *process { return w.processes[w.rng.IntN(len(w.processes))] }

// chance is true n times out of outOf.
func (w *world) chance(n, outOf int) bool { return w.rng.IntN(outOf) < n }

func (w *world) trace(format string, args ...any) {
	if w.tell != nil {
		w.tell(format, args...)
	}
}

// take draws one of the messages on their way, nil if there is none. A doubled one stays on its way, too.
func take(w *world, from *[]*call, double int) *call {
	n := len(*from)
	if n == 0 {
		return nil
	}
	i := w.rng.IntN(n)
	c := (*from)[i]
	if n < 64 && w.chance(double, 100) {
		twin := *c
		(*from)[i] = &twin
		return c
	}
	(*from)[i] = (*from)[n-1]
	*from = (*from)[:n-1]
	return c
}

func (c *call) String() string {
	if c.kind == acquire {
		return fmt.Sprintf("%s %+v", c.kind, c.request)
	}
	return fmt.Sprintf("%s %+v, used through %d", c.kind, c.lease, c.usedThrough)
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
