package codecs

import (
	"errors"
	"fmt"
	"strconv"
)

// Errors of codecs, for matching with errors.Is. What a codec returns wraps one of them together with the id or
// the text.
var (
	// ErrCodecOverflow means that an id needs more room than its part has; text is never cut.
	ErrCodecOverflow = errors.New("id is too wide")

	// ErrInvalidID means that an id has no text: it is negative, its period is not one, or it does not fit the layout.
	ErrInvalidID = errors.New("invalid id")

	// ErrSyntax means that a text is not the encoding of any id. It comes as a *SyntaxError.
	ErrSyntax = errors.New("not an encoded id")

	// ErrNotDecodable means that the text of a grouped id does not say its period.
	ErrNotDecodable = errors.New("not decodable")
)

// SyntaxError tells where a text is wrong. It matches ErrSyntax. A Part returns one with Offset and Problem, and
// the codec fills in the rest; any other error of a Part becomes the Problem of one.
type SyntaxError struct {
	Text    string // the whole text that was to be decoded
	Offset  int    // the byte of Text at which it is wrong; its length if it ends too early
	Part    string // the part that the byte belongs to
	Problem string
}

// Error is `codecs: decode "0Z!": byte 2 (radix 36): …`. A long text is cut in it.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("codecs: decode %s: byte %d (%s): %s", quote(e.Text), e.Offset, e.Part, cut(e.Problem, 1024))
}

// Is reports whether target is ErrSyntax.
func (e *SyntaxError) Is(target error) bool { return target == ErrSyntax }

// ListError is one mistake in a list of parts.
type ListError struct {
	Index    int    // the part at fault, counted from 0; -1 if it is the whole list
	Part     string // its name; empty for the whole list
	Problem  string
	Accepted string // what would be right
}

// Error is "codecs: list[1] (period): problem (accepted: …)".
func (e *ListError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("codecs: list: %s (accepted: %s)", e.Problem, e.Accepted)
	}
	return fmt.Sprintf("codecs: list[%d] (%s): %s (accepted: %s)", e.Index, e.Part, e.Problem, e.Accepted)
}

// quote is strconv.Quote of a text that may come from anyone, cut so that it cannot flood a log.
func quote(text string) string {
	const longest = 64
	if len(text) <= longest {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%q… (%d bytes)", text[:longest], len(text))
}

func cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	return text[:longest] + "…"
}
