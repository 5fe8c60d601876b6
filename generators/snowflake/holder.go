package snowflake

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// holder leases one slot of a namespace for all generators of the process that share it. The first that joins acquires
// it, the last that leaves releases it, and it is renewed as long as there is one.
type holder struct {
	terms

	turn chan struct{} // held, by a value in it, while somebody joins or leaves; it can be waited for with a ctx

	// With the turn, and changed under mu as well.
	running *keeping // the background work; nil = there is none, or it is over

	// mu guards what follows. It is never held during I/O or a hook.
	mu          sync.Mutex
	members     []*sequence
	past        int64 // the last millisecond used by generators that left
	tenure      tenure
	granted     bool          // this process had a slot before
	incarnation string        // given up with each release
	changed     chan struct{} // closed at the next change that callers may wait for
}

// terms are what a holder is made with. They come from the first generator that shares it.
type terms struct {
	store   stores.SlotLeaseStore
	request stores.SlotRequest // without the incarnation
	timeout time.Duration      // the bound of each call to the store; 0 = the store's own
	hooks   generators.Hooks
	logger  *slog.Logger
	stopwatch
}

// never lies before every window.
const never = -1 << 62

// membership is a sequence's part in its holder. Under the holder's mu.
type membership struct {
	closed bool
	warned bool // of the end of the timestamp bits
}

// keeping is the background work of a holder, from its first member to its last.
type keeping struct {
	life context.Context // of the calls to the store
	end  context.CancelFunc
	stop chan struct{} // closed, under mu, to ask for the release
	done chan struct{} // closed when it is over
	err  error         // of the release; read after done is closed
}

// stopping tells whether the release was asked for. Under mu.
func (k *keeping) stopping() bool {
	select {
	case <-k.stop:
		return true
	default:
		return false
	}
}

// askRelease asks for the release. Under mu.
func (k *keeping) askRelease() {
	if !k.stopping() {
		close(k.stop)
	}
}

func newHolder(t terms) *holder {
	return &holder{
		terms:       t,
		turn:        make(chan struct{}, 1),
		past:        never,
		tenure:      tenure{ttl: t.request.TTL},
		incarnation: rand.Text(),
		changed:     make(chan struct{}),
	}
}

// join makes q a member. The first one acquires a slot, no longer than ctx.
func (h *holder) join(ctx context.Context, q *sequence) error {
	if err := h.takeTurn(ctx); err != nil {
		return err
	}
	defer h.giveTurn()
	for {
		if err := h.tryJoin(ctx, q); err != errReleasing {
			return err
		}
	}
}

// errReleasing means that the last other member has left meanwhile, so that the slot is being released.
var errReleasing = errors.New("the slot is being released")

func (h *holder) tryJoin(ctx context.Context, q *sequence) error {
	h.mu.Lock()
	first := len(h.members) == 0
	closed := q.member.closed
	twin := slices.ContainsFunc(h.members, func(other *sequence) bool { return other.name == q.name })
	h.mu.Unlock()
	if closed {
		return generators.ErrClosed
	}
	if twin {
		return errors.New("another generator of the same name is running; close it first")
	}
	if first {
		if err := h.open(ctx); err != nil {
			return err
		}
	}
	if err := h.admit(q); err != nil {
		if first {
			_ = h.close(ctx) // the lease expires, if this fails
		}
		return err
	}
	return nil
}

// admit puts q among the members and gives it a window.
func (h *holder) admit(q *sequence) error {
	h.mu.Lock()
	var err error
	if h.tenure.has() {
		err = fits(q.layout, h.tenure.clock.now(h.now()))
	}
	switch {
	case err != nil:
	case q.member.closed:
		err = generators.ErrClosed
	case h.running.stopping():
		err = errReleasing
	}
	var ending []*sequence
	if err == nil {
		q.beginAfter(h.past)
		h.members = append(h.members, q)
		ending = h.publish()
	}
	h.mu.Unlock()
	h.warnOf(ending)
	return err
}

