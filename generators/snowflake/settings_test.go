package snowflake_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

// keys are those that an error blames.
func keys(err error) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, keys(e)...)
		}
		return all
	}
	if mistake, ok := errors.AsType[*field.Error](err); ok {
		return []string{mistake.Key}
	}
	return nil
}

func TestMistakesInSettingsNameTheirKeys(t *testing.T) {
	future := generators.Epoch(time.Now().Add(time.Hour).UnixMilli())
	for name, c := range map[string]struct {
		edit func(*snowflake.Settings)
		want []string
	}{
		"the defaults":      {func(*snowflake.Settings) {}, nil},
		"seconds":           {func(s *snowflake.Settings) { s.Unit = "s" }, nil},
		"safe-js":           {func(s *snowflake.Settings) { s.SafeJS = true }, nil},
		"safe-js, seconds":  {func(s *snowflake.Settings) { s.SafeJS, s.Unit = true, "s" }, nil},
		"a unit":            {func(s *snowflake.Settings) { s.Unit = "us" }, []string{"unit"}},
		"an epoch to come":  {func(s *snowflake.Settings) { s.Epoch = future }, []string{"epoch"}},
		"64 bits":           {func(s *snowflake.Settings) { s.Bits.Slot = new(11) }, []string{"bits"}},
		"54 safe bits":      {func(s *snowflake.Settings) { s.SafeJS, s.Bits.Slot = true, new(4) }, []string{"bits"}},
		"a slot of 21 bits": {func(s *snowflake.Settings) { s.Bits.Slot = new(21) }, []string{"bits.slot"}},
		"bits that have ended": {
			func(s *snowflake.Settings) { s.Unit, s.Bits.Timestamp = "s", new(27) }, []string{"bits.timestamp"},
		},
		"a negative max-ahead":     {func(s *snowflake.Settings) { s.MaxAhead = -1 }, []string{"max-ahead"}},
		"a type of slot":           {func(s *snowflake.Settings) { s.Slot.Type = "none" }, []string{"slot.type"}},
		"a manual slot without id": {func(s *snowflake.Settings) { s.Slot.Type = "manual" }, []string{"slot.id"}},
		"a slot beyond its bits": {
			func(s *snowflake.Settings) { s.Slot = snowflake.Slot{Type: "manual", ID: new(int64(1024))} }, []string{"slot.id"},
		},
		"an id without type": {func(s *snowflake.Settings) { s.Slot.ID = new(int64(1)) }, []string{"slot.id"}},
		"a file for a lease": {func(s *snowflake.Settings) { s.Slot.StateFile = "f" }, []string{"slot.state-file"}},
		"all at once": {
			func(s *snowflake.Settings) { s.Unit, s.MaxAhead, s.Epoch = "h", -1, future }, []string{"unit", "epoch", "max-ahead"},
		},
	} {
		s := snowflake.DefaultSettings()
		c.edit(&s)
		if got := keys(s.Validate()); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v blames %q, want %q", name, s.Validate(), got, c.want)
		}
	}
	wide := snowflake.DefaultWideSettings()
	if err := wide.Validate(); err != nil {
		t.Error(err)
	}
	wide.Radix, wide.Epoch, wide.MaxAhead = 58, future, -1
	if got, want := keys(wide.Validate()), []string{"epoch", "radix", "max-ahead"}; !slices.Equal(got, want) {
		t.Errorf("wide: blames %q, want %q", got, want)
	}
}

func TestDefaultBitsFollowTheUnit(t *testing.T) {
	for _, c := range []struct {
		unit                      string
		safe                      bool
		timestamp, slot, sequence int
	}{
		{"ms", false, 41, 10, 12}, {"s", false, 31, 10, 22}, {"ms", true, 41, 3, 9}, {"s", true, 31, 10, 12},
	} {
		s := snowflake.DefaultSettings()
		s.Unit, s.SafeJS = c.unit, c.safe
		l := s.IDLayout()
		if l.TimestampBits != c.timestamp || l.SlotBits != c.slot || l.SequenceBits != c.sequence || s.IDSlotBits() != c.slot {
			t.Errorf("unit %s, safe-js %v: %+v", c.unit, c.safe, l)
		}
		if c.safe && l.Bits() > 53 {
			t.Errorf("%d bits are not safe", l.Bits())
		}
	}
}

