//go:build unix

package endurance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// fleet is a number of places, in each of which one worker runs after the other.
type fleet struct {
	dir     string
	task    task // of every worker, but for what differs
	workers int
	between time.Duration // faults of a worker come so far apart, on average; more than 0

	stopsOnly bool // every fault is a stop for longer than the ttl

	spawns, kills, stops, pauses, ends atomic.Int64

	mu       sync.Mutex
	problems []string // what must not happen to workers
}

// owner is the name of the worker in a place: most have one of their own, the last few share two.
func (f *fleet) owner(place int) string {
	if own := (f.workers + 1) * 2 / 3; place >= own {
		return fmt.Sprintf("twin-%d", place%2)
	}
	return fmt.Sprintf("host-%d", place)
}

// start keeps all places occupied until it is told to stop, or the test ends. Then it ends all workers, and returns
// when they are gone. Faults come until the chaos ends.
func (f *fleet) start(t *testing.T, chaos context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		var running sync.WaitGroup
		for place := range f.workers {
			running.Go(func() { f.occupy(ctx, chaos, place) })
		}
		running.Wait()
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

// occupy starts one worker after the other in a place.
func (f *fleet) occupy(ctx, chaos context.Context, place int) {
	// The thread that started a child lives as long as the child: its end would end the child too (see dieWithParent).
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	for life := 1; ctx.Err() == nil; life++ {
		p, err := f.spawn(place, life)
		if err != nil {
			f.problem("start a worker: %v", err)
			return
		}
		f.befall(ctx, chaos, p)
		sleep(chaos, upTo(f.task.TTL))
	}
}

// befall lets happen to a worker what may, until it has ended.
func (f *fleet) befall(ctx, chaos context.Context, p *process) {
	const longStop = 12
	ttl := f.task.TTL
	for p.lives(chaos, upTo(2*f.between)) {
		dice := rand.IntN(20)
		if f.stopsOnly {
			dice = longStop
		}
		switch {
		case dice < 7:
			f.kill(p)
			return
		case dice <= longStop:
			f.stops.Add(1)
			p.stop(chaos, ttl+ttl/10+upTo(ttl))
		case dice < 14: // stopped, and never continued
			f.stops.Add(1)
			p.signal(syscall.SIGSTOP)
			sleep(chaos, ttl)
			f.kill(p)
			return
		case dice < 18:
			f.pauses.Add(1)
			p.stop(chaos, upTo(ttl))
		default:
			f.ends.Add(1)
			f.end(p)
			return
		}
	}
	select {
	case <-ctx.Done():
		f.end(p)
	case <-p.ended:
		f.problem("worker %s ended by itself: %v\n%s", p.name, p.result, p.lastOutput())
	}
}

func (f *fleet) kill(p *process) {
	f.kills.Add(1)
	p.signal(syscall.SIGKILL)
	<-p.ended
	f.inspect(p, true)
}

// end asks a worker to close its runtime and end.
func (f *fleet) end(p *process) {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		f.inspect(p, false)
	case <-time.After(30 * time.Second):
		f.problem("worker %s does not end", p.name)
		f.kill(p)
	}
}

// inspect tells whether the worker's end shows a mistake, such as a panic or a data race.
func (f *fleet) inspect(p *process, killed bool) {
	output := p.output()
	crashed := bytes.Contains(output, []byte("DATA RACE")) || bytes.Contains(output, []byte("panic:"))
	_, err := os.Stat(p.events)
	begun := err == nil
	if crashed || !killed && begun && p.result != nil {
		f.problem("worker %s: %v\n%s", p.name, p.result, p.lastOutput())
	}
}

// String tells what was done to the workers.
func (f *fleet) String() string {
	return fmt.Sprintf("%d processes, %d kills, %d stops for longer than the ttl, %d shorter ones, %d ends",
		f.spawns.Load(), f.kills.Load(), f.stops.Load(), f.pauses.Load(), f.ends.Load())
}

func (f *fleet) problem(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// process is one worker.
type process struct {
	name   string
	path   string // of its output
	events string // the path of its file of events
	cmd    *exec.Cmd
	stdin  io.Closer
	ended  chan struct{}
	result error // of waiting; read after ended is closed
}

// spawn starts a worker. The calling goroutine must hold its thread until the worker has ended.
func (f *fleet) spawn(place, life int) (*process, error) {
	f.spawns.Add(1)
	t := f.task
	t.Worker, t.Life, t.Owner = place, life, f.owner(place)
	if place%2 == 0 {
		t.Skew = 0
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{
		name: fmt.Sprintf("%03d-%04d", place, life), events: eventPath(f.dir, place, life), ended: make(chan struct{}),
	}
	p.path = filepath.Join(f.dir, p.name+".output")
	output, err := os.Create(p.path)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	p.cmd = exec.Command(binary)
	p.cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	p.cmd.Stdout, p.cmd.Stderr = output, output
	p.cmd.SysProcAttr = dieWithParent()
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.result = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) } // it may have ended

// stop stops the process for d, or until the chaos ends.
func (p *process) stop(chaos context.Context, d time.Duration) {
	p.signal(syscall.SIGSTOP)
	sleep(chaos, d)
	p.signal(syscall.SIGCONT)
}

// lives waits for d. It reports false if the chaos or the process ended before.
func (p *process) lives(chaos context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-chaos.Done():
		return false
	case <-p.ended:
		return false
	}
}

func (p *process) output() []byte {
	text, err := os.ReadFile(p.path)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

func (p *process) lastOutput() []byte {
	text := p.output()
	return text[max(0, len(text)-4000):]
}
