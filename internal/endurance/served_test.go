package endurance_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// served is a store of slot leases that the test itself serves to its workers: what real servers never do is done here,
// and it can be broken on purpose.
type served struct {
	bend   func(*stores.SlotRow)   // changes a row before it is granted; nil = right
	answer func(*stores.SlotLease) // changes an answer; nil = right

	addr string
	gate sync.RWMutex // held while it is frozen

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]struct{}
	running  sync.WaitGroup
	rows     []stores.SlotRow
	moved    time.Duration
	terms    stores.SlotRequest
}

// Reply is an answer together with the errors that a worker tells apart.
type Reply struct {
	Lease  stores.SlotLease
	None   *stores.NoFreeSlotError
	Lost   bool
	Reason string
}

// Change asks for a renewal or a release.
type Change struct {
	Lease       stores.SlotLease
	TTL         time.Duration
	UsedThrough int64
}

// Slots is what it serves by net/rpc.
type Slots struct{ served *served }

// Acquire grants the slot that is the holder's own, else the first that is ready, else the first that is usable.
func (s *Slots) Acquire(request stores.SlotRequest, out *Reply) error {
	return s.served.serve(out, func(now int64) (stores.SlotRow, error) { return s.served.choose(request, now) },
		func(row stores.SlotRow, now int64) (stores.SlotRow, error) {
			if s.served.bend != nil {
				s.served.bend(&row)
			}
			return row.Acquire(request, now), nil
		})
}

// Renew extends a lease.
func (s *Slots) Renew(c Change, out *Reply) error {
	return s.served.serve(out, s.served.rowOf(c), func(row stores.SlotRow, now int64) (stores.SlotRow, error) {
		return row.Renew(c.Lease, c.TTL, s.served.terms.Tolerance, c.UsedThrough, now)
	})
}

// Release frees a slot.
func (s *Slots) Release(c Change, out *Reply) error {
	return s.served.serve(out, s.served.rowOf(c), func(row stores.SlotRow, _ int64) (stores.SlotRow, error) {
		return row.Release(c.Lease, c.UsedThrough)
	})
}

func (s *served) serve(
	out *Reply, find func(now int64) (stores.SlotRow, error), change func(stores.SlotRow, int64) (stores.SlotRow, error),
) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now().Add(s.moved).UnixMilli()
	row, err := find(now)
	if err == nil {
		row, err = change(row, now)
	}
	switch {
	case errors.As(err, &out.None):
	case errors.Is(err, stores.ErrLeaseLost):
		out.Lost, out.Reason = true, err.Error()
	case err != nil:
		out.Reason = err.Error()
	default:
		s.rows[row.Slot] = row
		out.Lease = row.Lease(s.terms.Namespace, now)
		if s.answer != nil {
			s.answer(&out.Lease)
		}
	}
	return nil
}

func (s *served) rowOf(c Change) func(int64) (stores.SlotRow, error) {
	return func(int64) (stores.SlotRow, error) {
		if c.Lease.Slot >= int64(len(s.rows)) {
			return stores.SlotRow{}, fmt.Errorf("%w: no slot %d", stores.ErrLeaseLost, c.Lease.Slot)
		}
		return s.rows[c.Lease.Slot], nil
	}
}

func (s *served) choose(request stores.SlotRequest, now int64) (stores.SlotRow, error) {
	for i := int64(len(s.rows)); i < request.Limit; i++ {
		s.terms = request
		s.rows = append(s.rows, stores.SlotRow{Slot: i})
	}
	for _, fits := range []func(stores.SlotRow) bool{
		func(r stores.SlotRow) bool { return r.HeldBy(request.Owner, request.Incarnation) },
		func(r stores.SlotRow) bool { return r.UsableAt(0) <= now },
		func(r stores.SlotRow) bool { return r.UsableAt(request.Tolerance) <= now },
		func(r stores.SlotRow) bool { return r.CanTakeOver(request, now) },
	} {
		for _, row := range s.rows {
			if fits(row) {
				return row, nil
			}
		}
	}
	return stores.SlotRow{}, &stores.NoFreeSlotError{Namespace: request.Namespace, Limit: request.Limit, StoreNow: now}
}

// forget loses every row, as a server does that had not written them.
func (s *served) forget() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = nil
	return nil
}

func (s *served) moveClock(by time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved += by
	return nil
}

// Start serves, at the same address as before.
func (s *served) Start() error {
	if s.addr == "" {
		s.addr = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	server := rpc.NewServer()
	if err := server.Register(&Slots{s}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addr, s.listener, s.conns = listener.Addr().String(), listener, make(map[net.Conn]struct{})
	s.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[conn] = struct{}{}
			s.mu.Unlock()
			s.running.Go(func() { server.ServeConn(conn) })
		}
	})
	return nil
}

// Kill ends all connections, whatever was asked on them; the rows stay.
func (s *served) Kill() {
	s.mu.Lock()
	if s.listener != nil {
		s.listener.Close()
		for conn := range s.conns {
			conn.Close()
		}
		s.listener = nil
	}
	s.mu.Unlock()
	s.running.Wait()
}

// Freeze lets every call wait until Thaw.
func (s *served) Freeze() error {
	s.gate.Lock()
	return nil
}

// Thaw ends Freeze.
func (s *served) Thaw() error {
	s.gate.Unlock()
	return nil
}

// servedFactory makes `type: served` known to the workers.
type servedFactory struct{}

type servedOptions struct {
	Addr string `koanf:"addr"`
}

func (servedFactory) Type() string { return "served" }

func (servedFactory) NewOptions() any { return &servedOptions{} }

func (servedFactory) Build(_ stores.Spec, options any) (stores.Store, error) {
	return &servedClient{addr: options.(*servedOptions).Addr}, nil
}

// servedClient is a client of served.
type servedClient struct {
	addr string

	mu     sync.Mutex
	client *rpc.Client
}

func (c *servedClient) Start(context.Context) error {
	_, err := c.dial()
	return err
}

func (c *servedClient) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		c.client.Close()
		c.client = nil
	}
	return nil
}

func (c *servedClient) dial() (*rpc.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		client, err := rpc.Dial("tcp", c.addr)
		if err != nil {
			return nil, err
		}
		c.client = client
	}
	return c.client, nil
}

func (c *servedClient) call(ctx context.Context, method string, args any) (stores.SlotLease, error) {
	client, err := c.dial()
	if err != nil {
		return stores.SlotLease{}, err
	}
	answer := &Reply{}
	call := client.Go("Slots."+method, args, answer, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
	case <-ctx.Done():
		return stores.SlotLease{}, fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, ctx.Err())
	}
	switch {
	case call.Error != nil:
		c.Close()
		return stores.SlotLease{}, fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, call.Error)
	case answer.None != nil:
		return stores.SlotLease{}, answer.None
	case answer.Lost:
		return stores.SlotLease{}, fmt.Errorf("%w: %s", stores.ErrLeaseLost, answer.Reason)
	case answer.Reason != "":
		return stores.SlotLease{}, errors.New(answer.Reason)
	}
	return answer.Lease, nil
}

func (c *servedClient) Acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	return c.call(ctx, "Acquire", request)
}

func (c *servedClient) Renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	return c.call(ctx, "Renew", Change{lease, ttl, usedThrough})
}

func (c *servedClient) Release(ctx context.Context, lease stores.SlotLease, usedThrough int64) error {
	_, err := c.call(ctx, "Release", Change{lease, 0, usedThrough})
	return err
}
