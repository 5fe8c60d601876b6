package gormstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// Slot leases on servers, whose clocks the suite steps.

func TestSlotLeasesOnPostgres(t *testing.T) {
	t.Parallel()
	clock := servers.NewClock(t)
	leasesOnServer(t, startPostgres(t, clock), clock)
}

func TestSlotLeasesOnMariaDB(t *testing.T) {
	t.Parallel()
	clock := servers.NewClock(t)
	leasesOnServer(t, startMariaDB(t, clock), clock)
}

func leasesOnServer(t *testing.T, s *server, clock *servers.Clock) {
	t.Run("Every_promise_on_a_serializable_pool", func(t *testing.T) { everyLeasePromise(t, s, clock) })
	t.Run("Concurrency_and_administration_on_a_pool_of_one", func(t *testing.T) { leasesOnPoolOfOne(t, s, clock) })
	t.Run("Fifty_clients_that_start_at_once_get_a_slot_each", func(t *testing.T) {
		options := s.options(s.newDSN(t))
		options.MaxOpenConns = 1
		fiftyAtOnce(t, options)
	})
	t.Run("Few_round_trips", func(t *testing.T) {
		fewRoundTrips(t, s.application(t, s.newDSN(t), gorm.Config{}, 2))
	})
	t.Run("A_locked_slot_is_an_error_within_the_timeout", func(t *testing.T) { lockedSlot(t, s) })
	t.Run("What_is_not_committed_grants_nothing", func(t *testing.T) { dirtyReads(t, s) })
	t.Run("An_empty_string_is_not_null", func(t *testing.T) { emptyStrings(t, s) })
	t.Run("A_slot_table_that_is_not_right_is_refused", func(t *testing.T) { wrongSlotTables(t, s) })
	t.Run("Missing_slot_tables_matter_to_leases_only", func(t *testing.T) {
		missingSlotTables(t, s.application(t, s.newDSN(t), gorm.Config{}, 2), s.driver)
	})
	t.Run("Inspect_finds_what_is_wrong", func(t *testing.T) { inspectServer(t, s) })
}

// slotHarness opens clients that share a server and its clock.
func slotHarness(
	t *testing.T, s *server, clock *servers.Clock, restarted func(), open func() (*gormstore.Store, error),
) storetest.SlotHarness {
	return storetest.SlotHarness{
		New:       func() (storetest.SlotStore, error) { return open() },
		MoveClock: func(_ context.Context, delta time.Duration) error { return clock.Move(delta) },
		Restart: func(context.Context) error {
			s.Kill()
			err := s.Start()
			restarted()
			return err
		},
		Freeze: func(context.Context) (func() error, error) { return s.Thaw, s.Freeze() },
		Cycles: gormstore.StressCycles(t),
	}
}

func everyLeasePromise(t *testing.T, s *server, clock *servers.Clock) {
	dsn := s.newDSN(t)
	if s.driver == "mysql" {
		dsn = s.edit(dsn, func(a *address) {
			for name, value := range mysqlDiffers {
				a.parameters[name] = value
			}
			a.parameters["tx_isolation"] = "'SERIALIZABLE'"
		})
	} else {
		dsn = s.with(dsn, "default_transaction_isolation", "serializable")
	}
	var db *gorm.DB // of the application
	connect := func() { db = s.application(t, dsn, everyMode(), 10) }
	connect()
	storetest.RunSlotLeaseStore(t, slotHarness(t, s, clock, connect, func() (*gormstore.Store, error) {
		return gormstore.New(spec(), db, handedIn())
	}))
}

func leasesOnPoolOfOne(t *testing.T, s *server, clock *servers.Clock) {
	options := s.options(s.newDSN(t))
	options.MaxOpenConns = 1
	open := func() (*gormstore.Store, error) { return gormstore.New(spec(), nil, options) }
	h := slotHarness(t, s, clock, func() {}, open)
	for _, promise := range storetest.SlotPromises() {
		if !strings.Contains(promise.Name, "concurrent") && !strings.Contains(promise.Name, "frozen") &&
			!strings.Contains(promise.Name, "abandoned") && !strings.Contains(promise.Name, "close") {
			continue // hangs on no connection
		}
		t.Run(promise.Name, func(t *testing.T) {
			if err := promise.Check(t.Context(), h); err != nil {
				t.Errorf("broken: %s\n%v", promise.Text, err)
			}
		})
	}
	storetest.RunAdmin(t, storetest.Harness{New: func() (storetest.Store, error) { return open() }})
}

// leaseRequest is for a slot of 50.
func leaseRequest(owner string) stores.SlotRequest {
	return stores.SlotRequest{
		Namespace: "shop", Owner: owner, Incarnation: "i-" + owner, Limit: 50, Tolerance: time.Hour, TTL: time.Minute,
		Preferred: stores.NoSlot,
	}
}

