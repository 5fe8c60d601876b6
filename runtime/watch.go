package runtime

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/cosid-go/cosid/generators"
)

// watch remembers what happened to generators and stores, so that health can tell since when something is as it is.
type watch struct {
	generators map[string]*watchedGenerator // by name; the map is fixed once the runtime is built
	stores     map[string]*watchedStore     // likewise

	mu    sync.Mutex // guards what the entries hold, and what follows; never held during I/O
	began time.Time  // when the runtime was started
}

// watchedGenerator is what is known of one generator.
type watchedGenerator struct {
	strategy, store string

	failing map[string]trouble // by key: a periodic generator reserves for two periods at once
	calm    time.Time          // when the last trouble ended; zero = there was none
}

// watchedStore is what is known of one store.
type watchedStore struct {
	timeout time.Duration // of one call; 0 = none
	check   check

	opening   *trouble  // why a lazy store is not open yet
	downSince time.Time // when it was first asked in vain; zero while it answers
	calm      time.Time // when the last trouble ended; zero = there was none
}

// trouble is a run of failures.
type trouble struct {
	since   time.Time
	err     error     // the last one
	retryAt time.Time // when the next attempt is made; zero = none by itself
}

func newWatch() *watch {
	return &watch{generators: map[string]*watchedGenerator{}, stores: map[string]*watchedStore{}}
}

// hooks note how reservations go.
func (w *watch) hooks() generators.Hooks {
	return generators.Hooks{
		OnReserved: func(e generators.Reserved) {
			w.note(e.Generator, func(g *watchedGenerator) {
				if _, failed := g.failing[e.Key]; failed {
					delete(g.failing, e.Key)
					g.calm = time.Now()
				}
			})
		},
		OnRefillFailed: func(e generators.RefillFailed) {
			w.note(e.Generator, func(g *watchedGenerator) {
				since := time.Now()
				if t, failing := g.failing[e.Key]; failing {
					since = t.since
				}
				g.failing[e.Key] = trouble{since: since, err: e.Err, retryAt: e.RetryAt}
			})
		},
		OnPeriodOpened: func(e generators.PeriodEvent) {
			w.note(e.Generator, func(g *watchedGenerator) { // what failed for a period that is left is over
				before := len(g.failing)
				maps.DeleteFunc(g.failing, func(key string, _ trouble) bool { return key != e.Key })
				if before > 0 && len(g.failing) == 0 {
					g.calm = time.Now()
				}
			})
		},
	}
}

func (w *watch) note(generator string, change func(*watchedGenerator)) {
	g := w.generators[generator]
	if g == nil {
		return // an instance that tells another name than its own
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	change(g)
}

// start notes that the runtime is at work.
func (w *watch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = time.Now()
}

// opening notes that a lazy store could not be opened and when it is tried again; nil that it is open.
func (w *watch) opening(store string, err error, retryIn time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, now := w.stores[store], time.Now()
	if err == nil {
		s.opening, s.calm = nil, now
		return
	}
	since := now
	if s.opening != nil {
		since = s.opening.since
	}
	s.opening = &trouble{since: since, err: err, retryAt: now.Add(retryIn)}
}

// answered notes how a store was when it was asked.
func (w *watch) answered(store string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, now := w.stores[store], time.Now()
	switch {
	case err != nil && s.downSince.IsZero():
		s.downSince = now
	case err == nil && !s.downSince.IsZero():
		s.downSince, s.calm = time.Time{}, now
	}
}

func (w *watch) isOpening(store string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stores[store].opening != nil
}

// stop ends the questions to stores. ctx bounds the wait for answers that are due.
func (w *watch) stop(ctx context.Context) {
	for _, s := range w.stores {
		s.check.stop(ctx)
	}
}
