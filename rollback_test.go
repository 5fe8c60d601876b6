package cosid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/libtnb/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid"
)

// The test binary is its own worker: with workerEnv set to a folder it creates bills in that folder's app.db, commits
// some of the transactions, rolls others back, and prints what each one drew.
const workerEnv = "COSID_TEST_ROLLBACK_WORKER"

const (
	transactions = 300 // of one worker
	rowsEach     = 3
)

var errChangedMind = errors.New("changed my mind")

func work(dir string) int {
	if err := createAndRollBack(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func createAndRollBack(ctx context.Context, dir string) error {
	db, err := openShared(dir)
	if err != nil {
		return err
	}
	ids, err := cosid.Open(ctx, cosid.Options{
		Source: cosid.Source{Files: []string{filepath.Join(dir, "cosid.yaml")}, Environ: []string{}},
		Logger: slog.New(slog.DiscardHandler),
		DB:     db,
	})
	if err != nil {
		return err
	}
	defer ids.Close(ctx)
	if err := db.Use(cosid.NewGORMPlugin(cosid.NewFiller(ids))); err != nil {
		return err
	}
	for i := range transactions {
		bills := make([]Bill, rowsEach)
		fate := "committed"
		err := db.Transaction(func(tx *gorm.DB) error {
			if err := tx.Create(&bills).Error; err != nil || i%3 != 0 {
				return err
			}
			fate = "rolled-back"
			return errChangedMind
		})
		if err != nil && !errors.Is(err, errChangedMind) {
			return fmt.Errorf("transaction %d: %w", i, err)
		}
		for _, b := range bills {
			fmt.Println(fate, b.ID, b.No)
		}
	}
	return nil
}

// openShared opens the application's database, which several processes write to.
func openShared(dir string) (*gorm.DB, error) {
	dsn := "file:" + filepath.ToSlash(filepath.Join(dir, "app.db")) +
		"?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)"
	return gorm.Open(sqlite.Open(dsn), &gorm.Config{Logger: logger.Discard})
}

// draw is one row that a worker printed.
type draw struct {
	fate, id, no string
}

func runRollbackWorker(ctx context.Context, dir string) ([]draw, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append(os.Environ(), workerEnv+"="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	var draws []draw
	for line := range strings.Lines(string(out)) {
		var d draw
		if _, err := fmt.Sscan(line, &d.fate, &d.id, &d.no); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		draws = append(draws, d)
	}
	return draws, nil
}

// Two processes at once, and two more after them: what a transaction drew and rolled back is drawn by nobody again, be
// the ids kept in a file of their own or in the database whose transactions are rolled back.
func TestARollbackGivesNoNumbersBackToAnyProcess(t *testing.T) {
	for _, c := range []struct{ name, options string }{
		{"a file of its own", "{ driver: sqlite, dsn: DIR/ids.db }"},
		{"the application's database", "{ auto-migrate: true }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			yaml := strings.ReplaceAll(`cosid:
  namespace: shop
  stores:
    db: { type: gorm, timeout: 20s, options: OPTIONS }
  generators:
    order: { strategy: segment, step: 4, max-batch: 8, reserve-timeout: 20s }
    bill: { strategy: periodic-segment, period: YEAR, zone: UTC, step: 4, max-batch: 8, reserve-timeout: 20s }
`, "OPTIONS", c.options)
			yaml = strings.ReplaceAll(yaml, "DIR", filepath.ToSlash(dir))
			if err := os.WriteFile(filepath.Join(dir, "cosid.yaml"), []byte(yaml), 0o644); err != nil {
				t.Fatal(err)
			}
			db, err := openShared(dir)
			if err != nil {
				t.Fatal(err)
			}
			pool, err := db.DB()
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			if err := db.AutoMigrate(&Bill{}); err != nil {
				t.Fatal(err)
			}

			draws := make([][]draw, 4)
			for _, pair := range [][]int{{0, 1}, {2, 3}} {
				var running sync.WaitGroup
				for _, worker := range pair {
					running.Go(func() {
						var err error
						if draws[worker], err = runRollbackWorker(t.Context(), dir); err != nil {
							t.Errorf("worker %d: %v", worker, err)
						}
					})
				}
				running.Wait()
			}

			drawnBy := map[string]int{} // ids and numbers, by worker
			committed := 0
			for worker, all := range draws {
				if len(all) != transactions*rowsEach {
					t.Errorf("worker %d printed %d rows", worker, len(all))
				}
				for _, d := range all {
					for _, drawn := range []string{d.id, d.no} {
						if before, twice := drawnBy[drawn]; twice {
							t.Errorf("%s came to worker %d and to worker %d (%s)", drawn, before, worker, d.fate)
						}
						drawnBy[drawn] = worker
					}
					if d.fate == "committed" {
						committed++
					}
				}
			}
			var stored int64
			if err := db.Model(&Bill{}).Count(&stored).Error; err != nil || stored != int64(committed) ||
				committed != len(draws)*(transactions-transactions/3)*rowsEach {
				t.Errorf("%d rows are stored, %d were committed: %v", stored, committed, err)
			}
		})
	}
}
