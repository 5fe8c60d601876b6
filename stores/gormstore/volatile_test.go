package gormstore_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// S4: a database that ends with its connection would hand out its ids again. SQLite has many ways to name one.
func TestVolatileDatabasesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dsn := range []string{
		":memory:", "file::memory:", "file:%3Amemory%3A", "file:%3Amemory:?cache=private", "file:///%3Amemory%3A",
		"file:x.db?mode=memory", "file:x.db?mode=rwc&mode=memory", "file:x.db?%6dode=memory", "file:x.db?mode=memory#",
		"file:%00", "file:#f", "file://?a=1",
	} {
		options := gormstore.DefaultOptions()
		options.DSN = dsn
		var got []stores.Range
		for range 2 {
			store, err := gormstore.New(spec(), nil, options)
			if err != nil {
				break
			}
			if err := store.Start(t.Context()); err != nil {
				break
			}
			r, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
			if err != nil {
				t.Errorf("%s: %v", dsn, err)
			}
			got = append(got, r)
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
		if len(got) == 2 && got[1].Start < got[0].End {
			t.Errorf("%s: %v, and after a reopen %v", dsn, got[0], got[1])
		}
	}
}

// A database that was handed in is the application's affair; it is told.
func TestAHandedInVolatileDatabaseIsWarnedAbout(t *testing.T) {
	var log strings.Builder
	yes, options := true, gormstore.DefaultOptions()
	options.AutoMigrate = &yes
	store, err := gormstore.New(stores.Spec{
		Name: "db", Timeout: time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}, applicationDB(t, ":memory:"), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "in memory or temporary") {
		t.Errorf("logged %q", log.String())
	}
}

// Close ends a Start that waits for a lock, and the error of that Start tells what it waited for.
func TestCloseEndsAStartThatWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cosid.db")
	db := applicationDB(t, path)
	execute(t, db, `create table x(a)`)
	tx := db.Begin()
	defer tx.Rollback()
	execute(t, tx, `insert into x values(1)`)
	options := gormstore.DefaultOptions()
	options.DSN = path
	store, err := gormstore.New(spec(), nil, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	started := make(chan error, 1)
	go func() { started <- store.Start(ctx) }()
	select {
	case err := <-started:
		t.Fatalf("Start of a locked file: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	began := time.Now()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if err := <-started; err == nil || time.Since(began) > 20*time.Second {
		t.Errorf("Start failed with %v, %v after Close", err, time.Since(began))
	}
	for range 3 {
		short, err := gormstore.New(spec(), nil, options)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		if err := short.Start(ctx); err == nil || !strings.Contains(err.Error(), "holds the lock") {
			t.Errorf("Start of a locked file: %v", err)
		}
		cancel()
		short.Close()
	}
}
