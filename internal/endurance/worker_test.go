package endurance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
)

// The test binary is its own worker: with workerEnv set to a task it makes ids until it is told to end.
const workerEnv = "ENDURANCE_WORKER"

// task is what a worker does.
type task struct {
	Dir          string         // where it writes
	Worker, Life int            // see origin
	Owner        string         // the name under which it leases slots
	Store        map[string]any // what stands below cosid.stores.main
	Limit        int64
	TTL          time.Duration
	MaxAhead     time.Duration
	Rate         int           // about how many ids a second; 0 = a trickle only
	Uptime       time.Duration // it opens a new runtime after up to that long; 0 = never
	Skew         time.Duration // its clock is so far off, now ahead and now behind
}

// worker is the process that does a task.
type worker struct {
	task
	events *os.File

	mu   sync.Mutex
	fail error // of writing; what is not written is no proof
}

func work(text string) (exitCode int) {
	w := &worker{}
	if err := json.Unmarshal([]byte(text), &w.task); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3) // whoever started it has gone
	}()
	if err := w.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (w *worker) run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	// From here on there is a file of events, and whoever ends the worker expects it to end well.
	path := eventPath(w.Dir, w.Worker, w.Life)
	if w.events, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return err
	}
	for opening := 1; ctx.Err() == nil && w.failure() == nil; opening++ {
		if rt := w.open(ctx); rt != nil {
			w.use(ctx, rt, opening)
			sleep(ctx, upTo(time.Second))
		}
	}
	return w.failure()
}

// open opens a runtime, again and again until there is a slot.
func (w *worker) open(ctx context.Context) *cosid.Runtime {
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(ctx, 5*time.Second)
		rt, err := cosid.Open(within, w.options())
		cancel()
		var mistaken *cosid.ConfigError
		switch {
		case err == nil:
			return rt
		case errors.Is(err, cosid.ErrNoFreeSlot):
			w.tell(full, "")
		case errors.Is(err, cosid.ErrSlotSettings) || errors.As(err, &mistaken):
			w.tell(odd, err.Error())
		default:
			w.tell(unopened, err.Error())
		}
		sleep(ctx, 50*time.Millisecond+upTo(200*time.Millisecond))
	}
	return nil
}

const generatorName = "trade"

func (w *worker) options() cosid.Options {
	clock := skewed{snowflake.NewFactory()}
	clock.Clock = w.clock()
	return cosid.Options{
		Source: cosid.Source{
			Environ:  []string{},
			Dir:      w.Dir,
			Hostname: w.Owner,
			Values: map[string]any{
				"namespace": "shop",
				"stores":    map[string]any{"main": w.Store},
				"slots":     map[string]any{"limit": w.Limit, "ttl": w.TTL},
				"generators": map[string]any{generatorName: map[string]any{
					"strategy":  clock.Strategy(),
					"bits":      map[string]any{"slot": slotBits, "sequence": sequenceBits},
					"max-ahead": w.MaxAhead,
				}},
			},
		},
		Logger:     slog.New(slog.DiscardHandler),
		Stores:     []stores.Factory{servedFactory{}},
		Strategies: []generators.Factory{clock},
		Hooks: cosid.Hooks{
			OnLeaseAcquired: func(e generators.LeaseEvent) { w.tell(leased, e.Lease.String()) },
			OnLeaseLost:     func(e generators.LeaseFailure) { w.tell(lost, e.Err.Error()) },
			OnLeaseFailed:   func(e generators.LeaseFailure) { w.tell(failed, e.Err.Error()) },
		},
	}
}

// skewed is the strategy `snowflake` on a clock of the worker's own.
type skewed struct{ *snowflake.Factory }

func (skewed) Strategy() string { return "skewed-snowflake" }

// clock steps from ahead to behind and back, every few hundred milliseconds.
func (w *worker) clock() func() time.Time {
	if w.Skew == 0 {
		return time.Now
	}
	return func() time.Time {
		now := time.Now().Round(0)
		if now.UnixMilli()/700%2 == 0 {
			return now.Add(w.Skew)
		}
		return now.Add(-w.Skew)
	}
}

