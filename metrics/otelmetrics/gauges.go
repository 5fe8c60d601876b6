package otelmetrics

import (
	"errors"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

// gauge is one observable instrument, and what it observes of a generator.
type gauge struct {
	instrument metric.Observable
	observe    func(o metric.Observer, g runtime.GeneratorStats, attributes []attribute.KeyValue)
}

// newGauges makes an instrument of each kind of number in a runtime.GeneratorStats.
func newGauges(meter metric.Meter) ([]gauge, error) {
	var all []gauge
	var failures []error
	counter := func(name, unit, description string, of func(*generators.Stats) int64) {
		c, err := meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
		failures = append(failures, err)
		all = append(all, gauge{c, func(o metric.Observer, g runtime.GeneratorStats, attributes []attribute.KeyValue) {
			if g.Counts != nil {
				o.ObserveInt64(c, of(g.Counts), metric.WithAttributes(attributes...))
			}
		}})
	}
	whole := func(name, unit, description string, of func(runtime.GeneratorStats, func(int64, ...attribute.KeyValue))) {
		i, err := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		failures = append(failures, err)
		all = append(all, gauge{i, func(o metric.Observer, g runtime.GeneratorStats, attributes []attribute.KeyValue) {
			of(g, func(value int64, more ...attribute.KeyValue) {
				o.ObserveInt64(i, value, metric.WithAttributes(slices.Concat(attributes, more)...))
			})
		}})
	}
	fraction := func(name, unit, description string, of func(runtime.GeneratorStats) (float64, bool)) {
		f, err := meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		failures = append(failures, err)
		all = append(all, gauge{f, func(o metric.Observer, g runtime.GeneratorStats, attributes []attribute.KeyValue) {
			if value, ok := of(g); ok {
				o.ObserveFloat64(f, value, metric.WithAttributes(attributes...))
			}
		}})
	}

	counter("cosid.ids.issued", "{id}", "Ids handed out.", func(s *generators.Stats) int64 { return s.Issued })
	counter("cosid.ids.reserved", "{id}", "Ids that came from the store.",
		func(s *generators.Stats) int64 { return s.Reserved })
	counter("cosid.ids.dropped", "{id}", "Reserved ids given up unused: gaps.",
		func(s *generators.Stats) int64 { return s.Dropped })
	counter("cosid.refills", "{refill}", "Reservations that brought a range of ids.",
		func(s *generators.Stats) int64 { return s.Reservations })
	counter("cosid.refill.failures", "{refill}", "Reservations that failed, and ranges that were refused.",
		func(s *generators.Stats) int64 { return s.Failures })
	whole("cosid.ids.at_hand", "{id}", "Reserved ids that can be handed out without the store.", atHand)
	fraction("cosid.ids.rate", "{id}/s", "Ids handed out a second, as the generator estimates it to size its reservations.",
		func(g runtime.GeneratorStats) (float64, bool) {
			if g.Counts == nil {
				return 0, false
			}
			return g.Counts.Rate, true
		})
	whole("cosid.period.info", "", "The present period of a generator whose ids restart in each; always 1.", period)
	whole("cosid.slot", "", "The machine slot that ids carry; absent without one.", slot)
	whole("cosid.slot.lease.state", "", "1 for the state that the lease of the slot is in, 0 for all others.", leaseStates)
	fraction("cosid.slot.window.remaining", "s",
		"For how long ids can be made before the ceiling of the slot's time window, without the store.",
		func(g runtime.GeneratorStats) (float64, bool) {
			if g.Lease == nil {
				return 0, false
			}
			return g.Lease.Remaining.Seconds(), true
		})
	return all, errors.Join(failures...)
}

func atHand(g runtime.GeneratorStats, tell func(int64, ...attribute.KeyValue)) {
	if g.Counts != nil {
		tell(g.Counts.AtHand)
	}
}

func period(g runtime.GeneratorStats, tell func(int64, ...attribute.KeyValue)) {
	if g.Period != nil {
		tell(1, attribute.String("cosid.period", g.Period.Period))
	}
}

func slot(g runtime.GeneratorStats, tell func(int64, ...attribute.KeyValue)) {
	if g.Lease != nil && g.Lease.Slot >= 0 {
		tell(g.Lease.Slot)
	}
}

func leaseStates(g runtime.GeneratorStats, tell func(int64, ...attribute.KeyValue)) {
	if g.Lease == nil {
		return
	}
	for _, state := range generators.LeaseStates() {
		value := int64(0)
		if state == g.Lease.State {
			value = 1
		}
		tell(value, attribute.String("cosid.state", string(state)))
	}
}

func observables(gauges []gauge) []metric.Observable {
	all := make([]metric.Observable, len(gauges))
	for i, g := range gauges {
		all[i] = g.instrument
	}
	return all
}
