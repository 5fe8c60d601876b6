package gormstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
)

var (
	_ stores.Pinger     = (*Store)(nil)
	_ stores.Inspector  = (*Store)(nil)
	_ stores.RangeAdmin = (*Store)(nil)
	_ stores.SlotAdmin  = (*Store)(nil)
)

// pageSize is how many ranges are read at once. No connection is held between the pages.
const pageSize = 500

// Ranges implements stores.RangeAdmin. The keys come in order. The timeout bounds each page of 500 keys.
func (s *Store) Ranges(ctx context.Context, prefix string) iter.Seq2[stores.RangeRecord, error] {
	return func(yield func(stores.RangeRecord, error) bool) {
		for after, more := "", true; more; {
			page, err := s.rangesAfter(ctx, prefix, after)
			if err != nil {
				yield(stores.RangeRecord{}, fmt.Errorf("gormstore: list ranges: %w", err))
				return
			}
			for _, record := range page {
				if !yield(record, nil) {
					return
				}
				after = record.Key
			}
			more = len(page) == pageSize
		}
	}
}

func (s *Store) rangesAfter(ctx context.Context, prefix, after string) ([]stores.RangeRecord, error) {
	var page []stores.RangeRecord
	err := s.call(ctx, func(tx *gorm.DB) error {
		if !canBeginKey(prefix) {
			return nil
		}
		key := s.dialect.byBytes("range_key")
		return s.reading(tx, "read table "+s.options.table(), func() (err error) {
			// What follows the prefix in a key lies below 0x7f.
			page, err = scanRanges(tx.Raw(`select range_key, next_id, sealed from `+s.options.table()+`
				where `+key+` >= ? and `+key+` < ? and `+key+` > ? order by `+key+` limit ?`,
				prefix, prefix+"\x7f", after, pageSize).Rows())
			return err
		})
	})
	return page, err
}

// canBeginKey tells whether a key may begin so: others need not be looked for, and could not be compared everywhere.
func canBeginKey(prefix string) bool {
	return strings.IndexFunc(prefix, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("./_-", r)
	}) < 0
}

func scanRanges(rows *sql.Rows, err error) ([]stores.RangeRecord, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var records []stores.RangeRecord
	for rows.Next() {
		var record stores.RangeRecord
		if err := rows.Scan(&record.Key, &record.Next, &record.Sealed); err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, errors.Join(rows.Err(), rows.Close())
}

// DeleteRange implements stores.RangeAdmin, in one statement, and one more where it deletes nothing. Its errors are those
// of Reserve too.
func (s *Store) DeleteRange(ctx context.Context, key string, force bool) (bool, error) {
	var deleted bool
	err := stores.CheckKey(key)
	if err == nil {
		err = s.call(ctx, func(tx *gorm.DB) (err error) {
			deleted, err = s.deleteRange(tx, key, force)
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("gormstore: delete range %q: %w", key, err)
	}
	return deleted, nil
}

func (s *Store) deleteRange(tx *gorm.DB, key string, force bool) (bool, error) {
	if force {
		return s.update(tx, `delete from `+s.options.table()+` where range_key = ?`, key)
	}
	for {
		deleted, err := s.update(tx, `delete from `+s.options.table()+` where range_key = ? and sealed = 1`, key)
		if deleted || err != nil {
			return deleted, err
		}
		record, found, err := s.readRange(tx, key)
		switch {
		case err != nil || !found:
			return false, err
		case !record.Sealed:
			return false, stores.ErrNotSealed
		} // it was sealed meanwhile
	}
}

// RaiseRange implements stores.RangeAdmin, in one statement that counts: an update, or else an insert. Its errors are
// those of Reserve too.
func (s *Store) RaiseRange(ctx context.Context, key string, next int64) (stores.RangeRecord, error) {
	var record stores.RangeRecord
	err := stores.CheckRaise(key, next)
	if err == nil {
		err = s.call(ctx, func(tx *gorm.DB) (err error) {
			record, err = s.raiseRange(tx, key, next)
			return err
		})
	}
	if err != nil {
		return record, fmt.Errorf("gormstore: raise range %q: %w", key, err)
	}
	return record, nil
}

func (s *Store) raiseRange(tx *gorm.DB, key string, next int64) (stores.RangeRecord, error) {
	for {
		raised, err := s.update(tx, `update `+s.options.table()+` set next_id = ?
			where range_key = ? and sealed = 0 and next_id < ?`, next, key, next)
		if !raised && err == nil {
			raised, err = s.insertOnce(tx, `insert into `+s.options.table()+` (range_key, next_id, sealed) values (?, ?, 0)`,
				key, next)
		}
		if err != nil {
			return stores.RangeRecord{}, err
		}
		if raised {
			return stores.RangeRecord{Key: key, Next: next}, nil
		}
		record, found, err := s.readRange(tx, key)
		switch {
		case err != nil:
			return stores.RangeRecord{}, err
		case record.Sealed:
			return record, stores.ErrRangeSealed
		case record.Next > next:
			return record, fmt.Errorf("%w: %d is stored, which lies above %d", stores.ErrWouldGoBack, record.Next, next)
		case found && record.Next == next:
			return record, nil
		} // it was deleted, or deleted and made again, meanwhile
	}
}

func (s *Store) readRange(tx *gorm.DB, key string) (record stores.RangeRecord, found bool, err error) {
	record.Key = key
	err = s.reading(tx, "read the stored value", func() error {
		return queryOne(tx, []any{&record.Next, &record.Sealed},
			`select next_id, sealed from `+s.options.table()+` where range_key = ?`, key)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return record, false, nil
	}
	return record, err == nil, err
}

// Slots implements stores.SlotAdmin, in one statement.
func (s *Store) Slots(ctx context.Context, namespace string) (stores.SlotTable, error) {
	var table stores.SlotTable
	err := stores.CheckName(namespace)
	if err == nil {
		err = s.callSlots(ctx, func(tx *gorm.DB) error {
			state, err := s.readSlots(tx, namespace, `select `+slotColumns+` from `+s.options.slotTable()+`
				where namespace = ?`, namespace)
			if err == nil && state.known {
				table = state.table()
			}
			return err
		})
	}
	if err != nil {
		return stores.SlotTable{}, fmt.Errorf("gormstore: list the slots of %q: %w", namespace, err)
	}
	return table, nil
}

func (s slotState) table() stores.SlotTable {
	table := stores.SlotTable{Limit: s.limit, ToleranceMillis: s.tolerance.Milliseconds(), StoreNow: s.now}
	for _, row := range s.rows {
		table.Rows = append(table.Rows, row.SlotRow)
	}
	slices.SortFunc(table.Rows, func(a, b stores.SlotRow) int { return cmp.Compare(a.Slot, b.Slot) })
	return table
}
