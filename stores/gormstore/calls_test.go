package gormstore_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

func onDB(t *testing.T, db *gorm.DB, timeout time.Duration) *gormstore.Store {
	t.Helper()
	yes, options := true, gormstore.DefaultOptions()
	options.AutoMigrate = &yes
	store, err := gormstore.New(stores.Spec{Name: "db", Timeout: timeout}, db, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// statements is a gorm logger that keeps what was sent.
type statements struct {
	logger.Interface
	mu   sync.Mutex
	sent []string
}

func (s *statements) Trace(_ context.Context, _ time.Time, fc func() (string, int64), _ error) {
	sql, _ := fc()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, sql)
}

func (s *statements) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

func TestReserveAndSealAreOneStatementEach(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	log := &statements{Interface: logger.Discard}
	store := onDB(t, db.Session(&gorm.Session{Logger: log}), time.Second)
	ctx := t.Context()
	for _, call := range []struct {
		name string
		run  func() error
	}{
		{"first reserve", func() error { _, err := store.Reserve(ctx, "shop/bill", 10, 1); return err }},
		{"next reserve", func() error { _, err := store.Reserve(ctx, "shop/bill", 10, 1); return err }},
		{"huge offset", func() error { _, err := store.Reserve(ctx, "shop/bill", 10, math.MaxInt64); return err }},
		{"seal", func() error { _, err := store.Seal(ctx, "shop/bill"); return err }},
		{"seal again", func() error { _, err := store.Seal(ctx, "shop/bill"); return err }},
	} {
		log.take()
		if err := call.run(); err != nil {
			t.Fatalf("%s: %v", call.name, err)
		}
		if sent := log.take(); len(sent) != 1 {
			t.Errorf("%s sent %d statements, want 1: %q", call.name, len(sent), sent)
		}
	}
}

func TestSealKeepsTheValue(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	store := onDB(t, db, time.Second)
	if _, err := store.Reserve(t.Context(), "shop/bill", 41, 1); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"shop/bill", "shop/never-used"} {
		if _, err := store.Seal(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	var rows []struct {
		RangeKey string
		NextID   int64
		Sealed   bool
	}
	const query = `select range_key, next_id, sealed from cosid_range order by range_key`
	if err := db.Raw(query).Scan(&rows).Error; err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].NextID != 42 || !rows[0].Sealed || rows[1].NextID != 0 || !rows[1].Sealed {
		t.Errorf("rows are %+v, want the value 42 and 0, both sealed", rows)
	}
}

func TestLockedDatabaseIsAnErrorWithinTheTimeout(t *testing.T) {
	const timeout = 500 * time.Millisecond
	path := filepath.Join(t.TempDir(), "cosid.db")
	options := gormstore.DefaultOptions()
	options.DSN = path
	store, err := gormstore.New(stores.Spec{Name: "db", Timeout: timeout}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(t.Context(), applicationDB(t, path))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err = store.Reserve(t.Context(), "shop/bill", 10, 1)
	if took := time.Since(began); err == nil || took > timeout+time.Second {
		t.Fatalf("reserve answered error %v after %v, want one within %v", err, took, timeout)
	}
	for _, want := range []string{"holds the lock", "nothing was changed"} {
		if errors.Is(err, stores.ErrOutcomeUnknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one without doubt about the outcome that says %q", err, want)
		}
	}
	const patience = 450 * time.Millisecond // of the call; what it did before it waited comes off
	waited, parseErr := time.ParseDuration(regexp.MustCompile(`waited (\S+):`).FindStringSubmatch(err.Error() + "waited 0:")[1])
	if parseErr != nil || waited <= 0 || waited > patience || time.Since(began) < patience {
		t.Errorf("error %v after %v, want one that waited until %v of the call were over", err, time.Since(began), patience)
	}
	if _, err := store.Seal(t.Context(), "shop/bill"); err == nil || errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("seal answered error %v, want one that is sure that nothing changed", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("reserve after the lock is gone answered %v, %v; want it to start at 1", r, err)
	}
}

func TestContextEndsTheWaitForALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cosid.db")
	store := onFile(t, path)
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(t.Context(), applicationDB(t, path))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := store.Reserve(ctx, "shop/bill", 10, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("reserve answered error %v, want Canceled", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("reserve after the lock is gone answered %v, %v; want it to start at 1", r, err)
	}
}

func TestContextThatEndsAStatementLeavesTheOutcomeUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	db := applicationDB(t, path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)") // statements wait for locks
	store := onDB(t, db, 10*time.Second)
	unlock, err := lock(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = store.Reserve(ctx, "shop/bill", 10, 1)
	if !errors.Is(err, stores.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("reserve answered error %v, want ErrOutcomeUnknown and DeadlineExceeded", err)
	}
	_, err = store.Seal(ctx, "shop/bill")
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("seal with an expired context answered error %v, want DeadlineExceeded and nothing sent", err)
	}
}

// F85: the statement has already answered with a row when its commit fails.
func TestFailedCommitHandsOutNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	db := applicationDB(t, path+"?_pragma=busy_timeout(0)&_pragma=journal_mode(DELETE)")
	store := onDB(t, db, 200*time.Millisecond)
	if _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil {
		t.Fatal(err)
	}

	reader := applicationDB(t, path).Begin() // holds a shared lock once it has read
	var next int64
	if err := reader.Raw(`select next_id from cosid_range`).Scan(&next).Error; err != nil {
		t.Fatal(err)
	}
	r, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
	if err == nil {
		t.Errorf("reserve answered %v although it could not be committed", r)
	}
	t.Log(err)
	if err := reader.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 11 {
		t.Errorf("reserve after the reader is gone answered %v, %v; want it to start at 11", r, err)
	}
}

