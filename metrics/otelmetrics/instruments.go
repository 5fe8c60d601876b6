// Package otelmetrics tells OpenTelemetry how the generators of a Runtime do: the same as package metrics tells
// Prometheus, from the same accounts.
//
//	instruments, err := otelmetrics.New(provider)
//	rt, err := cosid.Open(ctx, cosid.Options{Hooks: instruments.Hooks()})
//	instruments.Watch(rt)
//	defer instruments.Close()
package otelmetrics

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

// Scope is the name of the meter.
const Scope = "github.com/cosid-go/cosid"

// The attributes of every metric, besides those that it has of its own.
const (
	Namespace = attribute.Key("cosid.namespace")
	Generator = attribute.Key("cosid.generator")
)

// Source is where the accounts come from: a *runtime.Runtime.
type Source interface {
	Stats() runtime.Stats
}

// Instruments observe a Source whenever a reader of the provider collects. They are safe for concurrent use.
type Instruments struct {
	source       atomic.Pointer[Source]
	duration     metric.Float64Histogram
	registration metric.Registration
}

// New makes the instruments. They tell nothing but how long reservations took before Watch. The caller closes them.
func New(provider metric.MeterProvider) (*Instruments, error) {
	meter := provider.Meter(Scope)
	i := &Instruments{}
	var err error
	if i.duration, err = meter.Float64Histogram("cosid.refill.duration", metric.WithUnit("s"),
		metric.WithDescription("How long the store took to answer reservations that brought a range of ids."),
		metric.WithExplicitBucketBoundaries(
			.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10)); err != nil {
		return nil, fmt.Errorf("otelmetrics: %w", err)
	}
	gauges, err := newGauges(meter)
	if err != nil {
		return nil, fmt.Errorf("otelmetrics: %w", err)
	}
	if i.registration, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		i.observe(o, gauges)
		return nil
	}, observables(gauges)...); err != nil {
		return nil, fmt.Errorf("otelmetrics: %w", err)
	}
	return i, nil
}

// Hooks take the time of reservations. They join what else is hooked with generators.CombineHooks.
func (i *Instruments) Hooks() generators.Hooks {
	return generators.Hooks{OnReserved: func(e generators.Reserved) {
		namespace, _, _ := strings.Cut(e.Key, "/")
		i.duration.Record(context.Background(), e.Latency.Seconds(), metric.WithAttributes(
			Namespace.String(namespace), Generator.String(e.Generator)))
	}}
}

// Watch makes the instruments tell of source from now on, and of no other.
func (i *Instruments) Watch(source Source) { i.source.Store(&source) }

// Close ends the observing. It is safe more than once.
func (i *Instruments) Close() error { return i.registration.Unregister() }

func (i *Instruments) observe(o metric.Observer, gauges []gauge) {
	source := i.source.Load()
	if source == nil {
		return
	}
	stats := (*source).Stats()
	for _, g := range stats.Generators {
		attributes := []attribute.KeyValue{Namespace.String(stats.Namespace), Generator.String(g.Name)}
		for _, one := range gauges {
			one.observe(o, g, attributes)
		}
	}
}
