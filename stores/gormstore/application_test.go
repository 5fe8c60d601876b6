package gormstore_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// What holds on a database that the application handed in.

func TestHandedInDatabaseIsNeverClosed(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	store := onDB(t, db, time.Second)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var one int
	if err := db.Raw(`select 1`).Scan(&one).Error; err != nil {
		t.Errorf("after the store was closed: %v", err)
	}
}

func TestRollbackGivesNothingBack(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db")+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(1000)")
	tx := db.Begin()
	store := onDB(t, tx, time.Second) // even one that is handed in inside a transaction
	first, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	second, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	if second.Start != first.End {
		t.Errorf("reserved %v, and %v after the rollback", first, second)
	}
}

// G39: a pool of one connection, which the application's transaction holds.
func TestPoolHeldByTheCallerIsAnErrorWithinTheTimeout(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	pool.SetMaxOpenConns(1)
	store := onDB(t, db, 100*time.Millisecond)
	err = db.Transaction(func(*gorm.DB) error {
		_, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("error %v, want DeadlineExceeded with nothing sent", err)
		}
		for _, want := range []string{"no connection became free", "at most 1", "timeout of 100ms"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %v does not say %q", err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("reserve after the transaction answered %v, %v", r, err)
	}
}

func TestPluginsAndModesOfTheApplicationDoNotReachTheStore(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	refuse := func(tx *gorm.DB) { tx.AddError(errors.New("the application's callback ran")) }
	if err := errors.Join(
		db.Callback().Row().Before("gorm:row").Register("test:refuse", refuse),
		db.Callback().Raw().Before("gorm:raw").Register("test:refuse", refuse),
	); err != nil {
		t.Fatal(err)
	}
	store := onDB(t, db.Session(&gorm.Session{DryRun: true, PrepareStmt: true}), time.Second)
	for start := int64(1); start < 30; start += 10 {
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != start {
			t.Errorf("reserve answered %v, %v; want it to start at %d", r, err, start)
		}
	}
}

func TestPrefixesKeepStoresApart(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	yes := true
	for _, prefix := range []string{"a_", "b_"} {
		store := start(t, db, gormstore.Options{TablePrefix: prefix, AutoMigrate: &yes})
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
			t.Errorf("prefix %s: reserve answered %v, %v", prefix, r, err)
		}
	}
}

func TestWeakDurabilityIsWarnedAbout(t *testing.T) {
	for _, test := range []struct {
		synchronous string
		warned      bool
	}{{"OFF", true}, {"NORMAL", true}, {"FULL", false}, {"EXTRA", false}} {
		t.Run(test.synchronous, func(t *testing.T) {
			var log strings.Builder
			db := applicationDB(t, filepath.Join(t.TempDir(), "app.db")+"?_pragma=synchronous("+test.synchronous+")")
			yes, options := true, gormstore.DefaultOptions()
			options.AutoMigrate = &yes
			store, err := gormstore.New(stores.Spec{
				Name: "db", Timeout: time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			}, db, options)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if err := store.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if warned := strings.Contains(log.String(), "synchronous(FULL)"); warned != test.warned {
				t.Errorf("log is %q, want a warning: %v", log.String(), test.warned)
			}
		})
	}
}

func TestFilesOfTheStoreAreDurable(t *testing.T) {
	var log strings.Builder
	path := filepath.Join(t.TempDir(), "cosid.db")
	options := gormstore.DefaultOptions()
	options.DSN = path
	store, err := gormstore.New(stores.Spec{
		Name: "db", Timeout: time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log.Len() != 0 {
		t.Errorf("the log says %q", log.String())
	}
	var mode string
	if err := applicationDB(t, path).Raw(`pragma journal_mode`).Scan(&mode).Error; err != nil || mode != "wal" {
		t.Errorf("journal mode is %q, %v; want wal", mode, err)
	}
}
