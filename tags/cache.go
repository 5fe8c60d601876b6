package tags

import (
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
)

// planCache keeps the plan of each type that was seen, nil where nothing is tagged. Every fill reads it, and there
// are few types: a map that is copied when it grows, keyed by the address of the type's descriptor (which neither
// moves nor goes away), answers in half the time of a sync.Map.
type planCache struct {
	mu    sync.Mutex // of those who add
	plans atomic.Pointer[map[uintptr]*plan]
}

func descriptor(t reflect.Type) uintptr { return reflect.ValueOf(t).Pointer() }

func (c *planCache) load(t reflect.Type) (*plan, bool) {
	plans := c.plans.Load()
	if plans == nil {
		return nil, false
	}
	p, ok := (*plans)[descriptor(t)]
	return p, ok
}

// add keeps the plans of types that have none yet.
func (c *planCache) add(made map[reflect.Type]*plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[uintptr]*plan{}
	if plans := c.plans.Load(); plans != nil {
		all = maps.Clone(*plans)
	}
	for t, p := range made {
		if _, ok := all[descriptor(t)]; !ok {
			all[descriptor(t)] = p.orNil()
		}
	}
	c.plans.Store(&all)
}
