package codecs

import (
	"fmt"
	"strings"

	"github.com/cosid-go/cosid/generators"
)

// PeriodSettings says how the period is written. The zero value is the whole period without a delimiter.
type PeriodSettings struct {
	// Delimiter is written after the period.
	Delimiter string `koanf:"delimiter"`

	// ShortYear leaves the century out: 261027. Only periods from 2000 to 2099 can be written then.
	ShortYear bool `koanf:"short-year"`
}

// Validate refuses a delimiter that holds what cannot be printed. Its error is a *field.Error.
func (s *PeriodSettings) Validate() error { return checkPrintable("delimiter", s.Delimiter) }

// Period is the part that writes the id's period and then the delimiter, anywhere in a list.
func Period(settings PeriodSettings) (Part, error) {
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("codecs: period: %w", err)
	}
	return newPeriodPart("period", settings.Delimiter, settings.ShortYear), nil
}

type periodPart struct {
	name      string
	delimiter string
	century   string // left out of the text; empty where the whole year is written
}

func newPeriodPart(name, delimiter string, shortYear bool) *periodPart {
	p := &periodPart{name: name, delimiter: delimiter}
	if shortYear {
		p.century = "20"
	}
	return p
}

func (p *periodPart) String() string { return p.name }

func (p *periodPart) Role() Role { return PeriodValue }

func (p *periodPart) Width(period generators.Period) int { return p.digits(period) + len(p.delimiter) }

func (p *periodPart) digits(period generators.Period) int { return period.Width() - len(p.century) }

func (p *periodPart) Append(dst []byte, id generators.GroupedID) ([]byte, error) {
	period := id.Period
	if p.century != "" {
		short, ok := strings.CutPrefix(period, p.century)
		if !ok {
			return dst, fmt.Errorf("%w: short-year holds the years 2000 to 2099", ErrCodecOverflow)
		}
		period = short
	}
	return append(append(dst, period...), p.delimiter...), nil
}

func (p *periodPart) Parse(text string, period generators.Period, id *generators.GroupedID) error {
	digits := p.digits(period)
	if digits <= 0 || len(text) < digits {
		return &SyntaxError{Offset: len(text), Problem: fmt.Sprintf("the text ends here, before the end of the %s", period)}
	}
	written := p.century + text[:digits]
	if !isPeriod(written, period) {
		return &SyntaxError{Problem: fmt.Sprintf("%s is not a %s that exists", quote(text[:digits]), period)}
	}
	if err := expect(p.delimiter, text, digits); err != nil {
		return err
	}
	id.Period = written
	return nil
}
