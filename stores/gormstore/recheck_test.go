package gormstore

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
)

// loser is SQLite to a caller that loses the race for a statement: it is refused, and then the key is there.
type loser struct {
	sqlite
	refusals int
}

func (l *loser) advance(tx *gorm.DB, table, key string, size, initialOffset int64) (int64, error) {
	if l.refusals > 0 {
		l.refusals--
		return 0, sql.ErrNoRows
	}
	return l.sqlite.advance(tx, table, key, size, initialOffset)
}

func TestRefusalStandsOnlyIfTheStoredValueConfirmsIt(t *testing.T) {
	options := DefaultOptions()
	options.DSN = filepath.Join(t.TempDir(), "cosid.db")
	store, err := New(stores.Spec{Name: "db", Timeout: time.Second}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	dialect := &loser{}
	store.dialect = dialect
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}

	for start := int64(1); start < 30; start += 10 { // an absent key too
		dialect.refusals = 3
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != start {
			t.Fatalf("reserve answered %v, %v; want it to start at %d", r, err, start)
		}
	}
	if _, err := store.Seal(t.Context(), "shop/bill"); err != nil {
		t.Fatal(err)
	}
	dialect.refusals = 1
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); !errors.Is(err, stores.ErrRangeSealed) {
		t.Errorf("reserve of a sealed key answered %v, %v", r, err)
	}
}
