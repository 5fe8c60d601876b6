package gormstore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// What calls do on servers.

func oneStatement(t *testing.T, s *server) {
	db := s.application(t, s.newDSN(t), gorm.Config{}, 2)
	log := &statements{Interface: logger.Discard}
	store := newStarted(t, db.Session(&gorm.Session{Logger: log}), handedIn(), time.Second)
	first := 1
	if s.driver == "mysql" {
		first = 2
	}
	for _, call := range []struct {
		name string
		want int
		run  func() error
	}{
		{"first reserve", first, func() error { _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); return err }},
		{"next reserve", 1, func() error { _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); return err }},
		{"huge offset", 1, func() error { _, err := store.Reserve(t.Context(), "shop/bill", 10, math.MaxInt64); return err }},
		{"seal", 1, func() error { _, err := store.Seal(t.Context(), "shop/bill"); return err }},
		{"seal again", 1, func() error { _, err := store.Seal(t.Context(), "shop/bill"); return err }},
	} {
		log.take()
		if err := call.run(); err != nil {
			t.Fatalf("%s: %v", call.name, err)
		}
		if sent := log.take(); len(sent) != call.want {
			t.Errorf("%s sent %d statements, want %d: %q", call.name, len(sent), call.want, sent)
		}
	}
}

func keysDifferByCase(t *testing.T, s *server) {
	store := newStarted(t, nil, s.options(s.newDSN(t)), time.Second)
	longest := "shop/" + strings.Repeat("x", 64) + "/" + strings.Repeat("y", 64)
	for _, key := range []string{"shop/a", "shop/A", "SHOP/a", longest} {
		if r, err := store.Reserve(t.Context(), key, 10, 1); err != nil || r.Start != 1 {
			t.Errorf("%s: %v, %v", key, r, err)
		}
	}
}

func rollbackOnServer(t *testing.T, s *server) {
	db := s.application(t, s.newDSN(t), gorm.Config{}, 2)
	tx := db.Begin()
	store := newStarted(t, tx, handedIn(), time.Second) // even one that is handed in inside a transaction
	first, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	if second, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || second.Start != first.End {
		t.Errorf("reserved %v, and %v, %v after the rollback", first, second, err)
	}
}