// fits tells whether a layout has a tick for the given milliseconds.
func fits(l generators.Layout, millis int64) error {
	switch tick := l.TickAt(millis); {
	case tick < 0:
		return fmt.Errorf("the epoch %v lies after the store's clock, %v: set the epoch back, or the clock right",
			generators.Epoch(l.EpochMillis), generators.Epoch(millis))
	case tick > l.MaxTick():
		return fmt.Errorf("%w: %d bits ended at %v, and the clock reads %v", generators.ErrTimestampExhausted,
			l.TimestampBits, l.End(), generators.Epoch(millis))
	}
	return nil
}

// leave ends the membership of q, if it has one, and with the last member the lease, no longer than ctx. q takes no more
// words once it begins.
func (h *holder) leave(ctx context.Context, q *sequence) error {
	h.mu.Lock()
	q.member.closed = true
	q.window.Store(endedWindow(generators.ErrClosed))
	h.announce()
	if i := slices.Index(h.members, q); i >= 0 {
		h.members = slices.Delete(h.members, i, i+1)
		h.past = max(h.past, q.used())
		if len(h.members) == 0 {
			h.running.askRelease() // also where ctx leaves no time for the turn
		}
	}
	h.mu.Unlock()

	if err := h.takeTurn(ctx); err != nil {
		return err
	}
	defer h.giveTurn()
	h.mu.Lock()
	last := len(h.members) == 0
	h.mu.Unlock()
	if !last {
		return nil
	}
	return h.close(ctx)
}

// open acquires a slot and begins to keep it. A store that is not open yet, as a lazy one may be, is asked again in the
// background. With the turn.
func (h *holder) open(ctx context.Context) error {
	if err := h.close(ctx); h.running != nil { // an earlier close gave up waiting for it, and so does this one
		return err
	}
	if err := h.acquireFirst(ctx); err != nil {
		return err
	}
	life, end := context.WithCancel(context.Background())
	k := &keeping{life: life, end: end, stop: make(chan struct{}), done: make(chan struct{})}
	h.mu.Lock()
	h.running = k
	h.mu.Unlock()
	go h.keep(k)
	return nil
}

// acquireFirst tries again after a failure that may pass, until ctx ends.
func (h *holder) acquireFirst(ctx context.Context) error {
	h.mu.Lock()
	h.tenure = tenure{ttl: h.tenure.ttl, clock: h.tenure.clock}
	h.mu.Unlock()
	const attempts = 5
	for i := 1; ; i++ {
		h.ask(ctx)
		h.mu.Lock()
		t := h.tenure
		h.mu.Unlock()
		switch {
		case t.has(), errors.Is(t.failure, stores.ErrClosed):
			return nil
		case i == attempts || lasting(t.failure) || !sleep(t.due-h.now(), ctx.Done()):
			return t.failure
		}
	}
}

// lasting tells whether a failed acquire is not worth repeating soon.
func lasting(err error) bool {
	for _, cause := range []error{
		stores.ErrNoFreeSlot, stores.ErrSlotSettings, stores.ErrInvalidArgument, stores.ErrClosed, // the last of a release
	} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// close ends the background work and waits until the slot is released, no longer than ctx. With the turn.
func (h *holder) close(ctx context.Context) error {
	k := h.running
	if k == nil {
		return nil
	}
	h.mu.Lock()
	k.askRelease()
	h.mu.Unlock()
	select {
	case <-k.done:
		h.mu.Lock()
		h.running = nil
		h.mu.Unlock()
		return k.err
	case <-ctx.Done():
		k.end()
		return fmt.Errorf("the slot could not be released, it frees itself in at most %v: %w", h.request.TTL, ctx.Err())
	}
}

func (h *holder) takeTurn(ctx context.Context) error {
	select {
	case h.turn <- struct{}{}: // also where ctx has ended
		return nil
	default:
	}
	select {
	case h.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *holder) giveTurn() { <-h.turn }

// sleep waits for d. It reports false if ended was closed before.
func sleep(d time.Duration, ended <-chan struct{}) bool {
	if d <= 0 {
		select {
		case <-ended:
			return false
		default:
			return true
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ended:
		return false
	}
}
