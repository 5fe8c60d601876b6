package storetest_test

import (
	"context"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

// slotServer is the server of a lease store, every step of which a flaw can replace. The right steps are the rules of
// stores.SlotRow.
type slotServer struct {
	flaw slotFlaw

	mu     sync.Mutex
	spaces map[string]*space
	offset time.Duration // of its clock
	frozen chan struct{} // closed to thaw; nil while the server answers
	open   int           // clients
}

// space is a namespace.
type space struct {
	limit     int64
	tolerance time.Duration
	rows      map[int64]stores.SlotRow
	last      map[string]int64
}

// slotFlaw is how a lease store is broken. Nil steps are the right ones.
type slotFlaw struct {
	close  func(c *slotClient) error
	usable func(ctx context.Context, c *slotClient) error
	await  func(ctx context.Context, c *slotClient) error
	ended  func(ctx context.Context, sp *space, slot int64) // after a call whose ctx ended meanwhile

	checkRequest func(r stores.SlotRequest) error
	checkLease   func(l stores.SlotLease, ttl time.Duration, usedThrough int64) error
	rename       func(r *stores.SlotRequest) // what the server makes of the names
	now          func(s *slotServer) int64
	settings     func(r stores.SlotRequest, sp *space) error
	hurry        bool // does not lock between reading and writing

	own      func(row stores.SlotRow, r stores.SlotRequest, now int64) bool // to be granted again
	order    func(sp *space, r stores.SlotRequest) iter.Seq[int64]
	free     func(row stores.SlotRow, tolerance time.Duration, now int64) bool
	unsorted bool // does not try the ready ones first
	takeOver func(row stores.SlotRow, r stores.SlotRequest, now int64) bool
	greedy   bool // takes over before it looks for others
	none     func(e *stores.NoFreeSlotError, sp *space)

	acquire func(row stores.SlotRow, r stores.SlotRequest, now int64) stores.SlotRow
	renew   func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, used, now int64,
	) (stores.SlotRow, error)
	release func(row stores.SlotRow, l stores.SlotLease, used, now int64) (stores.SlotRow, error)
	answer  func(l stores.SlotLease) stores.SlotLease
	restart func(s *slotServer)
}

func newSlotServer(f slotFlaw) *slotServer {
	return &slotServer{flaw: f, spaces: make(map[string]*space)}
}

func (s *slotServer) harness() storetest.SlotHarness {
	return storetest.SlotHarness{
		New: func() (storetest.SlotStore, error) { return &slotClient{server: s}, nil },
		MoveClock: func(_ context.Context, delta time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.offset += delta
			return nil
		},
		Restart: func(context.Context) error {
			if s.flaw.restart != nil {
				s.flaw.restart(s)
			}
			return nil
		},
		Freeze: func(context.Context) (func() error, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			gate := make(chan struct{})
			s.frozen = gate
			return func() error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.frozen = nil
				close(gate)
				return nil
			}, nil
		},
	}
}

func (s *slotServer) gate() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frozen
}

// now is under mu.
func (s *slotServer) now() int64 {
	if s.flaw.now != nil {
		return s.flaw.now(s)
	}
	return time.Now().Add(s.offset).UnixMilli()
}

// pause lets others go between a read and a write, if the flaw says so. It is under mu.
func (s *slotServer) pause() {
	if s.flaw.hurry {
		s.mu.Unlock()
		pause()
		s.mu.Lock()
	}
}

func (s *slotServer) space(r stores.SlotRequest) *space {
	sp := s.spaces[r.Namespace]
	if sp == nil {
		s.pause()
		sp = &space{
			limit: r.Limit, tolerance: r.Tolerance,
			rows: make(map[int64]stores.SlotRow), last: make(map[string]int64),
		}
		if s.spaces[r.Namespace] == nil || s.flaw.hurry {
			s.spaces[r.Namespace] = sp
		}
	}
	return sp
}

