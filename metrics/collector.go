// Package metrics tells Prometheus how the generators of a Runtime do (design section 12).
//
//	collector := metrics.NewCollector()
//	rt, err := cosid.Open(ctx, cosid.Options{Hooks: collector.Hooks()})
//	collector.Watch(rt)
//	prometheus.MustRegister(collector)
//
// Hooks of the application's own join with generators.CombineHooks. In an fx application package metrics/metricsfx does
// all of it.
//
// Nothing is counted with each id: a scrape asks the generators for their accounts. docs/grafana.json is a dashboard of
// these metrics.
package metrics

import (
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

// Source is where the accounts come from: a *runtime.Runtime.
type Source interface {
	Stats() runtime.Stats
}

// Collector is a prometheus.Collector. It is safe for concurrent use. Before Watch, it tells nothing but how long
// reservations took.
type Collector struct {
	source   atomic.Pointer[Source]
	duration *prometheus.HistogramVec
	families []family
}

var _ prometheus.Collector = (*Collector)(nil)

// NewCollector makes a collector, whose Hooks are to be given to a Runtime, which it is then to Watch.
func NewCollector() *Collector {
	return &Collector{families: families(), duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "cosid_refill_duration_seconds",
		Help: "How long the store took to answer reservations that brought a range of ids.",
		// From memory to a store that takes all of its time-out.
		Buckets: []float64{.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, labels())}
}

// Hooks take the time of reservations. They join what else is hooked with generators.CombineHooks.
func (c *Collector) Hooks() generators.Hooks {
	return generators.Hooks{OnReserved: func(e generators.Reserved) {
		namespace, _, _ := strings.Cut(e.Key, "/")
		if histogram, err := c.duration.GetMetricWithLabelValues(namespace, e.Generator); err == nil {
			histogram.Observe(e.Latency.Seconds())
		}
	}}
}

// Watch makes the collector tell of source from now on, and of no other. The Runtime may be closed before the
// collector is unregistered: its last account stays.
func (c *Collector) Watch(source Source) { c.source.Store(&source) }

// Describe implements prometheus.Collector.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	c.duration.Describe(descs)
	for _, f := range c.families {
		descs <- f.desc
	}
}

// Collect implements prometheus.Collector. It does no I/O. Of each generator it takes, for a moment, the lock that
// switches ranges, which the making of ids does not take while ids are at hand.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	c.duration.Collect(metrics)
	source := c.source.Load()
	if source == nil {
		return
	}
	stats := (*source).Stats()
	for _, f := range c.families {
		for _, g := range stats.Generators {
			for _, s := range f.samples(g) {
				metrics <- f.metric(s, stats.Namespace, g.Name)
			}
		}
	}
}
