package codecs

import (
	"fmt"
	"strings"
	"time"

	"github.com/cosid-go/cosid/config/field"
)

// timePattern writes and reads moments in the calendar of their zone, always in the same number of bytes.
type timePattern struct {
	pieces []timePiece
	width  int
}

// timePiece is one field of a moment, or a text between fields.
type timePiece struct {
	field timeField
	width int
	text  string // where there is no field
}

// timeField is a field by the letter that patterns have for it; 0 is none.
type timeField byte

const (
	yearField   timeField = 'y'
	monthField  timeField = 'M'
	dayField    timeField = 'd'
	hourField   timeField = 'H'
	minuteField timeField = 'm'
	secondField timeField = 's'
	milliField  timeField = 'S'
)

const acceptedPattern = "yyyy, yy, MM, dd, HH, mm, ss and SSS, such as yyyyMMdd or yy/MM/dd"

// parseTimePattern reads a pattern such as yyyyMMdd. Its error is a *field.Error for the key pattern.
func parseTimePattern(pattern string) (timePattern, error) {
	if err := checkPrintable("pattern", pattern); err != nil {
		return timePattern{}, err
	}
	var p timePattern
	for rest := pattern; rest != ""; {
		if !isLetterOrDigit(rest[0]) {
			end := strings.IndexFunc(rest, func(r rune) bool { return r < 0x80 && isLetterOrDigit(byte(r)) })
			if end < 0 {
				end = len(rest)
			}
			p = p.then(rest[:end])
			rest = rest[end:]
			continue
		}
		word := rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
		switch word {
		case "yyyy", "yy", "MM", "dd", "HH", "mm", "ss", "SSS":
		default:
			return timePattern{}, field.Errorf("pattern", acceptedPattern, "%q in %s is no field of a date", word, quote(pattern))
		}
		p.pieces = append(p.pieces, timePiece{field: timeField(word[0]), width: len(word)})
		p.width += len(word)
		rest = rest[len(word):]
	}
	if !strings.ContainsAny(pattern, "yMdHmsS") {
		return timePattern{}, field.Errorf("pattern", acceptedPattern, "%s holds no field of a date", quote(pattern))
	}
	return p, nil
}

func isLetterOrDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// then is the pattern with text after it.
func (p timePattern) then(text string) timePattern {
	if text == "" {
		return p
	}
	pieces := append(p.pieces[:len(p.pieces):len(p.pieces)], timePiece{text: text, width: len(text)})
	return timePattern{pieces: pieces, width: p.width + len(text)}
}

// append writes t in its own zone. A year that does not have four digits is ErrCodecOverflow.
func (p timePattern) append(dst []byte, t time.Time) ([]byte, error) {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	if year < 0 || year > 9999 {
		return dst, fmt.Errorf("%w: its time lies in the year %d, four digits are written", ErrCodecOverflow, year)
	}
	for _, piece := range p.pieces {
		value := 0
		switch piece.field {
		case yearField:
			value = year
		case monthField:
			value = int(month)
		case dayField:
			value = day
		case hourField:
			value = hour
		case minuteField:
			value = minute
		case secondField:
			value = second
		case milliField:
			value = t.Nanosecond() / int(time.Millisecond)
		default:
			dst = append(dst, piece.text...)
			continue
		}
		dst = appendDigits(dst, value, piece.width)
	}
	return dst, nil
}

// appendDigits writes the last digits of value.
func appendDigits(dst []byte, value, digits int) []byte {
	start := len(dst)
	for range digits {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= start; i-- {
		dst[i] = byte('0' + value%10)
		value /= 10
	}
	return dst
}