func (s *slotServer) acquire(ctx context.Context, r stores.SlotRequest) (stores.SlotLease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp, now := s.space(r), s.now()
	settings := func(r stores.SlotRequest, sp *space) error {
		return stores.CheckSlotSettings(r, sp.limit, sp.tolerance)
	}
	if s.flaw.settings != nil {
		settings = s.flaw.settings
	}
	if err := settings(r, sp); err != nil {
		return stores.SlotLease{}, err
	}
	slot, found := s.choose(sp, r, now)
	if !found {
		return stores.SlotLease{}, s.noneFree(sp, r, now)
	}
	row := sp.rows[slot]
	row.Slot = slot
	s.pause()
	if s.flaw.acquire != nil {
		row = s.flaw.acquire(row, r, now)
	} else {
		row = row.Acquire(r, now)
	}
	sp.rows[slot], sp.last[r.Owner] = row, slot
	s.end(ctx, sp, slot)
	return row.Lease(r.Namespace, now), nil
}

// end lets the reply take its time, and is under mu.
func (s *slotServer) end(ctx context.Context, sp *space, slot int64) {
	if s.flaw.ended == nil {
		return
	}
	s.mu.Unlock()
	pause()
	s.mu.Lock()
	if ctx.Err() != nil {
		s.flaw.ended(ctx, sp, slot)
	}
}

func (s *slotServer) choose(sp *space, r stores.SlotRequest, now int64) (int64, bool) {
	last, known := sp.last[r.Owner]
	row := sp.rows[last]
	own := func(row stores.SlotRow, r stores.SlotRequest, _ int64) bool {
		return row.HeldBy(r.Owner, r.Incarnation)
	}
	if s.flaw.own != nil {
		own = s.flaw.own
	}
	if known && own(row, r, now) {
		return last, true
	}
	takeOver := known && row.CanTakeOver(r, now)
	if s.flaw.takeOver != nil {
		takeOver = known && s.flaw.takeOver(row, r, now)
	}
	if takeOver && s.flaw.greedy {
		return last, true
	}
	free := func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
		return row.UsableAt(tolerance) <= now
	}
	if s.flaw.free != nil {
		free = s.flaw.free
	}
	order := inOrder
	if s.flaw.order != nil {
		order = s.flaw.order
	}
	for _, tolerance := range []time.Duration{0, sp.tolerance} {
		if s.flaw.unsorted {
			tolerance = sp.tolerance
		}
		for slot := range order(sp, r) {
			row := sp.rows[slot]
			row.Slot = slot
			if free(row, tolerance, now) {
				return slot, true
			}
		}
	}
	return last, takeOver
}

// inOrder is the right order of trial.
func inOrder(sp *space, r stores.SlotRequest) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		last, known := sp.last[r.Owner]
		if known && sp.rows[last].Owner == r.Owner && !yield(last) {
			return
		}
		if r.Preferred != stores.NoSlot && !yield(r.Preferred) {
			return
		}
		if known && !yield(last) {
			return
		}
		for slot := range sp.limit {
			if !yield(slot) {
				return
			}
		}
	}
}

func (s *slotServer) noneFree(sp *space, r stores.SlotRequest, now int64) error {
	e := &stores.NoFreeSlotError{Namespace: r.Namespace, Limit: sp.limit, UsableAt: math.MaxInt64, StoreNow: now}
	for _, row := range sp.rows {
		if row.Live(now) {
			e.Live++
		} else {
			e.Ahead++
		}
		e.UsableAt = min(e.UsableAt, row.UsableAt(sp.tolerance))
	}
	if s.flaw.none != nil {
		s.flaw.none(e, sp)
	}
	return e
}

func (s *slotServer) renew(
	ctx context.Context, l stores.SlotLease, ttl time.Duration, used int64,
) (stores.SlotLease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp, now := s.spaces[l.Namespace], s.now()
	if sp == nil {
		return stores.SlotLease{}, stores.ErrLeaseLost
	}
	row := sp.rows[l.Slot]
	var err error
	if s.flaw.renew != nil {
		row, err = s.flaw.renew(row, l, ttl, sp.tolerance, used, now)
	} else {
		row, err = row.Renew(l, ttl, sp.tolerance, used, now)
	}
	if err != nil {
		return stores.SlotLease{}, err
	}
	sp.rows[l.Slot] = row
	s.end(ctx, sp, l.Slot)
	return row.Lease(l.Namespace, now), nil
}

func (s *slotServer) release(l stores.SlotLease, used int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp, now := s.spaces[l.Namespace], s.now()
	if sp == nil {
		return stores.ErrLeaseLost
	}
	row := sp.rows[l.Slot]
	var err error
	if s.flaw.release != nil {
		row, err = s.flaw.release(row, l, used, now)
	} else {
		row, err = row.Release(l, used)
	}
	if err == nil {
		sp.rows[l.Slot] = row
	}
	return err
}

