package gormstore_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/libtnb/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// spec leaves a call more time than the suite's own contexts do.
func spec() stores.Spec { return stores.Spec{Name: "db", Timeout: 10 * time.Second} }

// onFile builds a store on a file of its own.
func onFile(t testing.TB, path string) *gormstore.Store {
	t.Helper()
	store, err := newOnFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func newOnFile(path string) (*gormstore.Store, error) {
	options := gormstore.DefaultOptions()
	options.DSN = path
	return gormstore.New(spec(), nil, options)
}

// applicationDB opens a database as an application would.
func applicationDB(t testing.TB, dsn string) *gorm.DB {
	return applicationDBWith(t, dsn, gorm.Config{})
}

func applicationDBWith(t testing.TB, dsn string, config gorm.Config) *gorm.DB {
	t.Helper()
	config.Logger = logger.Discard
	db, err := gorm.Open(sqlite.Open(dsn), &config)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return db
}

// lock takes the write lock of the file, as another process that does not let go of it.
func lock(ctx context.Context, db *gorm.DB) (unlock func() error, err error) {
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "begin immediate"); err != nil {
		conn.Close()
		return nil, err
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), "rollback")
		conn.Close()
		return err
	}, nil
}

func TestRangeStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "cosid.db")
	harness := storetest.Harness{
		New:     func() (storetest.Store, error) { return newOnFile(path) },
		Restart: func(context.Context) error { return nil }, // with its clients closed, nothing but the file is left
	}
	harness.Freeze = func(ctx context.Context) (func() error, error) { return lock(ctx, applicationDB(t, path)) }
	storetest.RunRangeStore(t, harness)
}

func TestRangeStoreOnApplicationDB(t *testing.T) { onApplicationDB(t, gorm.Config{}) }

func TestRangeStoreOnApplicationDBWithEveryMode(t *testing.T) { onApplicationDB(t, everyMode()) }

func onApplicationDB(t *testing.T, config gorm.Config) {
	path := filepath.Join(t.TempDir(), "app.db")
	// The suite never lets up, and SQLite's own waiting is unfair: with a long busy_timeout one of the clients would
	// wait for the others all the time.
	const settings = "?_pragma=busy_timeout(1)&_pragma=journal_mode(WAL)"
	db := applicationDBWith(t, path+settings, config)
	storetest.RunRangeStore(t, storetest.Harness{
		New: func() (storetest.Store, error) { return gormstore.New(spec(), db, handedIn()) },
		Restart: func(context.Context) error {
			pool, err := db.DB()
			if err != nil {
				return err
			}
			if err := pool.Close(); err != nil {
				return err
			}
			db = applicationDBWith(t, path+settings, config)
			return nil
		},
		Freeze: func(ctx context.Context) (func() error, error) { return lock(ctx, db) },
	})
}
