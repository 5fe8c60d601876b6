package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
)

// Reserve implements stores.RangeStore, in one statement. A wait for a connection or for a lock that ends without one
// has changed nothing; where ctx or the timeout ends a statement, the error wraps stores.ErrOutcomeUnknown. Both may
// be retried.
func (s *Store) Reserve(ctx context.Context, key string, size, initialOffset int64) (stores.Range, error) {
	var reserved stores.Range
	err := stores.CheckReserve(key, size, initialOffset)
	if err == nil {
		err = s.call(ctx, func(tx *gorm.DB) error {
			var err error
			reserved, err = s.reserve(tx, key, size, initialOffset)
			return err
		})
	}
	if err != nil {
		return stores.Range{}, fmt.Errorf("gormstore: reserve %q: %w", key, err)
	}
	return reserved, nil
}

// Seal implements stores.Sealer, in one statement. Its errors are those of Reserve.
func (s *Store) Seal(ctx context.Context, key string) (bool, error) {
	err := stores.CheckKey(key)
	if err == nil {
		err = s.call(ctx, func(tx *gorm.DB) error {
			err := s.patiently(tx.Statement.Context, s.lockPatience(tx.Statement.Context), func() error {
				return s.dialect.seal(tx, s.options.table(), key)
			})
			if err != nil {
				return s.written(tx.Statement.Context, err)
			}
			return nil
		})
	}
	if err != nil {
		return false, fmt.Errorf("gormstore: seal %q: %w", key, err)
	}
	return true, nil
}

func (s *Store) reserve(tx *gorm.DB, key string, size, initialOffset int64) (stores.Range, error) {
	for {
		var next int64
		err := s.patiently(tx.Statement.Context, s.lockPatience(tx.Statement.Context), func() error {
			var err error
			next, err = s.dialect.advance(tx, s.options.table(), key, size, initialOffset)
			return err
		})
		switch {
		case err == nil && next < size:
			return stores.Range{}, fmt.Errorf("the stored value was %d, below 0: repair the row in table %s",
				next-size, s.options.table())
		case err == nil:
			return stores.Range{Start: next - size, End: next}, nil
		case !errors.Is(err, sql.ErrNoRows):
			return stores.Range{}, s.written(tx.Statement.Context, err)
		}
		// Refused, and nothing changed. By now the key may have been created or sealed: the refusal stands only if
		// what is stored now would be refused too.
		if err := s.refusal(tx, key, size, initialOffset); err != nil {
			return stores.Range{}, err
		}
	}
}

// refusal says why the stored value of key allows no range of this size, or nil if it does allow one.
func (s *Store) refusal(tx *gorm.DB, key string, size, initialOffset int64) error {
	var next int64
	var sealed bool
	err := s.patiently(tx.Statement.Context, s.lockPatience(tx.Statement.Context), func() error {
		return queryOne(tx, []any{&next, &sealed},
			`select next_id, sealed from `+s.options.table()+` where range_key = ?`, key)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		next = initialOffset
	case err != nil:
		return s.explain("read the stored value", err)
	}
	switch {
	case sealed:
		return stores.ErrRangeSealed
	case next > math.MaxInt64-size:
		return fmt.Errorf("%w: %d ids from %d on would pass the largest id", stores.ErrRangeExhausted, size, next)
	default:
		return nil
	}
}
