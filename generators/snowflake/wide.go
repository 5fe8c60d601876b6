package snowflake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// WideLayout says how the 80 bits of a wide id are written: 44 of milliseconds since the epoch, until the year 2577 by
// default, 20 of slot and 16 of sequence, each as digits of a width of its own, from the highest to the lowest. The texts
// of one radix have one width, and sort as their times do, compared byte by byte.
type WideLayout struct {
	EpochMillis int64 // the time of tick 0, in milliseconds since the Unix epoch
	Radix       int   // 62, for 15 characters, or 36, for 17 that survive a change of case
}

// The widths of a wide id's parts.
const (
	wideTimestampBits = 44
	wideSlotBits      = 20
	wideSequenceBits  = 16
)

// wideDigits are in the order of their bytes.
const wideDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// widths are those of the parts' digits.
type widths struct{ timestamp, slot, sequence int }

func (w widths) all() int { return w.timestamp + w.slot + w.sequence }

func (l WideLayout) widths() widths {
	if l.Radix == 36 {
		return widths{9, 4, 4}
	}
	return widths{8, 4, 3}
}

// Width is the number of characters of a text.
func (l WideLayout) Width() int { return l.widths().all() }

// ticks is the layout as far as ticks go; its ids would not fit an int64.
func (l WideLayout) ticks() generators.Layout {
	return generators.Layout{
		Unit: time.Millisecond, EpochMillis: l.EpochMillis,
		TimestampBits: wideTimestampBits, SlotBits: wideSlotBits, SequenceBits: wideSequenceBits,
	}
}

// Validate joins a *field.Error for each mistake, with the keys epoch and radix.
func (l WideLayout) Validate() error {
	var mistakes []error
	if l.EpochMillis < 0 {
		mistakes = append(mistakes, field.Errorf("epoch", "a time from 1970 on", "%d ms is out of bounds", l.EpochMillis))
	} else if err := checkEpoch(l.ticks()); err != nil {
		mistakes = append(mistakes, err)
	}
	if l.Radix != 36 && l.Radix != 62 {
		mistakes = append(mistakes, field.Errorf("radix", "62, 36", "%d is not a radix of wide ids", l.Radix))
	}
	return errors.Join(mistakes...)
}

// Encode writes an id of its parts. One that is negative or beyond its bits is generators.ErrNotOfLayout.
func (l WideLayout) Encode(tick, slot, sequence int64) (string, error) {
	ticks := l.ticks()
	in := func(value, largest int64) bool { return 0 <= value && value <= largest }
	if !in(tick, ticks.MaxTick()) || !in(slot, ticks.MaxSlot()) || !in(sequence, ticks.MaxSequence()) {
		return "", fmt.Errorf("%w: tick %d, slot %d and sequence %d do not all lie in 44, 20 and 16 bits",
			generators.ErrNotOfLayout, tick, slot, sequence)
	}
	return l.encode(tick, slot, sequence), nil
}

func (l WideLayout) encode(tick, slot, sequence int64) string {
	var text [17]byte
	w := l.widths()
	l.write(text[:w.timestamp], tick)
	l.write(text[w.timestamp:w.timestamp+w.slot], slot)
	l.write(text[w.timestamp+w.slot:w.all()], sequence)
	return string(text[:w.all()])
}

// write fills digits with value, which fits. Division by a constant is quicker.
func (l WideLayout) write(digits []byte, value int64) {
	v := uint64(value)
	for i := len(digits) - 1; i >= 0; i-- {
		var digit uint64
		if l.Radix == 36 {
			v, digit = v/36, v%36
		} else {
			v, digit = v/62, v%62
		}
		digits[i] = wideDigits[digit]
	}
}

// Decode takes a text apart. It accepts only what Encode writes; all else is generators.ErrNotOfLayout.
func (l WideLayout) Decode(text string) (generators.Parts, error) {
	w, ticks := l.widths(), l.ticks()
	if len(text) != w.all() {
		return generators.Parts{}, fmt.Errorf("%w: %.40q has %d characters, not %d",
			generators.ErrNotOfLayout, text, len(text), w.all())
	}
	var numbers [3]int64
	from := 0
	for i, part := range []struct {
		name  string
		width int
		max   int64
	}{
		{"time", w.timestamp, ticks.MaxTick()},
		{"slot", w.slot, ticks.MaxSlot()},
		{"sequence", w.sequence, ticks.MaxSequence()},
	} {
		number, at := l.read(text[from : from+part.width])
		if at >= 0 {
			return generators.Parts{}, fmt.Errorf("%w: %q at position %d of %q is not a digit of radix %d",
				generators.ErrNotOfLayout, text[from+at], from+at+1, text, l.Radix)
		}
		if number > part.max {
			return generators.Parts{}, fmt.Errorf("%w: the %s of %q, %d, is more than %d",
				generators.ErrNotOfLayout, part.name, text, number, part.max)
		}
		numbers[i] = number
		from += part.width
	}
	return generators.Parts{
		Time: ticks.TimeOf(numbers[0]), Tick: numbers[0], Slot: numbers[1], Sequence: numbers[2],
	}, nil
}

// read returns the number that digits write, and the index of the first that is none, or -1.
func (l WideLayout) read(digits string) (number int64, foreign int) {
	for i := range len(digits) {
		digit := int64(62)
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
			digit = int64(c - '0')
		case 'A' <= c && c <= 'Z':
			digit = int64(c-'A') + 10
		case 'a' <= c && c <= 'z':
			digit = int64(c-'a') + 36
		}
		if digit >= int64(l.Radix) {
			return 0, i
		}
		number = number*int64(l.Radix) + digit
	}
	return number, -1
}

// WideGenerator makes texts of a tick, a slot and a sequence. It is a generators.TextGenerator, safe for concurrent use.
// It must be started, and closed. It waits and fails as Generator does.
type WideGenerator struct {
	*sequence
	wide WideLayout
}

var (
	_ generators.TextGenerator = (*WideGenerator)(nil)
	_ generators.Instance      = (*WideGenerator)(nil)
)

// Next implements generators.TextGenerator.
func (g *WideGenerator) Next(ctx context.Context) (string, error) {
	q := g.sequence
	word, _, w, err := q.next(ctx, 1)
	if err != nil {
		return "", err
	}
	return g.wide.encode(word>>q.bits, w.slot, word&q.mask), nil
}

// Fill implements generators.TextGenerator.
func (g *WideGenerator) Fill(ctx context.Context, texts []string) (int, error) {
	q := g.sequence
	for filled := 0; filled < len(texts); {
		first, got, w, err := q.next(ctx, int64(len(texts)-filled))
		if err != nil {
			return filled, err
		}
		for word := first; word < first+got; word++ {
			texts[filled] = g.wide.encode(word>>q.bits, w.slot, word&q.mask)
			filled++
		}
	}
	return len(texts), nil
}

// Layout says how the texts are made up, for taking them apart.
func (g *WideGenerator) Layout() WideLayout { return g.wide }
