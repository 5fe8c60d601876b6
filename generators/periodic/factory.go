package periodic

import (
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Strategy is the word for this strategy in a configuration.
const Strategy = "periodic-segment"

// Factory makes the strategy known to a configuration. Its settings are *Settings.
type Factory struct {
	// Clock, if set, is the clock of the generators that the factory builds, for tests. Default: time.Now.
	Clock func() time.Time
}

var _ generators.Factory = Factory{}

// Settings are the keys of a periodic generator in a configuration.
type Settings struct {
	// Period is the name of the calendar unit in which ids restart, as generators.ParsePeriod reads it. Required.
	Period string `koanf:"period" schema:"required,enum=YEAR|YEAR_MONTH|YEAR_MONTH_DAY"`

	// Zone is the IANA name of the time zone whose calendar counts. Required.
	Zone string `koanf:"zone" schema:"required,pattern=[A-Za-z][A-Za-z0-9_+/-]*"`

	Policy
}

var _ generators.GroupedSettings = (*Settings)(nil)

// Validate reports every mistake at once, each as a *field.Error.
func (s *Settings) Validate() error {
	_, periodErr := s.period()
	_, zoneErr := s.zone()
	return errors.Join(periodErr, zoneErr, s.Policy.Validate())
}

// IDPeriod implements generators.GroupedSettings. It is no period where the name is wrong.
func (s *Settings) IDPeriod() generators.Period {
	period, _ := s.period()
	return period
}

func (s *Settings) period() (generators.Period, error) {
	if s.Period == "" {
		return 0, field.Errorf("period", generators.PeriodNames, "a period is required")
	}
	period, err := generators.ParsePeriod(s.Period)
	if err != nil {
		return 0, field.Errorf("period", generators.PeriodNames, "%v", err)
	}
	return period, nil
}

func (s *Settings) zone() (*time.Location, error) { return generators.LoadZone(s.Zone) }

// Strategy implements generators.Factory.
func (Factory) Strategy() string { return Strategy }

// NewSettings implements generators.Factory: a *Settings with the defaults, to which period and zone must be added.
func (Factory) NewSettings() any { return &Settings{Policy: DefaultPolicy()} }

// Build implements generators.Factory. It makes a *Generator.
func (f Factory) Build(spec generators.Spec, settings any) (generators.Instance, error) {
	s, ok := settings.(*Settings)
	if !ok {
		return nil, fmt.Errorf("periodic: settings are a %T, not a *periodic.Settings", settings)
	}
	store, ok := spec.Store.(stores.RangeStore)
	if !ok {
		return nil, fmt.Errorf("periodic: store %q cannot reserve ranges; choose one that can", spec.StoreName)
	}
	period, err := s.period()
	if err != nil {
		return nil, err
	}
	zone, err := s.zone()
	if err != nil {
		return nil, err
	}
	return New(store, stores.RangeKey(spec.Namespace, spec.Name), Calendar{Period: period, Zone: zone}, s.Policy, Options{
		Name:         spec.Name,
		StoreTimeout: spec.StoreTimeout,
		Hooks:        spec.Hooks,
		Logger:       spec.Logger,
		Clock:        f.Clock,
	})
}
