package otelmetrics_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/metrics/otelmetrics"
	"github.com/cosid-go/cosid/runtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixed is a source that always tells the same.
type fixed runtime.Stats

func (f fixed) Stats() runtime.Stats { return runtime.Stats(f) }

func source() fixed {
	return fixed{Namespace: "shop", Generators: []runtime.GeneratorStats{
		{
			Name:   "bill",
			Counts: &generators.Stats{Issued: 40, Reserved: 100, Dropped: 2, AtHand: 58, Reservations: 1, Failures: 3, Rate: 8.5},
			Period: &generators.PeriodStats{Period: "20261027"},
		},
		{Name: "own"},
		{Name: "trade", Lease: &generators.LeaseStats{State: generators.LeaseLate, Slot: 7, Remaining: 2500 * time.Millisecond}},
	}}
}

// collect reads everything once, a line a value: name{attributes} value unit.
func collect(t *testing.T, reader *sdk.ManualReader) []string {
	t.Helper()
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	var lines []string
	add := func(m metricdata.Metrics, attributes attribute.Set, value any) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s{%s} %v %s", m.Name, attributes.Encoded(attribute.DefaultEncoder()), value, m.Unit)))
	}
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Description == "" || scope.Scope.Name != otelmetrics.Scope {
				t.Errorf("%s of %s: %q", m.Name, scope.Scope.Name, m.Description)
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					if !d.IsMonotonic {
						t.Errorf("%s is no counter", m.Name)
					}
					add(m, p.Attributes, p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range d.DataPoints {
					add(m, p.Attributes, p.Value)
				}
			case metricdata.Gauge[float64]:
				for _, p := range d.DataPoints {
					add(m, p.Attributes, p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					add(m, p.Attributes, fmt.Sprintf("%d times, %v", p.Count, p.Sum))
				}
			default:
				t.Errorf("%s is a %T", m.Name, d)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func TestEveryNumberOfTheAccountsIsObserved(t *testing.T) {
	reader := sdk.NewManualReader()
	instruments, err := otelmetrics.New(sdk.NewMeterProvider(sdk.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	if got := collect(t, reader); len(got) != 0 {
		t.Errorf("before Watch: %q", got)
	}
	instruments.Hooks().OnReserved(generators.Reserved{Generator: "bill", Key: "shop/bill/20261027", Latency: 250 * time.Millisecond})
	instruments.Watch(source())
	got := collect(t, reader)
	const bill, trade = "cosid.generator=bill,cosid.namespace=shop", "cosid.generator=trade,cosid.namespace=shop"
	want := []string{
		"cosid.ids.at_hand{" + bill + "} 58 {id}",
		"cosid.ids.dropped{" + bill + "} 2 {id}",
		"cosid.ids.issued{" + bill + "} 40 {id}",
		"cosid.ids.rate{" + bill + "} 8.5 {id}/s",
		"cosid.ids.reserved{" + bill + "} 100 {id}",
		"cosid.period.info{" + bill + ",cosid.period=20261027} 1",
		"cosid.refill.duration{" + bill + "} 1 times, 0.25 s",
		"cosid.refill.failures{" + bill + "} 3 {refill}",
		"cosid.refills{" + bill + "} 1 {refill}",
		"cosid.slot.lease.state{" + trade + ",cosid.state=expired} 0",
		"cosid.slot.lease.state{" + trade + ",cosid.state=held} 0",
		"cosid.slot.lease.state{" + trade + ",cosid.state=late} 1",
		"cosid.slot.lease.state{" + trade + ",cosid.state=lost} 0",
		"cosid.slot.lease.state{" + trade + ",cosid.state=none} 0",
		"cosid.slot.window.remaining{" + trade + "} 2.5 s",
		"cosid.slot{" + trade + "} 7",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCloseEndsTheObserving(t *testing.T) {
	reader := sdk.NewManualReader()
	instruments, err := otelmetrics.New(sdk.NewMeterProvider(sdk.WithReader(reader)))
	if err != nil {
		t.Fatal(err)
	}
	instruments.Watch(source())
	for range 2 {
		if err := instruments.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := collect(t, reader); len(got) != 0 {
		t.Errorf("after Close: %q", got)
	}
}
