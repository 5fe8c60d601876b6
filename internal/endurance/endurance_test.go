//go:build unix

package endurance_test

import (
	"context"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// sizeEnv asks for the full size, and says for how long.
const sizeEnv = "COSID_STRESS_ENDURANCE"

// size says how much a run does.
type size struct {
	chaos   time.Duration // how long faults come
	calm    time.Duration // how long none come after it; 0 = it ends with the chaos
	workers int
	limit   int64
	rate    int // of each worker, ids a second, about
	ttl     time.Duration
	between time.Duration // faults of a worker

	stopsOnly  bool // see fleet
	untilFound bool // the chaos ends once the audit finds something
}

// sizeOf is that of every day, unless sizeEnv asks for the full one.
func sizeOf(t *testing.T) size {
	z := size{
		chaos: 10 * time.Second, workers: 6, limit: 3, rate: 3000, ttl: 1500 * time.Millisecond, between: 2 * time.Second,
	}
	if text := os.Getenv(sizeEnv); text != "" {
		chaos, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", sizeEnv, err)
		}
		z = size{chaos: chaos, workers: 16, limit: 8, rate: 40_000, ttl: 3 * time.Second, between: 5 * time.Second}
	}
	z.calm = 2*z.ttl + 2*patience
	return z
}

// patience is how long a worker needs at most until it makes ids, once there is a free slot: the pauses between two
// openings, and opening.
const patience = 2 * time.Second

// run is what came of a run on a stage.
type run struct {
	*audit
	size
	dir      string
	events   map[string]int
	problems []string // what befell workers, and should not
	idle     []int64  // slots that nobody used towards the end of the calm
}

func TestSlotsEndure(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *stage{
		"Redis": redisStage, "PostgreSQL": postgresStage, "MariaDB": mariaStage,
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv(sizeEnv) == "" {
				t.Parallel() // the full size takes the whole machine
			}
			r := sizeOf(t).endure(t, start(t), (*stage).suffer)
			r.check(t)
			r.checkPlanted(t)
		})
	}
}

func TestHoldersStopAtTheirCeilingsAndResume(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *stage{"Redis": redisStage, "PostgreSQL": postgresStage} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start(t).testOutages(t)
		})
	}
}

// endure runs a fleet on a stage, lets the stage suffer, and reads what the workers have written.
func (z size) endure(t *testing.T, s *stage, suffer func(s *stage, chaos context.Context, z size) error) run {
	t.Helper()
	dir := t.TempDir()
	f := &fleet{
		dir: dir, workers: z.workers, between: z.between, stopsOnly: z.stopsOnly,
		task: task{
			Dir: dir, Store: s.store, Limit: z.limit, TTL: z.ttl, MaxAhead: z.ttl / 3, Rate: z.rate,
			Uptime: 4 * z.between, Skew: time.Hour,
		},
	}
	began := time.Now()
	chaos, cancel := context.WithTimeout(context.Background(), z.chaos)
	defer cancel()
	stop := f.start(t, chaos)
	var looking sync.WaitGroup
	if z.untilFound {
		looking.Go(func() { awaitBreach(chaos, cancel, dir, z.limit) })
	}
	if err := suffer(s, chaos, z); err != nil {
		t.Error(err)
	}
	<-chaos.Done()
	looking.Wait()
	time.Sleep(z.calm)
	ended := time.Now()
	stop()

	events, err := readEvents(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := auditDir(dir, z.limit)
	if err != nil {
		t.Fatal(err)
	}
	r := run{audit: a, size: z, dir: dir, events: countOf(events), problems: f.problems}
	for _, e := range events {
		if e.word == odd {
			r.problems = append(r.problems, fmt.Sprintf("worker %d-%d: %s", e.worker, e.life, e.text))
		}
	}
	for slot := range z.limit {
		if a.last[slot].Before(ended.Add(-patience)) {
			r.idle = append(r.idle, slot)
		}
	}
	var memory goruntime.MemStats
	goruntime.ReadMemStats(&memory)
	t.Logf("%s: %d workers on %d slots, ttl %v: %v; server: %v\n%v\n%v\nevents: %v; the process of the audit took %d MB",
		s.name, z.workers, z.limit, z.ttl, f, s, a, availabilityOf(a, began, ended, z.workers), r.events, memory.Sys>>20)
	return r
}

// awaitBreach audits what is written, again and again, and ends the chaos once something is wrong.
func awaitBreach(chaos context.Context, end func(), dir string, limit int64) {
	for sleep(chaos, time.Second) {
		if a, err := auditDir(dir, limit); err == nil && a.breaches() > 0 {
			end()
		}
	}
}

// check wants a run on a store that is right.
func (r run) check(t *testing.T) {
	t.Helper()
	r.checkIDs(t)
	for _, slot := range r.idle {
		t.Errorf("slot %d was last used at %v: it has leaked", slot, r.last[slot])
	}
	for _, word := range []string{leased, full, failed, expired} {
		if r.events[word] == 0 {
			t.Errorf("no worker has told of %q: %v", word, r.events)
		}
	}
	if least := int64(r.rate) * int64(r.chaos/time.Second); r.ids < least {
		t.Errorf("%d ids, want at least %d", r.ids, least)
	}
}

func (r run) checkIDs(t *testing.T) {
	t.Helper()
	if r.breaches() > 0 {
		t.Errorf("%v:\n%s", r.audit, strings.Join(r.examples, "\n"))
	}
	for _, problem := range r.problems {
		t.Error(problem)
	}
}
