package gormstore_test

import (
	"path/filepath"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

func TestEightProcessesCreateTheFileAtOnce(t *testing.T) {
	const workers, count = 8, 40
	on := task{DSN: filepath.Join(t.TempDir(), "not", "there", "yet.db"), Count: count}
	ranges := runWorkers(t, workers, func(int) ([]stores.Range, error) { return runWorker(on, 0) })
	checkDense(t, ranges, workers*count)
}

func TestKilledProcessesNeverRepeat(t *testing.T) {
	const workers, generations = 3, 3
	on := task{DSN: filepath.Join(t.TempDir(), "cosid.db"), Count: 1_000_000}
	var all []stores.Range
	for range generations {
		all = append(all, runWorkers(t, workers, func(worker int) ([]stores.Range, error) {
			return runWorker(on, 30+20*worker)
		})...)
	}
	on.Count = 20
	all = append(all, runWorkers(t, 1, func(int) ([]stores.Range, error) { return runWorker(on, 0) })...)
	if least := generations * workers * 30; len(all) < least {
		t.Fatalf("%d ranges, want at least %d", len(all), least)
	}
	checkDisjoint(t, sorted(all))
}
