package gormplugin_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/libtnb/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// dialectEnv names the database that all tests of this package run on; empty is SQLite, which needs no server.
const dialectEnv = "COSID_TEST_DIALECT"

// dialect is a database that the tests run on.
type dialect struct {
	// open gives an empty database of the test's own, which goes away with the test.
	open func(testing.TB) gorm.Dialector

	// countsConflicts tells that RowsAffected counts a row that DoNothing did not insert. GORM does so on MariaDB, where
	// it reads the keys back by RETURNING.
	countsConflicts bool
}

// dialects are those there are.
var dialects = map[string]dialect{
	"sqlite": {open: openSQLite},
}

// tested is the dialect that the tests run on.
func tested(t testing.TB) dialect {
	t.Helper()
	name := cmp.Or(os.Getenv(dialectEnv), "sqlite")
	d, ok := dialects[name]
	if !ok {
		t.Fatalf("%s=%s: no such dialect", dialectEnv, name)
	}
	return d
}

func openSQLite(t testing.TB) gorm.Dialector {
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "app.db"))
	return sqlite.Open("file:" + file + "?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
}

// openDatabase opens an empty database with a pool of one connection. There are no foreign keys in it: what tests look
// at is who gets which number, also where a row that they leave out would be missed.
func openDatabase(t testing.TB, config *gorm.Config) *gorm.DB {
	t.Helper()
	config.Logger = logger.Discard
	config.DisableForeignKeyConstraintWhenMigrating = true
	db, err := gorm.Open(tested(t).open(t), config)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	pool.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = pool.Close() })
	return db
}
