package codecs_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

const alphabet62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const alphabet58 = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"

func TestRadixTextsOfTheDesign(t *testing.T) {
	lower36 := codecs.RadixSettings{Radix: 36, Alphabet: "0123456789abcdefghijklmnopqrstuvwxyz"}
	base58 := codecs.RadixSettings{Radix: 58, Alphabet: alphabet58}
	grow := codecs.RadixSettings{Radix: 10, Width: new(3), PadStart: true, Overflow: codecs.OverflowGrow}
	for _, c := range []struct {
		part codecs.Part
		id   int64
		text string
	}{
		{radix(t, codecs.RadixSettings{Radix: 62}), 0, "0"},
		{radix(t, codecs.RadixSettings{Radix: 62}), 62, "10"},
		{radix(t, codecs.RadixSettings{Radix: 62}), 3843, "zz"},
		{radix(t, codecs.RadixSettings{Radix: 62}), 2147483647, "2LKcb1"},
		{radix(t, codecs.RadixSettings{Radix: 62}), math.MaxInt64, "AzL8n0Y58m7"},
		{padded(t, 62, 11), math.MaxInt64, "AzL8n0Y58m7"},
		{padded(t, 62, 11), 295913926632165376, "0LrHucXALbs"},
		{radix(t, codecs.DefaultRadixSettings()), 35, "Z"},
		{radix(t, codecs.RadixSettings{Radix: 36}), math.MaxInt64, "1Y2P0IJ32E8E7"},
		{padded(t, 36, 13), 295913926632165376, "028XOQD7HM874"},
		{radix(t, base58), math.MaxInt64, "npL6MjP8Qfc"}, // F59
		{radix(t, lower36), math.MaxInt64, "1y2p0ij32e8e7"},
		{radix(t, codecs.RadixSettings{Radix: 58, Alphabet: alphabet58, Width: new(4), PadStart: true}), 1, "1112"},
		{padded(t, 2, 64), math.MaxInt64, "0" + strings.Repeat("1", 63)},
		{radix(t, grow), 7, "007"},
		{radix(t, grow), 1000, "1000"},
		{radix(t, codecs.RadixSettings{Radix: 10, Width: new(3)}), 7, "7"},
		{radix(t, codecs.RadixSettings{Radix: 10, Width: new(3)}), 999, "999"},
		{codecs.Decimal(), 0, "0"},
		{codecs.Decimal(), math.MaxInt64, "9223372036854775807"},
	} {
		codec := plain(t, c.part)
		if text, err := codec.Encode(c.id); err != nil || text != c.text {
			t.Errorf("%v: Encode(%d) = %q, %v; want %q", c.part, c.id, text, err, c.text)
		}
		if id, err := codec.Decode(c.text); err != nil || id != c.id {
			t.Errorf("%v: Decode(%q) = %d, %v; want %d", c.part, c.text, id, err, c.id)
		}
	}
}

// F59: what leads above MaxInt64 is an error, never a wrapped id.
func TestTextsAboveMaxInt64AreRefused(t *testing.T) {
	base58 := radix(t, codecs.RadixSettings{Radix: 58, Alphabet: alphabet58})
	for _, c := range []struct {
		part codecs.Part
		text string
	}{
		{radix(t, codecs.RadixSettings{Radix: 62}), "AzL8n0Y58m8"},
		{radix(t, codecs.RadixSettings{Radix: 62}), "zzzzzzzzzzz"},
		{padded(t, 62, 11), "AzL8n0Y58m8"},
		{padded(t, 62, 11), "zzzzzzzzzzz"},
		{padded(t, 62, 12), "0zzzzzzzzzzz"},
		{radix(t, codecs.RadixSettings{Radix: 36}), "1Y2P0IJ32E8E8"},
		{padded(t, 36, 13), "1Y2P0IJ32E8E8"},
		{padded(t, 36, 13), "ZZZZZZZZZZZZZ"},
		{base58, "npL6MjP8Qfd"},
		{base58, "JPwcyDCgEuq"},
		{codecs.Decimal(), "9223372036854775808"},
		{codecs.Decimal(), "18446744073709551616"},
		{codecs.Decimal(), strings.Repeat("9", 10_000)},
		{padded(t, 2, 64), strings.Repeat("1", 64)},
	} {
		id, err := plain(t, c.part).Decode(c.text)
		if !errors.Is(err, codecs.ErrSyntax) {
			t.Errorf("%v: Decode(%q) = %d, %v; want ErrSyntax", c.part, c.text, id, err)
			continue
		}
		mentions(t, err, "greater than 9223372036854775807")
	}
}

