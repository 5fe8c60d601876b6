package storetest

import (
	"errors"
	"fmt"
	"math"
)

// The checks of S2, and of exact values.

func firstAtInitialOffset(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	for _, offset := range []int64{0, 1, 2, 1000, 1 << 40} {
		key := t.key(fmt.Sprintf("from-%d", offset))
		err := errors.Join(
			t.expect(clients[0], key, 5, offset, offset),
			t.expect(clients[0], key, 5, offset, offset+5),
			t.expect(clients[1], key, 5, offset, offset+10),
			t.expect(clients[1], key, 1, 0, offset+15), // by now the stored value counts
		)
		if err != nil {
			return fmt.Errorf("initialOffset %d: %w", offset, err)
		}
	}
	return nil
}

func oneCreator(t *trial) error {
	const callers, rounds, apart = 8, 15, 1_000_000
	clients, err := t.openMany(4)
	if err != nil {
		return err
	}
	for round := range rounds {
		sameOffset, ownOffsets := t.key(fmt.Sprintf("same-%d", round)), t.key(fmt.Sprintf("own-%d", round))
		var same, own history
		err := parallel(callers, func(caller int) error {
			client := clients[caller%len(clients)]
			_, err1 := same.reserve(t.ctx, client, sameOffset, 10, 1)
			_, err2 := own.reserve(t.ctx, client, ownOffsets, 10, int64(1+caller*apart))
			return errors.Join(err1, err2)
		})
		if err == nil {
			err = errors.Join(same.check(), own.check(), startsAtOnlyOne(same.grants, 1, 1),
				startsAtOnlyOne(own.grants, callers, apart))
		}
		if err != nil {
			return fmt.Errorf("%d first reserves at once: %w", callers, err)
		}
	}
	return nil
}

// startsAtOnlyOne demands that just one grant starts at one of the offsets 1, 1+apart, 1+2*apart …, and that it is
// the lowest.
func startsAtOnlyOne(grants []grant, offsets int, apart int64) error {
	lowest, creators := int64(math.MaxInt64), 0
	for _, g := range grants {
		lowest = min(lowest, g.Start)
		if (g.Start-1)%apart == 0 && (g.Start-1)/apart < int64(offsets) {
			creators++
		}
	}
	if creators != 1 || (lowest-1)%apart != 0 {
		return fmt.Errorf("%d ranges start at an initial offset, want the lowest only; it starts at %d", creators, lowest)
	}
	return nil
}

func exactAboveDoubles(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	for _, offset := range []int64{1<<53 - 2, 1<<53 + 1, 201605131024011014, 1<<62 + 1, math.MaxInt64 - 1001} {
		key := t.key(fmt.Sprintf("from-%d", offset))
		next := offset
		for i, size := range []int64{1, 1, 1, 3, 1, 101, 1} {
			if err := t.expect(clients[i%2], key, size, offset, next); err != nil {
				return err
			}
			next += size
		}
	}
	// A size above 2^53 is exact as well.
	key := t.key("large")
	const large = 1<<53 + 1
	return errors.Join(
		t.expect(clients[0], key, large, 1, 1),
		t.expect(clients[1], key, large, 1, 1+large),
		t.expect(clients[0], key, 1, 1, 1+2*large),
	)
}
