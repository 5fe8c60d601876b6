package gormplugin_test

import (
	"crypto/rand"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/libtnb/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid/internal/servers"
)

// database is one that the tests run on. Its exported methods are the tests of this package that need a database;
// -run 'TestMariaDB/MapsAreFilled' runs one of them.
type database struct {
	// empty gives an empty database of the test's own.
	empty func(testing.TB) gorm.Dialector

	// bytewise is the collation by which text is compared byte by byte.
	bytewise string

	// countsConflicts tells that RowsAffected counts a row that DoNothing did not insert. GORM does so on MariaDB, where
	// it reads the keys back by RETURNING.
	countsConflicts bool
}

func TestSQLite(t *testing.T) {
	t.Parallel() // with the servers: much of the time passes in waiting for answers
	inFile().run(t)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	server := servers.StartPostgres(t, "fsync=off", "synchronous_commit=off")
	dsn := server.DSN(server.NewDatabase(t))
	admin := connect(t, postgres.Open(dsn), &gorm.Config{})
	database{bytewise: `"C"`, empty: func(t testing.TB) gorm.Dialector {
		return postgres.Open(dsn + "&search_path=" + createEmpty(t, admin))
	}}.run(t)
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	server := servers.StartMariaDB(t, "innodb-flush-log-at-trx-commit=0")
	admin := connect(t, mysql.Open(server.DSN("")), &gorm.Config{})
	for _, c := range []struct {
		name      string
		returning bool
	}{
		{"Returning", true},
		{"LastInsertID", false}, // as GORM does it on MySQL, which has no RETURNING
	} {
		t.Run(c.name, func(t *testing.T) {
			database{bytewise: "ascii_bin", countsConflicts: c.returning, empty: func(t testing.TB) gorm.Dialector {
				return mysql.New(mysql.Config{DSN: server.DSN(createEmpty(t, admin)), DisableWithReturning: !c.returning})
			}}.run(t)
		})
	}
}

// run runs every test on the database.
func (d database) run(t *testing.T) {
	tests := reflect.ValueOf(d)
	for i := range tests.NumMethod() {
		t.Run(tests.Type().Method(i).Name, tests.Method(i).Interface().(func(*testing.T)))
	}
}

// inFile is SQLite.
func inFile() database {
	return database{bytewise: "BINARY", empty: func(t testing.TB) gorm.Dialector {
		file := filepath.ToSlash(filepath.Join(t.TempDir(), "app.db"))
		return sqlite.Open("file:" + file + "?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
	}}
}

// createEmpty makes a schema, which to MariaDB is a database, and to PostgreSQL takes a fraction of the time of one.
func createEmpty(t testing.TB, admin *gorm.DB) (name string) {
	t.Helper()
	name = "t" + strings.ToLower(rand.Text())
	if err := admin.Exec("CREATE SCHEMA " + name).Error; err != nil {
		t.Fatal(err)
	}
	return name
}

// open opens an empty database with a pool of one connection. There are no foreign keys in it: what tests look at is
// who gets which number, also where a row that they leave out would be missed.
func (d database) open(t testing.TB, config *gorm.Config) *gorm.DB {
	t.Helper()
	config.DisableForeignKeyConstraintWhenMigrating = true
	return connect(t, d.empty(t), config)
}

func connect(t testing.TB, dialector gorm.Dialector, config *gorm.Config) *gorm.DB {
	t.Helper()
	config.Logger = logger.Discard
	db, err := gorm.Open(dialector, config)
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
