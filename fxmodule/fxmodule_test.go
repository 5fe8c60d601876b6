package fxmodule_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/fxmodule"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// values is a configuration from code, so that no test reads the machine's files.
func values(store string, order map[string]any) fx.Option {
	return fx.Options(fx.Supply(
		config.Source{Environ: []string{}, Values: map[string]any{
			"namespace":  "shop",
			"stores":     map[string]any{"db": map[string]any{"type": store}},
			"generators": map[string]any{"order": order},
		}},
		slog.New(slog.NewTextHandler(io.Discard, nil)),
	))
}

var segment = map[string]any{"strategy": "segment"}

func nextOrder(t *testing.T, rt *runtime.Runtime) string {
	t.Helper()
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	text, err := order.NextString(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestModuleIsAnOptionAndGivesAllThree(t *testing.T) {
	var (
		rt     *runtime.Runtime
		filler *tags.Filler
		plugin *gormplugin.Plugin
	)
	app := fxtest.New(t, fxmodule.Module, values("memory", segment), fxmodule.Stores(memstore.Factory{}),
		fx.Populate(&rt, &filler, &plugin)).RequireStart()
	if got := nextOrder(t, rt); got != "0000000000001" {
		t.Errorf("got %q", got)
	}
	var row struct {
		ID int64 `cosid:"order"`
	}
	if err := filler.Fill(t.Context(), &row); err != nil || row.ID != 2 {
		t.Errorf("filled %d, %v", row.ID, err)
	}
	if plugin == nil {
		t.Error("no plugin")
	}
	app.RequireStop()
}

func TestHooksAndLoggerOfTheContainerAreUsed(t *testing.T) {
	var log bytes.Buffer
	reserved := &atomic.Int64{}
	var rt *runtime.Runtime
	app := fxtest.New(t, fxmodule.Module, fxmodule.Stores(memstore.Factory{}), fx.Populate(&rt), fx.Supply(
		config.Source{Environ: []string{"COSID_STRAY=1"}, Values: map[string]any{
			"namespace": "shop", "stores": map[string]any{"db": map[string]any{"type": "memory"}},
			"generators": map[string]any{"order": segment},
		}},
		slog.New(slog.NewTextHandler(&log, nil)),
		generators.Hooks{OnReserved: func(generators.Reserved) { reserved.Add(1) }},
	)).RequireStart()
	nextOrder(t, rt)
	app.RequireStop()
	if reserved.Load() != 1 || !strings.Contains(log.String(), "COSID_STRAY") {
		t.Errorf("%d reservations, log %q", reserved.Load(), log.String())
	}
}

func TestHooksOfTheGroupJoinThoseOfTheApplication(t *testing.T) {
	var own, first, second atomic.Int64
	counting := func(n *atomic.Int64) generators.Hooks {
		return generators.Hooks{OnReserved: func(generators.Reserved) { n.Add(1) }}
	}
	var rt *runtime.Runtime
	app := fxtest.New(t, fxmodule.Module, fxmodule.Stores(memstore.Factory{}), values("memory", segment), fx.Populate(&rt),
		fx.Supply(counting(&own)), fx.Provide(
			fxmodule.AsHooks(func() generators.Hooks { return counting(&first) }),
			fxmodule.AsHooks(func() generators.Hooks { return counting(&second) }),
		)).RequireStart()
	nextOrder(t, rt)
	app.RequireStop()
	if own.Load() != 1 || first.Load() != 1 || second.Load() != 1 {
		t.Errorf("called %d, %d and %d times, want once each", own.Load(), first.Load(), second.Load())
	}
}

func TestNothingIsBuiltUnlessTakenOrEager(t *testing.T) {
	broken := fx.Supply(config.Source{Environ: []string{}, Values: map[string]any{"nonsense": 1}})
	if err := fx.New(fx.NopLogger, fxmodule.Module, broken).Err(); err != nil {
		t.Errorf("nobody took the Runtime: %v", err)
	}
	err := fx.New(fx.NopLogger, fxmodule.Eager, broken).Err()
	if report, ok := errors.AsType[*config.Error](err); !ok || len(report.Problems) == 0 {
		t.Errorf("got %v", err)
	}
}

func TestWithoutDriversTheKnownTypesAreListedAndThereIsNoEmbeddedStore(t *testing.T) {
	err := fx.New(fx.NopLogger, fxmodule.Eager, values("gorm", segment)).Err()
	if err == nil || !strings.Contains(err.Error(), `no store type named "gorm"; accepted: nothing`) {
		t.Errorf("got %v", err)
	}
	err = fx.New(fx.NopLogger, fxmodule.Eager, fxmodule.Stores(memstore.Factory{}), fx.Supply(config.Source{
		Environ: []string{}, Values: map[string]any{"namespace": "shop", "generators": map[string]any{"order": segment}},
	})).Err()
	if err == nil || !strings.Contains(err.Error(), "no store is declared") {
		t.Errorf("got %v", err)
	}
}

// A store type of the application's own, made by a constructor that has dependencies.
type countingFactory struct {
	memstore.Factory
	built *atomic.Int64
}

func (countingFactory) Type() string { return "counting" }

func (f countingFactory) Build(spec stores.Spec, options any) (stores.Store, error) {
	f.built.Add(1)
	return f.Factory.Build(spec, options)
}

// A strategy of the application's own: the numbers of a fixed list.
type fixed struct{}

func (fixed) Strategy() string                                          { return "fixed" }
func (fixed) NewSettings() any                                          { return &struct{}{} }
func (f fixed) Build(generators.Spec, any) (generators.Instance, error) { return f, nil }
func (fixed) Start(context.Context) error                               { return nil }
func (fixed) Close(context.Context) error                               { return nil }
func (fixed) Next(context.Context) (int64, error)                       { return 7, nil }
func (fixed) Fill(context.Context, []int64) (int, error)                { return 0, errors.ErrUnsupported }

// A codec part of the application's own.
type stars struct{}

func (stars) Name() string                     { return "stars" }
func (stars) NewSettings() any                 { return &struct{}{} }
func (s stars) Build(any) (codecs.Part, error) { return codecs.Prefix("***"), nil }

func TestAnApplicationAddsItsOwnTypes(t *testing.T) {
	built := &atomic.Int64{}
	var rt *runtime.Runtime
	app := fxtest.New(t, fxmodule.Module,
		values("counting", map[string]any{"strategy": "fixed", "codec": []any{"stars", "decimal"}}),
		fx.Supply(built),
		fx.Provide(
			fxmodule.AsStore(func(n *atomic.Int64) (countingFactory, error) { return countingFactory{built: n}, nil }),
			fxmodule.AsStrategy(func() fixed { return fixed{} }),
			fxmodule.AsCodecPart(func() stars { return stars{} }),
		),
		fx.Populate(&rt),
	).RequireStart()
	if got := nextOrder(t, rt); got != "***7" || built.Load() != 1 {
		t.Errorf("got %q, built %d stores", got, built.Load())
	}
	app.RequireStop()
}

func TestModelsAreCheckedBeforeTheApplicationStarts(t *testing.T) {
	type Good struct {
		ID int64 `cosid:"order"`
	}
	type Unknown struct {
		ID int64 `cosid:"ordre"`
	}
	type Fraction struct {
		ID float64 `cosid:"order"`
	}
	app := func(models ...any) error {
		return fx.New(fx.NopLogger, fxmodule.Eager, values("memory", segment), fxmodule.Stores(memstore.Factory{}),
			fxmodule.Models(models...)).Err()
	}
	if err := app(Good{}, &Good{}); err != nil {
		t.Error(err)
	}
	err := app(Good{}, Unknown{}, &Fraction{})
	if !errors.Is(err, runtime.ErrUnknownGenerator) || !strings.Contains(err.Error(), "Unknown.ID") || !strings.Contains(err.Error(), "Fraction.ID") {
		t.Errorf("got %v", err)
	}
}

func TestTwoApplicationsInOneProcessShareNothing(t *testing.T) {
	var runtimes [2]*runtime.Runtime
	for i := range runtimes {
		app := fxtest.New(t, fxmodule.Module, values("memory", segment), fxmodule.Stores(memstore.Factory{}),
			fx.Populate(&runtimes[i])).RequireStart()
		defer app.RequireStop()
	}
	if a, b := nextOrder(t, runtimes[0]), nextOrder(t, runtimes[1]); a != b {
		t.Errorf("got %q and %q", a, b)
	}
}

// fx ends the context of OnStart once the application has started; what was started must not hang on it.
func TestAnApplicationOutlivesItsStartTimeout(t *testing.T) {
	var rt *runtime.Runtime
	app := fx.New(fx.NopLogger, fxmodule.Module, values("memory", map[string]any{"strategy": "segment", "step": 1, "lookahead": 0}),
		fxmodule.Stores(memstore.Factory{}), fx.Populate(&rt))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	if err := app.Start(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 3 { // each one is a reservation
		nextOrder(t, rt)
	}
	if err := app.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
