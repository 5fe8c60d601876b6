package gormstore

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
)

// dialect is what differs between databases: one value and one file each.
type dialect interface {
	// name is the name of the driver, and what GORM's dialector calls itself.
	name() string

	// embedded tells whether a DSN names a file of the store's own, not a server that is shared.
	embedded() bool

	// checkDSN tells what is wrong with a DSN, without I/O and without repeating a secret of it.
	checkDSN(dsn string) *field.Error

	// open makes a pool for the DSN. The first statement connects. Its errors hold no secret of the DSN.
	open(dsn string) (gorm.Dialector, *sql.DB, error)

	// schema is the tables of the store, in the order in which they are made.
	schema(prefix string) []definition

	// home is the schema in which a table is found, quoted and with a dot behind it.
	home(tx *gorm.DB, table string) (string, error)

	// hasTable tells whether a table is there.
	hasTable(tx *gorm.DB, table string) (bool, error)

	// checkRanges tells what keeps the range table from being used: a wrong column, a missing key, a missing right.
	checkRanges(tx *gorm.DB, table string) error

	// checkSlots is checkRanges for a table of slot leases, whose columns and primary key are given.
	checkSlots(tx *gorm.DB, table, key string, columns []string) error

	// doubts tells why what a table has acknowledged might be lost on this database. Its error says that it will be.
	doubts(tx *gorm.DB, table string, owned bool) ([]stores.Finding, error)

	// version is the product and version of the server.
	version(tx *gorm.DB) (string, error)

	// clock is an expression for the server's clock in milliseconds since the Unix epoch, whatever the session's time
	// zone is.
	clock() string

	// advance reserves in one statement, or two where the key is new, and returns the new next id. It returns
	// sql.ErrNoRows where it changed nothing because the key is sealed or exhausted, or lost a race.
	advance(tx *gorm.DB, table, key string, size, initialOffset int64) (int64, error)

	// seal marks the key in one statement, whether or not it exists.
	seal(tx *gorm.DB, table, key string) error

	// byBytes is an expression for a text column that compares and orders byte by byte.
	byBytes(column string) string

	// insertOnce runs an insert of one row, and tells whether it inserted: not where the primary key is there already.
	insertOnce(tx *gorm.DB, insert string, args ...any) (bool, error)

	// acknowledged looks at the driver's connection after a call: an error wraps stores.ErrOutcomeUnknown where the server
	// has said, beside its answer, that a commit is not as safe as it should be. It does no I/O.
	acknowledged(conn any) error

	// diagnose says what an error of the database means. Of an error that it does not know it says nothing.
	diagnose(err error) diagnosis
}

// definition is one table and the statement that creates it where it is missing.
type definition struct{ table, create string }

// diagnosis is what is known about an error of the database.
type diagnosis struct {
	busy     bool   // somebody else was in the way; trying again may succeed
	harmless bool   // the statement is known to have changed nothing
	stale    bool   // another connection may lead to a server that can do it
	advice   string // what happened and what to do
}

func dialects() []dialect { return []dialect{sqlite{}, postgresql{}, mySQL{}} }

// dialectNamed returns the dialect of a driver; the empty name is sqlite's, and mariadb is mysql's.
func dialectNamed(driver string) (dialect, bool) {
	switch driver {
	case "":
		return sqlite{}, true
	case "mariadb":
		return mySQL{}, true
	}
	for _, d := range dialects() {
		if d.name() == driver {
			return d, true
		}
	}
	return nil, false
}

func dialectNames() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.name())
	}
	return names
}

// dialectOf returns the dialect of a database that was handed in, which must be the driver's, if one is named.
func dialectOf(db *gorm.DB, driver string) (dialect, error) {
	if db.Config == nil || db.Dialector == nil {
		return nil, errors.New("the *gorm.DB handed in was not made by gorm.Open")
	}
	spoken := db.Name()
	if named, _ := dialectNamed(driver); driver != "" && named.name() != spoken {
		return nil, field.Errorf("driver", spoken, "%q is not what the *gorm.DB handed in speaks", driver)
	}
	if d, known := dialectNamed(spoken); known && spoken != "" {
		return d, nil
	}
	return nil, fmt.Errorf("the *gorm.DB handed in speaks %q, known are: %s; hand in another one or set dsn",
		spoken, strings.Join(dialectNames(), ", "))
}

// DDL returns the statements that create the store's tables where they are missing, for an application that
// makes them in its own migrations. It checks both arguments like Options.
func DDL(driver, tablePrefix string) ([]string, error) {
	options := Options{Driver: driver, TablePrefix: tablePrefix, handedIn: true}
	if err := options.Validate(); err != nil {
		return nil, fmt.Errorf("gormstore: ddl: %w", err)
	}
	d, _ := dialectNamed(driver)
	var statements []string
	for _, definition := range d.schema(tablePrefix) {
		statements = append(statements, definition.create)
	}
	return statements, nil
}

// rangeTable is the name of the table of ranges.
func rangeTable(prefix string) string { return prefix + "range" }
