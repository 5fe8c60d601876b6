package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
)

// series is a generator whose ids restart in each period of a zone's calendar: each period is a key of its own.
type series struct {
	generator string
	store     string // where the configuration keeps it
	period    generators.Period
	zone      *time.Location
}

// seriesOf is the series of a configured generator, and whether it is one.
func seriesOf(g config.Generator) (series, bool) {
	settings, ok := g.Settings.(*periodic.Settings)
	if !ok {
		return series{}, false
	}
	zone, err := generators.LoadZone(settings.Zone)
	return series{g.Name, g.Store, g.Period, zone}, err == nil
}

// chooseSeries is the series of the named generator, or every one of the configuration for the empty name.
func chooseSeries(cfg *config.Config, name string) ([]series, error) {
	if name != "" {
		g, err := cli.FindGenerator(cfg, name)
		if err != nil {
			return nil, err
		}
		s, ok := seriesOf(g)
		if !ok {
			return nil, fmt.Errorf("generator %q has no periods: its strategy is %s", g.Name, g.Factory.Strategy())
		}
		return []series{s}, nil
	}
	var all []series
	for _, g := range cfg.Generators {
		if s, ok := seriesOf(g); ok {
			all = append(all, s)
		}
	}
	if all == nil {
		return nil, fmt.Errorf("no generator of the configuration has periods: none is of strategy %s", periodic.Strategy)
	}
	return all, nil
}

// current is the period of the series that contains now.
func (s series) current(now time.Time) string { return s.period.Format(now.In(s.zone)) }

// valid tells whether text is a period of the series.
func (s series) valid(text string) bool {
	_, err := s.period.Parse(text, s.zone)
	return err == nil
}

// check tells whether a flag's value is a period of the series, and written as one.
func (s series) check(flag, text string, now time.Time) error {
	if s.valid(text) {
		return nil
	}
	return fmt.Errorf("--%s %q is not a period of generator %q: its %s is written like %s; choose one with --generator",
		flag, text, s.generator, s.period, s.current(now))
}

// checkBefore refuses to touch what does not lie before the present: the current period, which is in use, and later ones,
// whose first ids may be reserved ahead of time. Names of periods sort as the periods do.
func (s series) checkBefore(before string, now time.Time) error {
	if err := s.check("before", before, now); err != nil {
		return err
	}
	if current := s.current(now); before > current {
		return fmt.Errorf("--before %s would reach the current period of generator %q, which is %s in %s; "+
			"it and what follows are never touched, so %s is the latest possible", before, s.generator, current, s.zone, current)
	}
	return nil
}

// checkEnded refuses a period that is not over.
func (s series) checkEnded(period string, now time.Time) error {
	if err := s.check("period", period, now); err != nil {
		return err
	}
	if current := s.current(now); period >= current {
		return fmt.Errorf("period %s of generator %q is not over: it is %s in %s; the current period and what follows are never "+
			"touched", period, s.generator, current, s.zone)
	}
	return nil
}

// checkPeriodFlag refuses what no generator could take for a period.
func checkPeriodFlag(flag, text string) error {
	kinds := []generators.Period{generators.Year, generators.YearMonth, generators.YearMonthDay}
	if slices.ContainsFunc(kinds, func(p generators.Period) bool { return (series{period: p, zone: time.UTC}).valid(text) }) {
		return nil
	}
	return cli.Usagef("--%s %q is not a period, such as 2026, 202610 or 20261027", flag, text)
}

// each joins what check says about every series.
func each(all []series, check func(series) error) error {
	var problems []error
	for _, s := range all {
		problems = append(problems, check(s))
	}
	return errors.Join(problems...)
}
