package snowflake

import (
	"errors"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// Settings are the keys of a snowflake generator in a configuration. Start from DefaultSettings.
type Settings struct {
	// Unit is the length of a tick: ms or s. Default: ms.
	Unit string `koanf:"unit" schema:"enum=ms|s"`

	// Epoch is the time of tick 0. It must never change for ids of one kind: those made before and after would mix.
	// Default: 2019-12-24T16:00:00Z.
	Epoch generators.Epoch `koanf:"epoch"`

	// Bits are the widths of the id's parts.
	Bits Bits `koanf:"bits"`

	// SafeJS limits the ids to 53 bits, which JavaScript's numbers hold exactly.
	SafeJS bool `koanf:"safe-js"`

	Pace
}

// Bits are the widths of an id's parts: 63 at most in all, 53 with safe-js. What is left out has a default that goes with
// the unit: 41, 10 and 12 for ms, 31, 10 and 22 for s; with safe-js 41, 3 and 9 for ms, 31, 10 and 12 for s.
type Bits struct {
	// Timestamp holds the ticks since the epoch.
	Timestamp *int `koanf:"timestamp" schema:"min=1,max=63"`

	// Slot holds the machine slot: cosid.slots.limit must fit.
	Slot *int `koanf:"slot" schema:"min=0,max=20"`

	// Sequence counts the ids of one tick.
	Sequence *int `koanf:"sequence" schema:"min=0,max=62"`
}

// Pace is what snowflakes of every width have in common: how far their time may run ahead, and where their slot comes
// from.
type Pace struct {
	// MaxAhead is how far into the future ticks may be borrowed once those of the present are used up, in whole ticks. At
	// most a third of cosid.slots.ttl. Default: 1s.
	MaxAhead time.Duration `koanf:"max-ahead" schema:"min=0"`

	// Slot says where the machine slot comes from.
	Slot Slot `koanf:"slot"`
}

// jsBits is the width of the integers that a JavaScript number holds exactly.
const jsBits = 53

var (
	_ generators.LayoutSettings = (*Settings)(nil)
	_ generators.SlotSettings   = (*Settings)(nil)
)

// DefaultSettings are ids of milliseconds with a leased slot that may run 1s ahead.
func DefaultSettings() Settings {
	return Settings{Unit: "ms", Epoch: generators.Epoch(generators.DefaultEpochMillis), Pace: defaultPace()}
}

func defaultPace() Pace { return Pace{MaxAhead: time.Second, Slot: Slot{Type: leasedSlot}} }

// Validate reports every mistake at once, each as a *field.Error.
func (s *Settings) Validate() error {
	l := s.IDLayout()
	mistakes := []error{l.Validate(), checkEpoch(l), s.Pace.validate(l.MaxSlot())}
	if s.Unit != "ms" && s.Unit != "s" {
		mistakes[0] = field.Errorf("unit", "ms, s", "%q is not a unit of ticks", s.Unit)
	}
	if s.SafeJS && l.Bits() > jsBits {
		mistakes = append(mistakes, field.Errorf("bits", "at most 53 in all with safe-js: true", "%d + %d + %d are %d bits",
			l.TimestampBits, l.SlotBits, l.SequenceBits, l.Bits()))
	}
	return errors.Join(mistakes...)
}

// IDLayout implements generators.LayoutSettings.
func (s *Settings) IDLayout() generators.Layout {
	l := generators.DefaultLayout()
	switch {
	case s.Unit == "s" && s.SafeJS:
		l = generators.DefaultSecondLayout()
		l.SequenceBits = 12
	case s.Unit == "s":
		l = generators.DefaultSecondLayout()
	case s.SafeJS:
		l.SlotBits, l.SequenceBits = 3, 9
	}
	l.EpochMillis = int64(s.Epoch)
	for _, part := range []struct{ set, width *int }{
		{s.Bits.Timestamp, &l.TimestampBits}, {s.Bits.Slot, &l.SlotBits}, {s.Bits.Sequence, &l.SequenceBits},
	} {
		if part.set != nil {
			*part.width = *part.set
		}
	}
	return l
}

// IDSlotBits implements generators.SlotSettings.
func (s *Settings) IDSlotBits() int { return s.IDLayout().SlotBits }

// checkEpoch looks at this machine's clock, to find a mistake early. Whether an id can be made is decided by the store's.
func checkEpoch(l generators.Layout) error {
	now := time.Now()
	switch epoch := time.UnixMilli(l.EpochMillis).UTC(); {
	case epoch.After(now):
		return field.Errorf("epoch", "a time in the past", "%v lies in the future", generators.Epoch(l.EpochMillis))
	case l.TickAt(now.UnixMilli()) > l.MaxTick():
		return field.Errorf("bits.timestamp", "more bits, or a later epoch, for ids of a new kind",
			"%d bits since %v ended at %v", l.TimestampBits, generators.Epoch(l.EpochMillis), l.End())
	}
	return nil
}

func (p Pace) validate(maxSlot int64) error {
	var mistakes []error
	if p.MaxAhead < 0 {
		mistakes = append(mistakes, field.Errorf("max-ahead", "a duration such as 1s, or 0", "%v is out of bounds", p.MaxAhead))
	}
	return errors.Join(append(mistakes, p.Slot.validate(maxSlot))...)
}

// LeasesSlot implements generators.SlotSettings.
func (p Pace) LeasesSlot() bool { return p.Slot.Type == leasedSlot }
