package segment

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// The wait after a failed reservation doubles from the first to the second.
const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 5 * time.Second
)

// refill is the state of reserving. At most one goroutine reserves at a time: attempt is nil exactly if there is none.
type refill struct {
	attempt *attempt
	due     bool // a prefetch was asked for while an attempt ran

	failure error         // of the last attempt; nil after a success
	retryAt time.Time     // no attempt before it
	backoff time.Duration // the wait that led to it
	repeat  bool          // it is worth repeating although nobody waits
	final   bool          // no attempt ever again
}

// attempt is one reservation that callers can wait for. It may still have to wait for its time.
type attempt struct {
	ahead bool // a prefetch: it is repeated until it succeeds, also if nobody waits

	done chan struct{}
	err  error // for those who wait; read after done is closed
}

func newAttempt(ahead bool) *attempt { return &attempt{ahead: ahead, done: make(chan struct{})} }

// refuses is the last failure where the next attempt is not due yet. Callers then fail at once.
func (r *refill) refuses(now time.Time) error {
	if r.failure != nil && (r.final || now.Before(r.retryAt)) {
		return r.failure
	}
	return nil
}

// Prefetch starts a reservation in the background, unless a prefetched range is at hand or a reservation is
// running. If the store fails it is repeated with growing pauses until it succeeds or the generator is closed.
func (g *Generator) Prefetch() {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed || g.next != nil || g.refill.final:
	case g.refill.attempt != nil:
		g.refill.due = true
	default:
		g.start(true)
	}
}

// start begins an attempt in its own goroutine. Under mu.
func (g *Generator) start(ahead bool) {
	g.refill.attempt = newAttempt(ahead)
	g.refill.due = false
	go g.run(g.refill.attempt)
}

// run makes attempts until one settles without a successor.
func (g *Generator) run(a *attempt) {
	for a != nil {
		if g.pause() {
			size := g.nextSize()
			sent := time.Now()
			r, err := g.store.Reserve(g.life, g.key, size, g.policy.InitialOffset)
			a.err = g.settle(r, err, time.Since(sent))
		} else {
			a.err = g.closedError()
		}
		a = g.finish(a)
	}
}

// pause waits for retryAt. It reports false if the generator was closed instead.
func (g *Generator) pause() bool {
	g.mu.Lock()
	wait := time.Until(g.refill.retryAt)
	g.mu.Unlock()
	if wait <= 0 {
		return g.life.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-g.life.Done():
		return false
	}
}

// nextSize is how many ids to reserve now: those that callers wait for, who take them at once, and those for the
// lookahead after that.
func (g *Generator) nextSize() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	wanted := 0.0
	for _, w := range g.queue {
		wanted += float64(w.lack)
	}
	if wanted > 0 {
		g.meter.dry(now)
	}
	g.meter.update(now, g.issued())
	if g.policy.Lookahead > 0 {
		wanted += g.meter.ids
	}
	return g.policy.size(wanted)
}

// settle takes in what the store answered, and returns the error for those who wait.
func (g *Generator) settle(r stores.Range, err error, latency time.Duration) error {
	if err == nil {
		err = g.accept(r, latency)
	}
	if err != nil {
		return g.fail(err, latency)
	}
	return nil
}

// accept puts a range at hand, or says why it must not be used. One that comes after Close is dropped at once.
func (g *Generator) accept(r stores.Range, latency time.Duration) error {
	g.mu.Lock()
	if err := g.refusal(r); err != nil {
		g.mu.Unlock()
		return err
	}
	now := time.Now()
	recovered := g.refill.failure != nil
	g.refill.failure, g.refill.retryAt, g.refill.backoff = nil, time.Time{}, 0
	g.floor = r.End
	g.totals.reservations++
	g.totals.reserved += r.Size()
	g.totals.latency = latency
	s := g.newSpan(r, now)
	if len(g.queue) > 0 {
		g.meter.dry(now)
	}
	g.meter.filled()
	var dropped []stores.Range
	switch {
	case g.closed:
		g.next = s
		dropped = g.dropNext()
	case len(g.queue) > 0:
		dropped = g.serve(s)
	default:
		g.next = s
	}
	g.mu.Unlock()

	if recovered {
		g.logger.Info("ranges are available again")
	}
	if g.hooks.OnReserved != nil {
		g.hooks.OnReserved(generators.Reserved{Generator: g.name, Key: g.key, Range: r, Latency: latency})
	}
	g.announceDropped(dropped)
	return nil
}

