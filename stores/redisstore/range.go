package redisstore

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/cosid-go/cosid/stores"
)

// rangeKeys are the two keys of a range: its next id and its seal.
func rangeKeys(key string) (next, sealed string) {
	next = "cosid:{" + key + "}"
	return next, next + ":sealed"
}

// Reserve implements stores.RangeStore, in one round trip. Where fewer replicas than asked for have acknowledged, where
// ctx or the timeout ends it, or where the connection breaks, the error wraps stores.ErrOutcomeUnknown.
func (s *Store) Reserve(ctx context.Context, key string, size, initialOffset int64) (stores.Range, error) {
	err := stores.CheckReserve(key, size, initialOffset)
	var reserved stores.Range
	if err == nil {
		reserved, err = s.reserve(ctx, key, size, initialOffset)
	}
	if err != nil {
		return stores.Range{}, fmt.Errorf("redisstore: reserve %q: %w", key, err)
	}
	return reserved, nil
}

func (s *Store) reserve(ctx context.Context, key string, size, initialOffset int64) (stores.Range, error) {
	first := "" // no first range fits
	if initialOffset <= math.MaxInt64-size {
		first = strconv.FormatInt(initialOffset+size, 10)
	}
	next, sealed := rangeKeys(key)
	verdict, err := s.run(ctx, ScriptCall{
		Script: s.scripts.reserve,
		Keys:   []string{next, sealed},
		Args:   []string{strconv.FormatInt(size, 10), first},
	})
	if err != nil {
		if isOverflow(err) {
			err = fmt.Errorf("%w: %d more ids would pass the largest id: %w", stores.ErrRangeExhausted, size, err)
		}
		return stores.Range{}, err
	}
	switch verdict.refusal() {
	case "sealed":
		return stores.Range{}, stores.ErrRangeSealed
	case "exhausted":
		return stores.Range{}, fmt.Errorf("%w: %d ids from %d on would pass the largest id",
			stores.ErrRangeExhausted, size, initialOffset)
	}
	if verdict.name == "reserved" && len(verdict.values) == 1 {
		return reservedUpTo(next, verdict.value(0), size)
	}
	return stores.Range{}, verdict.unexpected()
}

// reservedUpTo is the range of this size that ends at the stored value.
func reservedUpTo(key, value string, size int64) (stores.Range, error) {
	end, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return stores.Range{}, fmt.Errorf("%w: the script answered that the next id is %q", stores.ErrOutcomeUnknown, value)
	case end < size:
		return stores.Range{}, fmt.Errorf("the value at %s was %d, below 0: set it above every id that was issued",
			key, end-size)
	}
	return stores.Range{Start: end - size, End: end}, nil
}

// Seal implements stores.Sealer, in one round trip. Its errors are those of Reserve.
func (s *Store) Seal(ctx context.Context, key string) (bool, error) {
	err := stores.CheckKey(key)
	if err == nil {
		_, sealed := rangeKeys(key)
		_, err = s.run(ctx, ScriptCall{Script: s.scripts.seal, Keys: []string{sealed}})
	}
	if err != nil {
		return false, fmt.Errorf("redisstore: seal %q: %w", key, err)
	}
	return true, nil
}
