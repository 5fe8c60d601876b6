package codecs

import (
	"fmt"

	"github.com/cosid-go/cosid/generators"
)

// Role says what a part does with an id.
type Role int

// The roles. Exactly one part of a list writes the number. Without one that writes the period, grouped ids cannot
// be decoded.
const (
	Literal     Role = iota // writes the same text for every id
	PeriodValue             // writes the id's period
	NumberValue             // writes the id's number
	Derived                 // writes what follows from the number, such as its date
)

// Variable is the Width of a part whose texts differ in length. Only the number may have it, so that every list
// can be read in one way only.
const Variable = -1

// Part is one piece of a codec. Parts are immutable and safe for concurrent use. For ids without a period
// GroupedID.Period is empty.
//
// A Part that has a method String() string is called by it in errors, as the built-in ones are: radix 36,
// prefix "BIZ-". Others are called by their type.
type Part interface {
	// Role is what the part does, always the same.
	Role() Role

	// Width is the length in bytes of every text that the part writes for ids of period (the zero Period for
	// ids without one), or Variable.
	Width(period generators.Period) int

	// Append appends the part's text for id to dst. The codec has checked id: its Value is not negative, and its
	// Period is one that Period.Format writes. An id too wide for the part is ErrCodecOverflow, wrapped.
	Append(dst []byte, id generators.GroupedID) ([]byte, error)

	// Parse reads text, which is exactly one piece, into its field of id. Parse accepts only what Append writes;
	// a *SyntaxError says at which byte it differs. Pieces are parsed from left to right. A Derived part may leave
	// it to the codec to find out whether the text is that of the number.
	Parse(text string, period generators.Period, id *generators.GroupedID) error
}

// LayoutPart is a Part of ids that hold a time, a slot and a sequence, as a snowflake's do. In the list of a codec for
// such ids stands in its place what ForLayout returns; in any other it is a mistake. Append and Parse are called on
// what ForLayout returned only.
type LayoutPart interface {
	Part

	// ForLayout returns the part for ids of layout. Its error says why there is none; as a *field.Error
	// (config/field) also what would be right.
	ForLayout(layout generators.Layout) (Part, error)
}

// PartFactory makes a part known to a configuration, by value, as the built-in ones are (Builtin).
type PartFactory interface {
	// Name is the key under which the part is written in a codec list, for instance "radix".
	Name() string

	// NewSettings returns a pointer to a new struct that holds the defaults. A list entry is decoded strictly over
	// it: a map by its `koanf:"kebab-case"` tags, a plain string through encoding.TextUnmarshaler if the pointer
	// implements it. If the pointer has a method Validate() error, it is called after decoding.
	NewSettings() any

	// Build makes the part from the pointer that NewSettings returned.
	Build(settings any) (Part, error)
}

// nameOf is what a part is called in errors.
func nameOf(p Part) string {
	if s, ok := p.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", p)
}
