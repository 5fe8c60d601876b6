package segment_test

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
)

// idsEach is how many ids each goroutine of the stress tests draws. COSID_STRESS_IDS=1000000 is the full load.
func idsEach(t *testing.T) int {
	t.Helper()
	text := os.Getenv("COSID_STRESS_IDS")
	if text == "" {
		return 10_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("COSID_STRESS_IDS: %v", err)
	}
	return n
}

// Sixty-four goroutines draw from one generator, or from two instances over one store, by ones and by batches, with and
// without range-ttl, and with Close in the middle: ids are distinct, and increase for each goroutine.
func TestIdsStayDistinctAndIncreasingUnderLoad(t *testing.T) {
	const callers = 64
	for _, c := range []struct {
		name   string
		edit   func(*segment.Policy)
		batch  int
		closed bool // half-way
	}{
		{"by ones", nil, 1, false},
		{"small steps", func(p *segment.Policy) { p.Step, p.MaxBatch = 10, 50 }, 1, false},
		{"by sevens", func(p *segment.Policy) { p.Step, p.MaxBatch = 10, 500 }, 7, false},
		{"range-ttl", func(p *segment.Policy) { p.RangeTTL, p.MaxBatch = time.Millisecond, 2000 }, 1, false},
		{"range-ttl, by sevens, closed", func(p *segment.Policy) { p.RangeTTL, p.MaxBatch = time.Millisecond, 2000 }, 7, true},
		{"closed", nil, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := newStore(t)
			p := policy(c.edit)
			p.ReserveTimeout = time.Minute // with batches smaller than the number of callers somebody may be unlucky for long
			first, second := newGenerator(t, store, p, segment.Options{}), newGenerator(t, store, p, segment.Options{})
			each := idsEach(t)
			ids := make([][]int64, callers)
			halfWay := make(chan struct{})
			var once sync.Once
			var running sync.WaitGroup
			for i := range callers {
				running.Go(func() {
					g := first
					if i%4 == 0 {
						g = second
					}
					own := make([]int64, 0, each+c.batch)
					batch := make([]int64, c.batch)
					for len(own) < each {
						n, err := g.Fill(t.Context(), batch)
						own = append(own, batch[:n]...)
						if c.closed && errors.Is(err, generators.ErrClosed) {
							break
						}
						if err != nil {
							t.Error(err)
							break
						}
						if len(own) >= each/2 {
							once.Do(func() { close(halfWay) })
						}
					}
					ids[i] = own
				})
			}
			<-halfWay
			if c.closed {
				mustClose(t, first)
			}
			running.Wait()
			checkIncreasingAndDistinct(t, ids, -1)
			mustClose(t, first)
			mustClose(t, second)
			drawn := int64(0)
			for _, own := range ids {
				drawn += int64(len(own))
			}
			if issued := first.Stats().Issued + second.Stats().Issued; issued != drawn {
				t.Errorf("%d ids were drawn, but the accounts say %d", drawn, issued)
			}
		})
	}
}