// slotClient is a client of slotServer.
type slotClient struct {
	server *slotServer

	mu      sync.Mutex
	started bool
	closed  bool
}

func (c *slotClient) Start(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = true
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.open++
	return nil
}

func (c *slotClient) Close() error {
	if f := c.server.flaw.close; f != nil {
		return f(c)
	}
	c.shut()
	return nil
}

// shut tells whether the client was open, and whether it was the last.
func (c *slotClient) shut() (open, last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	open = c.started && !c.closed
	c.closed = true
	if !open {
		return false, false
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.open--
	return true, c.server.open == 0
}

// ready does what every call does before it is sent.
func (c *slotClient) ready(ctx context.Context) error {
	usable := (*slotClient).isUsable
	if f := c.server.flaw.usable; f != nil {
		usable = func(c *slotClient, ctx context.Context) error { return f(ctx, c) }
	}
	if err := usable(c, ctx); err != nil {
		return err
	}
	if f := c.server.flaw.await; f != nil {
		return f(ctx, c)
	}
	return c.awaitGate(ctx)
}

func (c *slotClient) isUsable(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.started || c.closed {
		return stores.ErrClosed
	}
	return ctx.Err()
}

// awaitGate waits while the server is frozen.
func (c *slotClient) awaitGate(ctx context.Context) error {
	gate := c.server.gate()
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *slotClient) Acquire(ctx context.Context, r stores.SlotRequest) (stores.SlotLease, error) {
	check := stores.CheckSlotRequest
	if f := c.server.flaw.checkRequest; f != nil {
		check = f
	}
	if err := check(r); err != nil {
		return stores.SlotLease{}, err
	}
	if err := c.ready(ctx); err != nil {
		return stores.SlotLease{}, err
	}
	lease, err := c.server.acquire(ctx, c.rename(r))
	return c.answer(ctx, lease, err, r.Namespace, r.Owner, r.Incarnation)
}

func (c *slotClient) Renew(
	ctx context.Context, l stores.SlotLease, ttl time.Duration, used int64,
) (stores.SlotLease, error) {
	check := stores.CheckRenew
	if f := c.server.flaw.checkLease; f != nil {
		check = f
	}
	if err := check(l, ttl, used); err != nil {
		return stores.SlotLease{}, err
	}
	if err := c.ready(ctx); err != nil {
		return stores.SlotLease{}, err
	}
	lease, err := c.server.renew(ctx, c.renameLease(l), ttl, used)
	return c.answer(ctx, lease, err, l.Namespace, l.Owner, l.Incarnation)
}

func (c *slotClient) Release(ctx context.Context, l stores.SlotLease, used int64) error {
	check := func(l stores.SlotLease, _ time.Duration, used int64) error { return stores.CheckRelease(l, used) }
	if f := c.server.flaw.checkLease; f != nil {
		check = f
	}
	if err := check(l, time.Second, used); err != nil {
		return err
	}
	if err := c.ready(ctx); err != nil {
		return err
	}
	return c.server.release(c.renameLease(l), used)
}

func (c *slotClient) rename(r stores.SlotRequest) stores.SlotRequest {
	if f := c.server.flaw.rename; f != nil {
		f(&r)
	}
	return r
}

func (c *slotClient) renameLease(l stores.SlotLease) stores.SlotLease {
	r := c.rename(stores.SlotRequest{Namespace: l.Namespace, Owner: l.Owner, Incarnation: l.Incarnation})
	l.Namespace, l.Owner, l.Incarnation = r.Namespace, r.Owner, r.Incarnation
	return l
}

// answer gives the caller its own names back, as a store does that mistakes them only in its keys.
func (c *slotClient) answer(
	ctx context.Context, l stores.SlotLease, err error, namespace, owner, incarnation string,
) (stores.SlotLease, error) {
	if err != nil {
		return stores.SlotLease{}, err
	}
	if c.server.flaw.ended != nil && ctx.Err() != nil {
		return stores.SlotLease{}, ctx.Err()
	}
	l.Namespace, l.Owner, l.Incarnation = namespace, owner, incarnation
	if f := c.server.flaw.answer; f != nil {
		l = f(l)
	}
	return l, nil
}
