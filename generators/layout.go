package generators

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
)

// Layout says how a time, a machine slot and a sequence share the bits of an id, from the highest to the lowest
// (design section 6). It is a value; start from DefaultLayout or DefaultSecondLayout. The methods besides Validate are
// for a Layout that it accepts.
type Layout struct {
	// Unit is the length of a tick: time.Millisecond or time.Second.
	Unit time.Duration

	// EpochMillis is the time of tick 0, in milliseconds since the Unix epoch; whole seconds where Unit is one.
	EpochMillis int64

	// The widths, in bits. Together they are at most 63, so that no id is negative.
	TimestampBits, SlotBits, SequenceBits int
}

// Parts are what an id is made of.
type Parts struct {
	Time     time.Time // the first moment of the tick, in UTC
	Tick     int64     // units since the epoch
	Slot     int64
	Sequence int64 // counts the ids of one tick
}

// DefaultEpochMillis is 2019-12-24T16:00:00Z, midnight in Shanghai, in milliseconds since the Unix epoch.
const DefaultEpochMillis int64 = 1577203200000

// maxEpochMillis is the end of the year 9999, the last with four digits.
const maxEpochMillis int64 = 253402300799999

// MaxSlotBits is the width of the largest slot of a namespace.
const MaxSlotBits = 20

var _ [0]struct{} = [stores.MaxSlots - 1<<MaxSlotBits]struct{}{} // the two say the same

// ErrNotOfLayout means that an id, or what one should be made of, does not fit the bits of a Layout. It is matched
// with errors.Is.
var ErrNotOfLayout = errors.New("not of the layout")

// DefaultLayout has 41 bits of milliseconds since DefaultEpochMillis, 10 of slot and 12 of sequence: 4,096 ids a
// millisecond in each of 1,024 processes, until 2089.
func DefaultLayout() Layout {
	return Layout{
		Unit: time.Millisecond, EpochMillis: DefaultEpochMillis, TimestampBits: 41, SlotBits: 10, SequenceBits: 12,
	}
}

// DefaultSecondLayout has 31 bits of seconds since DefaultEpochMillis, 10 of slot and 22 of sequence: 4,194,304 ids a
// second in each of 1,024 processes, until 2088.
func DefaultSecondLayout() Layout {
	return Layout{
		Unit: time.Second, EpochMillis: DefaultEpochMillis, TimestampBits: 31, SlotBits: 10, SequenceBits: 22,
	}
}

// Validate joins a *field.Error for each mistake, with the keys unit, epoch, bits, bits.timestamp, bits.slot and
// bits.sequence.
func (l Layout) Validate() error {
	var mistakes []error
	wrong := func(key, accepted, problem string, args ...any) {
		mistakes = append(mistakes, field.Errorf(key, accepted, problem, args...))
	}
	if l.Unit != time.Millisecond && l.Unit != time.Second {
		wrong("unit", "ms, s", "%v is not a unit of ticks", l.Unit)
	}
	if l.EpochMillis < 0 || l.EpochMillis > maxEpochMillis {
		wrong("epoch", "a time from 1970 to 9999, in milliseconds or as 2019-12-24T16:00:00Z",
			"%d is out of bounds", l.EpochMillis)
	}
	if l.Unit == time.Second && l.EpochMillis%1000 != 0 {
		wrong("epoch", "whole seconds with unit: s", "%v lies within a second", Epoch(l.EpochMillis))
	}
	if l.TimestampBits < 1 || l.TimestampBits > maxBits {
		wrong("bits.timestamp", "1 to 63", "%d is out of bounds", l.TimestampBits)
	}
	if l.SlotBits < 0 || l.SlotBits > MaxSlotBits {
		wrong("bits.slot", "0 to 20", "%d is out of bounds", l.SlotBits)
	}
	if l.SequenceBits < 0 || l.SequenceBits > maxBits {
		wrong("bits.sequence", "0 to 62", "%d is out of bounds", l.SequenceBits)
	}
	if len(mistakes) > 0 {
		return errors.Join(mistakes...)
	}
	if total := l.Bits(); total > maxBits {
		return field.Errorf("bits", "at most 63 in all", "%d + %d + %d are %d bits",
			l.TimestampBits, l.SlotBits, l.SequenceBits, total)
	}
	if l.MaxTick() > (math.MaxInt64-l.EpochMillis)/l.unitMillis() {
		return field.Errorf("bits.timestamp", "fewer bits", "%d bits of seconds lead beyond every clock", l.TimestampBits)
	}
	return nil
}

