package gormstore

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	libtnb "github.com/libtnb/sqlite"
	"gorm.io/gorm"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
)

// sqlite is the dialect of SQLite 3.37 and later, in pure Go.
type sqlite struct{}

func (sqlite) name() string { return "sqlite" }

func (sqlite) embedded() bool { return true }

// checkDSN refuses what would take away a promise of the store: a database that ends with the process, files
// opened without locks, and settings that the store makes itself.
func (sqlite) checkDSN(dsn string) *field.Error {
	const accepted = "a file path such as data/cosid.db, or file:data/cosid.db?… with SQLite's URI parameters"
	uri, isURI := strings.CutPrefix(dsn, "file:")
	if !isURI {
		switch {
		case strings.Contains(dsn, "://"), serverDSN.MatchString(dsn):
			return field.Errorf("dsn", accepted, "this is the address of a server, not a SQLite file")
		case strings.Contains(dsn, ":memory:"):
			return volatileDSN(accepted)
		case strings.Contains(dsn, "?"):
			return field.Errorf("dsn", accepted, "parameters need the form file:…?…")
		}
		return nil
	}
	path, rawQuery, _ := strings.Cut(uri, "?")
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return field.Errorf("dsn", accepted, "its parameters cannot be read: %v", err)
	}
	if path == "" || strings.Contains(path, ":memory:") || query.Get("mode") == "memory" {
		return volatileDSN(accepted)
	}
	for name, values := range query {
		if sqliteReserved(name, values) {
			return field.Errorf("dsn", "the same without it", "parameter %s is one that the store must set itself", name)
		}
	}
	return nil
}

// serverDSN finds the addresses of MySQL and PostgreSQL that are no URLs: user@tcp(host:3306)/db, host=db dbname=ids.
var serverDSN = regexp.MustCompile(`@(tcp|unix)\(|(^|\s)(host|hostaddr|port|dbname|user|password)\s*=`)

func volatileDSN(accepted string) *field.Error {
	return field.Errorf("dsn", accepted+"; for tests: type: memory",
		"a database in memory ends with the process, and its ids would repeat")
}

// sqliteReserved tells whether a parameter of a DSN concerns locks or durability.
func sqliteReserved(name string, values []string) bool {
	switch name {
	case "nolock", "immutable", "vfs", "_txlock", "_query_only",
		"_busy_timeout", "_timeout", "_journal_mode", "_journal", "_synchronous", "_sync":
		return true
	case "_pragma":
		for _, value := range values {
			value = strings.ToLower(value)
			for _, pragma := range []string{"busy_timeout", "journal_mode", "synchronous", "locking_mode", "query_only"} {
				if strings.Contains(value, pragma) {
					return true
				}
			}
		}
	}
	return false
}

func (sqlite) open(dsn string) (gorm.Dialector, *sql.DB, error) {
	if err := os.MkdirAll(filepath.Dir(sqlitePath(dsn)), 0o755); err != nil {
		return nil, nil, fmt.Errorf("create the directory of the database: %w", err)
	}
	separator := "?"
	if strings.HasPrefix(dsn, "file:") && strings.Contains(dsn, "?") {
		separator = "&"
	}
	// No busy timeout: the store waits for locks itself, more fairly, and knows then that nothing was changed.
	dsn += separator + "_pragma=busy_timeout(0)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"
	pool, err := sql.Open(libtnb.DriverName, dsn)
	if err != nil {
		return nil, nil, fmt.Errorf("open: %w", err)
	}
	pool.SetMaxOpenConns(1) // callers wait in Go, where contexts work, not in SQLite
	return libtnb.Open(dsn), pool, nil
}

