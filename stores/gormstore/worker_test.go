package gormstore_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// The test binary is its own worker: with workerEnv set to a task it reserves and prints each range that it was given.
const (
	workerEnv = "GORMSTORE_TEST_WORKER"
	workerKey = "shop/bill"
)

// task is what a worker does.
type task struct {
	Driver, DSN string
	Count       int // how many ranges; 0 = until its standard input ends, whatever errors come
}

func (t task) store() (*gormstore.Store, error) {
	yes, options := true, gormstore.DefaultOptions()
	options.Driver, options.DSN, options.AutoMigrate = t.Driver, t.DSN, &yes
	return gormstore.New(spec(), nil, options)
}

func work(text string) (exitCode int) {
	var t task
	err := json.Unmarshal([]byte(text), &t)
	if err == nil {
		err = t.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (t task) run() error {
	ctx := context.Background()
	store, err := t.store()
	if err != nil {
		return err
	}
	defer store.Close()
	for err := store.Start(ctx); err != nil; err = store.Start(ctx) {
		if t.Count > 0 {
			return err
		}
		time.Sleep(20 * time.Millisecond) // the server is down
	}
	ended := make(chan struct{})
	if t.Count == 0 {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			close(ended)
		}()
	}
	for i := 0; t.Count == 0 || i < t.Count; i++ {
		r, err := store.Reserve(ctx, workerKey, 10, 1)
		switch {
		case err == nil:
			fmt.Printf("%d %d\n", r.Start, r.End)
		case t.Count > 0:
			return err
		default:
			time.Sleep(20 * time.Millisecond) // the server is down
		}
		select {
		case <-ended:
			return store.Close()
		default:
		}
	}
	return store.Close()
}

// worker is a running one.
type worker struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout io.Reader
}

func startWorker(t task) (*worker, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	w := &worker{cmd: cmd}
	if w.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if w.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return w, cmd.Start()
}

// read calls each with every range that the worker prints, until it ends.
func (w *worker) read(each func(stores.Range)) error {
	lines := bufio.NewScanner(w.stdout)
	for lines.Scan() {
		var r stores.Range
		if _, err := fmt.Sscanf(lines.Text(), "%d %d", &r.Start, &r.End); err == nil {
			each(r)
		}
	}
	return w.cmd.Wait()
}

// runWorker runs a worker and returns the ranges it printed. With killAfter > 0 it is killed once it has printed that
// many.
func runWorker(t task, killAfter int) ([]stores.Range, error) {
	w, err := startWorker(t)
	if err != nil {
		return nil, err
	}
	var ranges []stores.Range
	err = w.read(func(r stores.Range) {
		ranges = append(ranges, r)
		if len(ranges) == killAfter {
			w.cmd.Process.Kill() // SIGKILL; what it prints until it dies is still read
		}
	})
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

// checkDisjoint wants sorted ranges.
func checkDisjoint(t *testing.T, ranges []stores.Range) {
	t.Helper()
	for i := 1; i < len(ranges); i++ {
		if ranges[i].Start < ranges[i-1].End {
			t.Fatalf("%v and %v overlap", ranges[i-1], ranges[i])
		}
	}
}

// checkDense wants count ranges of 10, from 1 on without a gap.
func checkDense(t *testing.T, ranges []stores.Range, count int) {
	t.Helper()
	checkDisjoint(t, ranges)
	if len(ranges) != count {
		t.Fatalf("%d ranges, want %d", len(ranges), count)
	}
	if last := ranges[len(ranges)-1]; ranges[0].Start != 1 || last.End != 1+10*int64(count) {
		t.Errorf("ranges go from %v to %v, want one creator and no gap", ranges[0], last)
	}
}
