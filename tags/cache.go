package tags

import (
	"math/bits"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// planCache keeps the plan of each type that was seen, nil where nothing is tagged. Types are added rarely and looked
// up by every fill: whoever adds publishes a new table, and a look-up takes no lock.
type planCache struct {
	mu    sync.Mutex // of those who add
	plans atomic.Pointer[planTable]
}

func (c *planCache) load(t reflect.Type) (*plan, bool) {
	plans := c.plans.Load()
	if plans == nil {
		return nil, false
	}
	s := plans.slot(descriptor(t))
	return s.plan, s.descriptor != 0
}

// add keeps the plans of types that have none yet.
func (c *planCache) add(made map[reflect.Type]*plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var known []planSlot
	if plans := c.plans.Load(); plans != nil {
		known = slices.DeleteFunc(slices.Clone(plans.slots), func(s planSlot) bool { return s.descriptor == 0 })
	}
	all := newPlanTable(len(known) + len(made))
	for _, s := range known {
		*all.slot(s.descriptor) = s
	}
	for t, p := range made {
		if s := all.slot(descriptor(t)); s.descriptor == 0 {
			*s = planSlot{descriptor(t), p.orNil()}
		}
	}
	c.plans.Store(all)
}

// planTable is a hash table with open addressing, which always has empty slots. It answers in a third of the time of
// a map. A published table never changes.
type planTable struct {
	slots []planSlot // a power of two of them
	shift int
}

// planSlot is empty where descriptor is 0.
type planSlot struct {
	descriptor uintptr
	plan       *plan
}

// descriptor is the address of the type's descriptor, which neither moves nor goes away.
func descriptor(t reflect.Type) uintptr { return reflect.ValueOf(t).Pointer() }

// newPlanTable makes a table for so many types.
func newPlanTable(types int) *planTable {
	size := bits.Len(uint(2 * types)) // at least half of the slots stay empty
	return &planTable{slots: make([]planSlot, 1<<size), shift: 64 - size}
}

// slot is the slot of a descriptor, or the empty one where it belongs.
func (t *planTable) slot(descriptor uintptr) *planSlot {
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio spreads addresses, which have much in common
	for i := uint64(descriptor) * golden >> t.shift; ; i++ {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		if s.descriptor == descriptor || s.descriptor == 0 {
			return s
		}
	}
}
