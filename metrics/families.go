package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

// family is one metric, for all generators.
type family struct {
	desc    *prometheus.Desc
	kind    prometheus.ValueType
	samples func(runtime.GeneratorStats) []sample
}

// sample is one value, with the values of the labels that the family has besides namespace and generator.
type sample struct {
	value float64
	more  []string
}

// labels are what every metric carries, and more.
func labels(more ...string) []string { return append([]string{"namespace", "generator"}, more...) }

func newFamily(
	name, help string, kind prometheus.ValueType, samples func(runtime.GeneratorStats) []sample, more ...string,
) family {
	return family{prometheus.NewDesc("cosid_"+name, help, labels(more...), nil), kind, samples}
}

// metric never fails a scrape by a panic: what cannot be told is an error in its place.
func (f family) metric(s sample, namespace, generator string) prometheus.Metric {
	m, err := prometheus.NewConstMetric(f.desc, f.kind, s.value, append([]string{namespace, generator}, s.more...)...)
	if err != nil {
		return prometheus.NewInvalidMetric(f.desc, err)
	}
	return m
}

func families() []family {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	return []family{
		newFamily("ids_issued_total", "Ids handed out.", counter,
			count(func(s *generators.Stats) float64 { return float64(s.Issued) })),
		newFamily("ids_reserved_total", "Ids that came from the store.", counter,
			count(func(s *generators.Stats) float64 { return float64(s.Reserved) })),
		newFamily("ids_dropped_total", "Reserved ids given up unused: gaps.", counter,
			count(func(s *generators.Stats) float64 { return float64(s.Dropped) })),
		newFamily("ids_at_hand", "Reserved ids that can be handed out without the store.", gauge,
			count(func(s *generators.Stats) float64 { return float64(s.AtHand) })),
		newFamily("ids_per_second", "Ids handed out a second, as the generator estimates it to size its reservations.", gauge,
			count(func(s *generators.Stats) float64 { return s.Rate })),
		newFamily("refills_total", "Reservations that brought a range of ids.", counter,
			count(func(s *generators.Stats) float64 { return float64(s.Reservations) })),
		newFamily("refill_failures_total", "Reservations that failed, and ranges that were refused.", counter,
			count(func(s *generators.Stats) float64 { return float64(s.Failures) })),
		newFamily("last_refill_duration_seconds", "How long the last reservation took, whether or not it brought ids.", gauge,
			count(func(s *generators.Stats) float64 { return s.LastRefillLatency.Seconds() })),

		newFamily("period_info", "The present period of a generator whose ids restart in each; always 1.", gauge,
			period(func(p *generators.PeriodStats) sample { return sample{1, []string{p.Period}} }), "period"),
		newFamily("period_end_timestamp_seconds", "When the present period ends, in Unix time.", gauge,
			period(func(p *generators.PeriodStats) sample { return sample{value: seconds(p.Ends)} })),
		newFamily("period_ids_at_hand", "Reserved ids of the present period.", gauge,
			period(func(p *generators.PeriodStats) sample { return sample{value: float64(p.AtHand)} })),

		newFamily("slot", "The machine slot that ids carry; absent without one.", gauge, lease(slot)),
		newFamily("slot_lease_state", "1 for the state that the lease of the slot is in, 0 for all others.", gauge,
			lease(leaseStates), "state"),
		newFamily("slot_window_remaining_seconds",
			"For how long ids can be made before the ceiling of the slot's time window, without the store.", gauge,
			lease(func(l *generators.LeaseStats) []sample { return []sample{{value: l.Remaining.Seconds()}} })),
	}
}

func count(value func(*generators.Stats) float64) func(runtime.GeneratorStats) []sample {
	return func(g runtime.GeneratorStats) []sample {
		if g.Counts == nil {
			return nil
		}
		return []sample{{value: value(g.Counts)}}
	}
}

func period(of func(*generators.PeriodStats) sample) func(runtime.GeneratorStats) []sample {
	return func(g runtime.GeneratorStats) []sample {
		if g.Period == nil {
			return nil
		}
		return []sample{of(g.Period)}
	}
}

func lease(of func(*generators.LeaseStats) []sample) func(runtime.GeneratorStats) []sample {
	return func(g runtime.GeneratorStats) []sample {
		if g.Lease == nil {
			return nil
		}
		return of(g.Lease)
	}
}

func slot(l *generators.LeaseStats) []sample {
	if l.Slot < 0 {
		return nil
	}
	return []sample{{value: float64(l.Slot)}}
}

func leaseStates(l *generators.LeaseStats) []sample {
	samples := make([]sample, 0, len(generators.LeaseStates()))
	for _, state := range generators.LeaseStates() {
		value := 0.0
		if state == l.State {
			value = 1
		}
		samples = append(samples, sample{value, []string{string(state)}})
	}
	return samples
}

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }
