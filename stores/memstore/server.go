package memstore

import (
	"fmt"
	"math"
	"sync"

	"github.com/cosid-go/cosid/stores"
)

// Server keeps the counters that its clients share, for as long as the process lives. It plays the part that a
// database plays for the other stores. The zero value is a server without counters. Safe for concurrent use.
type Server struct {
	mu       sync.Mutex
	counters map[string]counter
}

// counter is the state of one key. An absent key has none.
type counter struct {
	next   int64 // the first id that is not reserved
	sealed bool
}

// NewServer returns a server without counters.
func NewServer() *Server { return &Server{} }

// Client returns a new client of s. Like every store it must be started, and closing it leaves s as it is.
func (s *Server) Client() *Store { return &Store{server: s} }

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
