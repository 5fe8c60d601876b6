package codecs_test

import (
	"errors"
	"math"
	"testing"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
)

// Decode(s) succeeds only where encoding gives s back (F104), for any radix, width and overflow.
func FuzzRadixDecode(f *testing.F) {
	f.Add("AzL8n0Y58m7", 62, 11, true, false)
	f.Add("AzL8n0Y58m8", 62, 0, false, false)
	f.Add("1Y2P0IJ32E8E8", 36, 13, true, false)
	f.Add("npL6MjP8Qfd", 58, 0, false, false)
	f.Add("0042", 10, 3, true, true)
	f.Add("", 2, 64, true, false)
	f.Add("\xff-1", 10, 3, false, false)
	f.Fuzz(func(t *testing.T, text string, base, width int, pad, grow bool) {
		number, err := codecs.Radix(anyRadix(base, width, pad, grow))
		if err != nil {
			return
		}
		checkDecode(t, plain(t, number), text)
	})
}

func FuzzListDecode(f *testing.F) {
	f.Add("BIZ-0042#", "BIZ-", "#", 10, 4, true)
	f.Add("00", "0", "", 10, 0, false)
	f.Add("票1", "票", "", 36, 0, false)
	f.Add("", "", "", 2, 1, true)
	f.Fuzz(func(t *testing.T, text, prefix, suffix string, base, width int, pad bool) {
		number, err := codecs.Radix(anyRadix(base, width, pad, false))
		if err != nil {
			return
		}
		codec := plain(t, codecs.Prefix(prefix), number, codecs.Suffix(suffix))
		checkDecode(t, codec, text)
		checkDecode(t, codec, prefix+text+suffix)
	})
}

func FuzzGroupedDecode(f *testing.F) {
	f.Add("20261027-000042", 3, "-", false, 6, true)
	f.Add("20260230-000042", 3, "-", false, 6, true)
	f.Add("261027042", 3, "", true, 3, true)
	f.Add("2026/7", 1, "/", false, 0, false)
	f.Add("", 0, "", true, 1, true)
	f.Fuzz(func(t *testing.T, text string, period int, delimiter string, short bool, width int, pad bool) {
		for _, codec := range anyGrouped(period, delimiter, short, width, pad) {
			id, err := codec.Decode(text)
			if err != nil {
				checkRefusal(t, text, err)
				continue
			}
			if back, err := codec.Encode(id); err != nil || back != text {
				t.Errorf("Decode(%q) = %v, which is written %q, %v", text, id, back, err)
			}
		}
	})
}

// Decode(Encode(id)) == id, for plain and grouped ids; what is refused is refused for a stated reason.
func FuzzRoundTrip(f *testing.F) {
	f.Add(int64(math.MaxInt64), 62, 11, true, false, 3, "20261027", "-", true)
	f.Add(int64(1000), 10, 3, true, true, 1, "1999", "", true)
	f.Add(int64(0), 2, 0, false, false, 2, "202402", "0", false)
	f.Add(int64(-1), 36, 13, true, false, 3, "20260230", "", false)
	f.Fuzz(func(t *testing.T, value int64, base, width int, pad, grow bool,
		period int, written, delimiter string, short bool,
	) {
		if number, err := codecs.Radix(anyRadix(base, width, pad, grow)); err == nil {
			codec := plain(t, codecs.Prefix(written), number, codecs.Suffix(delimiter))
			text, err := codec.Encode(value)
			if err != nil {
				checkUnwritable(t, err)
			} else if back, err := codec.Decode(text); err != nil || back != value {
				t.Errorf("%d is written %q, which is read as %d, %v", value, text, back, err)
			}
		}
		id := generators.GroupedID{Period: written, Value: value}
		for _, codec := range anyGrouped(period, delimiter, short, width, pad) {
			text, err := codec.Encode(id)
			if err != nil {
				checkUnwritable(t, err)
			} else if back, err := codec.Decode(text); err != nil || back != id {
				t.Errorf("%v is written %q, which is read as %v, %v", id, text, back, err)
			}
		}
	})
}

func anyRadix(base, width int, pad, grow bool) codecs.RadixSettings {
	s := codecs.RadixSettings{Radix: base, PadStart: pad}
	if width != 0 {
		s.Width = &width
	}
	if grow {
		s.Overflow = codecs.OverflowGrow
	}
	if base == len(alphabet58) {
		s.Alphabet = alphabet58
	}
	return s
}

// anyGrouped makes the lists that the values allow: the period in front, and the number in front.
func anyGrouped(period int, delimiter string, short bool, width int, pad bool) []codecs.GroupedCodec {
	date, errDate := codecs.DatePrefix(codecs.DatePrefixSettings{Delimiter: delimiter, ShortYear: short})
	after, errAfter := codecs.Period(codecs.PeriodSettings{Delimiter: delimiter, ShortYear: short})
	number, errNumber := codecs.Radix(anyRadix(10, width, pad, false))
	if errors.Join(errDate, errAfter, errNumber) != nil {
		return nil
	}
	var made []codecs.GroupedCodec
	for _, parts := range [][]codecs.Part{{date, number}, {number, codecs.Suffix(delimiter), after}} {
		if codec, err := codecs.NewGrouped(parts, generators.Period(period)); err == nil {
			made = append(made, codec)
		}
	}
	return made
}

func checkDecode(t *testing.T, codec codecs.Codec, text string) {
	t.Helper()
	id, err := codec.Decode(text)
	if err != nil {
		checkRefusal(t, text, err)
		return
	}
	if back, err := codec.Encode(id); err != nil || back != text {
		t.Errorf("Decode(%q) = %d, which is written %q, %v", text, id, back, err)
	}
}

// checkRefusal demands a place within the text, and a message that can be read.
func checkRefusal(t *testing.T, text string, err error) {
	t.Helper()
	syntax, ok := errors.AsType[*codecs.SyntaxError](err)
	if !ok || !errors.Is(err, codecs.ErrSyntax) {
		t.Fatalf("Decode(%q): %v is not a SyntaxError", text, err)
	}
	if syntax.Text != text || syntax.Offset < 0 || syntax.Offset > len(text) || syntax.Part == "" || syntax.Problem == "" {
		t.Errorf("Decode(%q): %+v does not say where and why", text, *syntax)
	}
	if len(err.Error()) > 2000 {
		t.Errorf("the error of a text of %d bytes has %d", len(text), len(err.Error()))
	}
}

func checkUnwritable(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, codecs.ErrCodecOverflow) && !errors.Is(err, codecs.ErrInvalidID) {
		t.Errorf("Encode: %v; want ErrCodecOverflow or ErrInvalidID", err)
	}
}
