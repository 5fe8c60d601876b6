package codecs

import (
	"errors"
	"fmt"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// DatePrefixSettings says how the date that begins a text is written. The zero value is the id's whole period
// without a delimiter. With a Zone it is the date of ids that hold a time.
type DatePrefixSettings struct {
	// Delimiter is written after the date.
	Delimiter string `koanf:"delimiter"`

	// ShortYear leaves the century of the period out: 261027. Only periods from 2000 to 2099 can be written then.
	ShortYear bool `koanf:"short-year"`

	// Zone is the IANA name of the time zone in which the time that an id holds has its date. It is for ids without
	// a period, and required for them.
	Zone string `koanf:"zone" schema:"pattern=[A-Za-z][A-Za-z0-9_+/-]*"`

	// Pattern is how that date is written: yyyy, yy, MM, dd, HH, mm, ss and SSS, and between them what is no ASCII
	// letter or digit. Empty is yyyyMMdd. It needs a zone.
	Pattern string `koanf:"pattern" schema:"pattern=(yyyy|yy|MM|dd|HH|mm|ss|SSS|[^A-Za-z0-9])*"`
}

const defaultDatePattern = "yyyyMMdd"

// Validate reports every mistake at once, each as a *field.Error.
func (s *DatePrefixSettings) Validate() error {
	mistakes := []error{checkPrintable("delimiter", s.Delimiter)}
	if s.Zone == "" && s.Pattern == "" {
		return mistakes[0]
	}
	_, zoneErr := generators.LoadZone(s.Zone)
	_, patternErr := s.pattern()
	mistakes = append(mistakes, zoneErr, patternErr)
	if s.ShortYear {
		mistakes = append(mistakes,
			field.Errorf("short-year", "yy in the pattern: yyMMdd", "the pattern says how the year is written"))
	}
	return errors.Join(mistakes...)
}

func (s *DatePrefixSettings) pattern() (timePattern, error) {
	text := s.Pattern
	if text == "" {
		text = defaultDatePattern
	}
	return parseTimePattern(text)
}

// DatePrefix is the part that writes a date and then the delimiter, as the first of a list: with a Zone a LayoutPart
// that writes the date of the id's own time, else the id's period.
func DatePrefix(settings DatePrefixSettings) (Part, error) {
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("codecs: date-prefix: %w", err)
	}
	if settings.Zone == "" {
		return datePrefix{newPeriodPart("date-prefix", settings.Delimiter, settings.ShortYear)}, nil
	}
	pattern, patternErr := settings.pattern()
	zone, zoneErr := generators.LoadZone(settings.Zone)
	if err := errors.Join(patternErr, zoneErr); err != nil {
		return nil, err
	}
	return ownDate{pattern: pattern.then(settings.Delimiter), zone: zone}, nil
}

// datePrefix is a periodPart that must stand first.
type datePrefix struct{ *periodPart }

func (datePrefix) firstOnly() {}

// ownDate writes the date of the time that an id holds, once it is told the layout.
type ownDate struct {
	withoutLayout
	pattern timePattern // with the delimiter
	zone    *time.Location
}

func (ownDate) firstOnly() {}

func (ownDate) String() string { return "date-prefix" }

func (ownDate) Role() Role { return Derived }

func (p ownDate) Width(generators.Period) int { return p.pattern.width }

func (p ownDate) ForLayout(layout generators.Layout) (Part, error) { return layoutDate{p, layout}, nil }

type layoutDate struct {
	ownDate
	layout generators.Layout
}

func (p layoutDate) Append(dst []byte, id generators.GroupedID) ([]byte, error) {
	parts, err := p.layout.Decode(id.Value)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrInvalidID, err)
	}
	return p.pattern.append(dst, parts.Time.In(p.zone))
}

// Parse takes any text: whether it is the date of the number shows when that is written again.
func (layoutDate) Parse(string, generators.Period, *generators.GroupedID) error { return nil }

// withoutLayout is a LayoutPart before ForLayout.
type withoutLayout struct{}

var errWithoutLayout = errors.New("the part was told no layout")

func (withoutLayout) Append(dst []byte, _ generators.GroupedID) ([]byte, error) {
	return dst, errWithoutLayout
}

func (withoutLayout) Parse(string, generators.Period, *generators.GroupedID) error {
	return errWithoutLayout
}
