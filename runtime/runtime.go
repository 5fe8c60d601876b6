package runtime

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/names"
	"github.com/cosid-go/cosid/stores"
)

// Errors of a Runtime, for matching with errors.Is.
var (
	// ErrUnknownGenerator means that no generator has the name.
	ErrUnknownGenerator = errors.New("unknown generator")

	// ErrDisabled means that the configuration says `enabled: false`.
	ErrDisabled = errors.New("cosid is disabled")

	// ErrClosed means that the runtime was closed.
	ErrClosed = errors.New("runtime closed")
)

// Options are what a Runtime takes besides its configuration. The zero value is fine.
type Options struct {
	// Logger gets one line an event; nil is slog.Default().
	Logger *slog.Logger

	// Hooks are called by every generator.
	Hooks generators.Hooks
}

// Runtime holds the generators of one configuration. It is safe for concurrent use.
//
// Ids can be drawn between Start and Close; before and after, drawing is an error. Looking up works from New on.
type Runtime struct {
	logger    *slog.Logger
	namespace string
	settings  []config.Setting
	warnings  []string
	disabled  bool
	stores    []openStore
	entries   map[string]*Entry
	watch     *watch

	life       context.Context // of what goes on in the background; ends with Close
	end        context.CancelFunc
	background sync.WaitGroup // lazy stores that are not open yet

	turn   chan struct{} // holds one: starting and closing follow each other; guards what follows
	phase  atomic.Int32  // changed under turn, read at any time
	closed error         // what the first Close returned
}

// phase is how far a Runtime has come.
type phase = int32

const (
	built phase = iota
	starting
	started
	closed
)

// undoTimeout bounds how long a failed Start waits for what it closes again.
const undoTimeout = 5 * time.Second

// New builds what cfg describes. It does no I/O: files, connections and goroutines begin with Start. Mistakes that only
// building shows come as a *config.Error, each with its place.
func New(cfg *config.Config, options Options) (*Runtime, error) {
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	rt := &Runtime{
		logger: options.Logger, namespace: cfg.Namespace, settings: cfg.Settings, warnings: cfg.Warnings,
		disabled: !cfg.Enabled, entries: map[string]*Entry{}, watch: newWatch(), turn: make(chan struct{}, 1),
	}
	rt.life, rt.end = context.WithCancel(context.Background())
	configured := map[string]config.Store{}
	built := map[string]stores.Store{}
	var mistakes []config.Problem
	for _, s := range cfg.Stores {
		store, err := s.Factory.Build(stores.Spec{Name: s.Name, Timeout: s.Timeout, Logger: options.Logger}, s.Options)
		if err != nil {
			mistakes = append(mistakes, s.Within.Problems(err)...)
			continue
		}
		rt.stores = append(rt.stores, openStore{name: s.Name, store: store, opening: s.Opening, lazy: s.Lazy})
		rt.watch.stores[s.Name] = &watchedStore{timeout: s.Timeout}
		configured[s.Name], built[s.Name] = s, store
	}
	if len(mistakes) > 0 {
		return nil, config.NewError(mistakes)
	}
	hooks := generators.CombineHooks(rt.watch.hooks(), options.Hooks)
	for _, g := range cfg.Generators {
		rt.watch.generators[g.Name] = &watchedGenerator{
			strategy: g.Factory.Strategy(), store: g.Store, failing: map[string]trouble{},
		}
		instance, err := g.Factory.Build(generators.Spec{
			Namespace: cfg.Namespace, Name: g.Name, Store: built[g.Store], StoreName: g.Store,
			StoreTimeout: configured[g.Store].Timeout, Slots: cfg.Slots, Hooks: hooks, Logger: options.Logger,
		}, g.Settings)
		if err == nil {
			rt.entries[g.Name], err = newEntry(g, instance, cfg.Codecs)
		}
		if err != nil {
			mistakes = append(mistakes, g.Place.Problems(err)...)
		}
	}
	if len(mistakes) > 0 {
		return nil, config.NewError(mistakes)
	}
	return rt, nil
}

