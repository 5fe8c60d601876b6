package periodic_test

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/stores"
)

// keysOf lists the keys that the field errors inside err name.
func keysOf(err error) []string {
	switch e := err.(type) {
	case nil:
		return nil
	case *field.Error:
		return []string{e.Key}
	case interface{ Unwrap() []error }:
		var keys []string
		for _, inner := range e.Unwrap() {
			keys = append(keys, keysOf(inner)...)
		}
		return keys
	default:
		return keysOf(errors.Unwrap(err))
	}
}

func TestSettingsMistakesAreNamedByTheirKeys(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*periodic.Settings)
		want []string
	}{
		"complete":         {func(*periodic.Settings) {}, nil},
		"UTC":              {func(s *periodic.Settings) { s.Zone = "UTC" }, nil},
		"any case":         {func(s *periodic.Settings) { s.Period = "Year-Month" }, nil},
		"no prewarm":       {func(s *periodic.Settings) { s.Prewarm = 0 }, nil},
		"no period":        {func(s *periodic.Settings) { s.Period = "" }, []string{"period"}},
		"unknown period":   {func(s *periodic.Settings) { s.Period = "WEEK" }, []string{"period"}},
		"no zone":          {func(s *periodic.Settings) { s.Zone = "" }, []string{"zone"}},
		"unknown zone":     {func(s *periodic.Settings) { s.Zone = "Mars/Phobos" }, []string{"zone"}},
		"local zone":       {func(s *periodic.Settings) { s.Zone = "Local" }, []string{"zone"}},
		"negative prewarm": {func(s *periodic.Settings) { s.Prewarm = -1 }, []string{"prewarm"}},
		"prewarm of a day": {func(s *periodic.Settings) { s.Prewarm = 24 * time.Hour }, []string{"prewarm"}},
		"negative sealing": {func(s *periodic.Settings) { s.SealAfter = -1 }, []string{"seal-after"}},
		"bad segment":      {func(s *periodic.Settings) { s.Step = 0 }, []string{"step"}},
		"everything at once": {func(s *periodic.Settings) {
			*s = periodic.Settings{Policy: periodic.Policy{Prewarm: -1}}
		}, []string{"period", "zone", "step", "reserve-timeout", "prewarm"}},
	} {
		s := periodic.Factory{}.NewSettings().(*periodic.Settings)
		s.Period, s.Zone = "YEAR_MONTH_DAY", "Asia/Shanghai"
		c.edit(s)
		if got := keysOf(s.Validate()); !slices.Equal(got, c.want) {
			t.Errorf("%s: mistakes in %v, want %v", name, got, c.want)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	store := newStore(t)
	good := periodic.Calendar{Period: generators.Year, Zone: time.UTC}
	for name, c := range map[string]struct {
		key      string
		calendar periodic.Calendar
		edit     func(*periodic.Policy, *periodic.Options)
		want     []string
	}{
		"no period":  {key, periodic.Calendar{Zone: time.UTC}, nil, []string{"period"}},
		"no zone":    {key, periodic.Calendar{Period: generators.Year}, nil, []string{"zone"}},
		"local zone": {key, periodic.Calendar{Period: generators.Year, Zone: time.Local}, nil, []string{"zone"}},
		"bad policy": {key, good, func(p *periodic.Policy, _ *periodic.Options) { p.Step = 0 }, []string{"step"}},
		"bad key":    {"shop", good, nil, nil},
		"period key": {"shop/bill/2026", good, nil, nil},
		"slow store": {
			key, good, func(_ *periodic.Policy, o *periodic.Options) { o.StoreTimeout = time.Hour }, []string{"reserve-timeout"},
		},
	} {
		p, options := periodic.DefaultPolicy(), periodic.Options{}
		if c.edit != nil {
			c.edit(&p, &options)
		}
		g, err := periodic.New(store, c.key, c.calendar, p, options)
		if g != nil || err == nil || !slices.Equal(keysOf(err), c.want) {
			t.Errorf("%s: New = %v, %v; want mistakes in %v", name, g, err, c.want)
		}
	}
}

func TestFactoryBuildsWhatItsSettingsSay(t *testing.T) {
	at := date(t, "2026-10-27 12:00:00", "Asia/Shanghai")
	factory := periodic.Factory{Clock: clockAt(at).now}
	settings := factory.NewSettings().(*periodic.Settings)
	if settings.Policy != periodic.DefaultPolicy() || factory.Strategy() != "periodic-segment" || settings.IDPeriod() != 0 {
		t.Errorf("defaults of %s: %+v", factory.Strategy(), settings)
	}
	spec := generators.Spec{
		Namespace: "shop", Name: "bill", Store: newStore(t), StoreName: "db", StoreTimeout: time.Second,
		Logger: slog.New(slog.DiscardHandler),
	}
	if _, err := factory.Build(spec, settings); !slices.Equal(keysOf(err), []string{"period"}) {
		t.Errorf("Build without a period failed with %v", err)
	}
	settings.Period = "year-month-day"
	if _, err := factory.Build(spec, settings); !slices.Equal(keysOf(err), []string{"zone"}) {
		t.Errorf("Build without a zone failed with %v", err)
	}
	settings.Zone = "Asia/Shanghai"
	settings.InitialOffset = 7
	if settings.IDPeriod() != generators.YearMonthDay {
		t.Errorf("IDPeriod = %v", settings.IDPeriod())
	}
	instance, err := factory.Build(spec, settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := instance.Start(t.Context()); err != nil {
		t.Error(err)
	}
	g := instance.(*periodic.Generator)
	expectNext(t, g, "20261027-7", "20261027-8")
	mustClose(t, g)

	spec.Store = struct{ stores.Store }{}
	if _, err := factory.Build(spec, settings); err == nil {
		t.Error("Build took a store without ranges")
	}
	if _, err := factory.Build(spec, nil); err == nil {
		t.Error("Build took settings of another type")
	}
}
