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

// Reserve implements stores.RangeStore, in one statement. A context or a timeout that ends before a connection is
// free has no effect; later the error wraps stores.ErrOutcomeUnknown. A database that stays locked is an error
// of its own without effect. All three may be retried.
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
			if err := s.dialect.seal(tx, s.options.table(), key); err != nil {
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
		next, err := s.dialect.advance(tx, s.options.table(), key, size, initialOffset)
		switch {
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
	err := queryOne(tx, []any{&next, &sealed},
		`select next_id, sealed from `+s.options.table()+` where range_key = ?`, key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		next = initialOffset
	case err != nil:
		return s.explain("read", err)
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
