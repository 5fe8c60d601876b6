package runtime_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal is what happened to the parts of a runtime, in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	taken := j.lines
	j.lines = nil
	return taken
}

// fakeStore is a store type of one store, and that store.
type fakeStore struct {
	journal *journal
	name    string
	build   error
	start   func(context.Context) error
	close   func() error
}

func (s *fakeStore) Type() string    { return "fake" }
func (s *fakeStore) NewOptions() any { return &struct{}{} }

func (s *fakeStore) Build(stores.Spec, any) (stores.Store, error) {
	if s.build != nil {
		return nil, s.build
	}
	return s, nil
}

func (s *fakeStore) Start(ctx context.Context) error {
	s.journal.add("start store %s", s.name)
	if s.start != nil {
		return s.start(ctx)
	}
	return nil
}

func (s *fakeStore) Close() error {
	s.journal.add("close store %s", s.name)
	if s.close != nil {
		return s.close()
	}
	return nil
}

// fakeStrategy is a strategy of one generator of plain numbers, and that generator: 1, 2, 3 …
type fakeStrategy struct {
	journal *journal
	name    string
	build   error
	start   error
	last    int64
	failAt  int64
}

func (g *fakeStrategy) Strategy() string { return "fake" }
func (g *fakeStrategy) NewSettings() any { return &struct{}{} }

func (g *fakeStrategy) Build(generators.Spec, any) (generators.Instance, error) { return g, g.build }

func (g *fakeStrategy) Start(context.Context) error {
	g.journal.add("start generator %s", g.name)
	return g.start
}

func (g *fakeStrategy) Close(context.Context) error {
	g.journal.add("close generator %s", g.name)
	return nil
}

func (g *fakeStrategy) Next(ctx context.Context) (int64, error) {
	var ids [1]int64
	_, err := g.Fill(ctx, ids[:])
	return ids[0], err
}

func (g *fakeStrategy) Fill(_ context.Context, ids []int64) (int, error) {
	for i := range ids {
		if g.last+1 == g.failAt {
			return i, generators.ErrRangeUnavailable
		}
		g.last++
		ids[i] = g.last
	}
	return len(ids), nil
}

// groupedStrategy makes ids of the period 2026.
type groupedStrategy struct{ numbers fakeStrategy }

func (g *groupedStrategy) Strategy() string { return "grouped" }
func (g *groupedStrategy) NewSettings() any { return &struct{}{} }

func (g *groupedStrategy) Build(generators.Spec, any) (generators.Instance, error) { return g, nil }

func (g *groupedStrategy) Start(context.Context) error { return nil }
func (g *groupedStrategy) Close(context.Context) error { return nil }

func (g *groupedStrategy) Next(ctx context.Context) (generators.GroupedID, error) {
	value, err := g.numbers.Next(ctx)
	return generators.GroupedID{Period: "2026", Value: value}, err
}

func (g *groupedStrategy) Fill(ctx context.Context, ids []generators.GroupedID) (int, error) {
	for i := range ids {
		id, err := g.Next(ctx)
		if err != nil {
			return i, err
		}
		ids[i] = id
	}
	return len(ids), nil
}

// textStrategy makes texts: T1, T2, T3 …
type textStrategy struct{ numbers fakeStrategy }

func (g *textStrategy) Strategy() string { return "texts" }
func (g *textStrategy) NewSettings() any { return &struct{}{} }

func (g *textStrategy) Build(generators.Spec, any) (generators.Instance, error) { return g, nil }

func (g *textStrategy) Start(context.Context) error { return nil }
func (g *textStrategy) Close(context.Context) error { return nil }

func (g *textStrategy) Next(ctx context.Context) (string, error) {
	n, err := g.numbers.Next(ctx)
	return fmt.Sprintf("T%d", n), err
}

func (g *textStrategy) Fill(ctx context.Context, texts []string) (int, error) {
	for i := range texts {
		text, err := g.Next(ctx)
		if err != nil {
			return i, err
		}
		texts[i] = text
	}
	return len(texts), nil
}

func plain(name string, factory generators.Factory) config.Generator {
	return config.Generator{Name: name, Factory: factory, Codec: codecs.Default()}
}

func grouped(name string, factory generators.Factory) config.Generator {
	return config.Generator{
		Name: name, Factory: factory, Period: generators.Year, GroupedCodec: codecs.DefaultGrouped(generators.Year),
	}
}

// shop is a configuration of two stores, a and b, and two generators, bill and order, that write to one journal.
func shop() (*config.Config, *journal) {
	j := &journal{}
	return &config.Config{
		Enabled: true, Namespace: "shop",
		Stores: []config.Store{
			{Name: "a", Factory: &fakeStore{journal: j, name: "a"}},
			{Name: "b", Factory: &fakeStore{journal: j, name: "b"}},
		},
		Generators: []config.Generator{
			plain("bill", &fakeStrategy{journal: j, name: "bill"}),
			plain("order", &fakeStrategy{journal: j, name: "order"}),
		},
	}, j
}

func newRuntime(t *testing.T, cfg *config.Config) *runtime.Runtime {
	t.Helper()
	rt, err := runtime.New(cfg, runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}
