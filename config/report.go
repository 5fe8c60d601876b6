package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Origin is where a value was set.
type Origin struct {
	File     string // empty where the value did not come from a file
	Line     int    // from 1; 0 where unknown
	Column   int    // from 1; 0 where unknown
	Variable string // the environment variable that the value came from, itself or through a placeholder
	Source   string // what set the value where neither a file nor a variable did, for instance "values from code"
}

// String is file:line:column, or the name of the variable, or the source.
func (o Origin) String() string {
	switch {
	case o.Variable != "":
		return "environment variable " + o.Variable
	case o.Line > 0:
		return fmt.Sprintf("%s:%d:%d", o.File, o.Line, o.Column)
	case o.File != "":
		return o.File
	default:
		return o.Source
	}
}

// Problem is one mistake in a configuration.
type Problem struct {
	Origin   Origin
	Path     string // for instance cosid.generators.bill.step; empty for a mistake of a whole file
	What     string // what is wrong
	Accepted string // what would be right; may be empty
	Nearest  string // a known name that is nearly the one written; may be empty
	Err      error  // the error behind it, for errors.Is; may be nil
}

// String is the problem on one line: origin: path: what; accepted: …; did you mean …?
func (p Problem) String() string {
	var b strings.Builder
	if at := p.Origin.String(); at != "" {
		b.WriteString(at + ": ")
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.What)
	if p.Accepted != "" {
		b.WriteString("; accepted: " + p.Accepted)
	}
	if p.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", p.Nearest)
	}
	return b.String()
}

// Error is the report of all mistakes of a configuration, sorted by position.
type Error struct {
	Problems []Problem
}

// NewError makes the report of problems, in any order; nil for none.
func NewError(found []Problem) error {
	if len(found) == 0 {
		return nil
	}
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Origin.File, b.Origin.File),
			cmp.Compare(a.Origin.Line, b.Origin.Line),
			cmp.Compare(a.Origin.Column, b.Origin.Column),
			cmp.Compare(a.Path, b.Path),
		)
	})
	return &Error{Problems: slices.CompactFunc(sorted, func(a, b Problem) bool { return a.String() == b.String() })}
}

// Unwrap gives the errors behind the problems to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var behind []error
	for _, p := range e.Problems {
		if p.Err != nil {
			behind = append(behind, p.Err)
		}
	}
	return behind
}

// mostShown keeps the text of a report readable; Problems holds all of them.
const mostShown = 50

// Error writes a headline and one line a problem, of the first 50.
func (e *Error) Error() string {
	lines := make([]string, 0, min(len(e.Problems), mostShown)+2)
	switch n := len(e.Problems); n {
	case 1:
		lines = append(lines, "cosid: 1 mistake in the configuration:")
	default:
		lines = append(lines, fmt.Sprintf("cosid: %d mistakes in the configuration:", n))
	}
	for i, p := range e.Problems {
		if i == mostShown {
			lines = append(lines, fmt.Sprintf("  … and %d more", len(e.Problems)-mostShown))
			break
		}
		lines = append(lines, "  "+p.String())
	}
	return strings.Join(lines, "\n")
}

// problems collects the mistakes of one load.
type problems struct{ list []Problem }

func (ps *problems) add(p Problem) { ps.list = append(ps.list, p) }

// err is nil, or the report of what was collected.
func (ps *problems) err() error { return NewError(ps.list) }