// fiftyAtOnce lets fifty stores, each with a pool of its own as in a process of its own, acquire at once.
func fiftyAtOnce(t *testing.T, options gormstore.Options) {
	const clients = 50
	all := make([]*gormstore.Store, clients)
	var starting sync.WaitGroup
	for i := range all {
		starting.Go(func() { all[i] = newStarted(t, nil, options, 10*time.Second) })
	}
	starting.Wait()

	var longest atomic.Int64
	var mu sync.Mutex
	holders := map[int64]int{}
	var running sync.WaitGroup
	began := time.Now()
	for i, store := range all {
		running.Go(func() {
			lease, err := store.Acquire(t.Context(), leaseRequest(fmt.Sprintf("host-%d", i)))
			longest.Store(max(longest.Load(), int64(time.Since(began))))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if other, taken := holders[lease.Slot]; taken {
				t.Errorf("%v was granted to clients %d and %d", lease, other, i)
			}
			holders[lease.Slot] = i
		})
	}
	running.Wait()
	t.Logf("%d slots in %v, the longest wait %v", len(holders), time.Since(began), time.Duration(longest.Load()))
}

// fewRoundTrips counts the statements of each call.
func fewRoundTrips(t *testing.T, db *gorm.DB) {
	log := &statements{Interface: logger.Discard}
	store := start(t, db.Session(&gorm.Session{Logger: log}), handedIn())
	ctx := t.Context()
	request := func(owner string) stores.SlotRequest {
		r := leaseRequest(owner)
		r.Limit = 3
		return r
	}
	var a, b stores.SlotLease
	acquire := func(into *stores.SlotLease, r stores.SlotRequest) func() error {
		return func() (err error) {
			*into, err = store.Acquire(ctx, r)
			return err
		}
	}
	again, preferring := request("a"), request("c")
	again.Incarnation, preferring.Preferred = "i-a-2", 2
	var c stores.SlotLease
	for _, call := range []struct {
		name string
		most int
		run  func() error
	}{
		{"the first acquire of a namespace", 3, acquire(&a, request("a"))},
		{"acquire a new slot", 3, acquire(&b, request("b"))},
		{"acquire again", 2, acquire(&a, request("a"))},
		{"renew", 2, func() (err error) { a, err = store.Renew(ctx, a, time.Minute, a.Floor); return err }},
		{"release", 2, func() error { return store.Release(ctx, a, a.Floor-1) }},
		{"release again", 1, func() error { return store.Release(ctx, a, a.Floor-1) }},
		{"acquire the last one", 2, acquire(&a, again)},
		{"acquire the preferred one", 2, acquire(&c, preferring)},
		{"release all that there is", 2, func() error { return store.Release(ctx, b, b.Ceiling-1) }},
		{"acquire ahead of the clock", 4, acquire(&b, request("d"))},
		{"find none", 4, func() error {
			_, err := store.Acquire(ctx, request("f"))
			if err == nil {
				return fmt.Errorf("a fourth was granted")
			}
			return nil
		}},
		{"list", 1, func() error { _, err := store.Slots(ctx, "shop"); return err }},
		{"ping", 1, func() error { return store.Ping(ctx) }},
	} {
		log.take()
		if err := call.run(); err != nil {
			t.Fatalf("%s: %v", call.name, err)
		}
		if sent := log.take(); len(sent) != call.most {
			t.Errorf("%s sent %d statements, want %d: %q", call.name, len(sent), call.most, sent)
		}
	}
}

func lockedSlot(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	newStarted(t, nil, s.options(dsn), 10*time.Second)
	store := newStarted(t, nil, s.options(dsn), 500*time.Millisecond)
	lease, err := store.Acquire(t.Context(), leaseRequest("a"))
	if err != nil {
		t.Fatal(err)
	}
	tx := s.application(t, dsn, gorm.Config{}, 1).Begin()
	execute(t, tx, `select * from cosid_slot where namespace = 'shop' and slot = 0 for update`)
	began := time.Now()
	renewed, err := store.Renew(t.Context(), lease, time.Minute, lease.Floor)
	if took := time.Since(began); !errors.Is(err, stores.ErrOutcomeUnknown) || took > 3*time.Second {
		t.Errorf("renew answered %v, %v after %v, want an unknown outcome", renewed, err, took)
	}
	if other, err := store.Acquire(t.Context(), leaseRequest("b")); err != nil || other.Slot != 1 {
		t.Errorf("another slot: %v, %v", other, err)
	}
	if err := tx.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	renewed, err = store.Renew(t.Context(), lease, time.Minute, lease.Floor)
	if err != nil || renewed.Fence != lease.Fence {
		t.Errorf("renew after the lock is gone answered %v, %v", renewed, err)
	}
}

