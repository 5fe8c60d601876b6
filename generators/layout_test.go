package generators_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// The vectors of design section 7, which other implementations share.
func TestLayoutDecodesTheKnownIDs(t *testing.T) {
	layout := generators.DefaultLayout()
	for id, want := range map[int64]struct {
		time           string
		slot, sequence int64
	}{
		295913926632165376: {"2022-03-20T13:36:17.924+08:00", 5, 0},
		266231902451535872: {"2021-12-28T15:50:31.894+08:00", 1, 0},
		0:                  {"2019-12-25T00:00:00+08:00", 0, 0},
		4095:               {"2019-12-25T00:00:00+08:00", 0, 4095},
		math.MaxInt64:      {"2089-08-30T15:47:35.551+08:00", 1023, 4095},
	} {
		got, err := layout.Decode(id)
		if err != nil {
			t.Errorf("Decode(%d): %v", id, err)
			continue
		}
		at := got.Time.In(zone(t, "Asia/Shanghai")).Format(time.RFC3339Nano)
		if at != want.time || got.Slot != want.slot || got.Sequence != want.sequence {
			t.Errorf("Decode(%d) = %s, slot %d, sequence %d; want %+v", id, at, got.Slot, got.Sequence, want)
		}
		if again, err := layout.Compose(got.Tick, got.Slot, got.Sequence); err != nil || again != id {
			t.Errorf("Compose(%+v) = %d, %v; want %d", got, again, err, id)
		}
	}
}

// layouts are some of different widths and units.
func layouts() map[string]generators.Layout {
	return map[string]generators.Layout{
		"milliseconds":   generators.DefaultLayout(),
		"seconds":        generators.DefaultSecondLayout(),
		"53 bits":        {Unit: time.Second, EpochMillis: 1577203200000, TimestampBits: 31, SlotBits: 10, SequenceBits: 12},
		"no slot":        {Unit: time.Millisecond, TimestampBits: 41, SequenceBits: 22},
		"timestamp only": {Unit: time.Millisecond, TimestampBits: 63},
		"many slots":     {Unit: time.Millisecond, TimestampBits: 42, SlotBits: 20, SequenceBits: 1},
	}
}

func TestWhatALayoutComposesItDecodes(t *testing.T) {
	for name, layout := range layouts() {
		if err := layout.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for range 1000 {
			tick, slot, sequence := rand.Int64N(layout.MaxTick()), pick(layout.MaxSlot()), pick(layout.MaxSequence())
			id, err := layout.Compose(tick, slot, sequence)
			if err != nil || id < 0 {
				t.Fatalf("%s: Compose(%d, %d, %d) = %d, %v", name, tick, slot, sequence, id, err)
			}
			parts, err := layout.Decode(id)
			if err != nil || parts.Tick != tick || parts.Slot != slot || parts.Sequence != sequence {
				t.Fatalf("%s: Decode(%d) = %+v, %v; want %d, %d, %d", name, id, parts, err, tick, slot, sequence)
			}
			if tick < 1<<52/1000 && layout.TickAt(parts.Time.UnixMilli()) != tick {
				t.Fatalf("%s: tick %d begins at %v, which is tick %d", name, tick, parts.Time, layout.TickAt(parts.Time.UnixMilli()))
			}
		}
	}
}

func pick(largest int64) int64 { return rand.Int64N(largest + 1) }

func TestLayoutRefusesPartsBeyondTheirBits(t *testing.T) {
	layout := generators.DefaultLayout()
	for _, c := range []struct {
		tick, slot, sequence int64
		want                 string
	}{
		{-1, 0, 0, "tick -1"},
		{1 << 41, 0, 0, "tick 2199023255552"},
		{0, -1, 0, "slot -1"},
		{0, 1024, 0, "slot 1024 is not one of 0 to 1023"},
		{0, 0, -1, "sequence -1"},
		{0, 0, 4096, "sequence 4096"},
		{math.MaxInt64, math.MinInt64, 0, "tick"},
	} {
		id, err := layout.Compose(c.tick, c.slot, c.sequence)
		if !errors.Is(err, generators.ErrNotOfLayout) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Compose(%d, %d, %d) = %d, %v; want an error with %q", c.tick, c.slot, c.sequence, id, err, c.want)
		}
	}
}

func TestLayoutRefusesIDsThatAreNotItsOwn(t *testing.T) {
	narrow := layouts()["53 bits"]
	for _, c := range []struct {
		layout generators.Layout
		id     int64
	}{
		{generators.DefaultLayout(), -1},
		{generators.DefaultLayout(), math.MinInt64},
		{narrow, 1 << 53},
		{narrow, math.MaxInt64},
	} {
		if parts, err := c.layout.Decode(c.id); !errors.Is(err, generators.ErrNotOfLayout) {
			t.Errorf("Decode(%d) = %+v, %v; want ErrNotOfLayout", c.id, parts, err)
		}
	}
}