func TestBuildRefusesWhatContradictsTheSlots(t *testing.T) {
	for name, c := range map[string]struct {
		spec func(*generators.Spec)
		edit func(*snowflake.Settings)
		want []string
	}{
		"a limit beyond the bits":   {func(s *generators.Spec) { s.Slots.Limit = 1025 }, nil, []string{"bits.slot"}},
		"a max-ahead beyond leases": {nil, func(s *snowflake.Settings) { s.MaxAhead = 11 * time.Second }, []string{"max-ahead"}},
		"no store":                  {func(s *generators.Spec) { s.Store = nil }, nil, nil},
		"a store without slots":     {func(s *generators.Spec) { s.Store = rangesOnly{memstore.New()} }, nil, nil},
		"no ttl":                    {func(s *generators.Spec) { s.Slots.TTL = 0 }, nil, nil},
		"no owner":                  {func(s *generators.Spec) { s.Slots.Owner = "" }, nil, nil},
		"settings that are wrong":   {nil, func(s *snowflake.Settings) { s.Unit = "" }, []string{"unit"}},
	} {
		p := newProcess(t, memstore.NewServer(), "host")
		spec := named(p.spec, "trade")
		if c.spec != nil {
			c.spec(&spec)
		}
		built, err := p.factory.Build(spec, settings(c.edit))
		if err == nil || built != nil || !slices.Equal(keys(err), c.want) {
			t.Errorf("%s: %v, %v; want it to blame %q", name, built, err, c.want)
		}
	}
	p := newProcess(t, memstore.NewServer(), "host")
	if built, err := p.factory.Build(p.spec, nil); err == nil {
		t.Errorf("no settings: built %v", built)
	}
	if built, err := (&snowflake.Factory{}).Build(p.spec, settings(nil)); err == nil {
		t.Errorf("the zero factory: built %v", built)
	}
	if built, err := p.factory.Wide().Build(p.spec, settings(nil)); err == nil {
		t.Errorf("other settings: built %v", built)
	}
}

// rangesOnly hides that a store leases slots.
type rangesOnly struct{ stores.Store }

func TestGeneratorsOfOneNamespaceNeedTheSameSlotBits(t *testing.T) {
	p := newProcess(t, memstore.NewServer(), "host")
	p.build("trade", nil)
	narrow := settings(func(s *snowflake.Settings) { s.Bits.Slot = new(9) })
	built, err := p.factory.Build(named(p.spec, "order"), narrow)
	if err == nil || !slices.Equal(keys(err), []string{"bits.slot"}) {
		t.Errorf("Build = %v, %v", built, err)
	}
	if _, err := p.factory.Wide().Build(named(p.spec, "event"), wideSettings(nil)); err != nil {
		t.Errorf("texts have their own width: %v", err)
	}
	other := named(p.spec, "order")
	other.Namespace = "other"
	if _, err := p.factory.Build(other, narrow); err != nil {
		t.Errorf("another namespace: %v", err)
	}
}

func TestFactoriesSayWhatTheyMake(t *testing.T) {
	f := snowflake.NewFactory()
	if f.Strategy() != "snowflake" || f.Wide().Strategy() != "wide-snowflake" {
		t.Errorf("strategies %q, %q", f.Strategy(), f.Wide().Strategy())
	}
	if s, ok := f.NewSettings().(*snowflake.Settings); !ok || !s.LeasesSlot() || s.Validate() != nil {
		t.Errorf("settings %+v", s)
	}
	s, ok := f.Wide().NewSettings().(*snowflake.WideSettings)
	if !ok || !s.LeasesSlot() || s.IDSlotBits() != 20 || s.Validate() != nil {
		t.Errorf("settings %+v", s)
	}
	s.Slot.Type = "manual"
	if s.LeasesSlot() {
		t.Error("a manual slot is leased")
	}
}
