package snowflake_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errStore = errors.New("the store is down")

const ttl = 30 * time.Second

// epoch lies before the time at which the bubbles of synctest begin, the year 2000.
const epoch generators.Epoch = 946598400000

// process is what one process has: a client of the store, and a factory.
type process struct {
	t       *testing.T
	server  *memstore.Server
	store   *storetest.Faults
	factory *snowflake.Factory
	spec    generators.Spec
}

// newProcess is a process of the given owner, on a server that others may share, in a namespace of four slots.
func newProcess(t *testing.T, server *memstore.Server, owner string) *process {
	t.Helper()
	store := storetest.NewFaults(server.Client())
	if err := store.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return &process{t: t, server: server, store: store, factory: snowflake.NewFactory(), spec: generators.Spec{
		Namespace: "shop", Store: store, StoreName: "memory",
		Slots: generators.Slots{Limit: 4, TTL: ttl, Tolerance: time.Hour, Owner: owner},
	}}
}

func settings(edit func(*snowflake.Settings)) *snowflake.Settings {
	s := snowflake.DefaultSettings()
	s.Epoch = epoch
	if edit != nil {
		edit(&s)
	}
	return &s
}

// build makes a generator that is not started.
func (p *process) build(name string, edit func(*snowflake.Settings)) *snowflake.Generator {
	p.t.Helper()
	spec := p.spec
	spec.Name = name
	built, err := p.factory.Build(spec, settings(edit))
	if err != nil {
		p.t.Fatal(err)
	}
	return built.(*snowflake.Generator)
}

// start makes a generator that runs.
func (p *process) start(name string, edit func(*snowflake.Settings)) *snowflake.Generator {
	p.t.Helper()
	g := p.build(name, edit)
	if err := g.Start(context.Background()); err != nil {
		p.t.Fatal(err)
	}
	return g
}

func mustClose(t *testing.T, instances ...generators.Instance) {
	t.Helper()
	for _, g := range instances {
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func mustNext(t *testing.T, g *snowflake.Generator) int64 {
	t.Helper()
	id, err := g.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// parts takes an id apart that must be of the layout.
func parts(t *testing.T, g *snowflake.Generator, id int64) generators.Parts {
	t.Helper()
	p, err := g.Layout().Decode(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// near fails the test unless got lies within 100 ms of want.
func near(t *testing.T, what string, got, want time.Time) {
	t.Helper()
	if d := got.Sub(want).Abs(); d > 100*time.Millisecond {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// rows are the slots of the namespace as the store keeps them.
func rows(t *testing.T, server *memstore.Server) []stores.SlotRow {
	t.Helper()
	client := server.Client()
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	table, err := client.Slots(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	return table.Rows
}

// calls are the calls of one kind that reached a store.
func calls(store *storetest.Faults, op string) []storetest.Call {
	var found []storetest.Call
	for _, c := range store.Calls() {
		if c.Op == op {
			found = append(found, c)
		}
	}
	return found
}

// takeAway frees the process' slot behind its back, without giving its window to anybody.
func (p *process) takeAway(lease stores.SlotLease) {
	p.t.Helper()
	client := p.server.Client()
	if err := client.Start(context.Background()); err != nil {
		p.t.Fatal(err)
	}
	if err := client.Release(context.Background(), lease, lease.Ceiling-1); err != nil {
		p.t.Fatal(err)
	}
}

// lease is the last one that the store granted or renewed.
func (p *process) lease() stores.SlotLease {
	p.t.Helper()
	var last stores.SlotLease
	for _, c := range p.store.Calls() {
		if c.Granted.Fence > 0 {
			last = c.Granted
		}
	}
	return last
}
