package snowflake

import (
	"sync"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
)

// holders are those of one assembly: one for each store and namespace, or state file.
type holders struct {
	mu    sync.Mutex
	byKey map[holderKey]*holder
	bits  map[bitsKey]slotBits
}

// holderKey says what generators that share a slot have in common.
type holderKey struct {
	store     stores.SlotLeaseStore // nil for a local slot
	namespace string
	file      string // of a local slot
	slot      int64  // of a local slot
}

// bitsKey names generators whose slots have the same width.
type bitsKey struct {
	holder   *holder
	strategy string
}

type slotBits struct {
	width     int
	generator string // the first that has it
}

// find returns the holder for key. If there is none yet, it makes one on the terms given.
func (hs *holders) find(key holderKey, t terms) *holder {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h := hs.byKey[key]
	if h == nil {
		h = newHolder(t)
		if hs.byKey == nil {
			hs.byKey, hs.bits = make(map[holderKey]*holder), make(map[bitsKey]slotBits)
		}
		hs.byKey[key] = h
	}
	return h
}

// agree refuses a generator whose slots are wider or narrower than those of another one with the same lease: one of the
// two was meant otherwise.
func (hs *holders) agree(h *holder, strategy, generator string, width int) error {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	key := bitsKey{h, strategy}
	other, found := hs.bits[key]
	if !found {
		hs.bits[key] = slotBits{width, generator}
		return nil
	}
	if other.width != width {
		return field.Errorf("bits.slot", "the same for all generators of one namespace",
			"%d bits of slot differ from the %d of generator %q, which shares the slot", width, other.width, other.generator)
	}
	return nil
}
