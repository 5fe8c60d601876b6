package gormstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

// movedSQLite is SQLite with a clock that can be moved: its own is that of the host.
type movedSQLite struct {
	sqlite
	millis *atomic.Int64
}

func (m movedSQLite) clock() string { return fmt.Sprintf("%s + %d", m.sqlite.clock(), m.millis.Load()) }

func TestSlotLeaseStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cosid.db")
	var millis atomic.Int64
	storetest.RunSlotLeaseStore(t, storetest.SlotHarness{
		New: func() (storetest.SlotStore, error) {
			options := DefaultOptions()
			options.DSN = path
			store, err := New(stores.Spec{Name: "db", Timeout: 10 * time.Second}, nil, options)
			if err == nil {
				store.dialect = movedSQLite{millis: &millis}
			}
			return store, err
		},
		MoveClock: func(_ context.Context, delta time.Duration) error {
			millis.Add(delta.Milliseconds())
			return nil
		},
		Restart: func(context.Context) error { return nil }, // with its clients closed, nothing but the file is left
		Freeze:  func(ctx context.Context) (func() error, error) { return lockFile(ctx, path) },
		Cycles:  StressCycles(t),
	})
}

// cyclesEnv is how many release and restart cycles a slot store must go through without a leak.
const cyclesEnv = "COSID_STRESS_CYCLES"

// StressCycles is what cyclesEnv says, or few.
func StressCycles(t *testing.T) int {
	t.Helper()
	text := os.Getenv(cyclesEnv)
	if text == "" {
		return 100
	}
	cycles, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", cyclesEnv, err)
	}
	return cycles
}

// lockFile takes the write lock of a file, as another process that does not let go of it.
func lockFile(ctx context.Context, path string) (unlock func() error, err error) {
	_, pool, err := sqlite{}.open(path)
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	if _, err := conn.ExecContext(ctx, "begin immediate"); err != nil {
		return nil, errors.Join(err, conn.Close(), pool.Close())
	}
	return func() error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), "rollback")
		return errors.Join(err, conn.Close(), pool.Close())
	}, nil
}

// Whoever has lost races spreads out, or fifty that start at once would need fifty rounds.
func TestLosersOfARaceSpreadOut(t *testing.T) {
	var rows []slotRow
	for slot := range int64(100) {
		rows = append(rows, slotRow{SlotRow: stores.SlotRow{Slot: 99 - slot}})
	}
	for try, want := range []int{1, 2, 4, 8, 16} {
		picked := map[int64]bool{}
		for range 2000 {
			picked[pick(rows, try).Slot] = true
		}
		if len(picked) != want || !picked[0] || !picked[int64(want-1)] {
			t.Errorf("after %d lost races %d slots are tried, want the %d smallest: %v", try, len(picked), want, picked)
		}
	}
	if last := pick(rows[:3], 50); last.Slot > 2 {
		t.Errorf("of 3 slots %d was picked", last.Slot)
	}
}
