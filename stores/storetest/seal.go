package storetest

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/cosid-go/cosid/stores"
)

// The checks of S6.

func staysSealed(t *trial) error {
	clients, err := t.openMany(3)
	if err != nil {
		return err
	}
	key := t.key("bill")
	for _, client := range clients {
		if _, err := t.reserve(client, key, 10, 1); err != nil {
			return err
		}
	}
	if err := t.seal(clients[0], key); err != nil {
		return err
	}
	return t.refusedForGood(clients, key)
}

// refusedForGood tries whatever might bring a sealed key back.
func (t *trial) refusedForGood(clients []Store, key string) error {
	late, err := t.open()
	if err != nil {
		return err
	}
	for _, client := range append(clients, late) {
		for _, try := range []struct{ size, offset int64 }{{10, 1}, {1, 0}, {1, 1 << 40}, {1 << 40, 1}, {1, math.MaxInt64}} {
			if err := t.refused(client, key, try.size, try.offset, stores.ErrRangeSealed); err != nil {
				return err
			}
		}
	}
	return nil
}

func sealTwice(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key := t.key("bill")
	if err := t.expect(clients[0], key, 10, 1, 1); err != nil {
		return err
	}
	for i := range 4 {
		if err := t.seal(clients[i%2], key); err != nil {
			return fmt.Errorf("time %d: %w", i+1, err)
		}
		if err := t.refused(clients[0], key, 1, 1, stores.ErrRangeSealed); err != nil {
			return fmt.Errorf("after sealing %d times: %w", i+1, err)
		}
	}
	return nil
}

func sealUnknownKey(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key := t.key("bill")
	if err := t.seal(clients[0], key); err != nil {
		return err
	}
	return t.refusedForGood(clients, key)
}

func sealOneKeyOnly(t *trial) error {
	client, err := t.open()
	if err != nil {
		return err
	}
	keys := t.similarKeys()
	for _, sealed := range keys[:2] {
		if err := t.seal(client, sealed); err != nil {
			return err
		}
	}
	for _, other := range keys[2:] {
		if _, err := t.reserve(client, other, 1, 1); err != nil {
			return fmt.Errorf("after %q and %q were sealed: %w", keys[0], keys[1], err)
		}
	}
	return nil
}

func sealUnderConcurrency(t *trial) error {
	const rounds = 15
	clients, err := t.openMany(4)
	if err != nil {
		return err
	}
	for round := range rounds {
		key := t.key(fmt.Sprintf("bill-%d", round))
		if round%2 == 0 { // otherwise the race is about creating the key too
			if _, err := t.reserve(clients[0], key, 1, 1); err != nil {
				return err
			}
		}
		if err := t.raceWithSeal(clients, key); err != nil {
			return err
		}
	}
	return nil
}

// raceWithSeal reserves from all clients until they are refused, while the last one seals.
func (t *trial) raceWithSeal(clients []Store, key string) error {
	var h history
	var sealed atomic.Int64 // when Seal had returned; 0 before
	err := parallel(len(clients), func(caller int) error {
		if caller == len(clients)-1 {
			err := t.seal(clients[caller], key)
			sealed.Store(h.clock.Add(1))
			return err
		}
		for {
			g, err := h.reserve(t.ctx, clients[caller], key, 1, 1)
			if errors.Is(err, stores.ErrRangeSealed) {
				return nil
			}
			if err != nil {
				return err
			}
			if returned := sealed.Load(); returned != 0 && returned < g.began {
				return fmt.Errorf("%v was reserved after %s had been sealed", g.Range, key)
			}
		}
	})
	if err != nil {
		return err
	}
	if err := h.check(); err != nil {
		return err
	}
	for _, client := range clients {
		if err := t.refused(client, key, 1, 1, stores.ErrRangeSealed); err != nil {
			return fmt.Errorf("after a race of reserves with the seal: %w", err)
		}
	}
	return nil
}
