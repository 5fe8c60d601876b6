package codecs

import (
	"fmt"
	"unsafe"

	"github.com/cosid-go/cosid/generators"
)

// list is a checked list of parts. All widths but the number's are fixed, so a text is cut into pieces from both
// ends, in one way only.
type list struct {
	kind
	slots        []slot
	writesPeriod bool
	number       int // the index of the number's slot
	fixed        int // the sum of the widths, without a Variable one
	capacity     int // enough for the text of most ids
}

// kind is what the ids of a codec are like.
type kind struct {
	grouped bool               // whether they carry a period
	period  generators.Period  // zero for plain ids
	layout  *generators.Layout // nil for ids that hold no time
}

// decimalDigits is the length of the greatest id in decimal.
const decimalDigits = 19

type slot struct {
	Part
	width int
}

// newList takes parts that checkList returned.
func newList(parts []Part, ids kind) *list {
	l := &list{kind: ids}
	for i, p := range parts {
		s := slot{p, p.Width(ids.period)}
		l.slots = append(l.slots, s)
		switch p.Role() {
		case NumberValue:
			l.number = i
		case PeriodValue:
			l.writesPeriod = true
		}
		if s.width == Variable {
			l.capacity += decimalDigits
		} else {
			l.fixed += s.width
		}
	}
	l.capacity += l.fixed
	return l
}

// encode allocates once: the bytes become the string, as in strings.Builder, and are not touched again.
func (l *list) encode(id generators.GroupedID) (string, error) {
	text, err := l.append(make([]byte, 0, l.capacity), id)
	if err != nil {
		return "", err
	}
	return unsafe.String(unsafe.SliceData(text), len(text)), nil
}

func (l *list) append(dst []byte, id generators.GroupedID) ([]byte, error) {
	if id.Value < 0 {
		return dst, l.encodeError(id, fmt.Errorf("%w: ids are not negative", ErrInvalidID))
	}
	if l.grouped && !isPeriod(id.Period, l.period) {
		return dst, l.encodeError(id, fmt.Errorf("%w: its period is not a %s", ErrInvalidID, l.period))
	}
	text := dst
	for i := range l.slots {
		s := &l.slots[i]
		start := len(text)
		var err error
		if text, err = s.Append(text, id); err != nil {
			return dst, l.encodeError(id, fmt.Errorf("%s: %w", nameOf(s.Part), err))
		}
		if s.width != Variable && len(text)-start != s.width {
			return dst, l.encodeError(id, fmt.Errorf("%s wrote %d bytes, its width is %d",
				nameOf(s.Part), len(text)-start, s.width))
		}
	}
	return text, nil
}

func (l *list) encodeError(id generators.GroupedID, err error) error {
	if !l.grouped {
		return fmt.Errorf("codecs: encode %d: %w", id.Value, err)
	}
	return fmt.Errorf("codecs: encode %d of period %s: %w", id.Value, quote(id.Period), err)
}
