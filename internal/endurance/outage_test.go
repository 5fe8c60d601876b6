//go:build unix

package endurance_test

import (
	"context"
	"testing"
	"time"
)

// outage is a time in which the server did not answer.
type outage struct {
	name       string
	from, to   time.Time
	begin, end func() error
}

// Workers of a server that is away make ids up to the end of their windows, no further and no less, say
// ErrLeaseExpired, and make ids again soon after it is back, in the same process.
func (s *stage) testOutages(t *testing.T) {
	const workers, ttl, ahead = 4, 2 * time.Second, 500 * time.Millisecond
	dir := t.TempDir()
	f := &fleet{
		dir: dir, workers: workers, between: time.Hour,
		task: task{Dir: dir, Store: s.store, Limit: workers, TTL: ttl, MaxAhead: ahead},
	}
	outages := []*outage{
		{name: "frozen", begin: s.Freeze, end: s.Thaw},
		{name: "killed", begin: func() error { s.Kill(); return nil }, end: s.Start},
	}
	ctx, calm := context.WithTimeout(context.Background(), 2*time.Minute)
	defer calm()
	stop := f.start(t, ctx)
	awaitEvents(t, dir, leased, time.Time{}, workers)
	for _, o := range outages {
		time.Sleep(ttl) // all is well
		o.from = time.Now()
		if err := o.begin(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(ttl + ahead + 2*time.Second)
		o.to = time.Now()
		if err := o.end(); err != nil {
			t.Fatal(err)
		}
		awaitEvents(t, dir, resumed, o.to, workers)
	}
	calm()
	stop()

	events, err := readEvents(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := auditDir(dir, workers)
	if err != nil {
		t.Fatal(err)
	}
	run{audit: a, problems: f.problems}.checkIDs(t)
	if n := f.spawns.Load(); n != workers {
		t.Errorf("%d processes, want %d that live through it all", n, workers)
	}
	for _, o := range outages {
		for worker := range workers {
			o.check(t, worker, a.batches, events, ttl, ahead)
		}
	}
}

// check judges one worker in an outage.
func (o *outage) check(t *testing.T, worker int, batches []batch, events []event, ttl, ahead time.Duration) {
	t.Helper()
	var last, first time.Time // ids in the outage, and after it
	for _, b := range batches {
		switch {
		case b.worker != worker:
		case b.at.After(o.from) && b.at.Before(o.to):
			last = b.at
		case b.at.After(o.to) && first.IsZero():
			first = b.at
		}
	}
	refused := false
	for _, e := range events {
		refused = refused || e.worker == worker && e.word == expired && e.at.After(o.from) && e.at.Before(o.to)
	}
	// The last renewal was asked for at most ttl/3 before the outage; slack is for a machine that is busy.
	const slack = 700 * time.Millisecond
	t.Logf("%s, worker %d: made ids for %v of the ttl %v, and again %v after the end of the outage of %v",
		o.name, worker, last.Sub(o.from), ttl, first.Sub(o.to), o.to.Sub(o.from))
	if earliest := ttl - ttl/3; last.Sub(o.from) < earliest-slack || last.Sub(o.from) > ttl+ahead+slack {
		t.Errorf("%s, worker %d: the last id came %v after the outage began, want %v to %v", o.name, worker,
			last.Sub(o.from), earliest, ttl+ahead)
	}
	if !refused {
		t.Errorf("%s, worker %d: ids were not refused with ErrLeaseExpired", o.name, worker)
	}
}

// awaitEvents waits until so many workers have told of an event after since.
func awaitEvents(t *testing.T, dir, word string, since time.Time, workers int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		events, err := readEvents(dir)
		if err != nil {
			t.Fatal(err)
		}
		told := map[int]bool{}
		for _, e := range events {
			if e.word == word && e.at.After(since) {
				told[e.worker] = true
			}
		}
		if len(told) == workers {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute %d of %d workers are %q; events: %v", len(told), workers, word, countOf(events))
		}
	}
}
