package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
)

// The statements of slot leases, which all databases understand.

const (
	slotColumns = `slot, owner, incarnation, last_owner, fence, ` +
		`expires_at, window_floor, window_ceiling, next_floor, version`

	// takenColumns stand for those where only the slot matters.
	takenColumns = `slot, '' as owner, '' as incarnation, '' as last_owner, 0 as fence, 0 as expires_at,
		0 as window_floor, 0 as window_ceiling, 0 as next_floor, 0 as version`

	// Bounds of what one statement looks at.
	namesakes   = 16  // rows of one owner
	readyAtOnce = 256 // free slots, of which the smallest is taken
	takenAtOnce = 128 // rows in search of a slot without one; twice as many each time there is none

	mostTakenAtOnce = 1 << 15
)

// readSlot reads one row.
func (s *Store) readSlot(tx *gorm.DB, namespace string, slot int64) (slotState, error) {
	return s.readSlots(tx, namespace, `select `+slotColumns+` from `+s.options.slotTable()+`
		where namespace = ? and slot = ?`, namespace, slot)
}

// readNamed reads the rows that a request names: those of its owner, its own one first, the preferred one, and those
// that the owner had last.
func (s *Store) readNamed(tx *gorm.DB, r stores.SlotRequest) (slotState, error) {
	table := s.options.slotTable()
	return s.readSlots(tx, r.Namespace, `select * from (select `+slotColumns+` from `+table+`
			where namespace = ? and owner = ? and incarnation = ? limit 1) as own
		union all select * from (select `+slotColumns+` from `+table+`
			where namespace = ? and owner = ? order by next_floor limit ?) as namesakes
		union all select * from (select `+slotColumns+` from `+table+`
			where namespace = ? and last_owner = ? order by next_floor desc limit ?) as earlier
		union all select `+slotColumns+` from `+table+` where namespace = ? and slot = ?`,
		r.Namespace, r.Owner, r.Incarnation,
		r.Namespace, r.Owner, namesakes,
		r.Namespace, r.Owner, namesakes,
		r.Namespace, r.Preferred)
}

// readReady reads the smallest ready slots, of those that have been ready for longest, and a page of the slots that have
// rows, from where they may lack one.
func (s *Store) readReady(tx *gorm.DB, namespace string, at slotState, count, page int) (slotState, error) {
	table := s.options.slotTable()
	return s.readSlots(tx, namespace, `select * from (select * from (select `+slotColumns+` from `+table+`
			where namespace = ? and next_floor <= ? and expires_at <= ? order by next_floor limit ?) as ready
			order by slot limit ?) as smallest
		union all select * from (select `+takenColumns+` from `+table+`
			where namespace = ? and slot >= ? order by slot limit ?) as taken`,
		namespace, at.now, at.now, readyAtOnce, count,
		namespace, at.freshFrom, page)
}

// readUsable reads the smallest usable slots where none is ready.
func (s *Store) readUsable(tx *gorm.DB, namespace string, at slotState, count int) (slotState, error) {
	return s.readSlots(tx, namespace, `select * from (select `+slotColumns+` from `+s.options.slotTable()+`
			where namespace = ? and expires_at <= ? and next_floor <= ? order by expires_at limit ?) as usable
		order by slot limit ?`, namespace, at.now, at.now+at.tolerance.Milliseconds(), readyAtOnce, count)
}

// readSlots reads the settings of a namespace, the rows of a query, and the clock, in one statement. Rows with version 0
// only tell that there is one.
func (s *Store) readSlots(tx *gorm.DB, namespace, query string, args ...any) (slotState, error) {
	query = `select clock.now_millis, n.slot_limit, n.tolerance_millis, n.fresh_from, r.slot, r.owner, r.incarnation,
			r.last_owner, r.fence, r.expires_at, r.window_floor, r.window_ceiling, r.next_floor, r.version
		from (select ` + s.dialect.clock() + ` as now_millis) as clock
		left join ` + s.options.namespaceTable() + ` as n on n.namespace = ?
		left join (` + query + `) as r on 1 = 1`
	args = append([]any{namespace}, args...)
	var state slotState
	err := s.reading(tx, "read the slots", func() (err error) {
		state, err = scanSlots(tx.Raw(query, args...).Rows())
		return err
	})
	return state, err
}

func scanSlots(rows *sql.Rows, err error) (slotState, error) {
	var state slotState
	if err != nil {
		return state, err
	}
	defer rows.Close()
	for rows.Next() {
		var limit, tolerance, freshFrom, slot, fence, expiresAt, floor, ceiling, nextFloor, version sql.NullInt64
		var owner, incarnation, lastOwner sql.NullString
		if err := rows.Scan(&state.now, &limit, &tolerance, &freshFrom, &slot, &owner, &incarnation, &lastOwner, &fence,
			&expiresAt, &floor, &ceiling, &nextFloor, &version); err != nil {
			return state, err
		}
		state.known, state.limit, state.freshFrom = limit.Valid, limit.Int64, freshFrom.Int64
		state.tolerance = time.Duration(tolerance.Int64) * time.Millisecond
		switch {
		case !slot.Valid:
		case version.Int64 == 0:
			state.taken = append(state.taken, slot.Int64)
		default:
			state.rows = append(state.rows, slotRow{version: version.Int64, SlotRow: stores.SlotRow{
				Slot: slot.Int64, Owner: owner.String, Incarnation: incarnation.String, LastOwner: lastOwner.String,
				Fence: fence.Int64, ExpiresAt: expiresAt.Int64, Floor: floor.Int64, Ceiling: ceiling.Int64,
				NextFloor: nextFloor.Int64,
			}})
		}
	}
	slices.Sort(state.taken)
	return state, errors.Join(rows.Err(), rows.Close())
}

