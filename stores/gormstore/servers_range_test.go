package gormstore_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// Ranges on servers: the suite, callers in each other's way, and servers that crash.

// everyMode is a GORM whose modes an application might have on.
func everyMode() gorm.Config {
	return gorm.Config{PrepareStmt: true, SkipDefaultTransaction: true, TranslateError: true}
}

func rangeSuites(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	var db *gorm.DB // of the application
	appDSN := dsn
	if s.driver == "mysql" {
		appDSN = s.edit(dsn, func(a *address) { a.parameters = mysqlDiffers })
	}
	for _, variant := range []struct {
		name   string
		config *gorm.Config // nil = with a DSN of the store's own
	}{
		{"with_a_dsn", nil},
		{"on_a_gorm_of_the_application", &gorm.Config{}},
		{"on_a_gorm_with_every_mode", new(everyMode())},
	} {
		t.Run(variant.name, func(t *testing.T) {
			connect := func() {
				if variant.config != nil {
					db = s.application(t, appDSN, *variant.config, 10)
				}
			}
			connect()
			storetest.RunRangeStore(t, storetest.Harness{
				New: func() (storetest.Store, error) {
					if variant.config == nil {
						return gormstore.New(spec(), nil, s.options(dsn))
					}
					return gormstore.New(spec(), db, handedIn())
				},
				Restart: func(context.Context) error {
					s.Kill()
					err := s.Start()
					connect()
					return err
				},
				Freeze: func(context.Context) (func() error, error) { return s.Thaw, s.Freeze() },
			})
		})
	}
}

// pools calls check with stores on all kinds of pools.
func (s *server) pools(t *testing.T, check func(t *testing.T, store *gormstore.Store)) {
	dsn := s.newDSN(t)
	isolation := s.with(dsn, "default_transaction_isolation", "serializable")
	if s.driver == "mysql" {
		isolation = s.with(dsn, "tx_isolation", "'SERIALIZABLE'")
	}
	for _, connections := range []int{1, 10} {
		own := s.options(dsn)
		own.MaxOpenConns = connections
		name := func(kind string) string { return fmt.Sprintf("%s_of_%d", kind, connections) }
		t.Run(name("own_pool"), func(t *testing.T) { check(t, newStarted(t, nil, own, 10*time.Second)) })
		t.Run(name("pool_of_the_application"), func(t *testing.T) {
			db := s.application(t, dsn, gorm.Config{}, connections)
			check(t, newStarted(t, db, handedIn(), 10*time.Second))
		})
		t.Run(name("serializable_pool"), func(t *testing.T) {
			db := s.application(t, isolation, everyMode(), connections)
			check(t, newStarted(t, db, handedIn(), 10*time.Second))
		})
	}
}

// F89.
func fiftyKeysAtOnce(t *testing.T, s *server) {
	const keys, callers = 50, 4 // of each key, so that somebody loses each race
	var round atomic.Int64
	s.pools(t, func(t *testing.T, store *gormstore.Store) {
		namespace := fmt.Sprintf("shop%d", round.Add(1))
		var creators atomic.Int64
		var running sync.WaitGroup
		for i := range keys * callers {
			running.Go(func() {
				r, err := store.Reserve(t.Context(), fmt.Sprintf("%s/bill%d", namespace, i%keys), 10, 1)
				if err != nil {
					t.Error(err)
				}
				if r.Start == 1 {
					creators.Add(1)
				}
			})
		}
		running.Wait()
		if creators.Load() != keys {
			t.Errorf("%d ranges start at 1, want one a key: %d", creators.Load(), keys)
		}
	})
}

func sixteenWriters(t *testing.T, s *server) {
	const writers, each = 16, 10
	var round atomic.Int64
	s.pools(t, func(t *testing.T, store *gormstore.Store) {
		key := fmt.Sprintf("shop/bill%d", round.Add(1))
		began := time.Now()
		var longest atomic.Int64
		ranges := runWorkers(t, writers, func(int) ([]stores.Range, error) {
			var ranges []stores.Range
			for range each {
				called := time.Now()
				r, err := store.Reserve(t.Context(), key, 10, 1)
				if err != nil {
					return ranges, err
				}
				longest.Store(max(longest.Load(), int64(time.Since(called))))
				ranges = append(ranges, r)
			}
			return ranges, nil
		})
		checkDense(t, ranges, writers*each)
		t.Logf("%d reserves in %v, the longest %v", len(ranges), time.Since(began), time.Duration(longest.Load()))
	})
}

