package gormstore_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// start builds a store on db, which may be nil if the options hold a DSN, and starts it.
func start(t testing.TB, db *gorm.DB, options gormstore.Options) *gormstore.Store {
	t.Helper()
	store, err := gormstore.New(spec(), db, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	return store
}

func execute(t testing.TB, db *gorm.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := db.Exec(statement).Error; err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestStartSaysWhatToDo(t *testing.T) {
	for _, test := range []struct {
		name string
		dsn  func(t *testing.T, dir string) string
		says string
	}{
		{"a table of another shape", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "cosid.db")
			execute(t, applicationDB(t, path), `create table cosid_range (name text primary key, value integer)`)
			return path
		}, "table-prefix"},
		{"a table without a unique key", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "cosid.db")
			execute(t, applicationDB(t, path), `create table cosid_range (range_key text, next_id integer, sealed integer)`)
			return path
		}, "primary key"},
		{"a file that is no database", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "notes.txt")
			if err := os.WriteFile(path, []byte(strings.Repeat("dear diary\n", 500)), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, "not a SQLite database"},
		{"a directory that cannot be made", func(t *testing.T, dir string) string {
			if err := os.WriteFile(filepath.Join(dir, "data"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "data", "cosid.db")
		}, "directory"},
		{"a directory in place of the file", func(_ *testing.T, dir string) string { return dir }, "cannot be opened"},
		{"a read-only file", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "cosid.db")
			options := gormstore.DefaultOptions()
			options.DSN = path
			if err := start(t, nil, options).Close(); err != nil {
				t.Fatal(err)
			}
			return "file:" + path + "?mode=ro"
		}, "cannot be written"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := onFile(t, test.dsn(t, t.TempDir()))
			err := store.Start(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), `start "db"`) {
				t.Fatalf("error %v, want one of the store that says %q", err, test.says)
			}
			t.Log(err)
			if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); !errors.Is(err, stores.ErrClosed) {
				t.Errorf("reserve after a failed Start answered %v, want ErrClosed", err)
			}
		})
	}
}

func TestMissingTableIsNotCreatedUnasked(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	store, err := gormstore.New(spec(), db, gormstore.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	err = store.Start(t.Context())
	for _, want := range []string{"cosid_range", "auto-migrate: true", "create table"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if db.Migrator().HasTable("cosid_range") {
		t.Error("the table was created")
	}

	no, options := false, gormstore.DefaultOptions()
	options.AutoMigrate, options.DSN = &no, filepath.Join(t.TempDir(), "cosid.db")
	if store, err = gormstore.New(spec(), nil, options); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "auto-migrate") {
		t.Errorf("a file with auto-migrate: false: error %v", err)
	}
}

func TestStartWaitsForALockAndItsContextEndsTheWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cosid.db")
	unlock, err := lock(t.Context(), applicationDB(t, path+"?_pragma=journal_mode(WAL)"))
	if err != nil {
		t.Fatal(err)
	}
	options := gormstore.DefaultOptions()
	options.DSN = path
	store, err := gormstore.New(stores.Spec{Name: "db", Timeout: 50 * time.Millisecond}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := store.Start(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 2*time.Second {
		t.Fatalf("start of a locked file answered %v after %v", err, time.Since(began))
	}

	// Nothing was left open: it can be started, now with a lock that goes away in the meantime.
	time.AfterFunc(100*time.Millisecond, func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	})
	if err := store.Start(t.Context()); err != nil {
		t.Fatalf("start of a file that is unlocked after a while: %v", err)
	}
}

func TestStartOnceOnly(t *testing.T) {
	store := onFile(t, filepath.Join(t.TempDir(), "cosid.db"))
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); err == nil {
		t.Error("a second Start succeeded")
	}
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); err != nil {
		t.Errorf("reserve after a second Start: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("start after Close answered %v, want ErrClosed", err)
	}
}

func TestURIPathsAreUnderstood(t *testing.T) {
	for _, test := range []struct{ name, prefix, suffix string }{
		{"a path in a URI", "file:", ""},
		{"parameters", "file:", "?mode=rwc&_pragma=cache_size(-1000)"},
		{"slashes", "file://", ""},
		{"a host", "file://localhost", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "50% of", "it", "cosid.db")
			escaped := (&url.URL{Path: path}).EscapedPath()
			store := onFile(t, test.prefix+escaped+test.suffix)
			if err := store.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestClosedFileIsLeftWithoutLocksAndLogs(t *testing.T) {
	dir := t.TempDir()
	store := onFile(t, filepath.Join(dir, "cosid.db"))
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 { // a clean close checkpoints the WAL and removes it
		t.Errorf("the directory holds %v, want the database only", left)
	}
}
