//go:build unix && !aix && !solaris

package filestore_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

// The test binary is its own worker: with workerEnv set to a directory it reserves there until it is killed, and prints
// each range.
const (
	workerEnv = "FILESTORE_TEST_WORKER"
	workerKey = "shop/worker"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerEnv); dir != "" {
		fmt.Fprintln(os.Stderr, work(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func work(dir string) error {
	ctx := context.Background()
	store, err := newOn(dir)
	if err != nil {
		return err
	}
	if err := store.Start(ctx); err != nil {
		return err
	}
	for {
		r, err := store.Reserve(ctx, workerKey, 10, 1)
		if err != nil {
			return err
		}
		fmt.Println(r.Start, r.End)
	}
}

// runWorker runs a worker, kills it once it has printed so many ranges, and returns all that it printed.
func runWorker(dir string, killAfter int) ([]stores.Range, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), workerEnv+"="+dir)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var ranges []stores.Range
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var r stores.Range
		if _, err := fmt.Sscan(lines.Text(), &r.Start, &r.End); err == nil {
			ranges = append(ranges, r)
		}
		if len(ranges) == killAfter {
			cmd.Process.Kill() // SIGKILL; what it prints until it dies is still read
		}
	}
	if _, killed := errors.AsType[*exec.ExitError](cmd.Wait()); !killed || len(ranges) < killAfter {
		return nil, fmt.Errorf("the worker ended by itself, after %d ranges", len(ranges))
	}
	return ranges, nil
}

func TestKilledProcessesNeverRepeat(t *testing.T) {
	const workers, generations, least = 4, 5, 10
	dir := t.TempDir()
	var mu sync.Mutex
	var all []stores.Range
	for range generations {
		var running sync.WaitGroup
		for worker := range workers {
			running.Go(func() {
				ranges, err := runWorker(dir, least+5*worker)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, ranges...)
			})
		}
		running.Wait()
	}
	if len(all) < workers*generations*least {
		t.Fatalf("only %d ranges", len(all))
	}
	slices.SortFunc(all, func(a, b stores.Range) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(all); i++ {
		if all[i].Start < all[i-1].End {
			t.Fatalf("%v and %v overlap", all[i-1], all[i])
		}
	}
}
