package storetest_test

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

// server is a store's server in a few plain lines, every step of which a flaw can replace.
type server struct {
	flaw flaw

	mu     sync.Mutex
	rows   map[string]row
	frozen chan struct{} // closed to thaw; nil while the server answers
	open   int           // clients
}

type row struct {
	exists bool
	next   int64
	sealed bool
}

// flaw is how a store is broken. Nil steps are the right ones.
type flaw struct {
	start   func(c *client) error
	close   func(c *client) error
	usable  func(ctx context.Context, c *client) error
	check   func(key string, size, offset int64) error
	await   func(ctx context.Context, c *client) error
	rename  func(key string) string
	reserve func(ctx context.Context, c *client, key string, size, offset int64) (stores.Range, error)
	answer  func(c *client, key string, r stores.Range) stores.Range
	seal    func(ctx context.Context, c *client, key string) (bool, error)
	restart func(s *server)
}

func newServer(f flaw) *server { return &server{flaw: f, rows: make(map[string]row)} }

func (s *server) harness() storetest.Harness {
	return storetest.Harness{
		New: func() (storetest.Store, error) { return &client{server: s, memory: make(map[string]int64)}, nil },
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

func (s *server) gate() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frozen
}

func (s *server) get(key string) row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[key]
}

func (s *server) put(key string, r row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[key] = r
}

// reserve is the right step; the caller holds no lock.
func (s *server) reserve(key string, size, offset int64) (stores.Range, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.rows[key]
	r, after, err := advance(before, size, offset)
	if err == nil {
		s.rows[key] = after
	}
	return r, err
}

func advance(before row, size, offset int64) (stores.Range, row, error) {
	start := offset
	if before.exists {
		start = before.next
	}
	switch {
	case before.sealed:
		return stores.Range{}, before, stores.ErrRangeSealed
	case start > math.MaxInt64-size:
		return stores.Range{}, before, stores.ErrRangeExhausted
	}
	return stores.Range{Start: start, End: start + size}, row{exists: true, next: start + size}, nil
}

// client is a client of server.
type client struct {
	server *server

	mu      sync.Mutex
	started bool
	closed  bool
	memory  map[string]int64 // what a flawed client remembers
}

func (c *client) Start(context.Context) error {
	if f := c.server.flaw.start; f != nil {
		return f(c)
	}
	c.mu.Lock()
	c.started = true
	c.mu.Unlock()
	c.server.mu.Lock()
	c.server.open++
	c.server.mu.Unlock()
	return nil
}

func (c *client) Close() error {
	if f := c.server.flaw.close; f != nil {
		return f(c)
	}
	c.shut()
	return nil
}

// shut tells whether this was the last open client.
func (c *client) shut() (last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.closed
	c.closed = true
	if !c.started || !first {
		return false
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.open--
	return c.server.open == 0
}

func (c *client) usable(ctx context.Context) error {
	if f := c.server.flaw.usable; f != nil {
		return f(ctx, c)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.started || c.closed {
		return stores.ErrClosed
	}
	return ctx.Err()
}

func (c *client) await(ctx context.Context) error {
	if f := c.server.flaw.await; f != nil {
		return f(ctx, c)
	}
	return c.awaitGate(ctx)
}

// awaitGate waits while the server is frozen.
func (c *client) awaitGate(ctx context.Context) error {
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

func (c *client) Reserve(ctx context.Context, key string, size, offset int64) (stores.Range, error) {
	check := stores.CheckReserve
	if f := c.server.flaw.check; f != nil {
		check = f
	}
	if err := check(key, size, offset); err != nil {
		return stores.Range{}, err
	}
	if err := c.usable(ctx); err != nil {
		return stores.Range{}, err
	}
	if err := c.await(ctx); err != nil {
		return stores.Range{}, err
	}
	key = c.name(key)
	var r stores.Range
	var err error
	if f := c.server.flaw.reserve; f != nil {
		r, err = f(ctx, c, key, size, offset)
	} else {
		r, err = c.server.reserve(key, size, offset)
	}
	if f := c.server.flaw.answer; f != nil && err == nil {
		r = f(c, key, r)
	}
	return r, err
}

func (c *client) Seal(ctx context.Context, key string) (bool, error) {
	if err := stores.CheckKey(key); err != nil {
		return false, err
	}
	if err := c.usable(ctx); err != nil {
		return false, err
	}
	if err := c.await(ctx); err != nil {
		return false, err
	}
	key = c.name(key)
	if f := c.server.flaw.seal; f != nil {
		return f(ctx, c, key)
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	r := c.server.rows[key]
	r.sealed = true
	c.server.rows[key] = r
	return true, nil
}

func (c *client) name(key string) string {
	if f := c.server.flaw.rename; f != nil {
		return f(key)
	}
	return key
}

// recall returns what the client remembers of name and remembers value from now on.
func (c *client) recall(name string, value int64) (remembered int64, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	remembered, found = c.memory[name]
	c.memory[name] = value
	return remembered, found
}

// pause lets the others go first, as a round trip does. Tests run in a synctest bubble, where it costs no time.
func pause() { time.Sleep(time.Millisecond) }
