package codecs

import (
	"fmt"

	"github.com/cosid-go/cosid/generators"
)

// Codec writes ids as text and reads them back. Decode(Encode(id)) == id, and a text decodes only if encoding
// the result gives the same text. It is immutable and safe for concurrent use.
type Codec interface {
	// Append appends the text of id to dst, as strconv.AppendInt does. On an error dst is returned as it was.
	Append(dst []byte, id int64) ([]byte, error)

	// Encode returns the text of id. An id that is negative is refused (ErrInvalidID), and so is one that its
	// part cannot hold (ErrCodecOverflow).
	Encode(id int64) (string, error)

	// Decode returns the id that text is the encoding of. Its error is a *SyntaxError.
	Decode(text string) (int64, error)
}

// GroupedCodec is the Codec of grouped ids. It refuses an id whose period is not of the codec's period
// (ErrInvalidID). If its list writes no period, Decode returns ErrNotDecodable.
type GroupedCodec interface {
	Append(dst []byte, id generators.GroupedID) ([]byte, error)
	Encode(id generators.GroupedID) (string, error)
	Decode(text string) (generators.GroupedID, error)
}

// New makes the codec of plain ids from parts, of which exactly one writes the number, none a period and none needs a
// layout. Its error joins a *ListError for each mistake.
func New(parts []Part) (Codec, error) { return newNumberCodec(parts, kind{}) }

// NewWithLayout is New for ids that hold a time, a slot and a sequence as layout says: parts may write these too. A
// layout that Validate refuses is an error.
func NewWithLayout(parts []Part, layout generators.Layout) (Codec, error) {
	if err := layout.Validate(); err != nil {
		return nil, fmt.Errorf("codecs: layout: %w", err)
	}
	return newNumberCodec(parts, kind{layout: &layout})
}

func newNumberCodec(parts []Part, ids kind) (Codec, error) {
	bound, err := checkList(parts, ids)
	if err != nil {
		return nil, err
	}
	return numberCodec{newList(bound, ids)}, nil
}

// NewGrouped makes the codec of ids that carry period, from parts of which exactly one writes the number and at
// most one the period. Its error joins a *ListError for each mistake.
func NewGrouped(parts []Part, period generators.Period) (GroupedCodec, error) {
	ids := kind{grouped: true, period: period}
	bound, err := checkList(parts, ids)
	if err != nil {
		return nil, err
	}
	return groupedCodec{newList(bound, ids)}, nil
}

// Default is the codec of plain ids that name none: radix 36, padded to the 13 characters that hold every id.
// It has no two letters that a case-insensitive collation would take for one.
func Default() Codec {
	number := newRadixPart(RadixSettings{Radix: 36, Width: new(13), PadStart: true})
	return numberCodec{newList([]Part{number}, kind{})}
}

// DefaultGrouped is the codec of grouped ids that name none: the period, "-" and the number in decimal, unpadded,
// as in 20261027-42. For a period that is none it refuses every id.
func DefaultGrouped(period generators.Period) GroupedCodec {
	return groupedCodec{newList([]Part{newPeriodPart("period", "-", false), Decimal()}, kind{grouped: true, period: period})}
}

type numberCodec struct{ *list }

func (c numberCodec) Append(dst []byte, id int64) ([]byte, error) {
	return c.append(dst, generators.GroupedID{Value: id})
}

func (c numberCodec) Encode(id int64) (string, error) {
	return c.encode(generators.GroupedID{Value: id})
}

func (c numberCodec) Decode(text string) (int64, error) {
	id, err := c.decode(text)
	return id.Value, err
}

type groupedCodec struct{ *list }

func (c groupedCodec) Append(dst []byte, id generators.GroupedID) ([]byte, error) {
	return c.append(dst, id)
}

func (c groupedCodec) Encode(id generators.GroupedID) (string, error) { return c.encode(id) }

func (c groupedCodec) Decode(text string) (generators.GroupedID, error) { return c.decode(text) }
