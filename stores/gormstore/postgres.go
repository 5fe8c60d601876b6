package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
)

// postgresql is the dialect of PostgreSQL 12 and later.
type postgresql struct{}

func (postgresql) name() string { return "postgres" }

func (postgresql) embedded() bool { return false }

func (postgresql) checkDSN(dsn string) *field.Error { return checkPostgresDSN(dsn) }

func (postgresql) open(dsn string) (gorm.Dialector, *sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, nil, fmt.Errorf("read the dsn: %s", postgresReason(dsn, err)) // not %w: the error holds the DSN
	}
	config.OnNotice = noteUnreplicated
	pool := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(commitDurably))
	return postgres.New(postgres.Config{Conn: pool}), pool, nil
}

// unreplicated is where a connection notes that a commit did not wait for its standbys to the end.
const unreplicated = "cosid: unreplicated"

// noteUnreplicated sees the warning by which PostgreSQL tells that somebody cancelled a commit's wait for the standbys:
// the statement succeeds, though only this server has it. No other warning comes with the store's statements.
func noteUnreplicated(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Code == "01000" && notice.SeverityUnlocalized == "WARNING" {
		conn.CustomData()[unreplicated] = notice.Message
	}
}

// acknowledged tells, once, whether a commit on this connection did not wait for its standbys.
func (postgresql) acknowledged(conn any) error {
	std, ok := conn.(*stdlib.Conn)
	if !ok {
		return nil
	}
	noted := std.Conn().PgConn().CustomData()
	warning, there := noted[unreplicated]
	delete(noted, unreplicated)
	if !there {
		return nil
	}
	return fmt.Errorf("%w: committed on this server only: %v", stores.ErrOutcomeUnknown, warning)
}

// commitDurably makes a connection of the store's own wait for its commits, whatever the role's default is.
func commitDurably(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `select set_config('synchronous_commit', 'on', false)
		where current_setting('synchronous_commit') in ('off', 'local', 'remote_write')`)
	return err
}

func (postgresql) schema(prefix string) []definition {
	table := rangeTable(prefix)
	ranges := definition{table, `create table if not exists ` + table + ` (
	range_key ` + postgresType("range_key") + ` not null primary key,
	next_id ` + postgresType("next_id") + ` not null check (next_id >= 0),
	sealed ` + postgresType("sealed") + ` not null check (sealed in (0, 1))
)`}
	return append([]definition{ranges}, slotDefinitions(prefix, postgresType, "unique", "")...)
}

func postgresType(column string) string {
	switch column {
	case "range_key", "owner", "last_owner":
		return `varchar(255) collate "C"`
	case "namespace", "incarnation":
		return `varchar(64) collate "C"`
	case "sealed":
		return "smallint"
	default:
		return "bigint"
	}
}

func (postgresql) home(tx *gorm.DB, table string) (schema string, err error) {
	err = queryOne(tx, []any{&schema}, `select quote_ident(n.nspname) || '.' from pg_catalog.pg_class c
		join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass(?)`, table)
	return schema, err
}

func (postgresql) hasTable(tx *gorm.DB, table string) (bool, error) {
	err := tx.Exec(`select 1 from ` + table + ` where 1 = 0`).Error
	if sqlState(err) == "42P01" {
		return false, nil
	}
	return err == nil, err
}

func (postgresql) checkRanges(tx *gorm.DB, table string) error {
	if err := upsertCheck(tx, table); err != nil {
		return err
	}
	return postgresColumns(tx, table)
}

func (postgresql) checkSlots(tx *gorm.DB, table, key string, columns []string) error {
	if err := upsertCheckKey(tx, table, key, columns); err != nil {
		return err
	}
	return postgresColumns(tx, table)
}

func postgresColumns(tx *gorm.DB, table string) error {
	rows, err := tx.Raw(`select a.attname, format_type(a.atttypid, null), greatest(a.atttypmod - 4, 0),
			not coalesce(c.collisdeterministic, true)
		from pg_catalog.pg_attribute a left join pg_catalog.pg_collation c on c.oid = a.attcollation
		where a.attrelid = to_regclass(?) and a.attnum > 0 and not a.attisdropped`, table).Rows()
	if err != nil {
		return err
	}
	columns, err := scanColumns(rows)
	if err != nil {
		return err
	}
	return checkColumns(table, columns, func(table, column string) string {
		return "alter table " + table + " alter column " + column + " type " + postgresType(column)
	})
}

