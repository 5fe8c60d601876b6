package segment

import (
	"math"
	"sync"
	"testing"
)

// However much is asked of a span, its count does not come near an overflow.
func TestTakingMoreThanThereIsAddsNoMoreThanTheSize(t *testing.T) {
	s := &span{size: 10}
	if first, got := s.take(math.MaxInt64); first != 0 || got != 10 {
		t.Errorf("took %d from %d on, want 10 from 0", got, first)
	}
	for range 3 {
		if _, got := s.take(math.MaxInt64); got != 0 {
			t.Errorf("took %d from an exhausted span", got)
		}
	}
	if taken := s.taken.Load(); taken != 10 {
		t.Errorf("the count is %d, want 10", taken)
	}
}

func TestAClosedSpanGivesNothingAndKnowsWhatItGave(t *testing.T) {
	s := &span{size: 10}
	s.take(3)
	if taken := s.close(); taken != 3 {
		t.Errorf("closed after %d ids, want 3", taken)
	}
	if _, got := s.take(1); got != 0 || s.taken.Add(1)-1 < s.size {
		t.Error("a closed span gave an id")
	}
}

// Takers at the same time share what there is, exactly.
func TestTakersAtTheSameTimeShareASpan(t *testing.T) {
	for range 20_000 {
		s := &span{size: 10}
		var got [2]int64
		var takers sync.WaitGroup
		start := make(chan struct{})
		for i := range got {
			takers.Go(func() {
				<-start
				for range 3 {
					_, n := s.take(7)
					if n < 0 {
						t.Errorf("took %d ids", n)
					}
					got[i] += n
				}
			})
		}
		close(start)
		takers.Wait()
		if got[0]+got[1] != 10 {
			t.Fatalf("took %v, want 10 in all", got)
		}
	}
}