// refusal says what is wrong with a range that a store answered with, if anything. Under mu.
//
// Its size may differ from the one asked for: the range is the fact (S3).
func (g *Generator) refusal(r stores.Range) error {
	switch {
	case r.Start < 0 || r.End <= r.Start || r.Size() > closedMark/2:
		return fmt.Errorf("the store breaks its contract: it answered %v, which is no range of ids", r)
	case r.Start < g.floor:
		return fmt.Errorf("%w: the store answered %v, although ids below %d were given out before; it was wiped or "+
			"restored: set the key's next id above all ids ever used, then restart",
			generators.ErrRangeWentBack, r, g.floor)
	}
	return nil
}

// newSpan makes a span of a range that came now. Under mu.
func (g *Generator) newSpan(r stores.Range, now time.Time) *span {
	s := &span{start: r.Start, size: r.Size(), trigger: -1}
	if g.policy.Lookahead > 0 {
		lookahead := int64(math.Ceil(min(g.meter.ids, float64(s.size))))
		s.trigger = s.size - max(lookahead, 1)
	}
	if g.policy.RangeTTL > 0 {
		if now.Before(g.opens) {
			now = g.opens
		}
		s.timed, s.expires = true, now.Add(g.policy.RangeTTL)
	}
	return s
}

// fail records a failed reservation, and returns the error that callers get until the next one. After Close a
// failure is no news: Close itself cancelled the call.
//
// A range that went back ends the generator for good. To ask again would push a counter that was set back up to where
// it looks right to this process, and hand out again what others have issued.
func (g *Generator) fail(cause error, latency time.Duration) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return g.closedError()
	}
	r := &g.refill
	first := r.failure == nil
	r.failure = g.unavailable(cause)
	r.repeat = repeatable(cause)
	if errors.Is(cause, generators.ErrRangeWentBack) {
		r.final, r.retryAt, g.floor = true, time.Time{}, math.MaxInt64
	} else {
		r.backoff = min(max(2*r.backoff, firstBackoff), lastBackoff)
		r.retryAt = time.Now().Add(r.backoff)
	}
	g.totals.failures++
	g.totals.latency = latency
	failure, retryAt := r.failure, r.retryAt
	g.mu.Unlock()

	if first {
		g.logger.Warn("no range from the store; retrying with back-off, silently", "error", cause)
	}
	if g.hooks.OnRefillFailed != nil {
		g.hooks.OnRefillFailed(generators.RefillFailed{Generator: g.name, Key: g.key, Err: failure, RetryAt: retryAt})
	}
	return failure
}

// repeatable tells whether a reservation that failed is worth repeating although nobody waits for it.
func repeatable(cause error) bool {
	for _, lasting := range []error{
		stores.ErrRangeSealed, stores.ErrRangeExhausted, stores.ErrInvalidArgument, stores.ErrClosed,
		generators.ErrRangeWentBack,
	} {
		if errors.Is(cause, lasting) {
			return false
		}
	}
	return true
}

// finish wakes those who wait for a, and returns the attempt to make next, if one is due.
func (g *Generator) finish(a *attempt) *attempt {
	g.mu.Lock()
	var follower *attempt
	ahead := g.refill.due
	if g.refill.failure != nil {
		ahead = (a.ahead || g.refill.due) && g.refill.repeat
	}
	switch {
	case g.closed: // who waits learns that by life
	case a.err != nil:
		for _, w := range g.queue {
			w.err = a.err
			close(w.done)
		}
		g.queue = nil
	case len(g.queue) > 0:
		follower = newAttempt(ahead)
	}
	if ahead && g.next == nil && !g.closed {
		follower = newAttempt(true)
	}
	g.refill.attempt, g.refill.due = follower, false
	g.mu.Unlock()
	close(a.done)
	return follower
}