func (postgresql) doubts(tx *gorm.DB, table string, _ bool) ([]stores.Finding, error) {
	var persistence, fsync, commit, pages string
	err := queryOne(tx, []any{&persistence, &fsync, &commit, &pages}, `select relpersistence::text, current_setting('fsync'),
			current_setting('synchronous_commit'), current_setting('full_page_writes')
		from pg_catalog.pg_class where oid = to_regclass(?)`, table)
	if err != nil {
		return nil, err
	}
	if persistence != "p" {
		return nil, &defect{
			problem: fmt.Sprintf("table %s is unlogged or temporary: it is emptied by a crash, and its ids would repeat", table),
			remedy:  fmt.Sprintf("mend it with\nalter table %s set logged", table),
		}
	}
	var doubts []stores.Finding
	lost := map[string]string{
		"off": "a crash of the server", "local": "a failover to a standby", "remote_write": "a power failure of the standby",
	}
	if event, weak := lost[commit]; weak {
		doubts = append(doubts, stores.Finding{
			Problem: fmt.Sprintf("this connection runs with synchronous_commit=%s, so %s can lose what was handed out, "+
				"and ids would repeat", commit, event),
			Remedy: "alter role current_user set synchronous_commit = on",
		})
	}
	for _, setting := range []struct{ name, value string }{{"fsync", fsync}, {"full_page_writes", pages}} {
		if setting.value == "off" {
			doubts = append(doubts, stores.Finding{
				Problem: fmt.Sprintf("the server runs with %s=off, so a power failure can lose what was handed out, and ids would "+
					"repeat", setting.name),
				Remedy: fmt.Sprintf("as a superuser: alter system set %s = on; select pg_reload_conf()", setting.name),
			})
		}
	}
	return doubts, nil
}

func (postgresql) version(tx *gorm.DB) (string, error) {
	var version string
	err := queryOne(tx, []any{&version}, `select current_setting('server_version')`)
	return "PostgreSQL " + version, err
}

func (postgresql) clock() string {
	return `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
}

func (postgresql) byBytes(column string) string { return column + ` collate "C"` }

func (postgresql) insertOnce(tx *gorm.DB, insert string, args ...any) (bool, error) {
	return upsertInsertOnce(tx, insert, args...)
}

func (postgresql) advance(tx *gorm.DB, table, key string, size, initialOffset int64) (int64, error) {
	return upsertAdvance(tx, table, key, size, initialOffset)
}

func (postgresql) seal(tx *gorm.DB, table, key string) error { return upsertSeal(tx, table, key) }

// sqlState is the code of an error that the server sent, whichever driver carries it; empty for others.
func sqlState(err error) string {
	var coded interface{ SQLState() string }
	if !errors.As(err, &coded) {
		return ""
	}
	return coded.SQLState()
}

// diagnose: a statement that the server answers with an error was rolled back, unless the server itself gave up.
func (postgresql) diagnose(err error) diagnosis {
	code := sqlState(err)
	if len(code) != 5 {
		return diagnoseConnection(err)
	}
	switch code {
	case "40001", "40P01", "55P03":
		return diagnosis{busy: true, harmless: true, advice: adviceBusy}
	case "25006":
		return diagnosis{harmless: true, stale: true, advice: "the database cannot be written: this is a standby, or a session " +
			"with default_transaction_read_only; connect to the primary (target_session_attrs=read-write in the DSN)"}
	case "42P01", "3F000":
		return diagnosis{harmless: true, advice: adviceMissing}
	case "42703", "42804", "42883", "42P10", "55000", "23502":
		return diagnosis{harmless: true, advice: adviceShape}
	case "22001", "22003", "23514", "23505":
		return diagnosis{harmless: true, advice: adviceValue}
	case "42501":
		return diagnosis{harmless: true, advice: "the user may not do this; grant select, insert and update on the table to " +
			"it, delete for a purge, and for auto-migrate also create on the schema"}
	case "28P01", "28000":
		return diagnosis{harmless: true, advice: "the server refuses the user; check user and password in the DSN, and " +
			"the server's pg_hba.conf"}
	case "3D000":
		return diagnosis{harmless: true, advice: adviceNoDatabase}
	case "53100":
		return diagnosis{harmless: true, advice: "the server's disk is full; make room on it"}
	case "53300":
		return diagnosis{harmless: true, advice: adviceCrowded}
	case "57P03":
		return diagnosis{harmless: true, advice: "the server is starting up or shutting down; try again"}
	}
	switch class := code[:2]; {
	case class == "08", class == "58", class == "XX", class == "F0", code[:4] == "57P0":
		return diagnosis{}
	default:
		return diagnosis{harmless: true}
	}
}
