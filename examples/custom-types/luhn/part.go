// Package luhn writes a number with its Luhn check digit behind it, so that a number that somebody reads out or types
// is refused if one digit is wrong, or if two neighbours changed places (except 0 and 9). docs/write-a-codec.md
// explains it.
package luhn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// Settings say how the number is written.
type Settings struct {
	// Width is the number of digits in front of the check digit, filled with zeros. A wider number is refused. It is 1
	// to 19; 0 = as many as the number has.
	Width int `koanf:"width"`
}

// maxDigits is the length of the largest id.
const maxDigits = 19

// Validate returns a *field.Error if the width is none.
func (s *Settings) Validate() error {
	if s.Width < 0 || s.Width > maxDigits {
		return field.Errorf("width", "1 to 19, or 0 for any", "%d is not a width", s.Width)
	}
	return nil
}

// Factory makes the part `luhn` known to a configuration. It needs nothing.
type Factory struct{}

var _ codecs.PartFactory = Factory{}

// Name is `luhn`.
func (Factory) Name() string { return "luhn" }

// NewSettings returns *Settings: no fixed width.
func (Factory) NewSettings() any { return &Settings{} }

// Build returns the part.
func (Factory) Build(settings any) (codecs.Part, error) {
	s, ok := settings.(*Settings)
	if !ok {
		return nil, fmt.Errorf("luhn: settings are a %T, not what NewSettings returned", settings)
	}
	if err := s.Validate(); err != nil { // whoever builds without a configuration has not called it
		return nil, fmt.Errorf("luhn: %w", err)
	}
	return part{s.Width}, nil
}

type part struct{ width int }

func (part) String() string { return "luhn" }

func (part) Role() codecs.Role { return codecs.NumberValue }

func (p part) Width(generators.Period) int {
	if p.width == 0 {
		return codecs.Variable
	}
	return p.width + 1
}

func (p part) Append(dst []byte, id generators.GroupedID) ([]byte, error) {
	var buf [maxDigits]byte
	digits := strconv.AppendInt(buf[:0], id.Value, 10)
	if p.width > 0 && len(digits) > p.width {
		return dst, fmt.Errorf("%w: %d digits, the width is %d; raise it, or leave it out",
			codecs.ErrCodecOverflow, len(digits), p.width)
	}
	for range p.width - len(digits) {
		dst = append(dst, '0') // counts nothing in the check digit
	}
	dst = append(dst, digits...)
	return append(dst, checkDigit(digits)), nil
}

func (p part) Parse(text string, _ generators.Period, id *generators.GroupedID) error {
	last := len(text) - 1
	switch {
	case last < 1 || p.width > 0 && last < p.width:
		return &codecs.SyntaxError{Offset: len(text), Problem: "the text ends before the check digit"}
	case p.width > 0 && last > p.width:
		return &codecs.SyntaxError{Offset: p.width + 1, Problem: "the text goes on after the check digit"}
	case p.width == 0 && last > 1 && text[0] == '0':
		return &codecs.SyntaxError{Problem: "the number has a zero in front that is not written"}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		return &codecs.SyntaxError{Offset: i, Problem: fmt.Sprintf("%q is not a digit", text[i:i+1])}
	}
	value, err := strconv.ParseInt(text[:last], 10, 64) // not through a float: it would round above 2^53
	if err != nil {
		return &codecs.SyntaxError{Problem: "the number is greater than 9223372036854775807"}
	}
	if want := checkDigit([]byte(text[:last])); text[last] != want {
		problem := fmt.Sprintf("the check digit is %c, of these digits it would be %c: one is wrong", text[last], want)
		return &codecs.SyntaxError{Offset: last, Problem: problem}
	}
	id.Value = value
	return nil
}

// checkDigit brings the sum to a multiple of 10, in which every second digit, from the right, counts double, and the
// two digits of a doubled one count each.
func checkDigit(digits []byte) byte {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return byte('0' + (10-sum%10)%10)
}
