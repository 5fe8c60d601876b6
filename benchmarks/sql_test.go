package main

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/libtnb/sqlite"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// database is one that reserves are timed on: through the store, and with its bare statement over database/sql.
type database struct {
	name        string
	driver      string // of the store
	sqlDriver   string
	dsn         string
	bareDSN     string // what the store makes of dsn
	connections int
	bare        func(ctx context.Context, db *sql.DB, key string, size int64) error
}

const (
	upsert = `insert into cosid_range as stored (range_key, next_id, sealed) values ($1, $2, 0)
		on conflict (range_key) do update set next_id = stored.next_id + $3
		where stored.sealed = 0 and stored.next_id <= $4 returning next_id`
	advance = `update cosid_range set next_id = last_insert_id(next_id + ?)
		where range_key = ? and sealed = 0 and next_id <= ?`
)

func bareUpsert(ctx context.Context, db *sql.DB, key string, size int64) error {
	var next int64
	return db.QueryRowContext(ctx, upsert, key, 1+size, size, math.MaxInt64-size).Scan(&next)
}

func bareAdvance(ctx context.Context, db *sql.DB, key string, size int64) error {
	result, err := db.ExecContext(ctx, advance, size, key, math.MaxInt64-size)
	if err != nil {
		return err
	}
	_, err = result.LastInsertId()
	return err
}

const timeout = 10 * time.Second // of a call

// BenchmarkReserves reports how many reserves a second the store makes, how many the bare statement does in the same
// run, both within a timeout, and the ratio of both. Callers have a key each.
//
//	go test -bench Reserves -benchtime 20x .
func BenchmarkReserves(b *testing.B) {
	file := filepath.Join(b.TempDir(), "cosid.db")
	postgres, mariadb := servers.StartPostgres(b), servers.StartMariaDB(b)
	postgresDSN, mariaDSN := postgres.DSN(postgres.NewDatabase(b)), mariadb.DSN(mariadb.NewDatabase(b))
	const pragmas = "?_pragma=busy_timeout(0)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"
	for _, d := range []database{
		{"SQLite", "sqlite", "sqlite", file, "file:" + file + pragmas, 1, bareUpsert},
		{"PostgreSQL", "postgres", "pgx", postgresDSN, postgresDSN, 8, bareUpsert},
		{"MariaDB", "mysql", "mysql", mariaDSN, mariaDSN + "?interpolateParams=true", 8, bareAdvance},
	} {
		for _, callers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d", d.name, callers), func(b *testing.B) { d.compare(b, callers) })
		}
	}
}

// compare times the two in short turns, so that what else the machine does befalls both, and takes the medians.
func (d database) compare(b *testing.B, callers int) {
	const turn = 100 * time.Millisecond
	store := d.store(b)
	db, err := sql.Open(d.sqlDriver, d.bareDSN)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(d.connections)
	db.SetMaxIdleConns(d.connections)
	ways := []func(key string) error{
		func(key string) error {
			ctx, cancel := context.WithTimeout(context.Background(), timeout) // nobody does without
			defer cancel()
			return d.bare(ctx, db, key, 100)
		},
		func(key string) error { _, err := store.Reserve(context.Background(), key, 100, 1); return err },
	}
	for i := range callers {
		if _, err := store.Reserve(context.Background(), keyOf(i), 100, 1); err != nil {
			b.Fatal(err)
		}
	}
	var rates [2][]float64
	for b.Loop() {
		for i, reserve := range ways {
			rate, err := rateOf(callers, turn, reserve)
			if err != nil {
				b.Fatal(err)
			}
			rates[i] = append(rates[i], rate)
		}
	}
	bare, stored := median(rates[0]), median(rates[1])
	b.ReportMetric(bare, "bare/s")
	b.ReportMetric(stored, "store/s")
	b.ReportMetric(stored/bare, "ratio")
	b.ReportMetric(0, "ns/op")
}

func (d database) store(b *testing.B) *gormstore.Store {
	yes, options := true, gormstore.DefaultOptions()
	options.Driver, options.DSN, options.AutoMigrate = d.driver, d.dsn, &yes
	if d.connections > 1 {
		options.MaxOpenConns = d.connections
	}
	store, err := gormstore.New(stores.Spec{Name: "db", Timeout: timeout}, nil, options)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	if err := store.Start(context.Background()); err != nil {
		b.Fatal(err)
	}
	return store
}

func keyOf(caller int) string { return fmt.Sprintf("bench/caller%d", caller) }

// rateOf calls reserve for a turn and returns how many calls a second it took.
func rateOf(callers int, turn time.Duration, reserve func(key string) error) (float64, error) {
	var calls atomic.Int64
	var running sync.WaitGroup
	failures := make(chan error, callers)
	began := time.Now()
	for caller := range callers {
		running.Go(func() {
			for key := keyOf(caller); time.Since(began) < turn; calls.Add(1) {
				if err := reserve(key); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	running.Wait()
	took := time.Since(began)
	select {
	case err := <-failures:
		return 0, err
	default:
		return float64(calls.Load()) / took.Seconds(), nil
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
