package segment_test

import (
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
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

func TestPolicyMistakesAreNamedByTheirKeys(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*segment.Policy)
		want []string
	}{
		"defaults":                   {nil, nil},
		"no lookahead":               {func(p *segment.Policy) { p.Lookahead = 0 }, nil},
		"largest offset":             {func(p *segment.Policy) { p.InitialOffset = math.MaxInt64 - 1 }, nil},
		"step as large as max-batch": {func(p *segment.Policy) { p.Step, p.MaxBatch = 1<<40, 1<<40 }, nil},
		"step 0":                     {func(p *segment.Policy) { p.Step = 0 }, []string{"step"}},
		"step too large":             {func(p *segment.Policy) { p.Step = 1 << 61 }, []string{"step"}},
		"negative offset":            {func(p *segment.Policy) { p.InitialOffset = -1 }, []string{"initial-offset"}},
		"offset at the end":          {func(p *segment.Policy) { p.InitialOffset = math.MaxInt64 }, []string{"initial-offset"}},
		"negative lookahead":         {func(p *segment.Policy) { p.Lookahead = -1 }, []string{"lookahead"}},
		"negative max-batch":         {func(p *segment.Policy) { p.MaxBatch = -1 }, []string{"max-batch"}},
		"max-batch less than step":   {func(p *segment.Policy) { p.MaxBatch = 99 }, []string{"max-batch"}},
		"max-batch too large":        {func(p *segment.Policy) { p.MaxBatch = math.MaxInt64 }, []string{"max-batch"}},
		"no reserve-timeout":         {func(p *segment.Policy) { p.ReserveTimeout = 0 }, []string{"reserve-timeout"}},
		"negative range-ttl":         {func(p *segment.Policy) { p.RangeTTL = -time.Second }, []string{"range-ttl"}},
		"several mistakes, all named": {
			func(p *segment.Policy) { *p = segment.Policy{Lookahead: -1} },
			[]string{"step", "lookahead", "reserve-timeout"},
		},
	} {
		if got := keysOf(policy(c.edit).Validate()); !slices.Equal(got, c.want) {
			t.Errorf("%s: mistakes in %v, want %v", name, got, c.want)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, c := range map[string]struct {
		key     string
		edit    func(*segment.Policy)
		options segment.Options
		want    string // in the text of the error
	}{
		"bad key":                  {"shop", nil, segment.Options{}, "shop"},
		"bad policy":               {key, func(p *segment.Policy) { p.Step = -1 }, segment.Options{}, "step: -1"},
		"store slower than caller": {key, nil, segment.Options{StoreTimeout: 4 * time.Second}, "reserve-timeout: 3s"},
		"rate that is no number":   {key, nil, segment.Options{InitialRate: math.NaN()}, "initial rate"},
	} {
		g, err := segment.New(newStore(t), c.key, policy(c.edit), c.options)
		if g != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: New = %v, %v; want an error with %q", name, g, err, c.want)
		}
	}
	g := newGenerator(t, newStore(t), policy(nil), segment.Options{StoreTimeout: 3 * time.Second})
	mustClose(t, g)
}

func TestFactoryBuildsWhatItsSettingsSay(t *testing.T) {
	factory := segment.Factory{}
	settings := factory.NewSettings().(*segment.Settings)
	if settings.Policy != segment.DefaultPolicy() || factory.Strategy() != "segment" {
		t.Errorf("defaults of %s: %+v", factory.Strategy(), settings)
	}
	settings.InitialOffset = 7
	spec := generators.Spec{
		Namespace: "shop", Name: "order", Store: newStore(t), StoreName: "db", StoreTimeout: time.Second,
		Logger: slog.New(slog.DiscardHandler),
	}
	instance, err := factory.Build(spec, settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := instance.Start(t.Context()); err != nil {
		t.Error(err)
	}
	g := instance.(*segment.Generator)
	expectNext(t, g, 7)
	mustClose(t, g)

	settings.ReserveTimeout = time.Millisecond
	if _, err := factory.Build(spec, settings); !slices.Equal(keysOf(err), []string{"reserve-timeout"}) {
		t.Errorf("Build failed with %v, want a mistake in reserve-timeout", err)
	}
	spec.Store = struct{ stores.Store }{}
	if _, err := factory.Build(spec, factory.NewSettings()); err == nil || !strings.Contains(err.Error(), `"db"`) {
		t.Errorf("Build on a store without ranges failed with %v", err)
	}
	if _, err := factory.Build(spec, nil); err == nil {
		t.Error("Build took settings of another type")
	}
}