// dirtyReads: a client repeats an acquire while its first one, which will be rolled back, still holds the row, and another
// client gets the slot in between. The row has then the same version as the one that was never committed.
func dirtyReads(t *testing.T, s *server) {
	if s.driver != "mysql" {
		t.Log("not applicable: PostgreSQL reads nothing that is not committed")
		return
	}
	dsn := s.newDSN(t)
	db := s.application(t, s.with(dsn, "tx_isolation", "'READ-UNCOMMITTED'"), gorm.Config{}, 4)
	dirty := newStarted(t, db, handedIn(), 10*time.Second)
	clean := newStarted(t, nil, s.options(dsn), 10*time.Second)
	request := func(owner string) stores.SlotRequest {
		r := leaseRequest(owner)
		r.Limit = 1
		return r
	}
	lease, err := dirty.Acquire(t.Context(), request("a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := dirty.Release(t.Context(), lease, lease.Floor-1); err != nil {
		t.Fatal(err)
	}
	tx := db.Begin()
	execute(t, tx, fmt.Sprintf(`update cosid_slot set owner = 'c', incarnation = 'i-c', fence = 2, expires_at = %d,
		window_ceiling = %d, next_floor = %[2]d, version = version + 1`, lease.ExpiresAt, lease.Ceiling))

	var leases [2]stores.SlotLease
	var errs [2]error
	var acquiring sync.WaitGroup
	for i, store := range []*gormstore.Store{clean, dirty} {
		acquiring.Go(func() { leases[i], errs[i] = store.Acquire(t.Context(), request([]string{"d", "c"}[i])) })
		servers.Await(t, "it waits for the row", func(ctx context.Context) error {
			return lockWaits(db.WithContext(ctx), i+1)
		})
	}
	if err := tx.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	acquiring.Wait()
	var none *stores.NoFreeSlotError
	if errs[0] != nil || !errors.As(errs[1], &none) {
		t.Errorf("of one slot were granted %v, %v, and %v, %v", leases[0], errs[0], leases[1], errs[1])
	}
}

// lockWaits is an error unless so many statements wait for a row.
func lockWaits(db *gorm.DB, want int) error {
	var got int
	err := db.Raw(`select variable_value from information_schema.global_status
		where variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'`).Scan(&got).Error
	if err == nil && got != want {
		err = fmt.Errorf("%d wait", got)
	}
	return err
}

// emptyStrings: MariaDB can take them for NULL, which a slot that nobody holds has no room for.
func emptyStrings(t *testing.T, s *server) {
	if s.driver != "mysql" {
		t.Log("not applicable: PostgreSQL tells them apart")
		return
	}
	dsn := s.with(s.newDSN(t), "sql_mode", "'ANSI,EMPTY_STRING_IS_NULL,STRICT_ALL_TABLES'")
	own := newStarted(t, nil, s.options(dsn), 5*time.Second)
	lease, err := own.Acquire(t.Context(), leaseRequest("a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Release(t.Context(), lease, lease.Floor); err != nil {
		t.Error(err)
	}
	app := newStarted(t, s.application(t, dsn, gorm.Config{}, 1), handedIn(), 5*time.Second)
	lease, err = app.Acquire(t.Context(), leaseRequest("b"))
	if err == nil || errors.Is(err, stores.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "EMPTY_STRING_IS_NULL") {
		t.Errorf("acquire answered %v, %v", lease, err)
	}
}

func wrongSlotTables(t *testing.T, s *server) {
	db := s.application(t, s.newDSN(t), gorm.Config{}, 2)
	type breakage struct{ statement, says string }
	breakages := map[string]breakage{
		"a small fence": {`alter table cosid_slot alter column fence type integer`, "fence of table cosid_slot is of type"},
		"a short owner": {`alter table cosid_slot alter column owner type varchar(20)`, "takes 20 characters"},
		"no key":        {`alter table cosid_slot drop constraint cosid_slot_pkey`, "primary key"},
		"a key of less": {
			`alter table cosid_slot_namespace drop constraint cosid_slot_namespace_pkey, add primary key (fresh_from)`,
			"primary key",
		},
		"a missing column": {`alter table cosid_slot drop column version`, "columns"},
		"rows that a crash empties": {
			`alter table cosid_slot set unlogged`, "unlogged",
		},
	}
	if s.driver == "mysql" {
		breakages = map[string]breakage{
			"a small fence": {`alter table cosid_slot modify fence int not null`, "fence of table cosid_slot is of type"},
			"a short owner": {
				`alter table cosid_slot modify owner varchar(20) character set ascii collate ascii_bin not null`,
				"takes 20 characters",
			},
			"a collation without case": {
				`alter table cosid_slot modify namespace varchar(64) collate utf8mb4_general_ci not null`, "collation",
			},
			"no key": {`alter table cosid_slot drop primary key`, "not unique by itself"},
			"a key of more": {
				`alter table cosid_slot_namespace drop primary key, add unique (namespace, fresh_from)`, "not unique by itself",
			},
			"a missing column":      {`alter table cosid_slot drop column version`, "columns"},
			"an engine that breaks": {`alter table cosid_slot engine = MyISAM`, "MyISAM"},
		}
	}
	for name, test := range breakages {
		t.Run(name, func(t *testing.T) {
			execute(t, db, ddlOf(t, s.driver)...)
			defer execute(t, db, `drop table cosid_range`, `drop table cosid_slot`, `drop table cosid_slot_namespace`)
			execute(t, db, test.statement)
			text := failToStart(t, db, handedIn())
			if !strings.Contains(text, test.says) {
				t.Fatalf("error %s\nwant one that says %q", text, test.says)
			}
			t.Log(text)
			// Without auto-migrate nobody looks at it before a lease is asked for.
			store := start(t, db, gormstore.DefaultOptions())
			if _, err := store.Acquire(t.Context(), leaseRequest("a")); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("acquire answered %v, want an error that says %q", err, test.says)
			}
			if _, remedy, found := strings.Cut(text, "\n"); found {
				execute(t, db, remedy)
				if lease, err := store.Acquire(t.Context(), leaseRequest("a")); err != nil || lease.Fence != 1 {
					t.Errorf("after %q: %v, %v", remedy, lease, err)
				}
			}
		})
	}
}

// missingSlotTables: ranges need only theirs, and the first lease says what is missing.
func missingSlotTables(t *testing.T, db *gorm.DB, driver string) {
	execute(t, db, ddlOf(t, driver)[0])
	store := start(t, db, gormstore.DefaultOptions())
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("reserve answered %v, %v", r, err)
	}
	lease := stores.SlotLease{Namespace: "shop", Owner: "a", Incarnation: "i-a", Fence: 1, Floor: 1, Ceiling: 2}
	_, acquireErr := store.Acquire(t.Context(), leaseRequest("a"))
	_, renewErr := store.Renew(t.Context(), lease, time.Minute, 1)
	releaseErr := store.Release(t.Context(), lease, 1)
	_, slotsErr := store.Slots(t.Context(), "shop")
	wants := []string{"cosid_slot_namespace and cosid_slot are missing", "auto-migrate: true", "create table"}
	for _, err := range []error{acquireErr, renewErr, releaseErr, slotsErr} {
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v\ndoes not say %q", err, want)
			}
		}
	}
	seen, err := store.Inspect(t.Context())
	if err != nil || len(seen.Findings) != 1 || !strings.Contains(seen.Findings[0].Problem, "are missing") {
		t.Errorf("inspect answered %+v, %v", seen, err)
	}
	_, ddl, _ := strings.Cut(acquireErr.Error(), "\n")
	execute(t, db, strings.Split(ddl, ";\n")...)
	if lease, err := store.Acquire(t.Context(), leaseRequest("a")); err != nil || lease.Fence != 1 {
		t.Errorf("with the tables: %v, %v", lease, err)
	}
}