// maxBits is the width of the largest int64.
const maxBits = 63

// Bits is the width of the largest id.
func (l Layout) Bits() int { return l.TimestampBits + l.SlotBits + l.SequenceBits }

// MaxTick is the last tick that the timestamp holds.
func (l Layout) MaxTick() int64 { return mask(l.TimestampBits) }

// MaxSlot is the largest slot: the largest limit of a namespace is one more.
func (l Layout) MaxSlot() int64 { return mask(l.SlotBits) }

// MaxSequence is the last sequence of a tick.
func (l Layout) MaxSequence() int64 { return mask(l.SequenceBits) }

// mask is the largest number of so many bits.
func mask(bits int) int64 { return int64(1)<<min(max(bits, 0), maxBits) - 1 }

// TickAt is the tick that contains the given milliseconds since the Unix epoch, negative before the layout's epoch.
func (l Layout) TickAt(millis int64) int64 {
	since, unit := millis-l.EpochMillis, l.unitMillis()
	tick := since / unit
	if since%unit < 0 {
		tick--
	}
	return tick
}

// MillisOf is the first millisecond of tick since the Unix epoch. The tick ends where the next one begins.
func (l Layout) MillisOf(tick int64) int64 { return l.EpochMillis + tick*l.unitMillis() }

// End is the first moment, in UTC, that the timestamp does not hold any more.
func (l Layout) End() time.Time { return l.TimeOf(l.MaxTick()).Add(l.Unit) }

// TimeOf is the first moment of tick, in UTC.
func (l Layout) TimeOf(tick int64) time.Time { return time.UnixMilli(l.MillisOf(tick)).UTC() }

func (l Layout) unitMillis() int64 { return l.Unit.Milliseconds() }

// Pack is Compose for parts that are known to fit their bits: it checks nothing.
func (l Layout) Pack(tick, slot, sequence int64) int64 {
	return tick<<(l.SlotBits+l.SequenceBits) | slot<<l.SequenceBits | sequence
}

// Compose makes an id of its parts. A part that is negative or beyond its bits is ErrNotOfLayout.
func (l Layout) Compose(tick, slot, sequence int64) (int64, error) {
	for _, part := range []struct {
		name       string
		value, max int64
	}{{"tick", tick, l.MaxTick()}, {"slot", slot, l.MaxSlot()}, {"sequence", sequence, l.MaxSequence()}} {
		if part.value < 0 || part.value > part.max {
			return 0, fmt.Errorf("%w: %s %d is not one of 0 to %d", ErrNotOfLayout, part.name, part.value, part.max)
		}
	}
	return l.Pack(tick, slot, sequence), nil
}

// Decode takes an id apart. One that is negative or wider than the layout is ErrNotOfLayout.
func (l Layout) Decode(id int64) (Parts, error) {
	if largest := mask(l.Bits()); id < 0 || id > largest {
		return Parts{}, fmt.Errorf("%w: id %d is not one of 0 to %d", ErrNotOfLayout, id, largest)
	}
	tick := id >> (l.SlotBits + l.SequenceBits)
	return Parts{
		Time: l.TimeOf(tick), Tick: tick, Slot: id >> l.SequenceBits & l.MaxSlot(), Sequence: id & l.MaxSequence(),
	}, nil
}
