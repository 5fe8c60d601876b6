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

// Error writes a headline and one line a problem.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	switch n := len(e.Problems); n {
	case 1:
		lines = append(lines, "cosid: 1 mistake in the configuration:")
	default:
		lines = append(lines, fmt.Sprintf("cosid: %d mistakes in the configuration:", n))
	}
	for _, p := range e.Problems {
		lines = append(lines, "  "+p.String())
	}
	return strings.Join(lines, "\n")
}

// problems collects the mistakes of one load.
type problems struct{ list []Problem }

func (ps *problems) add(p Problem) { ps.list = append(ps.list, p) }

// err is nil, or the sorted report of what was collected.
func (ps *problems) err() error {
	if len(ps.list) == 0 {
		return nil
	}
	sorted := slices.Clone(ps.list)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Origin.File, b.Origin.File),
			cmp.Compare(a.Origin.Line, b.Origin.Line),
			cmp.Compare(a.Origin.Column, b.Origin.Column),
			cmp.Compare(a.Path, b.Path),
		)
	})
	return &Error{Problems: slices.Compact(sorted)}
}
