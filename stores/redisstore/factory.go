package redisstore

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/lifecycle"
	"github.com/cosid-go/cosid/stores"
)

// Factory makes the store type `redis` known to a configuration. Its zero value builds stores from their URI.
//
// One of its fields may be set; every store without a URI uses it, and never closes it. It must stay open until the
// store is closed. A store with a URI opens a client of its own, which Close closes.
type Factory struct {
	// Client is a *redis.Client, also one that follows Sentinel, or a *redis.ClusterClient. The store reads and
	// writes with its own timeout instead of the client's, and never lets the client send a script again. All its
	// connections must stay in their database: one that goes back into the pool after a SELECT leads to other counters.
	// Its hooks run within the calls and share their time, if it has ContextTimeoutEnabled and no read or write timeout
	// shorter than the store's; else go-redis leaves them out.
	Client redis.UniversalClient

	// Conn is one connection, on which the store never waits for replicas: `wait` must come out as off. Calls use it
	// one at a time, and nobody else may use it meanwhile, or SELECT another database on it. Once it breaks, as go-redis
	// has it, it stays broken.
	Conn *redis.Conn

	// Runner runs the scripts by itself, WAIT included. The server cannot be checked then, and `wait` must not be auto.
	Runner ScriptRunner
}

var _ stores.Factory = Factory{}

// Type is `redis`.
func (Factory) Type() string { return "redis" }

// NewOptions returns *Options with the defaults.
func (f Factory) NewOptions() any {
	options := DefaultOptions()
	options.handedIn = f.kind()
	return &options
}

// Build returns a *Store that is not started yet.
func (f Factory) Build(spec stores.Spec, options any) (stores.Store, error) {
	o, ok := options.(*Options)
	if !ok {
		return nil, fmt.Errorf("redisstore: build %q: options are a %T, not what NewOptions returned", spec.Name, options)
	}
	store, err := f.New(spec, *o)
	if err != nil {
		return nil, err
	}
	return store, nil
}

// New is Build for plain Go. It does no I/O. Every mistake in the options is reported, as a field.Error where a key is
// to blame.
func (f Factory) New(spec stores.Spec, options Options) (*Store, error) {
	store, err := f.build(spec, options)
	if err != nil {
		return nil, fmt.Errorf("redisstore: build %q: %w", spec.Name, err)
	}
	return store, nil
}

func (f Factory) build(spec stores.Spec, options Options) (*Store, error) {
	options.handedIn = f.kind()
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if spec.Timeout < minTimeout {
		return nil, fmt.Errorf("timeout %v must be at least %v", spec.Timeout, minTimeout)
	}
	if spec.Logger == nil {
		spec.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{spec: spec, options: options, scripts: newScripts()}
	s.bounds = bounds{timeout: spec.Timeout, timedOut: lifecycle.TimeoutError(spec.Timeout), io: &s.io}
	if options.URI != "" {
		s.open = func() (link, error) {
			t, mistake := options.target()
			if mistake != nil {
				return link{}, mistake
			}
			return connect(t, options, s.bounds), nil
		}
		return s, nil
	}
	if f.Client != nil && f.Conn != nil || f.Client != nil && f.Runner != nil || f.Conn != nil && f.Runner != nil {
		return nil, errors.New("several clients were handed in: set one of Client, Conn and Runner")
	}
	l, err := f.handedIn(s.bounds)
	if err != nil {
		return nil, err
	}
	s.open = func() (link, error) { return l, nil }
	return s, nil
}

func (f Factory) kind() kind {
	switch {
	case f.Runner != nil:
		return runnerKind
	case f.Client != nil || f.Conn != nil:
		return clientKind
	default:
		return nothing
	}
}
