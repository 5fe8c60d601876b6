package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cosid-go/cosid/stores"
)

// history records the ranges of one key and the order of the calls that got them. Safe for concurrent use.
type history struct {
	clock  atomic.Int64 // counts the beginnings and ends of calls
	mu     sync.Mutex
	grants []grant
}

type grant struct {
	stores.Range
	began, ended int64 // readings of the clock
}

// reserve reserves and records the range.
func (h *history) reserve(ctx context.Context, store Store, key string, size, offset int64) (grant, error) {
	began := h.clock.Add(1)
	r, err := reserve(ctx, store, key, size, offset)
	if err != nil {
		return grant{}, err
	}
	g := grant{Range: r, began: began, ended: h.clock.Add(1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grants = append(h.grants, g)
	return g, nil
}

// check demands what S1 says of all recorded ranges: none overlaps another, and one whose reserve began after
// another's had completed lies above it.
func (h *history) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(checkDisjoint(h.grants), checkIncreasing(h.grants))
}

func checkDisjoint(grants []grant) error {
	byStart := slices.SortedFunc(slices.Values(grants), func(a, b grant) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(byStart); i++ {
		if a, b := byStart[i-1].Range, byStart[i].Range; b.Start < a.End {
			return fmt.Errorf("%v and %v overlap", a, b)
		}
	}
	return nil
}

func checkIncreasing(grants []grant) error {
	byEnd := slices.SortedFunc(slices.Values(grants), func(a, b grant) int { return cmp.Compare(a.ended, b.ended) })
	byBegin := slices.SortedFunc(slices.Values(grants), func(a, b grant) int { return cmp.Compare(a.began, b.began) })
	var highest stores.Range // of those that had completed before
	completed := 0
	for _, g := range byBegin {
		for ; completed < len(byEnd) && byEnd[completed].ended < g.began; completed++ {
			if done := byEnd[completed].Range; done.End > highest.End {
				highest = done
			}
		}
		if g.Start < highest.End {
			return fmt.Errorf("%v was reserved after %v but does not lie above it", g.Range, highest)
		}
	}
	return nil
}
