package metricsfx_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/fxmodule"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/metrics/metricsfx"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// application is an fx application with one generator, order.
func application(more ...fx.Option) fx.Option {
	return fx.Options(fxmodule.Module, metricsfx.Module, fxmodule.Stores(memstore.Factory{}), fx.Supply(
		config.Source{Environ: []string{}, Values: map[string]any{
			"namespace": "shop", "stores": map[string]any{"db": map[string]any{"type": "memory"}},
			"generators": map[string]any{"order": map[string]any{"strategy": "segment"}},
		}},
		slog.New(slog.DiscardHandler),
	), fx.Options(more...))
}

func container(registry *prometheus.Registry) fx.Option {
	return fx.Supply(fx.Annotate(registry, fx.As(new(prometheus.Registerer))))
}

func TestTheCollectorIsRegisteredWhileTheApplicationRuns(t *testing.T) {
	registry := prometheus.NewRegistry()
	var own atomic.Int64
	var rt *runtime.Runtime
	app := fxtest.New(t, application(container(registry), fx.Populate(&rt),
		fx.Supply(generators.Hooks{OnReserved: func(generators.Reserved) { own.Add(1) }})))
	expect(t, "before the start", registry, 0)
	app.RequireStart()
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{5, 300} { // when the second range is reserved, the hooks have heard of the first
		if _, err := order.NextN(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	err = testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP cosid_ids_issued_total Ids handed out.
# TYPE cosid_ids_issued_total counter
cosid_ids_issued_total{generator="order",namespace="shop"} 305
`), "cosid_ids_issued_total")
	if err != nil {
		t.Error(err)
	}
	expect(t, "reservations", registry, 1, "cosid_refill_duration_seconds")
	if own.Load() == 0 {
		t.Error("the application's own hook was not called")
	}
	app.RequireStop()
	expect(t, "after the stop", registry, 0)
}

func expect(t *testing.T, when string, registry *prometheus.Registry, want int, names ...string) {
	t.Helper()
	if n, err := testutil.GatherAndCount(registry, names...); err != nil || n != want {
		t.Errorf("%s: %d samples, want %d (%v)", when, n, want, err)
	}
}

func TestWithoutARegistererTheApplicationRunsAllTheSame(t *testing.T) {
	var rt *runtime.Runtime
	app := fxtest.New(t, application(fx.Populate(&rt))).RequireStart()
	if order, err := rt.Get("order"); err != nil || order == nil {
		t.Error(err)
	}
	app.RequireStop()
}

func TestTwoApplicationsOnOneRegistryAreToldWhatToDo(t *testing.T) {
	registry := prometheus.NewRegistry()
	first := fxtest.New(t, application(container(registry))).RequireStart()
	err := fx.New(fx.NopLogger, application(container(registry))).Start(context.Background())
	if err == nil || !strings.Contains(err.Error(), "WrapRegistererWith") {
		t.Errorf("got %v", err)
	}
	if n, err := testutil.GatherAndCount(registry); err != nil || n == 0 {
		t.Errorf("the first application lost its metrics: %d, %v", n, err)
	}
	first.RequireStop()
}
