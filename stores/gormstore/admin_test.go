package gormstore_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestAdmin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cosid.db")
	storetest.RunAdmin(t, storetest.Harness{New: func() (storetest.Store, error) { return newOnFile(path) }})
}

func TestInspectTellsWhatStartWouldSay(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db")+"?_pragma=synchronous(OFF)")
	store := start(t, db, handedIn())
	seen, err := store.Inspect(t.Context())
	if err != nil || !strings.HasPrefix(seen.Server, "SQLite 3.") || time.Since(seen.Now).Abs() > time.Minute {
		t.Errorf("inspect answered %+v, %v", seen, err)
	}
	if len(seen.Findings) != 1 || !strings.Contains(seen.Findings[0].Problem, "power failure") ||
		!strings.Contains(seen.Findings[0].Remedy, "synchronous(FULL)") {
		t.Errorf("the findings are %+v", seen.Findings)
	}
	for _, test := range []struct {
		statements []string
		says       string
	}{
		{[]string{`drop table cosid_slot`, `create table cosid_slot (slot integer)`}, "no slots can be leased here"},
		{[]string{`drop table cosid_range`, `create table cosid_range (range_key text)`}, "check table cosid_range"},
		{[]string{`drop table cosid_range`}, "table cosid_range is missing"},
	} {
		execute(t, db, test.statements...)
		seen, err := store.Inspect(t.Context())
		if err != nil || !slices.ContainsFunc(seen.Findings, func(f stores.Finding) bool {
			return strings.Contains(f.Problem, test.says) && strings.Contains(f.Remedy, "create")
		}) {
			t.Errorf("after %s: %+v, %v; want a finding that says %q", test.statements, seen, err, test.says)
		}
	}
	if err := store.Ping(t.Context()); err == nil {
		t.Error("a ping succeeds although the table of ranges is gone")
	}
}

// SQLite's clients read while one writes, so that it is the write that meets the lock, and it has changed nothing.
func TestLeaseOfALockedDatabaseIsAnErrorWithinTheTimeout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	db := applicationDB(t, path+"?_pragma=busy_timeout(0)&_pragma=journal_mode(WAL)")
	store := onDB(t, db, time.Second)
	unlock, err := lock(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	lease, err := store.Acquire(t.Context(), leaseRequest("a"))
	if took := time.Since(began); err == nil || errors.Is(err, stores.ErrOutcomeUnknown) || took > 2*time.Second ||
		!strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("acquire answered %v, %v after %v", lease, err, took)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if lease, err := store.Acquire(t.Context(), leaseRequest("a")); err != nil || lease.Fence != 1 {
		t.Errorf("acquire after the lock is gone answered %v, %v", lease, err)
	}
}

func TestListingOfWhatNoKeyBeginsWithIsEmpty(t *testing.T) {
	store := onDB(t, applicationDB(t, filepath.Join(t.TempDir(), "app.db")), time.Second)
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]int{
		"": 1, "s": 1, "shop/bill": 1, "shop/bill/": 0, "t": 0, "S": 0, "%": 0, "sh\x00": 0, "s\u00e9": 0,
	} {
		var got int
		for _, err := range store.Ranges(t.Context(), prefix) {
			if err != nil {
				t.Fatal(err)
			}
			got++
		}
		if got != want {
			t.Errorf("%q lists %d keys, want %d", prefix, got, want)
		}
	}
}

func TestRaiseLeavesASealedKeyAsItIs(t *testing.T) {
	store := onDB(t, applicationDB(t, filepath.Join(t.TempDir(), "app.db")), time.Second)
	if _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Seal(t.Context(), "shop/bill"); err != nil {
		t.Fatal(err)
	}
	want := stores.RangeRecord{Key: "shop/bill", Next: 11, Sealed: true}
	for range 2 {
		record, err := store.RaiseRange(t.Context(), "shop/bill", 100)
		if record != want || !errors.Is(err, stores.ErrRangeSealed) {
			t.Errorf("raise answered %+v, %v; want %+v and ErrRangeSealed", record, err, want)
		}
	}
}