// sqlitePath is the file that a DSN names.
func sqlitePath(dsn string) string {
	path, isURI := strings.CutPrefix(dsn, "file:")
	if !isURI {
		return dsn
	}
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	if withHost, ok := strings.CutPrefix(path, "//"); ok {
		_, absolute, _ := strings.Cut(withHost, "/")
		path = "/" + absolute
	}
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

// schema: strict, so that a value past the largest integer is refused instead of stored as a float.
func (sqlite) schema(prefix string) []definition {
	table := rangeTable(prefix)
	ranges := definition{table, `create table if not exists ` + table + ` (
	range_key text not null primary key,
	next_id integer not null check (next_id >= 0),
	sealed integer not null check (sealed in (0, 1))
) strict, without rowid`}
	typeOf := func(column string) string {
		switch column {
		case "namespace", "owner", "incarnation", "last_owner":
			return "text"
		default:
			return "integer"
		}
	}
	// With rowids: else SQLite takes reading all of a namespace for cheaper than going by an index.
	return append([]definition{ranges}, slotDefinitions(prefix, typeOf, "unique", " strict")...)
}

func (sqlite) home(*gorm.DB, string) (string, error) { return "main.", nil }

func (sqlite) hasTable(tx *gorm.DB, table string) (bool, error) {
	var count int
	err := queryOne(tx, []any{&count},
		`select count(*) from sqlite_master where type = 'table' and lower(name) = lower(?)`, table)
	return count > 0, err
}

func (sqlite) checkRanges(tx *gorm.DB, table string) error { return upsertCheck(tx, table) }

func (sqlite) checkSlots(tx *gorm.DB, table, key string, columns []string) error {
	return upsertCheckKey(tx, table, key, columns)
}

// doubts: what is a doubt about a database that was handed in is a mistake in one that the store opened itself.
func (d sqlite) doubts(tx *gorm.DB, _ string, owned bool) ([]stores.Finding, error) {
	doubt, err := d.doubt(tx)
	switch {
	case err != nil || doubt == nil:
		return nil, err
	case owned:
		return nil, doubt
	default:
		return []stores.Finding{{Problem: doubt.problem, Remedy: doubt.remedy}}, nil
	}
}

func (sqlite) doubt(tx *gorm.DB) (*defect, error) {
	const full = 2
	var file string
	if err := queryOne(tx, []any{&file}, `select file from pragma_database_list where name = 'main'`); err != nil {
		return nil, err
	}
	if file == "" {
		return &defect{
			problem: "this SQLite database is in memory or temporary: it ends with its connection, and its ids would repeat",
			remedy:  "name a file",
		}, nil
	}
	var synchronous int
	if err := queryOne(tx, []any{&synchronous}, `pragma synchronous`); err != nil {
		return nil, err
	}
	if synchronous >= full {
		return nil, nil
	}
	return &defect{
		problem: fmt.Sprintf("this SQLite connection runs with synchronous=%d, so a power failure can lose what was handed "+
			"out, and ids would repeat", synchronous),
		remedy: "add _pragma=synchronous(FULL) to its DSN",
	}, nil
}

func (sqlite) version(tx *gorm.DB) (string, error) {
	var version string
	err := queryOne(tx, []any{&version}, `select sqlite_version()`)
	return "SQLite " + version, err
}

// clock is that of this host. Older versions know no unixepoch('subsec').
func (sqlite) clock() string {
	return `cast(round((julianday('now') - 2440587.5) * 86400000.0) as integer)`
}

func (sqlite) byBytes(column string) string { return column + ` collate binary` }

func (sqlite) insertOnce(tx *gorm.DB, insert string, args ...any) (bool, error) {
	return upsertInsertOnce(tx, insert, args...)
}

func (sqlite) advance(tx *gorm.DB, table, key string, size, initialOffset int64) (int64, error) {
	return upsertAdvance(tx, table, key, size, initialOffset)
}

func (sqlite) seal(tx *gorm.DB, table, key string) error { return upsertSeal(tx, table, key) }

func (sqlite) acknowledged(any) error { return nil }

// SQLite's primary result codes.
const (
	sqliteError      = 1
	sqliteBusy       = 5
	sqliteLocked     = 6
	sqliteReadonly   = 8
	sqliteFull       = 13
	sqliteCantOpen   = 14
	sqliteConstraint = 19
	sqliteNotADB     = 26
)

func (sqlite) diagnose(err error) diagnosis {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return diagnosis{}
	}
	switch coded.Code() & 0xff {
	case sqliteBusy, sqliteLocked:
		return diagnosis{busy: true, harmless: true, advice: "another connection holds the lock of the database " +
			"(nothing was changed, trying again is safe)"}
	case sqliteReadonly:
		return diagnosis{harmless: true, advice: "the database cannot be written; make the file and its directory " +
			"writable for this process, and do not open it with mode=ro"}
	case sqliteCantOpen:
		return diagnosis{harmless: true, advice: "the file cannot be opened; check the path, and that the directory " +
			"exists and is writable"}
	case sqliteNotADB:
		return diagnosis{harmless: true, advice: "the file is not a SQLite database; name another one"}
	case sqliteError:
		return diagnosis{harmless: true, advice: adviceShape}
	case sqliteConstraint:
		return diagnosis{harmless: true, advice: "the table refuses the value; compare its definition with DDL"}
	case sqliteFull:
		return diagnosis{advice: "the disk is full; make room on it"}
	}
	return diagnosis{}
}