func TestErrorsNameOperationAndKey(t *testing.T) {
	store := onFile(t, filepath.Join(t.TempDir(), "cosid.db"))
	_, err := store.Reserve(t.Context(), "shop/bill", 1, 1)
	if err == nil || !strings.HasPrefix(err.Error(), `gormstore: reserve "shop/bill": `) {
		t.Errorf("reserve answered %v", err)
	}
	_, err = store.Seal(t.Context(), "shop/bill")
	if err == nil || !strings.HasPrefix(err.Error(), `gormstore: seal "shop/bill": `) {
		t.Errorf("seal answered %v", err)
	}
	_, err = store.Acquire(t.Context(), leaseRequest("a"))
	if err == nil || !strings.HasPrefix(err.Error(), `gormstore: acquire a slot of "shop": `) {
		t.Errorf("acquire answered %v", err)
	}
	err = store.Release(t.Context(), stores.SlotLease{
		Namespace: "shop", Slot: 3, Owner: "a", Incarnation: "i", Fence: 1, Ceiling: 2,
	}, 1)
	if err == nil || !strings.HasPrefix(err.Error(), `gormstore: release slot 3 of "shop": `) {
		t.Errorf("release answered %v", err)
	}
}

func TestTableThatVanishedIsAnErrorThatSaysSo(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	store := onDB(t, db, time.Second)
	execute(t, db, `drop table cosid_range`)
	_, err := store.Reserve(t.Context(), "shop/bill", 1, 1)
	if err == nil || errors.Is(err, stores.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("reserve answered %v", err)
	}
}

// What the guard inside the statement is for, and that the table has a second one.
func TestOverflowNeverTurnsTheCounterIntoAFloat(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	kind := func(table string) (kind string) {
		t.Helper()
		if err := db.Raw(`select typeof(next_id) from ` + table).Scan(&kind).Error; err != nil {
			t.Fatal(err)
		}
		return kind
	}
	execute(t, db, `create table loose (next_id integer)`, `insert into loose values (9223372036854775800)`,
		`update loose set next_id = next_id + 100`)
	if kind("loose") != "real" {
		t.Fatal("SQLite keeps integers on overflow now; the guards can be reconsidered")
	}

	store := onDB(t, db, time.Second)
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, math.MaxInt64-10); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := store.Reserve(t.Context(), "shop/bill", 100, 1); !errors.Is(err, stores.ErrRangeExhausted) {
			t.Errorf("reserve past the end answered %v", err)
		}
	}
	if err := db.Exec(`update cosid_range set next_id = next_id + 100`).Error; err == nil {
		t.Error("the table accepts a value past the largest integer")
	}
	if kind("cosid_range") != "integer" {
		t.Errorf("the counter is a %s", kind("cosid_range"))
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 9, 1); err != nil || r.End != math.MaxInt64 {
		t.Errorf("the last ids: %v, %v", r, err)
	}
}

func TestRuinedCounterIsNotUsed(t *testing.T) {
	for _, value := range []string{"9.3e18", "1.5", "-5", "'many'", "null"} {
		db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
		execute(t, db, `create table cosid_range (range_key text primary key, next_id integer, sealed integer)`,
			`insert into cosid_range values ('shop/bill', `+value+`, 0)`)
		store := onDB(t, db, time.Second)
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err == nil {
			t.Errorf("with the stored value %s reserve answered %v", value, r)
		} else {
			t.Log(err)
		}
	}
}

// Opening a connection can meet a lock as a statement can: another process keeps the file to itself for a while.
func TestALockedFileIsWaitedForWhileConnecting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	const settings = "?_pragma=busy_timeout(1)&_pragma=journal_mode(WAL)"
	db := applicationDB(t, path+settings)
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	yes, options := true, gormstore.DefaultOptions()
	options.AutoMigrate = &yes
	store := start(t, db, options)
	pool.SetMaxIdleConns(0) // each call connects anew, now that nobody holds the file
	owner := applicationDB(t, path+settings+"&_pragma=locking_mode(EXCLUSIVE)")
	execute(t, owner, `create table kept (a)`)
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := store.Reserve(short, "shop/bill", 10, 1); err == nil || errors.Is(err, stores.ErrOutcomeUnknown) ||
		!strings.Contains(err.Error(), "holds the lock") {
		t.Fatalf("while the file is kept: %v", err)
	}
	released := make(chan error, 1)
	go func() {
		ownerPool, err := owner.DB()
		if err == nil {
			<-time.After(100 * time.Millisecond)
			err = ownerPool.Close()
		}
		released <- err
	}()
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("reserved %v, %v", r, err)
	}
	if err := <-released; err != nil {
		t.Error(err)
	}
}
