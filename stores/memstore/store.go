package memstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cosid-go/cosid/stores"
)

// Store is one client of a Server: a RangeStore, a Sealer and a SlotLeaseStore, safe for concurrent use. Several
// clients of one server count as one store.
type Store struct {
	server *Server
	state  atomic.Int32
}

// The states of a Store. Each leads only to a later one.
const (
	built int32 = iota
	started
	closed
)

var (
	_ stores.Store          = (*Store)(nil)
	_ stores.RangeStore     = (*Store)(nil)
	_ stores.Sealer         = (*Store)(nil)
	_ stores.SlotLeaseStore = (*Store)(nil)
)

// New returns a client of a server of its own. It must be started before use.
func New() *Store { return NewServer().Client() }

// Start makes the store usable. A store starts once: a second Start is an error, and after Close ErrClosed.
func (s *Store) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("memstore: start: %w", err)
	}
	switch {
	case s.state.CompareAndSwap(built, started):
		return nil
	case s.state.Load() == closed:
		return fmt.Errorf("memstore: start: %w", stores.ErrClosed)
	default:
		return errors.New("memstore: start: the store is already started")
	}
}

// Close ends the client; the server and its other clients go on. It is safe before Start and more than once.
func (s *Store) Close() error {
	s.state.Store(closed)
	return nil
}

// Reserve implements stores.RangeStore. It never waits, so its outcome is always known.
func (s *Store) Reserve(ctx context.Context, key string, size, initialOffset int64) (stores.Range, error) {
	if err := stores.CheckReserve(key, size, initialOffset); err != nil {
		return stores.Range{}, fmt.Errorf("memstore: reserve %q: %w", key, err)
	}
	if err := s.usable(ctx); err != nil {
		return stores.Range{}, fmt.Errorf("memstore: reserve %q: %w", key, err)
	}
	r, err := s.server.reserve(key, size, initialOffset)
	if err != nil {
		return stores.Range{}, fmt.Errorf("memstore: reserve %q: %w", key, err)
	}
	return r, nil
}

// Seal implements stores.Sealer.
func (s *Store) Seal(ctx context.Context, key string) (bool, error) {
	if err := stores.CheckKey(key); err != nil {
		return false, fmt.Errorf("memstore: seal %q: %w", key, err)
	}
	if err := s.usable(ctx); err != nil {
		return false, fmt.Errorf("memstore: seal %q: %w", key, err)
	}
	s.server.seal(key)
	return true, nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.state.Load() != started {
		return stores.ErrClosed
	}
	return ctx.Err()
}
