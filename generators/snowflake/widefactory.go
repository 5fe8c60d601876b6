package snowflake

import (
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/generators"
)

// wideFactory makes the strategy `wide-snowflake` known to a configuration. Its settings are *WideSettings.
type wideFactory struct{ *Factory }

var _ generators.Factory = wideFactory{}

// WideSettings are the keys of a wide-snowflake generator in a configuration. Start from DefaultWideSettings.
type WideSettings struct {
	// Epoch is the time of tick 0. It must never change for ids of one kind. Default: 2019-12-24T16:00:00Z.
	Epoch generators.Epoch `koanf:"epoch"`

	// Radix is 62, for texts of 15 characters, or 36, for 17 of digits and upper case letters only. Default: 62.
	Radix int `koanf:"radix" schema:"min=36,max=62"`

	Pace
}

var (
	_ generators.TextSettings = (*WideSettings)(nil)
	_ generators.SlotSettings = (*WideSettings)(nil)
)

// DefaultWideSettings are texts in radix 62 with a leased slot that may run 1s ahead.
func DefaultWideSettings() WideSettings {
	return WideSettings{Epoch: generators.Epoch(generators.DefaultEpochMillis), Radix: 62, Pace: defaultPace()}
}

// Validate reports every mistake at once, each as a *field.Error.
func (s *WideSettings) Validate() error {
	l := s.layout()
	return errors.Join(l.Validate(), s.Pace.validate(l.ticks().MaxSlot()))
}

func (s *WideSettings) layout() WideLayout {
	return WideLayout{EpochMillis: int64(s.Epoch), Radix: s.Radix}
}

// MakesText implements generators.TextSettings.
func (s *WideSettings) MakesText() {}

// IDSlotBits implements generators.SlotSettings.
func (s *WideSettings) IDSlotBits() int { return wideSlotBits }

// Strategy implements generators.Factory.
func (f wideFactory) Strategy() string { return WideStrategy }

// NewSettings implements generators.Factory: a *WideSettings with the defaults.
func (f wideFactory) NewSettings() any { return new(DefaultWideSettings()) }

// Build implements generators.Factory. It makes a *WideGenerator.
func (f wideFactory) Build(spec generators.Spec, settings any) (generators.Instance, error) {
	s, ok := settings.(*WideSettings)
	if !ok {
		return nil, fmt.Errorf("snowflake: settings are a %T, not a *snowflake.WideSettings", settings)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	q, err := f.sequence(WideStrategy, spec, s.layout().ticks(), s.Pace)
	if err != nil {
		return nil, err
	}
	return &WideGenerator{sequence: q, wide: s.layout()}, nil
}