func TestOnlyWhatIsWrittenIsRead(t *testing.T) {
	grow := radix(t, codecs.RadixSettings{Radix: 10, Width: new(3), PadStart: true, Overflow: codecs.OverflowGrow})
	for _, c := range []struct {
		part  codecs.Part
		texts []string
	}{
		{codecs.Decimal(), []string{"", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "0x1", "1.0", "1e3"}},
		{codecs.Decimal(), []string{"١", "1\x00", "\xff"}},
		{radix(t, codecs.RadixSettings{Radix: 36}), []string{"z", "0Z", "000"}},
		{radix(t, codecs.RadixSettings{Radix: 36, Alphabet: strings.ToLower(alphabet62[:36])}), []string{"Z", "0z"}},
		{radix(t, codecs.RadixSettings{Radix: 8}), []string{"8", "9"}},
		{radix(t, codecs.RadixSettings{Radix: 10, Width: new(3)}), []string{"1000", "007", ""}},
		{padded(t, 10, 6), []string{"", "42", "00042", "0000042", "1000000", "00004 ", "٠٠٠"}},
		{grow, []string{"", "7", "07", "0007", "0123"}},
		{radix(t, codecs.RadixSettings{Radix: 58, Alphabet: alphabet58}), []string{"0", "O", "I", "l", "12"}},
	} {
		for _, text := range c.texts {
			if id, err := plain(t, c.part).Decode(text); !errors.Is(err, codecs.ErrSyntax) {
				t.Errorf("%v: Decode(%q) = %d, %v; want ErrSyntax", c.part, text, id, err)
			}
		}
	}
}

// A part keeps its own law, in whatever codec it is used, and says where a piece is wrong.
func TestARadixPartReadsOnlyItsOwnTexts(t *testing.T) {
	grow := radix(t, codecs.RadixSettings{Radix: 10, Width: new(3), PadStart: true, Overflow: codecs.OverflowGrow})
	for _, c := range []struct {
		part   codecs.Part
		text   string
		offset int
		says   string
	}{
		{codecs.Decimal(), "", 0, "ends here, before digit 1"},
		{codecs.Decimal(), "00", 0, "zero in front"},
		{padded(t, 10, 6), "00042", 5, "ends here, before digit 6"},
		{padded(t, 10, 6), "0000042", 6, "goes on after digit 6"},
		{radix(t, codecs.RadixSettings{Radix: 10, Width: new(3)}), "1000", 3, "goes on after digit 3"},
		{grow, "07", 2, "ends here, before digit 3"},
		{grow, "0007", 0, "zero in front"},
		{padded(t, 36, 13), "1Y2P0IJ32E8E8", 12, "greater than"},
		{padded(t, 36, 13), "028XOQD7hM874", 8, "'h' is not one of the digits"},
	} {
		id := generators.GroupedID{Value: -7}
		err := c.part.Parse(c.text, 0, &id)
		syntax, ok := errors.AsType[*codecs.SyntaxError](err)
		if !ok || syntax.Offset != c.offset || !strings.Contains(syntax.Problem, c.says) || id.Value != -7 {
			t.Errorf("%v: Parse(%q) = %v, id %v; want a SyntaxError at byte %d with %q", c.part, c.text, err, id, c.offset, c.says)
		}
	}
}

