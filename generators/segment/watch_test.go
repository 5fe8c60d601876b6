package segment_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestHooksTellOfReservationsAndFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.NextReserves(storetest.Fault{Before: errStore}, storetest.Fault{Latency: 20 * time.Millisecond})
		var reserved []generators.Reserved
		var failed []generators.RefillFailed
		var g *segment.Generator
		g = newGenerator(t, store, policy(nil), segment.Options{Name: "order", Hooks: generators.Hooks{
			OnReserved: func(r generators.Reserved) {
				reserved = append(reserved, r)
				g.Stats()
				mustNext(t, g) // a hook may use the generator
			},
			OnRefillFailed: func(f generators.RefillFailed) { failed = append(failed, f) },
		}})
		began := time.Now()
		if _, err := g.Next(t.Context()); !errors.Is(err, errStore) {
			t.Errorf("Next failed with %v, want %v", err, errStore)
		}
		time.Sleep(100 * time.Millisecond)
		expectNext(t, g, 1)
		synctest.Wait()
		if len(failed) != 1 || failed[0].Generator != "order" || failed[0].Key != key || !errors.Is(failed[0].Err, errStore) ||
			failed[0].RetryAt.Sub(began) != 100*time.Millisecond {
			t.Errorf("failures %+v", failed)
		}
		want := generators.Reserved{
			Generator: "order", Key: key, Range: stores.Range{Start: 1, End: 101}, Latency: 20 * time.Millisecond,
		}
		if len(reserved) != 1 || reserved[0] != want {
			t.Errorf("reservations %+v, want %+v", reserved, want)
		}
		if s := g.Stats(); s.LastRefillLatency != 20*time.Millisecond || s.Reservations != 1 || s.Failures != 1 {
			t.Errorf("stats %+v", s)
		}
		mustClose(t, g)
	})
}

// A prefetch that becomes due while a hook still holds up the last reservation is not forgotten.
func TestAHookThatTakesItsTimeDelaysThePrefetchOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step = 10 }), segment.Options{Hooks: generators.Hooks{
			OnReserved: func(generators.Reserved) { time.Sleep(time.Second) },
		}})
		g.Prefetch()
		synctest.Wait()
		expectNext(t, g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
		time.Sleep(time.Minute)
		if store.Reserves() != 2 {
			t.Errorf("%d reservations, want the prefetch after the hook", store.Reserves())
		}
		mustClose(t, g)
	})
}

// The log has a line when the store begins to fail and one when it is back, whatever happens in between.
func TestTheLogTellsOfAnOutageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		store.EveryReserve(storetest.Fault{Before: errStore})
		var out bytes.Buffer
		g := newGenerator(t, store, policy(nil), segment.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
		g.Prefetch()
		time.Sleep(time.Minute)
		store.EveryReserve(storetest.Fault{})
		time.Sleep(10 * time.Second)
		mustClose(t, g)
		if lines := strings.Count(out.String(), "\n"); lines != 2 || !strings.Contains(out.String(), "on fire") {
			t.Errorf("logged %d lines:\n%s", lines, out.String())
		}
	})
}

// The counts never go back, also while others draw ids.
func TestStatsNeverGoBack(t *testing.T) {
	store := newStore(t)
	g := newGenerator(t, store, policy(func(p *segment.Policy) { p.Step, p.RangeTTL = 10, time.Millisecond }), segment.Options{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range 5000 {
				mustNext(t, g)
			}
		})
	}
	done := make(chan struct{})
	go func() { callers.Wait(); close(done) }()
	for last, running := g.Stats(), true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		s := g.Stats()
		if s.Issued < last.Issued || s.Reserved < last.Reserved || s.Dropped < last.Dropped || s.AtHand < 0 ||
			s.Issued+s.Dropped+s.AtHand != s.Reserved {
			t.Fatalf("stats %+v after %+v", s, last)
		}
		last = s
	}
	if s := g.Stats(); s.Issued != 20000 {
		t.Errorf("issued %d, want 20000", s.Issued)
	}
	mustClose(t, g)
}
