package gormstore

import (
	"database/sql"
	"math"
	"strings"

	"gorm.io/gorm"
)

// The statements of databases that have INSERT … ON CONFLICT … RETURNING.

// upsertAdvance reserves in one statement. The limit is part of it (S5): no row comes back, and nothing changes,
// where the range would pass the largest id.
func upsertAdvance(tx *gorm.DB, table, key string, size, initialOffset int64) (int64, error) {
	var next int64
	highest := math.MaxInt64 - size // the highest start of a range of this size
	if initialOffset > highest {
		// Such a range cannot be a key's first. A key that exists goes by its stored value.
		err := queryOne(tx, []any{&next}, `update `+table+` set next_id = next_id + ?
			where range_key = ? and sealed = 0 and next_id <= ? returning next_id`,
			size, key, highest)
		return next, err
	}
	err := queryOne(tx, []any{&next}, `insert into `+table+` as stored (range_key, next_id, sealed) values (?, ?, 0)
		on conflict (range_key) do update set next_id = stored.next_id + ?
		where stored.sealed = 0 and stored.next_id <= ? returning next_id`,
		key, initialOffset+size, size, highest)
	return next, err
}

func upsertSeal(tx *gorm.DB, table, key string) error {
	return tx.Exec(`insert into `+table+` (range_key, next_id, sealed) values (?, 0, 1)
		on conflict (range_key) do update set sealed = 1`, key).Error
}

// upsertCheck runs a statement that needs all that a reserve needs (the columns, the unique key, the rights) and
// inserts nothing.
func upsertCheck(tx *gorm.DB, table string) error {
	return tx.Exec(`insert into ` + table + ` (range_key, next_id, sealed) select '', 0, 0 where 1 = 0
		on conflict (range_key) do update set next_id = 0, sealed = 0 returning next_id`).Error
}

// upsertCheckKey is upsertCheck for a table with another key.
func upsertCheckKey(tx *gorm.DB, table, key string, columns []string) error {
	list := strings.Join(columns, ", ")
	err := tx.Exec(`insert into ` + table + ` (` + list + `) select ` + list + ` from ` + table + `
		where 1 = 0 on conflict (` + key + `) do nothing`).Error
	if err != nil {
		return err
	}
	return noChange(tx, table, columns)
}

func upsertInsertOnce(tx *gorm.DB, insert string, args ...any) (bool, error) {
	done := tx.Exec(insert+` on conflict do nothing`, args...)
	return done.RowsAffected == 1, done.Error
}

// queryOne scans the only row of a query, or returns sql.ErrNoRows. It reads to the end, because a statement that
// returns rows commits only there, and a commit that fails must not hand out the range.
func queryOne(tx *gorm.DB, dest []any, query string, args ...any) error {
	rows, err := tx.Raw(query, args...).Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	found := rows.Next()
	if found {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		for rows.Next() {
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := rows.Close(); err != nil {
		return err
	}
	if !found {
		return sql.ErrNoRows
	}
	return nil
}
