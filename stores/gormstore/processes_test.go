package gormstore_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

// The test binary is its own worker: with workerEnv set to a file it reserves from that file and prints each
// range that it was given.
const (
	workerEnv = "GORMSTORE_TEST_WORKER"
	countEnv  = "GORMSTORE_TEST_COUNT"
	workerKey = "shop/bill"
)

func work(path string) (exitCode int) {
	count, err := strconv.Atoi(os.Getenv(countEnv))
	if err == nil {
		err = reserveAndPrint(path, count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func reserveAndPrint(path string, count int) error {
	ctx := context.Background()
	store, err := newOnFile(path)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Start(ctx); err != nil {
		return err
	}
	for range count {
		r, err := store.Reserve(ctx, workerKey, 10, 1)
		if err != nil {
			return err
		}
		fmt.Printf("%d %d\n", r.Start, r.End)
	}
	return store.Close()
}

// runWorker runs a worker for count ranges and returns the ranges it printed. With killAfter > 0 it is killed once
// it has printed that many.
func runWorker(path string, count, killAfter int) ([]stores.Range, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), workerEnv+"="+path, countEnv+"="+strconv.Itoa(count))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var ranges []stores.Range
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var r stores.Range
		if _, err := fmt.Sscanf(lines.Text(), "%d %d", &r.Start, &r.End); err == nil {
			ranges = append(ranges, r)
		}
		if len(ranges) == killAfter {
			cmd.Process.Kill() // SIGKILL; what it prints until it dies is still read
		}
	}
	err = cmd.Wait()
	if killAfter > 0 {
		if err == nil {
			return nil, fmt.Errorf("the worker ended before it was killed")
		}
		return ranges, nil
	}
	return ranges, err
}

// runWorkers runs workers at once and returns all the ranges they printed, sorted.
func runWorkers(t *testing.T, workers int, run func(worker int) ([]stores.Range, error)) []stores.Range {
	t.Helper()
	var all []stores.Range
	var mu sync.Mutex
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			ranges, err := run(worker)
			if err != nil {
				t.Errorf("worker %d: %v", worker, err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, ranges...)
		})
	}
	running.Wait()
	return sorted(all)
}

func sorted(ranges []stores.Range) []stores.Range {
	slices.SortFunc(ranges, func(a, b stores.Range) int { return cmp.Compare(a.Start, b.Start) })
	return ranges
}

func checkDisjoint(t *testing.T, ranges []stores.Range) {
	t.Helper()
	for i := 1; i < len(ranges); i++ {
		if ranges[i].Start < ranges[i-1].End {
			t.Fatalf("%v and %v overlap", ranges[i-1], ranges[i])
		}
	}
}

func TestEightProcessesCreateTheFileAtOnce(t *testing.T) {
	const workers, count = 8, 40
	path := filepath.Join(t.TempDir(), "not", "there", "yet.db")
	ranges := runWorkers(t, workers, func(int) ([]stores.Range, error) { return runWorker(path, count, 0) })
	checkDisjoint(t, ranges)
	if len(ranges) != workers*count {
		t.Fatalf("%d ranges, want %d", len(ranges), workers*count)
	}
	if last := ranges[len(ranges)-1]; ranges[0].Start != 1 || last.End != 1+10*workers*count {
		t.Errorf("ranges go from %v to %v, want one creator and no gap", ranges[0], last)
	}
}

func TestKilledProcessesNeverRepeat(t *testing.T) {
	const workers, generations = 3, 3
	path := filepath.Join(t.TempDir(), "cosid.db")
	var all []stores.Range
	for range generations {
		all = append(all, runWorkers(t, workers, func(worker int) ([]stores.Range, error) {
			return runWorker(path, 1_000_000, 30+20*worker)
		})...)
	}
	all = append(all, runWorkers(t, 1, func(int) ([]stores.Range, error) { return runWorker(path, 20, 0) })...)
	if least := generations * workers * 30; len(all) < least {
		t.Fatalf("%d ranges, want at least %d", len(all), least)
	}
	checkDisjoint(t, sorted(all))
}
