package metrics_test

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/assembly"
	"github.com/cosid-go/cosid/metrics"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixed is a source that always tells the same.
type fixed runtime.Stats

func (f fixed) Stats() runtime.Stats { return runtime.Stats(f) }

// everyKind has a generator of each kind: one of a strategy that tells nothing, too.
func everyKind() fixed {
	counts := &generators.Stats{
		Issued: 1234567, Reserved: 1240000, Dropped: 433, AtHand: 5000, Reservations: 124, Failures: 3, Rate: 812.5,
		LastRefillLatency: 1500 * time.Microsecond,
	}
	return fixed{Namespace: "shop", Generators: []runtime.GeneratorStats{
		{Name: "bill", Strategy: "periodic-segment", Store: "db", Counts: counts, Period: &generators.PeriodStats{
			Period: "20261027", Ends: time.Date(2026, 10, 27, 16, 0, 0, 0, time.UTC), AtHand: 58,
		}},
		{Name: "late", Strategy: "snowflake", Store: "db", Lease: &generators.LeaseStats{State: generators.LeaseNone, Slot: -1}},
		{Name: "order", Strategy: "segment", Store: "db", Counts: counts},
		{Name: "own", Strategy: "own"},
		{Name: "trade", Strategy: "snowflake", Store: "db", Lease: &generators.LeaseStats{
			State: generators.LeaseHeld, Slot: 7, Fence: 12, Remaining: 25500 * time.Millisecond,
		}},
	}}
}

func reserve(hooks generators.Hooks, generator string, latencies ...time.Duration) {
	for _, latency := range latencies {
		hooks.OnReserved(generators.Reserved{Generator: generator, Key: "shop/" + generator, Latency: latency})
	}
}

// exposition is what Prometheus gets to read.
func exposition(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestTheExpositionIsAsRecorded(t *testing.T) {
	c := metrics.NewCollector()
	reserve(c.Hooks(), "order", 90*time.Microsecond, 2*time.Millisecond, 3*time.Millisecond, 20*time.Second)
	c.Watch(everyKind())
	got := exposition(t, c)
	const file = "testdata/exposition.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(got), want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNamesUnitsAndHelpFollowTheConventions(t *testing.T) {
	c := metrics.NewCollector()
	reserve(c.Hooks(), "order", time.Millisecond)
	c.Watch(everyKind())
	problems, err := testutil.CollectAndLint(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestAScrapeBeforeTheRuntimeIsThereTellsNothingAndSucceeds(t *testing.T) {
	if got := exposition(t, metrics.NewCollector()); got != "" {
		t.Errorf("got %q", got)
	}
}

// broken tells labels that Prometheus does not take.
type broken struct{}

func (broken) Stats() runtime.Stats {
	return runtime.Stats{Namespace: "shop", Generators: []runtime.GeneratorStats{
		{Name: "bad\xff", Counts: &generators.Stats{}}, {Name: "good", Counts: &generators.Stats{Issued: 3}},
	}}
}

func TestWhatCannotBeToldIsAnErrorOfTheScrapeAndNoPanic(t *testing.T) {
	c := metrics.NewCollector()
	reserve(c.Hooks(), "bad\xff", time.Millisecond)
	c.Watch(broken{})
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	if _, err := registry.Gather(); err == nil {
		t.Error("no error")
	}
	if got := exposition(t, c); !strings.Contains(got, `cosid_ids_issued_total{generator="good",namespace="shop"} 3`) {
		t.Errorf("the rest is lost: %s", got)
	}
}

func open(t *testing.T, hooks generators.Hooks) *runtime.Runtime {
	t.Helper()
	rt, err := assembly.Build(assembly.Options{
		Source: config.Source{Environ: []string{}, Values: map[string]any{
			"namespace": "shop", "stores": map[string]any{"db": map[string]any{"type": "memory"}},
			"generators": map[string]any{
				"order": map[string]any{"strategy": "segment"},
				"bill":  map[string]any{"strategy": "periodic-segment", "period": "YEAR", "zone": "UTC"},
				"trade": map[string]any{"strategy": "snowflake"},
			},
		}},
		Stores: []stores.Factory{memstore.Factory{}}, Hooks: hooks, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil { // that of the test has ended
			t.Error(err)
		}
	})
	return rt
}

func TestTheCollectorOfARuntimeJoinsTheApplicationsHooksAndSeesEveryId(t *testing.T) {
	c := metrics.NewCollector()
	own := make(chan string, 10)
	rt := open(t, generators.CombineHooks(
		c.Hooks(), generators.Hooks{OnReserved: func(e generators.Reserved) { own <- e.Key }}))
	c.Watch(rt)
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := order.NextN(t.Context(), 42); err != nil {
		t.Fatal(err)
	}
	if key := <-own; key != "shop/order" { // a caller gets its id before the hooks hear of the range
		t.Errorf("the application's own hook got %q", key)
	}
	got := exposition(t, c)
	for _, want := range []string{
		`cosid_ids_issued_total{generator="order",namespace="shop"} 42`,
		`cosid_ids_at_hand{generator="order",namespace="shop"} 58`,
		`cosid_refill_duration_seconds_count{generator="order",namespace="shop"} 1`,
		`cosid_ids_issued_total{generator="bill",namespace="shop"} 0`,
		`cosid_period_info{generator="bill",namespace="shop",period="` + time.Now().UTC().Format("2006") + `"} 1`,
		`cosid_slot_lease_state{generator="trade",namespace="shop",state="held"} 1`,
		`cosid_slot{generator="trade",namespace="shop"} `,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestScrapesBesideIdsAndRefills(t *testing.T) {
	c := metrics.NewCollector()
	rt := open(t, c.Hooks())
	c.Watch(rt)
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5000 {
				if _, err := order.Next(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 4 {
		all.Go(func() {
			for range 20 {
				if n, err := testutil.GatherAndCount(registered(t, c)); err != nil || n == 0 {
					t.Errorf("%d samples, %v", n, err)
				}
			}
		})
	}
	all.Wait()
	if want := `cosid_ids_issued_total{generator="order",namespace="shop"} 20000`; !strings.Contains(exposition(t, c), want) {
		t.Errorf("not %s", want)
	}
}

func registered(t *testing.T, c prometheus.Collector) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	if err := registry.Register(c); err != nil {
		t.Error(err)
	}
	return registry
}

// BenchmarkScrape is what a scrape of three generators costs, the writing of the text included: times ten a second it is
// the part of one processor that scraping at 10 Hz takes.
func BenchmarkScrape(b *testing.B) {
	c := metrics.NewCollector()
	reserve(c.Hooks(), "order", time.Millisecond)
	c.Watch(everyKind())
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	b.ReportAllocs()
	for b.Loop() {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
	}
}
