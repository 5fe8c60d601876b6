package codecs

import (
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// firstOnly is implemented by parts that stand nowhere but at the start of a list.
type firstOnly interface{ firstOnly() }

// checkList returns the parts as they are used, each that needs a layout bound to that of the ids. Its error joins a
// *ListError for each mistake in the list.
func checkList(parts []Part, ids kind) ([]Part, error) {
	c := listCheck{kind: ids, number: -1, written: -1}
	if c.grouped && c.period.Width() == 0 {
		c.wrong(-1, nil, generators.PeriodNames, "%s is not a period", c.period)
	}
	bound := make([]Part, len(parts))
	for i, p := range parts {
		if p == nil {
			c.wrong(i, nil, "a part", "is nil")
			continue
		}
		c.checkRole(i, p)
		c.checkPlace(i, p)
		if bound[i] = c.bind(i, p); bound[i] != nil {
			c.checkWidth(i, bound[i])
		}
	}
	if c.number < 0 {
		c.wrong(-1, nil, "exactly one number part, such as radix or decimal", "no part writes the number")
	}
	return bound, errors.Join(c.mistakes...)
}

type listCheck struct {
	kind
	number   int // the index of the number part, -1 so far
	written  int // the index of the period part, -1 so far
	mistakes []error
}

// bind gives a part that needs one the layout of the ids; nil where that is a mistake.
func (c *listCheck) bind(i int, p Part) Part {
	needy, ok := p.(LayoutPart)
	if !ok {
		return p
	}
	if c.layout == nil {
		accepted := "parts for ids without one"
		if c.grouped {
			accepted = "date-prefix without zone and pattern, or a period part: they write the id's period"
		}
		c.wrong(i, p, accepted, "writes the time that an id holds, as one of strategy snowflake does, and these ids hold none")
		return nil
	}
	bound, err := needy.ForLayout(*c.layout)
	if err != nil {
		accepted, problem := "", err.Error()
		if mistake, ok := errors.AsType[*field.Error](err); ok {
			accepted, problem = mistake.Accepted, mistake.Problem
		}
		c.wrong(i, p, accepted, "%s", problem)
		return nil
	}
	return bound
}

func (c *listCheck) checkRole(i int, p Part) {
	switch role := p.Role(); {
	case role == Literal:
	case role == NumberValue && c.number < 0:
		c.number = i
	case role == NumberValue:
		c.wrong(i, p, "exactly one number part", "writes the number a second time, after list[%d]", c.number)
	case role == Derived:
	case role == PeriodValue && c.layout != nil:
		c.wrong(i, p, "date-prefix with a zone, such as { zone: Asia/Shanghai }, which writes the id's own date",
			"writes a period, and these ids have none")
	case role == PeriodValue && !c.grouped:
		c.wrong(i, p, "parts for ids without a period", "writes a period, and these ids have none")
	case role == PeriodValue && c.written < 0:
		c.written = i
	case role == PeriodValue:
		c.wrong(i, p, "at most one period part", "writes the period a second time, after list[%d]", c.written)
	default:
		c.wrong(i, p, "Literal, PeriodValue, NumberValue or Derived", "has the unknown role %d", role)
	}
}

func (c *listCheck) checkPlace(i int, p Part) {
	if _, ok := p.(firstOnly); ok && i > 0 {
		c.wrong(i, p, "date-prefix in front, or a period part here", "only the first part may be one")
	}
}

func (c *listCheck) checkWidth(i int, p Part) {
	role := p.Role()
	if role == PeriodValue && c.period.Width() == 0 {
		return // there is no width to ask for
	}
	switch width := p.Width(c.period); {
	case width == Variable && role != NumberValue:
		c.wrong(i, p, "a fixed width; only the number part may be variable", "has a variable width")
	case width < Variable, width == 0 && role != Literal:
		c.wrong(i, p, "a positive width", "has the width %d", width)
	}
}

// wrong notes a mistake of p, or with index -1 of the whole list.
func (c *listCheck) wrong(index int, p Part, accepted, problem string, args ...any) {
	mistake := &ListError{Index: index, Problem: fmt.Sprintf(problem, args...), Accepted: accepted}
	if index >= 0 {
		mistake.Part = nameOf(p)
	}
	c.mistakes = append(c.mistakes, mistake)
}
