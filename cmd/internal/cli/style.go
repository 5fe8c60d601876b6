package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
)

// Style colours text on a terminal, and leaves it alone elsewhere.
type Style struct{ colours bool }

// Bold is for headlines.
func (s Style) Bold(text string) string { return s.with("1", text) }

// Good is green.
func (s Style) Good(text string) string { return s.with("32", text) }

// Warn is yellow.
func (s Style) Warn(text string) string { return s.with("33", text) }

// Bad is red.
func (s Style) Bad(text string) string { return s.with("31", text) }

func (s Style) with(code, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (t *Tool) outStyle() Style { return Style{t.coloured(t.Stdout)} }

func (t *Tool) errStyle() Style { return Style{t.coloured(t.Stderr)} }

// coloured tells whether w shows colours: a terminal, unless NO_COLOR is set (https://no-color.org) or it is a dumb one.
func (t *Tool) coloured(w io.Writer) bool {
	return isTerminal(w) && t.Variable("NO_COLOR") == "" && t.Variable("TERM") != "dumb"
}

// isTerminal tells whether w is one. What is not a file says so by itself, as tests do.
func isTerminal(w io.Writer) bool {
	switch w := w.(type) {
	case interface{ IsTerminal() bool }:
		return w.IsTerminal()
	case interface{ Fd() uintptr }:
		return isatty.IsTerminal(w.Fd())
	default:
		return false
	}
}

// Variable is the value of an environment variable, "" where it is not set.
func (t *Tool) Variable(name string) string {
	for _, entry := range slices.Backward(t.Environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