func eightClientsCreate(t *testing.T, s *server) {
	const clients, rounds = 8, 10
	db := s.application(t, s.newDSN(t), gorm.Config{}, clients)
	var connected sync.WaitGroup
	pause := map[string]string{"postgres": `select pg_sleep(0.1)`, "mysql": `do sleep(0.1)`}[s.driver]
	for range clients { // so that connecting does not put them one after the other
		connected.Go(func() {
			if err := db.Exec(pause).Error; err != nil {
				t.Error(err)
			}
		})
	}
	connected.Wait()
	for round := range rounds {
		options := handedIn()
		options.TablePrefix = fmt.Sprintf("round%d_", round)
		var running sync.WaitGroup
		for range clients {
			running.Go(func() {
				store, err := gormstore.New(spec(), db, options)
				if err != nil {
					t.Error(err)
					return
				}
				defer store.Close()
				if err := store.Start(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}
}

func eightProcesses(t *testing.T, s *server) {
	const workers, count = 8, 10
	on := task{Driver: s.driver, DSN: s.newDSN(t), Count: count}
	ranges := runWorkers(t, workers, func(int) ([]stores.Range, error) { return runWorker(on, 0) })
	checkDense(t, ranges, workers*count)
}

// killsEnv is how often a server is killed under load.
const killsEnv = "COSID_STRESS_KILLS"

func killedUnderLoad(t *testing.T, s *server) {
	const workers, atLeast = 4, 100 // ranges between two kills
	kills := 2
	if text := os.Getenv(killsEnv); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", killsEnv, err)
		}
	}
	on := task{Driver: s.driver, DSN: s.newDSN(t)}
	var acknowledged atomic.Int64
	var all sync.Map // of each worker
	var running sync.WaitGroup
	var started []*worker
	for i := range workers {
		w, err := startWorker(on)
		if err != nil {
			t.Fatal(err)
		}
		started = append(started, w)
		running.Go(func() {
			var ranges []stores.Range
			if err := w.read(func(r stores.Range) {
				ranges = append(ranges, r)
				acknowledged.Add(1)
			}); err != nil {
				t.Error(err)
			}
			all.Store(i, ranges)
		})
	}
	for kill := range kills + 1 {
		deadline := time.Now().Add(30 * time.Second)
		for want := acknowledged.Load() + atLeast; acknowledged.Load() < want; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("after %d kills the workers get nothing", kill)
				break
			}
		}
		if kill == kills || t.Failed() {
			break
		}
		s.Kill()
		if err := s.Start(); err != nil {
			t.Error(err)
			break
		}
	}
	for _, w := range started {
		w.stdin.Close()
	}
	running.Wait()
	var ranges []stores.Range
	all.Range(func(_, of any) bool {
		ranges = append(ranges, of.([]stores.Range)...)
		return true
	})
	checkDisjoint(t, sorted(ranges))
	t.Logf("%d ranges, %d kills", len(ranges), kills)
}

func restartedInTheMiddle(t *testing.T, s *server) {
	const callers = 8
	options := s.options(s.newDSN(t))
	options.MaxOpenConns = callers
	store := newStarted(t, nil, options, 5*time.Second)
	var failed, restarted atomic.Int64
	var stop atomic.Bool
	time.AfterFunc(0, func() {
		defer stop.Store(true)
		for _, end := range []func(){s.Stop, s.Kill} {
			<-time.After(100 * time.Millisecond)
			end()
			if err := s.Start(); err != nil {
				t.Error(err)
			}
			restarted.Add(1)
		}
		<-time.After(300 * time.Millisecond)
	})
	ranges := runWorkers(t, callers, func(int) ([]stores.Range, error) {
		var ranges []stores.Range
		stale := map[int64]int{} // failures after a restart, by restarts so far
		for !stop.Load() {
			since := restarted.Load()
			r, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
			if err == nil {
				ranges = append(ranges, r)
				continue
			}
			failed.Add(1)
			if stale[since]++; since == 2 && stale[since] > callers {
				return ranges, fmt.Errorf("the pool does not recover: %w", err)
			}
			<-time.After(10 * time.Millisecond)
		}
		return ranges, nil
	})
	checkDisjoint(t, ranges)
	if failed.Load() == 0 || len(ranges) == 0 {
		t.Errorf("%d ranges, %d failures: the restart was not in the middle", len(ranges), failed.Load())
	}
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start < ranges[len(ranges)-1].End {
		t.Errorf("after the restarts: %v, %v", r, err)
	}
	t.Logf("%d ranges, %d failures", len(ranges), failed.Load())
}
