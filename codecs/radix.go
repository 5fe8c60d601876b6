package codecs

import (
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// RadixSettings says how a number is written in one radix. Only Radix has to be set.
type RadixSettings struct {
	// Radix is the number of digits, 2 to 62. Up to 36 the letters are upper case.
	Radix int `koanf:"radix" schema:"min=2,max=62"`

	// Width is, with PadStart, the length of every text: zeros are put in front. Without PadStart it is the
	// greatest length. It is 1 to 64, and nil for no limit.
	Width *int `koanf:"width" schema:"min=1,max=64"`

	// PadStart asks for text of one width. Only such text sorts like the numbers.
	PadStart bool `koanf:"pad-start"`

	// Overflow says what becomes of a number wider than Width. Empty is OverflowError.
	Overflow Overflow `koanf:"overflow" schema:"enum=error|grow"`

	// Alphabet is the digits in ascending order of value, each another printable ASCII character. Empty stands for
	// the first Radix characters of 0-9A-Za-z.
	Alphabet string `koanf:"alphabet" schema:"pattern=[!-~]{2,62}"`
}

// Overflow is what becomes of a number that is wider than its width.
type Overflow string

// The answers to an overflow.
const (
	OverflowError Overflow = "error" // it is refused with ErrCodecOverflow
	OverflowGrow  Overflow = "grow"  // padded text becomes longer than its width, and no longer sorts
)

const maxWidth = maxDigits

// DefaultRadixSettings is radix 36, unpadded, of any width.
func DefaultRadixSettings() RadixSettings {
	return RadixSettings{Radix: 36, Overflow: OverflowError}
}

// Validate joins a *field.Error for each key that is wrong.
func (s *RadixSettings) Validate() error {
	var mistakes []error
	wrong := func(key, accepted, problem string, args ...any) {
		mistakes = append(mistakes, field.Errorf(key, accepted, problem, args...))
	}
	if s.Radix < 2 || s.Radix > len(defaultAlphabet) {
		wrong("radix", "2 to 62", "%d is not a radix", s.Radix)
	} else if s.Alphabet != "" {
		if problem := checkAlphabet(s.Alphabet, s.Radix); problem != "" {
			accepted := fmt.Sprintf("%d distinct printable ASCII characters, the zero digit first", s.Radix)
			wrong("alphabet", accepted, "%s", problem)
		}
	}
	switch {
	case s.Width != nil && (*s.Width < 1 || *s.Width > maxWidth):
		wrong("width", "1 to 64, or none for any width", "%d is not a width", *s.Width)
	case s.Width == nil && s.PadStart:
		wrong("width", "1 to 64", "missing, pad-start needs it")
	}
	switch s.Overflow {
	case OverflowError, "":
	case OverflowGrow:
		if !s.PadStart {
			wrong("overflow", "grow together with pad-start and width", `"grow" without pad-start has no effect`)
		}
	default:
		wrong("overflow", "error, grow", "%q is not an answer to an overflow", s.Overflow)
	}
	return errors.Join(mistakes...)
}

func checkAlphabet(alphabet string, radix int) string {
	var seen [256]bool
	for i := range len(alphabet) {
		c := alphabet[i]
		if c <= ' ' || c > '~' {
			return fmt.Sprintf("%s holds a byte %#02x that is not a printable ASCII character", quote(alphabet), c)
		}
		if seen[c] {
			return fmt.Sprintf("%s holds %q twice", quote(alphabet), c)
		}
		seen[c] = true
	}
	if len(alphabet) != radix {
		return fmt.Sprintf("%s has %d characters, the radix is %d", quote(alphabet), len(alphabet), radix)
	}
	return ""
}

// Radix is the part that writes the number as settings say. Its error joins a *field.Error for each mistake.
func Radix(settings RadixSettings) (Part, error) {
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("codecs: radix: %w", err)
	}
	return newRadixPart(settings), nil
}

// Decimal is the part that writes the number in decimal, unpadded.
func Decimal() Part {
	return &radixPart{name: "decimal", numerals: newNumerals(defaultAlphabet[:10])}
}

// DecimalSettings has no keys: decimal has nothing to set.
type DecimalSettings struct{}

func decimalFrom(DecimalSettings) (Part, error) { return Decimal(), nil }

// radixPart has no limit at width 0.
type radixPart struct {
	name     string
	numerals *numerals
	width    int
	padded   bool
	grow     bool
}

func newRadixPart(s RadixSettings) *radixPart {
	alphabet := s.Alphabet
	if alphabet == "" {
		alphabet = defaultAlphabet[:s.Radix]
	}
	p := &radixPart{
		name:     fmt.Sprintf("radix %d", s.Radix),
		numerals: newNumerals(alphabet),
		padded:   s.PadStart,
		grow:     s.Overflow == OverflowGrow,
	}
	if s.Width != nil {
		p.width = *s.Width
	}
	return p
}

func (p *radixPart) String() string { return p.name }

func (p *radixPart) Role() Role { return NumberValue }

func (p *radixPart) Width(generators.Period) int {
	if p.padded && !p.grow {
		return p.width
	}
	return Variable
}

func (p *radixPart) Append(dst []byte, id generators.GroupedID) ([]byte, error) {
	var buf [maxDigits]byte
	first := p.numerals.format(&buf, uint64(id.Value))
	if p.width > 0 {
		start := maxDigits - p.width
		if first < start && !p.grow {
			return dst, p.tooWide(maxDigits - first)
		}
		if p.padded {
			for zero := p.numerals.digits[0]; first > start; {
				first--
				buf[first] = zero
			}
		}
	}
	return append(dst, buf[first:]...), nil
}

func (p *radixPart) tooWide(digits int) error {
	remedy := "leave it out"
	if p.padded {
		remedy = "set overflow: grow"
	}
	return fmt.Errorf("%w: %d digits, the width is %d; raise width, or %s", ErrCodecOverflow, digits, p.width, remedy)
}

func (p *radixPart) Parse(text string, _ generators.Period, id *generators.GroupedID) error {
	if err := p.checkShape(text); err != nil {
		return err
	}
	n, at, ok := p.numerals.parse(text)
	if !ok {
		if p.numerals.values[text[at]] == noDigit {
			return &SyntaxError{Offset: at, Problem: character(text[at]) + " is not one of the digits " + p.digits()}
		}
		return &SyntaxError{Offset: at, Problem: "the number is greater than 9223372036854775807"}
	}
	id.Value = int64(n)
	return nil
}

// checkShape refuses lengths and leading zeros that Append does not write.
func (p *radixPart) checkShape(text string) error {
	shortest := 1
	if p.padded {
		shortest = p.width
	}
	switch {
	case len(text) < shortest:
		return &SyntaxError{Offset: len(text), Problem: fmt.Sprintf("the number ends here, before digit %d", shortest)}
	case p.width > 0 && len(text) > p.width && !p.grow:
		return &SyntaxError{Offset: p.width, Problem: fmt.Sprintf("the number goes on after digit %d", p.width)}
	case len(text) > shortest && text[0] == p.numerals.digits[0]:
		return &SyntaxError{Problem: "the number has a zero in front that is not written"}
	}
	return nil
}

func (p *radixPart) digits() string { return string(p.numerals.digits[:p.numerals.radix]) }

// character shows one byte of a text.
func character(c byte) string {
	if c < 0x80 {
		return fmt.Sprintf("%q", c)
	}
	return fmt.Sprintf("byte %#x", c)
}