// use makes ids until ctx ends or it has done so for long enough, and closes the runtime while others still draw.
func (w *worker) use(ctx context.Context, rt *cosid.Runtime, opening int) {
	entry, err := rt.Get(generatorName)
	if err != nil {
		w.tell(odd, err.Error())
		return
	}
	lanes := []lane{{"trickle", w.trickle}}
	if w.Rate > 0 {
		lanes = append(lanes, lane{"fill", w.fill}, lane{"burst1", w.burst}, lane{"burst2", w.burst})
	}
	closing := make(chan struct{})
	var running sync.WaitGroup
	for _, l := range lanes {
		journal, err := newJournal(w.Dir, origin{w.Worker, w.Life, opening, l.name})
		if err != nil {
			w.failWith(err)
			break
		}
		running.Go(func() {
			defer journal.file.Close()
			w.draw(entry, l, journal, closing)
		})
	}
	enough := ctx
	if w.Uptime > 0 {
		var cancel context.CancelFunc
		enough, cancel = context.WithTimeout(ctx, w.Uptime/4+upTo(w.Uptime))
		defer cancel()
	}
	<-enough.Done()
	within, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := rt.Close(within); err != nil {
		w.tell(unreleased, err.Error())
	}
	close(closing)
	running.Wait()
}

// lane is one way to draw ids: it draws some into ids, whose length is 0, and says how long to wait before the next.
type lane struct {
	name string
	draw func(entry *cosid.Entry, ids []int64) ([]int64, time.Duration, error)
}

// draw writes all ids that the lane draws, until the runtime is closed.
func (w *worker) draw(entry *cosid.Entry, l lane, to *journal, closing <-chan struct{}) {
	var buffer []int64
	refused := false
	for {
		ids, pause, err := l.draw(entry, buffer[:0])
		buffer = ids
		if err := to.write(ids); err != nil {
			w.failWith(err)
			return
		}
		if refused && len(ids) > 0 {
			refused = false
			w.tell(resumed, l.name)
		}
		switch {
		case err == nil:
		case errors.Is(err, generators.ErrClosed):
			return
		case errors.Is(err, cosid.ErrLeaseExpired):
			if !refused {
				refused = true
				w.tell(expired, l.name+": "+err.Error())
			}
			pause = 10 * time.Millisecond
		case errors.Is(err, generators.ErrRateExceeded):
			w.tell(exceeded, l.name)
		default:
			w.tell(odd, err.Error())
			pause = 10 * time.Millisecond
		}
		select {
		case <-closing:
			return
		case <-time.After(pause):
		}
	}
}

// trickle draws an id every few milliseconds. They are written soon, since nobody else shows that a worker is able to.
func (w *worker) trickle(entry *cosid.Entry, ids []int64) ([]int64, time.Duration, error) {
	id, err := entry.Next(context.Background())
	if err == nil {
		ids = append(ids, id)
	}
	return ids, upTo(5 * time.Millisecond), err
}

// burst draws one after the other, as many as a hundredth of a second brings.
func (w *worker) burst(entry *cosid.Entry, ids []int64) ([]int64, time.Duration, error) {
	for range 1 + rand.IntN(w.Rate/50+1) {
		id, err := entry.Next(context.Background())
		if err != nil {
			return ids, 0, err
		}
		ids = append(ids, id)
	}
	return ids, upTo(100 * time.Millisecond), nil
}

// fill draws many at once, and now and then so many that ticks are borrowed from the future.
func (w *worker) fill(entry *cosid.Entry, ids []int64) ([]int64, time.Duration, error) {
	n := 1 + rand.IntN(w.Rate/20+1)
	if rand.IntN(50) == 0 {
		n = 1 + rand.IntN(2*w.Rate)
	}
	if n > cap(ids) {
		ids = make([]int64, 0, n)
	}
	ids = ids[:n]
	filled, err := entry.Fill(context.Background(), ids)
	return ids[:filled], upTo(100 * time.Millisecond), err
}

func (w *worker) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fail
}

func (w *worker) failWith(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = errors.Join(w.fail, err)
}

func upTo(d time.Duration) time.Duration { return rand.N(d) }

// sleep reports false if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