func inspectServer(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	elsewhere := s.with(dsn, "timezone", "Asia/Tokyo") // the clock is the same there
	if s.driver == "mysql" {
		elsewhere = s.with(dsn, "time_zone", "'+09:00'")
	}
	store := newStarted(t, nil, s.options(elsewhere), 10*time.Second)
	admin := s.application(t, dsn, gorm.Config{}, 1)
	product, weaken, mend := "PostgreSQL 1", `alter table cosid_range set unlogged`, "cosid_range set logged"
	if s.driver == "mysql" {
		product, weaken, mend = "MariaDB 1", `alter table cosid_range engine = MyISAM`, "cosid_range engine = InnoDB"
	}
	seen, err := store.Inspect(t.Context())
	if err != nil || len(seen.Findings) != 0 || !strings.HasPrefix(seen.Server, product) ||
		time.Since(seen.Now).Abs() > time.Minute {
		t.Errorf("inspect answered %+v, %v", seen, err)
	}
	execute(t, admin, weaken)
	seen, err = store.Inspect(t.Context())
	if err != nil || len(seen.Findings) != 1 || !strings.Contains(seen.Findings[0].Remedy, mend) {
		t.Errorf("inspect answered %+v, %v", seen, err)
	}
	execute(t, admin, `drop table cosid_range`)
	seen, err = store.Inspect(t.Context())
	if err != nil || len(seen.Findings) == 0 || !strings.Contains(seen.Findings[0].Problem, "cosid_range is missing") {
		t.Errorf("inspect answered %+v, %v", seen, err)
	}
	if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("ping answered %v", err)
	}
}