// Get returns the entry of the named generator, the same one each time. Its error lists the names there are.
func (rt *Runtime) Get(name string) (*Entry, error) {
	if e, ok := rt.entries[name]; ok {
		return e, nil
	}
	if rt.disabled {
		return nil, fmt.Errorf("cosid: generator %q: %w: the configuration says `enabled: false`", name, ErrDisabled)
	}
	hint := ""
	if near := names.Nearest(name, rt.Names()); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("cosid: %w %q (have %s)%s", ErrUnknownGenerator, name, names.List(rt.Names()), hint)
}

// Names lists the generators, sorted.
func (rt *Runtime) Names() []string { return sortedKeys(rt.entries) }

// All iterates over the generators in the order of their names.
func (rt *Runtime) All() iter.Seq2[string, *Entry] {
	return func(yield func(string, *Entry) bool) {
		for _, name := range rt.Names() {
			if !yield(name, rt.entries[name]) {
				return
			}
		}
	}
}

// Start opens the stores, all at once and each within its start-timeout, and then starts the generators. ctx bounds
// Start only. If anything fails, what was opened is closed again and the error names it; a Runtime starts once. A store
// with `start: lazy` that cannot be opened is opened in the background instead; until then its generators answer with
// errors.
func (rt *Runtime) Start(ctx context.Context) error {
	rt.turn <- struct{}{}
	defer func() { <-rt.turn }()
	switch rt.phase.Load() {
	case started:
		return errors.New("cosid: start: the runtime has been started already")
	case closed:
		return fmt.Errorf("cosid: start: %w", ErrClosed)
	}
	rt.phase.Store(starting)
	ctx, stop := context.WithCancelCause(ctx)
	defer context.AfterFunc(rt.life, func() { stop(ErrClosed) })()
	defer stop(nil)
	for _, warning := range rt.warnings {
		rt.logger.Warn("cosid: " + warning)
	}
	rt.logReport()
	err := rt.startStores(ctx)
	for _, name := range rt.Names() {
		if err != nil {
			break
		}
		if err = rt.entries[name].instance.Start(ctx); err != nil {
			err = fmt.Errorf("cosid: start generator %q: %w", name, err)
		}
	}
	if err == nil && rt.life.Err() != nil {
		err = fmt.Errorf("cosid: start: %w", ErrClosed) // a Close did not wait for the end of this
	}
	if err != nil {
		// ctx may be what failed; undoing needs time of its own.
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
		defer cancel()
		return errors.Join(err, rt.close(undo))
	}
	rt.watch.start()
	rt.phase.Store(started)
	return nil
}

func (rt *Runtime) startStores(ctx context.Context) error {
	failures := make([]error, len(rt.stores))
	var opening sync.WaitGroup
	for i, s := range rt.stores {
		opening.Go(func() { failures[i] = rt.startStore(ctx, s) })
	}
	opening.Wait()
	return errors.Join(failures...)
}

// Close stops the generators, in the reverse order of Start, and then closes the stores, all at once. ctx bounds the
// wait for running reservations and for stores. Close is safe before Start; called again it returns what the first
// call did.
func (rt *Runtime) Close(ctx context.Context) error {
	rt.end() // whatever is starting gives up
	select {
	case rt.turn <- struct{}{}:
	default:
		select {
		case rt.turn <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("cosid: close: the runtime is still starting: %w", ctx.Err())
		}
	}
	defer func() { <-rt.turn }()
	if rt.phase.Load() == closed {
		return rt.closed
	}
	return rt.close(ctx)
}

func (rt *Runtime) close(ctx context.Context) error {
	rt.end()
	var failures []error
	for _, name := range slices.Backward(rt.Names()) {
		if err := rt.entries[name].instance.Close(ctx); err != nil {
			failures = append(failures, fmt.Errorf("cosid: close generator %q: %w", name, err))
		}
	}
	failures = append(failures, rt.closeStores(ctx))
	rt.closed = errors.Join(failures...)
	rt.phase.Store(closed)
	return rt.closed
}
