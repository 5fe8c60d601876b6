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
)

const alphabet62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const alphabet58 = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"

func TestRadixTextsOfTheDesign(t *testing.T) {
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
		{radix(t, codecs.RadixSettings{Radix: 58, Alphabet: alphabet58}), math.MaxInt64, "npL6MjP8Qfc"}, // F59
		{radix(t, codecs.RadixSettings{Radix: 36, Alphabet: "0123456789abcdefghijklmnopqrstuvwxyz"}), math.MaxInt64, "1y2p0ij32e8e7"},
		{radix(t, codecs.RadixSettings{Radix: 58, Alphabet: alphabet58, Width: new(4), PadStart: true}), 1, "1112"},
		{padded(t, 2, 64), math.MaxInt64, "0" + strings.Repeat("1", 63)},
		{radix(t, codecs.RadixSettings{Radix: 10, Width: new(3), PadStart: true, Overflow: codecs.OverflowGrow}), 7, "007"},
		{radix(t, codecs.RadixSettings{Radix: 10, Width: new(3), PadStart: true, Overflow: codecs.OverflowGrow}), 1000, "1000"},
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
		{codecs.Decimal(), []string{"", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "0x1", "١", "1\x00", "\xff", "1.0", "1e3"}},
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

// F103: a number wider than its width is refused or grows, as configured; it is never cut.
func TestWidthIsNeverExceededInSilence(t *testing.T) {
	for _, c := range []struct {
		settings codecs.RadixSettings
		fits     int64
		text     string
		tooWide  int64 // 0: none
	}{
		{codecs.RadixSettings{Radix: 10, Width: new(6), PadStart: true}, 999_999, "999999", 1_000_000},
		{codecs.RadixSettings{Radix: 10, Width: new(6)}, 999_999, "999999", 1_000_000},
		{codecs.RadixSettings{Radix: 10, Width: new(6), PadStart: true, Overflow: codecs.OverflowGrow}, 1_000_000, "1000000", 0},
		{codecs.RadixSettings{Radix: 10, Width: new(6), PadStart: true, Overflow: codecs.OverflowError}, 999_999, "999999", 1_000_000},
		{codecs.RadixSettings{Radix: 62, Width: new(1), PadStart: true}, 61, "z", 62},
		{codecs.RadixSettings{Radix: 36, Width: new(12), PadStart: true}, 4738381338321616895, "ZZZZZZZZZZZZ", 4738381338321616896},
		{codecs.RadixSettings{Radix: 2, Width: new(62), PadStart: true}, 1<<62 - 1, strings.Repeat("1", 62), math.MaxInt64},
	} {
		codec := plain(t, radix(t, c.settings))
		if text, err := codec.Encode(c.fits); err != nil || text != c.text {
			t.Errorf("radix %d width %d: Encode(%d) = %q, %v; want %q", c.settings.Radix, *c.settings.Width, c.fits, text, err, c.text)
		}
		if c.tooWide == 0 {
			continue
		}
		text, err := codec.Encode(c.tooWide)
		if !errors.Is(err, codecs.ErrCodecOverflow) || text != "" {
			t.Errorf("radix %d width %d: Encode(%d) = %q, %v; want ErrCodecOverflow", c.settings.Radix, *c.settings.Width, c.tooWide, text, err)
			continue
		}
		mentions(t, err, fmt.Sprint(c.tooWide), fmt.Sprintf("radix %d", c.settings.Radix), fmt.Sprintf("width is %d", *c.settings.Width))
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
	for base, width := range map[int]int{2: 63, 10: 19, 16: 16, 36: 13, 62: 11} {
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
	digits := func(n int) string { return alphabet62[:n] }
	for _, c := range []struct {
		name     string
		settings codecs.RadixSettings
		keys     []string
		says     []string
	}{
		{"nothing set", codecs.RadixSettings{}, []string{"radix"}, []string{"0 is not a radix", "2 to 62"}},
		{"radix 1", codecs.RadixSettings{Radix: 1}, []string{"radix"}, []string{"1 is not"}},
		{"radix 63", codecs.RadixSettings{Radix: 63}, []string{"radix"}, []string{"63 is not"}},
		{"negative radix", codecs.RadixSettings{Radix: -10}, []string{"radix"}, []string{"-10 is not"}},
		{"width 0", codecs.RadixSettings{Radix: 10, Width: new(0), PadStart: true}, []string{"width"}, []string{"0 is not a width", "1 to 64"}},
		{"width 0, unpadded", codecs.RadixSettings{Radix: 10, Width: new(0)}, []string{"width"}, []string{"0 is not a width", "none for any"}},
		{"negative width", codecs.RadixSettings{Radix: 10, Width: new(-1)}, []string{"width"}, []string{"-1"}},
		{"width 65", codecs.RadixSettings{Radix: 10, Width: new(65), PadStart: true}, []string{"width"}, []string{"65"}},
		{"padding to nothing", codecs.RadixSettings{Radix: 10, PadStart: true}, []string{"width"}, []string{"pad-start needs it"}},
		{"unknown overflow", codecs.RadixSettings{Radix: 10, Overflow: "cut"}, []string{"overflow"}, []string{`"cut"`, "error, grow"}},
		{"grow without padding", codecs.RadixSettings{Radix: 10, Width: new(6), Overflow: codecs.OverflowGrow}, []string{"overflow"}, []string{"no effect"}},
		{"short alphabet", codecs.RadixSettings{Radix: 36, Alphabet: digits(35)}, []string{"alphabet"}, []string{"35 characters", "36 distinct"}},
		{"long alphabet", codecs.RadixSettings{Radix: 36, Alphabet: digits(37)}, []string{"alphabet"}, []string{"37 characters"}},
		{"digit twice", codecs.RadixSettings{Radix: 3, Alphabet: "010"}, []string{"alphabet"}, []string{`'0' twice`}},
		{"space", codecs.RadixSettings{Radix: 3, Alphabet: "01 "}, []string{"alphabet"}, []string{"0x20"}},
		{"control character", codecs.RadixSettings{Radix: 3, Alphabet: "01\x7f"}, []string{"alphabet"}, []string{"0x7f"}},
		{"beyond ASCII", codecs.RadixSettings{Radix: 3, Alphabet: "01é"}, []string{"alphabet"}, []string{"0xc3"}},
		{"all at once", codecs.RadixSettings{Radix: 99, Width: new(0), Overflow: "x"}, []string{"radix", "width", "overflow"}, nil},
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
