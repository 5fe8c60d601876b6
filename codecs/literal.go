package codecs

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// LiteralSettings is the text of a prefix or suffix. In a configuration it is a plain string: `{prefix: "BIZ-"}`.
type LiteralSettings struct {
	Text string `koanf:"-" schema:"min=1"`
}

// UnmarshalText takes the plain string, as Validate accepts it.
func (s *LiteralSettings) UnmarshalText(text []byte) error {
	s.Text = string(text)
	return s.Validate()
}

// Validate refuses a text that is empty or holds what cannot be printed. Its error is a *field.Error whose Key is
// empty, since the settings have no keys.
func (s *LiteralSettings) Validate() error {
	if s.Text == "" {
		return field.Errorf("", "a text of one or more characters", "the text is empty")
	}
	return checkPrintable("", s.Text)
}

// Prefix is the part that writes text, whatever the id. It and Suffix differ only in name.
func Prefix(text string) Part { return &literal{name: "prefix", text: text} }

// Suffix is the part that writes text, whatever the id.
func Suffix(text string) Part { return &literal{name: "suffix", text: text} }

// literalFrom makes a literal of validated settings.
func literalFrom(build func(text string) Part) func(LiteralSettings) (Part, error) {
	return func(settings LiteralSettings) (Part, error) {
		if err := settings.Validate(); err != nil {
			return nil, fmt.Errorf("codecs: literal: %w", err)
		}
		return build(settings.Text), nil
	}
}

type literal struct{ name, text string }

func (p *literal) String() string { return p.name + " " + quote(p.text) }

func (p *literal) Role() Role { return Literal }

func (p *literal) Width(generators.Period) int { return len(p.text) }

func (p *literal) Append(dst []byte, _ generators.GroupedID) ([]byte, error) {
	return append(dst, p.text...), nil
}

func (p *literal) Parse(text string, _ generators.Period, _ *generators.GroupedID) error {
	return expect(p.text, text, 0)
}

// expect demands that text, from byte start on, is wanted.
func expect(wanted, text string, start int) error {
	rest := text[start:]
	if rest == wanted {
		return nil
	}
	at := 0
	for at < len(rest) && at < len(wanted) && rest[at] == wanted[at] {
		at++
	}
	return &SyntaxError{Offset: start + at, Problem: fmt.Sprintf("%s should be %s", quote(rest), quote(wanted))}
}

// checkPrintable refuses what a configuration writes by mistake, such as the line end of a YAML block. Its error
// is a *field.Error for key.
func checkPrintable(key, text string) error {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return field.Errorf(key, "printable characters", "%s holds what cannot be printed", quote(text))
	}
	return nil
}