func TestMomentsBeforeTheEpochHaveNegativeTicks(t *testing.T) {
	layout := generators.DefaultSecondLayout()
	for offset, want := range map[int64]int64{-1001: -2, -1000: -1, -1: -1, 0: 0, 999: 0, 1000: 1} {
		if got := layout.TickAt(layout.EpochMillis + offset); got != want {
			t.Errorf("%d ms from the epoch is tick %d, want %d", offset, got, want)
		}
	}
}

func TestLayoutSaysWhenItsTimestampIsUsedUp(t *testing.T) {
	for want, layout := range map[string]generators.Layout{
		"2089-08-30T07:47:35.552Z": generators.DefaultLayout(),
		"2088-01-11T19:14:08Z":     generators.DefaultSecondLayout(),
	} {
		if got := layout.End().Format(time.RFC3339Nano); got != want {
			t.Errorf("%+v ends at %s, want %s", layout, got, want)
		}
	}
}

func TestLayoutMistakesNameTheirKeys(t *testing.T) {
	change := func(change func(*generators.Layout)) generators.Layout {
		layout := generators.DefaultLayout()
		change(&layout)
		return layout
	}
	for _, c := range []struct {
		layout generators.Layout
		key    string
		want   string
	}{
		{change(func(l *generators.Layout) { l.Unit = 0 }), "unit", "0s is not a unit"},
		{change(func(l *generators.Layout) { l.Unit = time.Minute }), "unit", "1m0s is not a unit"},
		{change(func(l *generators.Layout) { l.EpochMillis = -1 }), "epoch", "-1"},
		{change(func(l *generators.Layout) { l.EpochMillis = math.MaxInt64 }), "epoch", "9223372036854775807"},
		{change(func(l *generators.Layout) { l.TimestampBits = 0 }), "bits.timestamp", "0 is out of bounds"},
		{change(func(l *generators.Layout) { l.TimestampBits = 64 }), "bits.timestamp", "64 is out of bounds"},
		{change(func(l *generators.Layout) { l.SlotBits = 21 }), "bits.slot", "21 is out of bounds"},
		{change(func(l *generators.Layout) { l.SlotBits = -1 }), "bits.slot", "-1 is out of bounds"},
		{change(func(l *generators.Layout) { l.SequenceBits = -1 }), "bits.sequence", "-1 is out of bounds"},
		{change(func(l *generators.Layout) { l.SlotBits = 11 }), "bits", "41 + 11 + 12 are 64 bits"},
		{change(func(l *generators.Layout) { l.TimestampBits, l.SequenceBits = math.MaxInt, 1 }), "bits.timestamp", "out of bounds"},
		{generators.Layout{Unit: time.Second, EpochMillis: 1577203200777, TimestampBits: 31}, "epoch", "within a second"},
		{generators.Layout{Unit: time.Second, TimestampBits: 60}, "bits.timestamp", "beyond every clock"},
	} {
		err := c.layout.Validate()
		mistake, ok := errors.AsType[*field.Error](err)
		if !ok || mistake.Key != c.key || !strings.Contains(mistake.Problem, c.want) {
			t.Errorf("%+v: %v; want the key %q and %q", c.layout, err, c.key, c.want)
		}
	}
}

func TestEpochIsWrittenAsTimeOrMilliseconds(t *testing.T) {
	for text, want := range map[string]generators.Epoch{
		"2019-12-24T16:00:00Z":                   1577203200000,
		"2019-12-25T00:00:00+08:00":              1577203200000,
		"2019-12-24T16:00:00.123Z":               1577203200123,
		"1577203200000":                          1577203200000,
		"0":                                      0,
		"1970-01-12T13:46:40Z":                   1000000000,
		"9999-12-31T23:59:59.999Z":               253402300799999,
		generators.Epoch(1234567890123).String(): 1234567890123,
	} {
		var got generators.Epoch
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                             "is not a time",
		"yesterday":                    "is not a time",
		"2019-12-24":                   "is not a time",
		"2019-12-24T16:00:00":          "is not a time",
		"1577203200":                   "were seconds meant? Write 1577203200000",
		"1577203200000000":             "do not lie from 1970 to 9999",
		"-1":                           "do not lie from 1970 to 9999",
		"1969-12-31T23:59:59Z":         "does not lie from 1970 to 9999",
		"2019-12-24T16:00:00.0000001Z": "finer than a millisecond",
		"99999999999999999999":         "is not a time",
	} {
		got := generators.Epoch(7)
		err := got.UnmarshalText([]byte(text))
		if _, ok := errors.AsType[*field.Error](err); !ok || !strings.Contains(err.Error(), want) || got != 7 {
			t.Errorf("%q is %d, %v; want an error with %q and nothing changed", text, got, err, want)
		}
	}
}
