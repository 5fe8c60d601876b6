package codecs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// FriendlySettings says in which zone the time of an id is written. A zone is required.
type FriendlySettings struct {
	// Zone is the IANA name of the time zone. One whose clocks are set back, at the end of a summer time, is refused:
	// the local times of an hour would stand for two ids each.
	Zone string `koanf:"zone" schema:"required,pattern=[A-Za-z][A-Za-z0-9_+/-]*"`
}

// Validate demands a zone. Its error is a *field.Error.
func (s *FriendlySettings) Validate() error {
	_, err := generators.LoadZone(s.Zone)
	return err
}

// Friendly is the part that writes what an id holds for people to read: time, slot and sequence, as in
// 20220320133617924-5-0. The time has milliseconds where the layout's unit is one. It is a LayoutPart.
func Friendly(settings FriendlySettings) (Part, error) {
	zone, err := generators.LoadZone(settings.Zone)
	if err != nil {
		return nil, fmt.Errorf("codecs: friendly: %w", err)
	}
	return friendlyPart{zone: zone}, nil
}

// friendlyPart writes the parts of an id, once it is told the layout.
type friendlyPart struct {
	withoutLayout
	zone *time.Location
}

func (friendlyPart) String() string { return "friendly" }

func (friendlyPart) Role() Role { return NumberValue }

func (friendlyPart) Width(generators.Period) int { return Variable }

func (p friendlyPart) ForLayout(layout generators.Layout) (Part, error) {
	if at, ok := firstSetBack(p.zone, layout); ok {
		return nil, field.Errorf("zone", "a zone without summer time, such as UTC or Asia/Shanghai",
			"the clocks of %s are set back on %s: local times would stand for two ids", p.zone, at.Format(time.DateOnly))
	}
	pattern := "yyyyMMddHHmmssSSS"
	if layout.Unit == time.Second {
		pattern = "yyyyMMddHHmmss"
	}
	written, err := parseTimePattern(pattern)
	return layoutFriendly{friendlyPart: p, layout: layout, pattern: written}, err
}

// firstSetBack finds the first moment within the layout, and before the year 10000, at which the clocks of zone go
// back. A day more is looked at: the hours after a change are those that come twice.
func firstSetBack(zone *time.Location, layout generators.Layout) (time.Time, bool) {
	end := layout.End()
	if last := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC); end.After(last) {
		end = last
	}
	for at := layout.TimeOf(0).Add(-24 * time.Hour).In(zone); ; {
		_, change := at.ZoneBounds()
		if change.IsZero() || !change.Before(end) {
			return time.Time{}, false
		}
		_, before := change.Add(-1).Zone()
		if _, after := change.Zone(); after < before {
			return change, true
		}
		at = change
	}
}

type layoutFriendly struct {
	friendlyPart
	layout  generators.Layout
	pattern timePattern // digits only
}

func (p layoutFriendly) Append(dst []byte, id generators.GroupedID) ([]byte, error) {
	parts, err := p.layout.Decode(id.Value)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrInvalidID, err)
	}
	if dst, err = p.pattern.append(dst, parts.Time.In(p.zone)); err != nil {
		return dst, err
	}
	dst = strconv.AppendInt(append(dst, '-'), parts.Slot, 10)
	return strconv.AppendInt(append(dst, '-'), parts.Sequence, 10), nil
}

func (p layoutFriendly) Parse(text string, _ generators.Period, id *generators.GroupedID) error {
	written, rest, found := strings.Cut(text, "-")
	if !found || len(written) != p.pattern.width {
		return &SyntaxError{
			Offset:  min(len(written), p.pattern.width),
			Problem: fmt.Sprintf("the time and a - should stand here, in %d digits", p.pattern.width),
		}
	}
	at, err := p.moment(written)
	if err != nil {
		return err
	}
	slotText, sequenceText, found := strings.Cut(rest, "-")
	if !found {
		return &SyntaxError{Offset: len(text), Problem: "the text ends here, before the - of the sequence"}
	}
	slot, err := count(slotText, len(written)+1)
	if err != nil {
		return err
	}
	sequence, err := count(sequenceText, len(written)+1+len(slotText)+1)
	if err != nil {
		return err
	}
	if id.Value, err = p.layout.Compose(p.layout.TickAt(at.UnixMilli()), slot, sequence); err != nil {
		return &SyntaxError{Problem: err.Error()}
	}
	return nil
}

// moment reads a time of digits. One that does not exist becomes another, which is not written so.
func (p layoutFriendly) moment(text string) (time.Time, error) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return time.Time{}, &SyntaxError{Offset: i, Problem: character(text[i]) + " is not a digit of a time"}
		}
	}
	millis := 0
	if p.layout.Unit == time.Millisecond {
		millis = number(text[14:])
	}
	return time.Date(number(text[:4]), time.Month(number(text[4:6])), number(text[6:8]), number(text[8:10]),
		number(text[10:12]), number(text[12:14]), millis*int(time.Millisecond), p.zone), nil
}

// count reads a number that begins at byte start of the part's text.
func count(text string, start int) (int64, error) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, &SyntaxError{Offset: start + i, Problem: character(text[i]) + " is not a digit"}
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &SyntaxError{Offset: start, Problem: quote(text) + " is not a number that an id holds"}
	}
	return n, nil
}