// F103: a number wider than its width is refused or grows, as configured; it is never cut.
func TestWidthIsNeverExceededInSilence(t *testing.T) {
	grow := codecs.OverflowGrow
	for _, c := range []struct {
		settings codecs.RadixSettings
		fits     int64
		text     string
		tooWide  int64 // 0: none
	}{
		{codecs.RadixSettings{Radix: 10, Width: new(6), PadStart: true}, 999_999, "999999", 1_000_000},
		{codecs.RadixSettings{Radix: 10, Width: new(6)}, 999_999, "999999", 1_000_000},
		{codecs.RadixSettings{Radix: 10, Width: new(6), PadStart: true, Overflow: grow}, 1_000_000, "1000000", 0},
		{codecs.RadixSettings{Radix: 10, Width: new(6), Overflow: codecs.OverflowError}, 999_999, "999999", 1_000_000},
		{codecs.RadixSettings{Radix: 62, Width: new(1), PadStart: true}, 61, "z", 62},
		{codecs.RadixSettings{Radix: 36, Width: new(2), PadStart: true}, 1295, "ZZ", 1296},
		{codecs.RadixSettings{Radix: 2, Width: new(4), PadStart: true}, 15, "1111", math.MaxInt64},
	} {
		base, width := c.settings.Radix, *c.settings.Width
		codec := plain(t, radix(t, c.settings))
		if text, err := codec.Encode(c.fits); err != nil || text != c.text {
			t.Errorf("radix %d width %d: Encode(%d) = %q, %v; want %q", base, width, c.fits, text, err, c.text)
		}
		if c.tooWide == 0 {
			continue
		}
		text, err := codec.Encode(c.tooWide)
		if !errors.Is(err, codecs.ErrCodecOverflow) || text != "" {
			t.Errorf("radix %d width %d: Encode(%d) = %q, %v; want ErrCodecOverflow", base, width, c.tooWide, text, err)
			continue
		}
		mentions(t, err, fmt.Sprint(c.tooWide), fmt.Sprintf("radix %d", base), fmt.Sprintf("width is %d", width))
	}
}

// Every radix writes what math/big writes, and reads it back; one past MaxInt64 is refused.
func TestEveryRadixAgreesWithBigNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for base := 2; base <= 62; base++ {
		open := plain(t, radix(t, codecs.RadixSettings{Radix: base}))
		fixed := plain(t, padded(t, base, 64))
		for _, id := range edgeIDs(base, random) {
			want := bigText(big.NewInt(id), base)
			text, err := open.Encode(id)
			if err != nil || text != want {
				t.Fatalf("radix %d: Encode(%d) = %q, %v; want %q", base, id, text, err, want)
			}
			if back, err := open.Decode(text); err != nil || back != id {
				t.Fatalf("radix %d: Decode(%q) = %d, %v; want %d", base, text, back, err, id)
			}
			text, err = fixed.Encode(id)
			if err != nil || text != strings.Repeat("0", 64-len(want))+want {
				t.Fatalf("radix %d: padded Encode(%d) = %q, %v; want %q at the end", base, id, text, err, want)
			}
			if back, err := fixed.Decode(text); err != nil || back != id {
				t.Fatalf("radix %d: padded Decode(%q) = %d, %v; want %d", base, text, back, err, id)
			}
		}
		for past := int64(1); past <= 3; past++ {
			text := bigText(new(big.Int).Add(big.NewInt(math.MaxInt64), big.NewInt(past)), base)
			if id, err := open.Decode(text); err == nil {
				t.Errorf("radix %d: Decode(%q), MaxInt64 + %d, = %d; want an error", base, text, past, id)
			}
		}
	}
}

// edgeIDs are the ids around each power of base and of two, the last ones, and some at random.
func edgeIDs(base int, random *rand.Rand) []int64 {
	var ids []int64
	for _, factor := range []int64{2, int64(base)} {
		for power := int64(1); power <= math.MaxInt64/factor; power *= factor {
			ids = append(ids, power-1, power, power+1, power*factor-1)
		}
	}
	for past := range int64(100) {
		ids = append(ids, past, math.MaxInt64-past)
	}
	for range 1000 {
		ids = append(ids, random.Int64()>>random.IntN(63))
	}
	return ids
}

