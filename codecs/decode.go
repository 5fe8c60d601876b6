package codecs

import (
	"errors"
	"fmt"

	"github.com/cosid-go/cosid/generators"
)

func (l *list) decode(text string) (generators.GroupedID, error) {
	if l.grouped && !l.writesPeriod {
		return generators.GroupedID{}, fmt.Errorf("codecs: decode %s: %w: the codec's list writes no period, "+
			"add a period or date-prefix part", quote(text), ErrNotDecodable)
	}
	if err := l.checkLength(text); err != nil {
		return generators.GroupedID{}, err
	}
	var id generators.GroupedID
	start := 0
	for i := range l.slots {
		s := &l.slots[i]
		end := start + s.width
		if s.width == Variable {
			end = start + len(text) - l.fixed
		}
		if err := s.Parse(text[start:end], l.period, &id); err != nil {
			return generators.GroupedID{}, syntaxError(text, start, s.Part, err)
		}
		start = end
	}
	if err := l.checkCanonical(text, id); err != nil {
		return generators.GroupedID{}, err
	}
	return id, nil
}

func (l *list) checkLength(text string) error {
	wanted := l.fixed
	switch variable := l.slots[l.number].width == Variable; {
	case variable && len(text) > wanted, !variable && len(text) == wanted:
		return nil
	case variable:
		return l.wrongAt(text, len(text), fmt.Sprintf("the text ends here, at least %d bytes are needed", wanted+1))
	case len(text) < wanted:
		return l.wrongAt(text, len(text), fmt.Sprintf("the text ends here, %d bytes are needed", wanted))
	default:
		return l.wrongAt(text, wanted, fmt.Sprintf("the text goes on, only %d bytes are read", wanted))
	}
}

// checkCanonical is the second law, whatever the parts let pass: a text that was not written for id is refused.
func (l *list) checkCanonical(text string, id generators.GroupedID) error {
	written, err := l.append(make([]byte, 0, len(text)), id)
	if err != nil {
		return l.wrongAt(text, 0, fmt.Sprintf("no text is written for its id: %v", err))
	}
	if string(written) == text {
		return nil
	}
	at := 0
	for at < len(text) && at < len(written) && text[at] == written[at] {
		at++
	}
	return l.wrongAt(text, at, "its id is written "+quote(string(written)))
}

// wrongAt is the error for byte offset of text, in the name of the part that it belongs to.
func (l *list) wrongAt(text string, offset int, problem string) *SyntaxError {
	last := len(l.slots) - 1
	i := 0
	for end := 0; i < last; i++ {
		if width := l.slots[i].width; width == Variable {
			end += max(len(text)-l.fixed, 1)
		} else {
			end += width
		}
		if end > offset {
			break
		}
	}
	return &SyntaxError{Text: text, Offset: offset, Part: nameOf(l.slots[i].Part), Problem: problem}
}

// syntaxError turns the error of a part, which knows only its own piece, into one about the whole text.
func syntaxError(text string, start int, part Part, err error) *SyntaxError {
	whole := &SyntaxError{Text: text, Offset: start, Part: nameOf(part)}
	if piece, ok := errors.AsType[*SyntaxError](err); ok {
		whole.Offset += piece.Offset
		whole.Problem = piece.Problem
	} else {
		whole.Problem = err.Error()
	}
	return whole
}