// makeNamespace stores the settings of a namespace, unless somebody else does.
func (s *Store) makeNamespace(tx *gorm.DB, r stores.SlotRequest) (made bool, err error) {
	return s.insertOnce(tx, `insert into `+s.options.namespaceTable()+`
		(namespace, slot_limit, tolerance_millis, fresh_from) values (?, ?, ?, 0)`,
		r.Namespace, r.Limit, r.Tolerance.Milliseconds())
}

// skipTaken notes that every slot below from has a row.
func (s *Store) skipTaken(tx *gorm.DB, namespace string, from int64) error {
	_, err := s.update(tx, `update `+s.options.namespaceTable()+` set fresh_from = ?
		where namespace = ? and fresh_from < ?`, from, namespace, from)
	return err
}

// writeSlot replaces a row by the next one, or makes it, if it is as it was read.
func (s *Store) writeSlot(tx *gorm.DB, namespace string, row slotRow, next stores.SlotRow) (won bool, err error) {
	table := s.options.slotTable()
	if row.version == 0 {
		return s.insertOnce(tx, `insert into `+table+` (namespace, `+slotColumns+`)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`, namespace, next.Slot, next.Owner, next.Incarnation, next.LastOwner,
			next.Fence, next.ExpiresAt, next.Floor, next.Ceiling, next.NextFloor)
	}
	// The version makes every write a change, which alone MySQL counts.
	return s.update(tx, `update `+table+` set owner = ?, incarnation = ?, last_owner = ?, fence = ?, expires_at = ?,
			window_floor = ?, window_ceiling = ?, next_floor = ?, version = version + 1
		where namespace = ? and slot = ? and version = ? and owner = ? and incarnation = ? and fence = ?
			and window_ceiling = ? and next_floor = ?`,
		next.Owner, next.Incarnation, next.LastOwner, next.Fence, next.ExpiresAt, next.Floor, next.Ceiling, next.NextFloor,
		namespace, next.Slot, row.version, row.Owner, row.Incarnation, row.Fence, row.Ceiling, row.NextFloor)
}

// noneFree says why no slot is usable.
func (s *Store) noneFree(tx *gorm.DB, namespace string, at slotState) (*stores.NoFreeSlotError, error) {
	none := &stores.NoFreeSlotError{Namespace: namespace, Limit: at.limit, StoreNow: at.now}
	var rows int64
	tolerance := at.tolerance.Milliseconds()
	err := s.reading(tx, "count the slots", func() error {
		return queryOne(tx, []any{&rows, &none.Live, &none.UsableAt}, `select count(*),
				coalesce(sum(case when expires_at > ? then 1 else 0 end), 0),
				coalesce(min(case when expires_at > next_floor - ? then expires_at else next_floor - ? end), 0)
			from `+s.options.slotTable()+` where namespace = ?`, at.now, tolerance, tolerance, namespace)
	})
	none.Ahead = rows - none.Live
	return none, err
}

// reading runs a statement that changes nothing.
func (s *Store) reading(tx *gorm.DB, operation string, statement func() error) error {
	ctx := tx.Statement.Context
	err := s.patiently(ctx, s.lockPatience(ctx), statement)
	switch {
	case err == nil:
		return nil
	case isContextError(err):
		return fmt.Errorf("%s: %w", operation, causeOf(ctx, err))
	default:
		return s.explain(operation, err)
	}
}

// writing runs a statement that changes something.
func (s *Store) writing(ctx context.Context, statement func() error) error {
	if err := s.patiently(ctx, s.lockPatience(ctx), statement); err != nil {
		return s.written(ctx, err)
	}
	return nil
}

// insertOnce inserts a row, and tells whether it did: not where a row with its key is there already.
func (s *Store) insertOnce(tx *gorm.DB, statement string, args ...any) (made bool, err error) {
	err = s.writing(tx.Statement.Context, func() (err error) {
		made, err = s.dialect.insertOnce(tx, statement, args...)
		return err
	})
	return made, err
}

// update changes one row, and tells whether it did.
func (s *Store) update(tx *gorm.DB, statement string, args ...any) (changed bool, err error) {
	var rows int64
	err = s.writing(tx.Statement.Context, func() error {
		done := tx.Exec(statement, args...)
		rows = done.RowsAffected
		return done.Error
	})
	if err == nil && rows > 1 {
		err = fmt.Errorf("%d rows were changed instead of one: the table's primary key is missing", rows)
	}
	return rows == 1, err
}