func poolHeldOnServer(t *testing.T, s *server) {
	db := s.application(t, s.newDSN(t), gorm.Config{}, 1)
	store := newStarted(t, db, handedIn(), 100*time.Millisecond)
	err := db.Transaction(func(*gorm.DB) error {
		_, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, stores.ErrOutcomeUnknown) ||
			!strings.Contains(err.Error(), "no connection became free in a pool of at most 1") {
			t.Errorf("error %v, want DeadlineExceeded with nothing sent", err)
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

func lockedRow(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	store := newStarted(t, nil, s.options(dsn), 300*time.Millisecond)
	if _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil {
		t.Fatal(err)
	}
	db := s.application(t, dsn, gorm.Config{}, 1)
	tx := db.Begin()
	execute(t, tx, `select * from cosid_range where range_key = 'shop/bill' for update`)
	began := time.Now()
	_, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
		t.Errorf("reserve answered %v after %v", err, took)
	}
	if r, err := store.Reserve(t.Context(), "shop/other", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("another key: %v, %v", r, err)
	}
	if err := tx.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start < 11 {
		t.Errorf("reserve after the lock is gone answered %v, %v", r, err)
	}
}

func frozenOnServer(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	newStarted(t, nil, s.options(dsn), 10*time.Second)
	running := newStarted(t, nil, s.options(dsn), 200*time.Millisecond)
	if _, err := running.Reserve(t.Context(), "shop/bill", 10, 1); err != nil { // on an open connection, just used
		t.Fatal(err)
	}
	starting, err := gormstore.New(stores.Spec{Name: "db", Timeout: time.Second}, nil, s.options(dsn))
	if err != nil {
		t.Fatal(err)
	}
	defer starting.Close()
	if err := s.Freeze(); err != nil {
		t.Fatal(err)
	}
	_, err = running.Reserve(t.Context(), "shop/bill", 10, 1)
	if !errors.Is(err, stores.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("reserve answered %v, want ErrOutcomeUnknown", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := starting.Start(short); !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(fmt.Sprint(err), "did not accept a connection in time") {
		t.Errorf("start answered %v", err)
	}
	if err := s.Thaw(); err != nil {
		t.Fatal(err)
	}
	if _, err := running.Reserve(t.Context(), "shop/bill", 10, 1); err != nil {
		t.Error(err)
	}
}

func vanishedOnServer(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	store := newStarted(t, nil, s.options(dsn), time.Second)
	execute(t, s.application(t, dsn, gorm.Config{}, 1), `drop table cosid_range`)
	_, err := store.Reserve(t.Context(), "shop/bill", 1, 1)
	if err == nil || errors.Is(err, stores.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "the table is missing") {
		t.Errorf("reserve answered %v", err)
	}
}

// After a failover a pool holds connections to a server that may not write any more.
func readOnlyConnection(t *testing.T, s *server) {
	db := s.application(t, s.newDSN(t), gorm.Config{}, 1)
	store := newStarted(t, db, handedIn(), time.Second)
	execute(t, db, map[string]string{
		"postgres": `set default_transaction_read_only = on`, "mysql": `set session transaction read only`,
	}[s.driver])
	_, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
	if err == nil || errors.Is(err, stores.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("reserve answered %v", err)
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("the next one answered %v, %v: it used the same connection", r, err)
	}
}

// Settings of a DSN cannot keep a reserve from being committed, nor change what an answer means.
func ownConnections(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	hostile := s.with(dsn, "default_transaction_isolation", "serializable")
	if s.driver == "mysql" {
		hostile = s.edit(dsn, func(a *address) {
			a.parameters = map[string]string{"autocommit": "0", "clientFoundRows": "true", "interpolateParams": "false"}
			for _, spelled := range []string{"AUTOCOMMIT", "Autocommit", "AutoCommit", "autoCommit", "@@autocommit"} {
				a.parameters[spelled] = "0" // the driver sets all of them, in any order
			}
		})
	}
	options := s.options(hostile)
	options.ConnMaxLifetime = time.Nanosecond // a new connection for each call
	store := newStarted(t, nil, options, time.Second)
	db := s.application(t, dsn, gorm.Config{}, 1)
	for next := int64(11); next < 40; next += 10 {
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.End != next {
			t.Fatalf("reserve answered %v, %v", r, err)
		}
		var stored int64
		if err := db.Raw(`select next_id from cosid_range`).Scan(&stored).Error; err != nil || stored != next {
			t.Fatalf("others read %d, %v; want %d", stored, err, next)
		}
	}
}

// A connection goes back into the application's pool with another schema or database in front, as those of tenants do.
// That one has the tables, too.
func looksElsewhere(t *testing.T, s *server) {
	db := s.application(t, s.newDSN(t), gorm.Config{}, 1)
	there, back := `set search_path to tenant, public`, `set search_path to public`
	if s.driver == "mysql" {
		var here string
		if err := db.Raw(`select database()`).Scan(&here).Error; err != nil {
			t.Fatal(err)
		}
		there, back = `use `+s.NewDatabase(t), `use `+here
	} else {
		execute(t, db, `create schema tenant`)
	}
	execute(t, db, there)
	execute(t, db, ddlOf(t, s.driver)...)
	execute(t, db, back)
	store := newStarted(t, db, handedIn(), 5*time.Second)
	first, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	lease, err := store.Acquire(t.Context(), leaseRequest("a"))
	if err != nil {
		t.Fatal(err)
	}

	execute(t, db, there)
	if second, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || second.Start != first.End {
		t.Errorf("reserved %v, and elsewhere %v, %v", first, second, err)
	}
	if other, err := store.Acquire(t.Context(), leaseRequest("b")); err != nil || other.Slot == lease.Slot {
		t.Errorf("acquired %v, and elsewhere %v, %v", lease, other, err)
	}
	if renewed, err := store.Renew(t.Context(), lease, time.Minute, lease.Floor); err != nil || renewed.Fence != lease.Fence {
		t.Errorf("renew elsewhere answered %v, %v", renewed, err)
	}
}

func fullDisk(t *testing.T, s *server) {
	disk := smallDisk(t)
	if err := os.Chmod(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	dsn := s.newDSN(t)
	db := s.application(t, dsn, gorm.Config{}, 2)
	create := ddlOf(t, s.driver)[0]
	if s.driver == "mysql" {
		execute(t, db, create+` data directory = '`+disk+`'`)
	} else {
		inside := disk + "/space"
		makeFolderFor(t, inside, "postgres")
		execute(t, db, `create tablespace small location '`+inside+`'`, create+` tablespace small`)
		t.Cleanup(func() { execute(t, db, `drop table cosid_range`, `drop tablespace small`) })
	}
	store := newStarted(t, nil, s.options(dsn), 5*time.Second)
	fill(t, disk)
	for i := range 100_000 {
		_, err := store.Reserve(t.Context(), fmt.Sprintf("shop/%s/%d", strings.Repeat("x", 60), i), 10, 1)
		if err == nil {
			continue
		}
		if errors.Is(err, stores.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "full; make room") {
			t.Errorf("after %d keys: %v", i, err)
		}
		return
	}
	t.Error("the disk never gets full")
}
