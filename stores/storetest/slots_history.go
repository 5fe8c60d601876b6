package storetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// slotHistory records the windows that were granted in one namespace, and the order of the calls that got them. Safe
// for concurrent use.
type slotHistory struct {
	clock   atomic.Int64 // counts the beginnings and ends of calls
	mu      sync.Mutex
	windows map[tenure]int64 // where each ends
	grants  []slotGrant
}

// tenure is what one holder may use of one slot: grants of the same incarnation with the same floor extend it.
type tenure struct {
	slot, floor int64
	incarnation string
}

type slotGrant struct {
	slot, fence  int64
	began, ended int64 // readings of the clock
}

func (h *slotHistory) acquire(
	ctx context.Context, store SlotStore, request stores.SlotRequest,
) (stores.SlotLease, error) {
	began := h.clock.Add(1)
	lease, err := acquire(ctx, store, request)
	if err != nil {
		return stores.SlotLease{}, err
	}
	ended := h.clock.Add(1)
	h.extend(lease)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grants = append(h.grants, slotGrant{slot: lease.Slot, fence: lease.Fence, began: began, ended: ended})
	return lease, nil
}

func (h *slotHistory) renew(
	ctx context.Context, store SlotStore, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	renewed, err := store.Renew(ctx, lease, ttl, usedThrough)
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("renew %+v: %w", lease, err)
	}
	if renewed.Ceiling < lease.Ceiling || renewed.Floor != lease.Floor || renewed.Fence != lease.Fence {
		return stores.SlotLease{}, fmt.Errorf("renew %+v answered %+v", lease, renewed)
	}
	h.extend(renewed)
	return renewed, nil
}

// release notes that the holder has stopped, and then says so to the store.
func (h *slotHistory) release(ctx context.Context, store SlotStore, lease stores.SlotLease, usedThrough int64) error {
	h.mu.Lock()
	h.windows[tenureOf(lease)] = max(lease.Floor, usedThrough+1)
	h.mu.Unlock()
	if err := store.Release(ctx, lease, usedThrough); err != nil {
		return fmt.Errorf("release %+v: %w", lease, err)
	}
	return nil
}

func (h *slotHistory) extend(lease stores.SlotLease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.windows == nil {
		h.windows = make(map[tenure]int64)
	}
	of := tenureOf(lease)
	h.windows[of] = max(h.windows[of], lease.Ceiling)
}

func tenureOf(lease stores.SlotLease) tenure {
	return tenure{slot: lease.Slot, floor: lease.Floor, incarnation: lease.Incarnation}
}

// check demands what L1 and L2 say of all that was recorded.
func (h *slotHistory) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.checkWindows(); err != nil {
		return err
	}
	return h.checkFences()
}

func (h *slotHistory) checkWindows() error {
	tenures := slices.SortedFunc(maps.Keys(h.windows), func(a, b tenure) int {
		return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.floor, b.floor), cmp.Compare(h.windows[a], h.windows[b]))
	})
	for i := 1; i < len(tenures); i++ {
		a, b := tenures[i-1], tenures[i]
		if a.slot == b.slot && b.floor < h.windows[a] {
			return fmt.Errorf("slot %d: the windows [%d, %d) of %s and [%d, %d) of %s overlap",
				a.slot, a.floor, h.windows[a], a.incarnation, b.floor, h.windows[b], b.incarnation)
		}
	}
	return nil
}

func (h *slotHistory) checkFences() error {
	byFence := slices.SortedFunc(slices.Values(h.grants), func(a, b slotGrant) int {
		return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.fence, b.fence))
	})
	var latest slotGrant // of the slot and below the fence, the one that began last
	for i, g := range byFence {
		switch {
		case i == 0 || g.slot != latest.slot:
			latest = g
		case g.fence == byFence[i-1].fence:
			return fmt.Errorf("slot %d: two grants have fence %d", g.slot, g.fence)
		case g.ended < latest.began:
			return fmt.Errorf("slot %d: fence %d was granted after fence %d", g.slot, latest.fence, g.fence)
		case g.began > latest.began:
			latest = g
		}
	}
	return nil
}
