package gormstore_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// What an acquire looks at in a large namespace.

// manySlots makes a store whose namespace has all slots below rows live, except absent.
func manySlots(t testing.TB, db *gorm.DB, rows, absent, limit int64) (stores.SlotLeaseStore, stores.SlotRequest) {
	t.Helper()
	store := start(t, db, handedIn())
	request := leaseRequest("late")
	request.Limit = limit
	first := request
	first.Owner, first.Preferred = "first", absent
	lease, err := store.Acquire(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	copied := fmt.Sprintf(`insert into cosid_slot 
		select namespace, n.value, 'o-' || n.value, incarnation, '', fence, expires_at, window_floor,
			 window_ceiling, next_floor, version
		from cosid_slot, (with recursive n(value) as (select 0 union all select value + 1 from n where value + 1 < %d)
			select value from n) as n
		where slot = %d and n.value <> %[2]d`, rows, absent)
	last := fmt.Sprintf(`update cosid_slot set owner = 'o-x', slot = %d where slot = %d`, limit-1, lease.Slot)
	execute(t, db, copied, last)
	return store, request
}

func TestHoleAmongManySlotsIsFound(t *testing.T) {
	for _, test := range []struct{ rows, absent, limit, want int64 }{
		{1000, 0, 2000, 0},
		{1000, 127, 2000, 127},
		{1000, 128, 2000, 128},
		{1000, 777, 2000, 777},
		{1000, 999, 2000, 999},
		{256, 255, 257, 255},
		{128, 127, 1 << 20, 127},
		{5000, 4999, 5001, 4999},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
			store, request := manySlots(t, db, test.rows, test.absent, test.limit)
			lease, err := store.Acquire(t.Context(), request)
			if err != nil || lease.Slot != test.want || lease.Fence != 1 {
				t.Fatalf("acquire answered %v, %v; want slot %d", lease, err, test.want)
			}
			request.Incarnation = "next" // which gets the first one after them
			lease, err = store.Acquire(t.Context(), request)
			if free := test.limit - 1 - test.rows; free == 0 {
				var none *stores.NoFreeSlotError
				if !errors.As(err, &none) || none.Live != test.limit {
					t.Errorf("acquire answered %v, %v, want none free", lease, err)
				}
			} else if err != nil || lease.Slot != test.rows {
				t.Errorf("acquire answered %v, %v; want slot %d", lease, err, test.rows)
			}
		})
	}
}

// The cost of a call grows with the logarithm of the slots: each statement goes by an index.
func TestNoLeaseScansTheTable(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	log := &statements{Interface: logger.Discard}
	store, request := manySlots(t, db.Session(&gorm.Session{Logger: log}), 1000, 500, 1001)
	log.take()
	lease, err := store.Acquire(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if lease, err = store.Renew(t.Context(), lease, 1e9, lease.Floor); err != nil {
		t.Fatal(err)
	}
	if err := store.Release(t.Context(), lease, lease.Ceiling-1); err != nil {
		t.Fatal(err)
	}
	request.Owner = "later"
	if lease, err = store.Acquire(t.Context(), request); err != nil || lease.Slot != 500 || lease.Fence != 2 {
		t.Fatalf("ahead of the clock: %v, %v", lease, err)
	}
	var all strings.Builder
	for _, statement := range log.take() {
		var plan []struct{ Detail string }
		if err := db.Raw(`explain query plan ` + strings.ReplaceAll(statement, "?", "")).Scan(&plan).Error; err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		for _, step := range plan {
			all.WriteString(step.Detail + "\n")
			if strings.HasPrefix(step.Detail, "SCAN cosid_") || strings.Contains(step.Detail, "cosid_slot USING") &&
				strings.HasSuffix(step.Detail, "(namespace=?)") {
				t.Errorf("%s\n%s", step.Detail, statement)
			}
		}
	}
	for _, by := range []string{"next_floor<?", "expires_at<?", "owner=?", "last_owner=?", "slot=?", "slot>?"} {
		if !strings.Contains(all.String(), "(namespace=? AND "+by) {
			t.Errorf("nothing is looked for by namespace and %s:\n%s", by, all.String())
		}
	}
}

func TestFiftyClientsThatStartAtOnceGetASlotEach(t *testing.T) {
	options := gormstore.DefaultOptions()
	options.DSN = filepath.Join(t.TempDir(), "cosid.db")
	fiftyAtOnce(t, options)
}

func TestLeasesTakeFewRoundTrips(t *testing.T) {
	fewRoundTrips(t, applicationDB(t, filepath.Join(t.TempDir(), "app.db")))
}

func TestMissingSlotTablesMatterToLeasesOnly(t *testing.T) {
	missingSlotTables(t, applicationDB(t, filepath.Join(t.TempDir(), "app.db")+"?_pragma=synchronous(FULL)"), "sqlite")
}
