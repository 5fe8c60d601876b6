package redisstore_test

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
	"github.com/cosid-go/cosid/stores/redisstore"
)

// The test binary is its own worker: with workerEnv set to a task it reserves, whatever errors come, until its standard
// input ends, and prints each range that it was given.
const (
	workerEnv     = "REDISSTORE_TEST_WORKER"
	workerSize    = 10
	workerCallers = 4                     // of one worker at once
	workerPause   = 10 * time.Millisecond // after an error
)

// task is what a worker does.
type task struct {
	URI, Key         string
	Cluster          bool
	SentinelPassword string
	CAFile           string // which authorities are trusted, instead of the system's
	Wait             redisstore.Wait
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

func (t task) options() redisstore.Options {
	options := optionsFor(t.URI, t.Wait)
	options.Cluster, options.SentinelPassword = t.Cluster, t.SentinelPassword
	return options
}

func (t task) run() error {
	store, err := redisstore.Factory{}.New(hastySpec(), t.options())
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Start(context.Background()); err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	var callers sync.WaitGroup
	for range workerCallers {
		callers.Go(func() {
			for ctx.Err() == nil {
				r, err := store.Reserve(ctx, t.Key, workerSize, 1)
				if err != nil {
					time.Sleep(workerPause) // the server is down
					continue
				}
				fmt.Printf("%d %d\n", r.Start, r.End)
			}
		})
	}
	callers.Wait()
	return store.Close()
}

// load is workers, and what they were given.
type load struct {
	workers []*worker
	reading sync.WaitGroup

	mu     sync.Mutex
	ranges []stores.Range
	ends   []error
}

type worker struct {
	cmd   *exec.Cmd
	stdin io.Closer
	last  stores.Range // the highest so far; under load.mu
	total int
}

// startLoad starts workers of one task, and waits until each was given a range. They are killed when the test ends.
func startLoad(t *testing.T, workers int, on task) *load {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(on)
	if err != nil {
		t.Fatal(err)
	}
	l := &load{}
	t.Cleanup(func() {
		for _, w := range l.workers {
			w.cmd.Process.Kill()
		}
		l.reading.Wait()
	})
	for range workers {
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
		if on.CAFile != "" {
			cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+on.CAFile)
		}
		w := &worker{cmd: cmd}
		if w.stdin, err = cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		l.workers = append(l.workers, w)
		l.reading.Go(func() { l.read(w, stdout) })
	}
	l.awaitAbove(t, 0)
	return l
}

func (l *load) read(w *worker, stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var r stores.Range
		if _, err := fmt.Sscanf(lines.Text(), "%d %d", &r.Start, &r.End); err != nil {
			continue
		}
		l.mu.Lock()
		l.ranges = append(l.ranges, r)
		w.total++
		if r.Start > w.last.Start {
			w.last = r
		}
		l.mu.Unlock()
	}
	err := w.cmd.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends = append(l.ends, err)
}

// awaitAbove waits until each worker was given a range that starts at floor or above.
func (l *load) awaitAbove(t *testing.T, floor int64) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !l.allAbove(floor) {
		if time.Now().After(deadline) {
			t.Fatalf("not every worker was given a range above %d", floor)
		}
		time.Sleep(time.Millisecond)
	}
}

func (l *load) allAbove(floor int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.ContainsFunc(l.workers, func(w *worker) bool { return w.total == 0 || w.last.Start < floor })
}

// highest is the end of the highest range that any worker was given.
func (l *load) highest() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	end := int64(0)
	for _, w := range l.workers {
		end = max(end, w.last.End)
	}
	return end
}

// run lets every worker get more ranges, at least so many in all.
func (l *load) run(t *testing.T, more int) {
	t.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.ranges)
	}
	before := count()
	servingUntil := time.Now().Add(time.Minute)
	for count() < before+more {
		if time.Now().After(servingUntil) {
			t.Fatalf("the workers got %d ranges within a minute", count()-before)
		}
		time.Sleep(time.Millisecond)
	}
}

// stop ends the workers and returns what they were given, sorted.
func (l *load) stop(t *testing.T) []stores.Range {
	t.Helper()
	for _, w := range l.workers {
		w.stdin.Close()
	}
	l.reading.Wait()
	for _, err := range l.ends {
		if err != nil {
			t.Errorf("a worker ended with %v", err)
		}
	}
	slices.SortFunc(l.ranges, func(a, b stores.Range) int { return cmp.Compare(a.Start, b.Start) })
	return l.ranges
}

// repeats counts the ranges that overlap an earlier one, of sorted ones.
func repeats(ranges []stores.Range) int {
	n, end := 0, int64(0)
	for _, r := range ranges {
		if r.Start < end {
			n++
		}
		end = max(end, r.End)
	}
	return n
}
