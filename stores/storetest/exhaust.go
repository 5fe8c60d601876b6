package storetest

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/cosid-go/cosid/stores"
)

// The checks of S5. The largest id is MaxInt64-1, so that the End of a range is always an int64.

func exactEnd(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key, whole := t.key("bill"), t.key("whole")
	const start = math.MaxInt64 - 10
	return errors.Join(
		t.expect(clients[0], key, 7, start, start),
		t.refused(clients[1], key, 4, start, stores.ErrRangeExhausted),
		t.expect(clients[1], key, 3, start, start+7),
		t.refused(clients[0], key, 1, start, stores.ErrRangeExhausted),
		t.refused(clients[0], key, math.MaxInt64, start, stores.ErrRangeExhausted),
		t.refused(clients[1], key, 1, 0, stores.ErrRangeExhausted),

		// One range can hold all the ids there are.
		t.expect(clients[0], whole, math.MaxInt64, 0, 0),
		t.refused(clients[1], whole, 1, 0, stores.ErrRangeExhausted),
	)
}

func refusalChangesNothing(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key := t.key("bill")
	const start = math.MaxInt64 - 1000
	if err := t.expect(clients[0], key, 1, start, start); err != nil {
		return err
	}
	for i, size := range []int64{1000, 1001, 1 << 62, math.MaxInt64, 1000, 5000} {
		if err := t.refused(clients[i%2], key, size, 1, stores.ErrRangeExhausted); err != nil {
			return err
		}
	}
	return errors.Join(
		t.expect(clients[0], key, 1, 1, start+1),
		t.refused(clients[1], key, 999, 1, stores.ErrRangeExhausted),
		t.expect(clients[1], key, 998, 1, start+2),
	)
}

func refusalCreatesNothing(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key, huge := t.key("bill"), t.key("huge")
	return errors.Join(
		t.refused(clients[0], key, 10, math.MaxInt64-9, stores.ErrRangeExhausted),
		t.refused(clients[1], key, 1, math.MaxInt64, stores.ErrRangeExhausted),
		t.expect(clients[1], key, 10, 7, 7),
		t.expect(clients[0], key, 10, 7, 17),

		t.refused(clients[0], huge, math.MaxInt64, 1, stores.ErrRangeExhausted),
		t.expect(clients[1], huge, 10, 0, 0),
	)
}

func storedValueCounts(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	key, full := t.key("bill"), t.key("full")
	const start = math.MaxInt64 - 20
	return errors.Join(
		t.expect(clients[0], key, 10, 1, 1),
		t.expect(clients[0], key, 10, math.MaxInt64, 11),
		t.expect(clients[1], key, 10, math.MaxInt64-5, 21),
		t.expect(clients[1], key, 10, math.MaxInt64-10, 31),

		// Its limit holds with such an offset too.
		t.expect(clients[0], full, 10, start, start),
		t.refused(clients[0], full, 11, math.MaxInt64, stores.ErrRangeExhausted),
		t.expect(clients[1], full, 10, math.MaxInt64, start+10),
		t.refused(clients[1], full, 1, math.MaxInt64, stores.ErrRangeExhausted),
	)
}

func noFalseExhaustion(t *trial) error {
	const callers, left = 8, 60
	clients, err := t.openMany(4)
	if err != nil {
		return err
	}
	key := t.key("bill")
	var h history
	var taken atomic.Int64
	err = parallel(callers, func(caller int) error {
		for taken.Load() <= left {
			_, err := h.reserve(t.ctx, clients[caller%len(clients)], key, 1, math.MaxInt64-left)
			if errors.Is(err, stores.ErrRangeExhausted) {
				return nil
			}
			if err != nil {
				return err
			}
			taken.Add(1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if taken.Load() != left {
		return fmt.Errorf("of the last %d ids %d were taken until all callers had been told exhausted", left, taken.Load())
	}
	if err := h.check(); err != nil {
		return err
	}
	return t.creationIsNeverExhausted(clients)
}

// creationIsNeverExhausted races first reserves that fit with first reserves that do not: whoever creates the key,
// those that fit succeed.
func (t *trial) creationIsNeverExhausted(clients []Store) error {
	const callers, rounds = 8, 15
	for round := range rounds {
		key := t.key(fmt.Sprintf("new-%d", round))
		err := parallel(callers, func(caller int) error {
			client := clients[caller%len(clients)]
			if caller%2 == 0 {
				_, err := t.reserve(client, key, 1, 1)
				return err
			}
			// Refused as a first reserve, granted once the key exists.
			if _, err := t.reserve(client, key, 1, math.MaxInt64); !errors.Is(err, stores.ErrRangeExhausted) {
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
