package memstore

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// Server keeps the counters and slots that its clients share, for as long as the process lives. It plays the part that
// a database plays for the other stores. The zero value is an empty server. Safe for concurrent use.
type Server struct {
	// Clock is the store's clock, by which slots are leased; nil = time.Now. It is set before the first call, is
	// called one at a time, and must not call the server.
	Clock func() time.Time

	mu       sync.Mutex
	moved    time.Duration // what MoveClock adds to Clock
	counters map[string]counter
	slots    map[string]slots // by namespace
}

// counter is the state of one key. An absent key has none.
type counter struct {
	next   int64 // the first id that is not reserved
	sealed bool
}

// NewServer returns an empty server whose clock is time.Now.
func NewServer() *Server { return &Server{} }

// Client returns a new client of s. Like every store it must be started, and closing it leaves s as it is.
func (s *Server) Client() *Store { return &Store{server: s} }

// MoveClock steps the store's clock by delta, forward or, if it is negative, back; it runs on from there.
func (s *Server) MoveClock(delta time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved += delta
}

func (s *Server) reserve(key string, size, initialOffset int64) (stores.Range, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, found := s.counters[key]
	if c.sealed {
		return stores.Range{}, stores.ErrRangeSealed
	}
	start := initialOffset
	if found {
		start = c.next
	}
	if start > math.MaxInt64-size {
		return stores.Range{}, fmt.Errorf("%w: %d ids from %d on would pass the largest id",
			stores.ErrRangeExhausted, size, start)
	}
	s.put(key, counter{next: start + size})
	return stores.Range{Start: start, End: start + size}, nil
}

func (s *Server) seal(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counters[key]
	c.sealed = true
	s.put(key, c)
}

// put is under mu.
func (s *Server) put(key string, c counter) {
	if s.counters == nil {
		s.counters = make(map[string]counter)
	}
	s.counters[key] = c
}
