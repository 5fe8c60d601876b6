package redisstore_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// patientSpec leaves a call more time than the suite's own contexts do.
func patientSpec() stores.Spec { return stores.Spec{Name: "redis", Timeout: 10 * time.Second} }

// hastySpec is for calls that are meant to run into the timeout.
func hastySpec() stores.Spec { return stores.Spec{Name: "redis", Timeout: time.Second} }

func optionsFor(uri string, wait redisstore.Wait) redisstore.Options {
	options := redisstore.DefaultOptions()
	options.URI, options.Wait = uri, wait
	return options
}

func uriOf(server *servers.Redis) string { return "redis://:" + server.Password + "@" + server.Addr }

// build makes a store that is closed when the test ends.
func build(t testing.TB, factory redisstore.Factory, spec stores.Spec, options redisstore.Options) *redisstore.Store {
	t.Helper()
	store, err := factory.New(spec, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// open builds a store and starts it.
func open(t testing.TB, factory redisstore.Factory, spec stores.Spec, options redisstore.Options) *redisstore.Store {
	t.Helper()
	store := build(t, factory, spec, options)
	if err := store.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	return store
}

func mustReserve(t testing.TB, store stores.RangeStore, key string, size, offset, start int64) {
	t.Helper()
	r, err := store.Reserve(context.WithoutCancel(t.Context()), key, size, offset)
	if err != nil || r.Start != start || r.Size() != size {
		t.Fatalf("reserve %d of %s answered %v, %v; want it to start at %d", size, key, r, err, start)
	}
}

// logged is a logger that remembers.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func withLog(spec stores.Spec) (stores.Spec, *logged) {
	log := &logged{}
	spec.Logger = slog.New(slog.NewTextHandler(log, nil))
	return spec, log
}