// bigText is math/big's text in our alphabet: it has the lower-case letters before the upper-case ones.
func bigText(n *big.Int, base int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, n.Text(base))
}

// F105
func TestPaddedTextSortsBytewiseLikeTheNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for base, width := range map[int]int{10: 19, 36: 13, 62: 11} {
		codec := plain(t, padded(t, base, width))
		for range 100_000 {
			a, b := random.Int64()>>random.IntN(63), random.Int64()>>random.IntN(63)
			textA, errA := codec.Encode(a)
			textB, errB := codec.Encode(b)
			if errA != nil || errB != nil || len(textA) != width || len(textB) != width {
				t.Fatalf("radix %d: %q, %v and %q, %v; want %d bytes each", base, textA, errA, textB, errB, width)
			}
			if cmp.Compare(textA, textB) != cmp.Compare(a, b) {
				t.Fatalf("radix %d: %d is written %s, %d is written %s: other order", base, a, textA, b, textB)
			}
		}
	}
}

func TestWrongRadixSettingsAreNamed(t *testing.T) {
	type settings = codecs.RadixSettings
	type texts = []string
	for _, c := range []struct {
		name     string
		settings settings
		keys     texts
		says     texts
	}{
		{"nothing set", settings{}, texts{"radix"}, texts{"0 is not a radix", "2 to 62"}},
		{"radix 1", settings{Radix: 1}, texts{"radix"}, texts{"1 is not"}},
		{"radix 63", settings{Radix: 63}, texts{"radix"}, texts{"63 is not"}},
		{"negative radix", settings{Radix: -10}, texts{"radix"}, texts{"-10 is not"}},
		{"width 0", settings{Radix: 10, Width: new(0), PadStart: true}, texts{"width"}, texts{"0 is not a width", "1 to 64"}},
		{"width 0, unpadded", settings{Radix: 10, Width: new(0)}, texts{"width"}, texts{"0 is not a width", "none for any"}},
		{"negative width", settings{Radix: 10, Width: new(-1)}, texts{"width"}, texts{"-1"}},
		{"width 65", settings{Radix: 10, Width: new(65), PadStart: true}, texts{"width"}, texts{"65"}},
		{"padding to nothing", settings{Radix: 10, PadStart: true}, texts{"width"}, texts{"pad-start needs it"}},
		{"unknown overflow", settings{Radix: 10, Overflow: "cut"}, texts{"overflow"}, texts{`"cut"`, "error, grow"}},
		{"grow without padding", settings{Radix: 10, Width: new(6), Overflow: "grow"}, texts{"overflow"}, texts{"no effect"}},
		{"short alphabet", settings{Radix: 9, Alphabet: "01234567"}, texts{"alphabet"}, texts{"8 characters", "9 distinct"}},
		{"long alphabet", settings{Radix: 36, Alphabet: alphabet62[:37]}, texts{"alphabet"}, texts{"37 characters"}},
		{"digit twice", settings{Radix: 3, Alphabet: "010"}, texts{"alphabet"}, texts{`'0' twice`}},
		{"space", settings{Radix: 3, Alphabet: "01 "}, texts{"alphabet"}, texts{"0x20"}},
		{"control character", settings{Radix: 3, Alphabet: "01\x7f"}, texts{"alphabet"}, texts{"0x7f"}},
		{"beyond ASCII", settings{Radix: 3, Alphabet: "01é"}, texts{"alphabet"}, texts{"0xc3"}},
		{"all at once", settings{Radix: 99, Width: new(0), Overflow: "x"}, texts{"radix", "width", "overflow"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := codecs.Radix(c.settings)
			if err == nil || part != nil {
				t.Fatalf("Radix = %v, %v; want an error", part, err)
			}
			mentions(t, err, append(c.says, "codecs: radix: ")...)
			var keys []string
			for _, e := range c.settings.Validate().(interface{ Unwrap() []error }).Unwrap() {
				keys = append(keys, e.(*field.Error).Key)
			}
			if fmt.Sprint(keys) != fmt.Sprint(c.keys) {
				t.Errorf("wrong keys %v, want %v", keys, c.keys)
			}
		})
	}
}
