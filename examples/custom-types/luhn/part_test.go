package luhn_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/examples/custom-types/luhn"
	"github.com/cosid-go/cosid/generators"
)

func part(t *testing.T, width int) codecs.Part {
	t.Helper()
	number, err := luhn.Factory{}.Build(&luhn.Settings{Width: width})
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func codec(t *testing.T, width int) codecs.Codec {
	t.Helper()
	c, err := codecs.New([]codecs.Part{codecs.Prefix("T-"), part(t, width)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestVectors(t *testing.T) {
	for _, test := range []struct {
		value int64
		width int
		text  string
	}{
		{7992739871, 0, "T-79927398713"}, // the number that most descriptions of the method show
		{411111111111111, 0, "T-4111111111111111"},
		{37828224631000, 0, "T-378282246310005"},
		{0, 0, "T-00"},
		{1, 0, "T-18"},
		{1, 6, "T-0000018"},
		{999999, 6, "T-9999996"},
		{1<<53 + 1, 0, "T-90071992547409931"},
		{math.MaxInt64, 0, "T-92233720368547758074"},
		{math.MaxInt64, 19, "T-92233720368547758074"},
	} {
		text, err := codec(t, test.width).Encode(test.value)
		if err != nil || text != test.text {
			t.Errorf("%d in width %d is %q, %v; want %q", test.value, test.width, text, err, test.text)
		}
		if value, err := codec(t, test.width).Decode(test.text); err != nil || value != test.value {
			t.Errorf("%q in width %d is %d, %v; want %d", test.text, test.width, value, err, test.value)
		}
	}
}

func TestOneWrongDigitIsAlwaysRefused(t *testing.T) {
	c := codec(t, 8)
	for value := int64(1); value < 100_000_000; value = value*3 + 7 {
		text, err := c.Encode(value)
		if err != nil {
			t.Fatal(err)
		}
		for i := len("T-"); i < len(text); i++ {
			for d := byte('0'); d <= '9'; d++ {
				typed := text[:i] + string(d) + text[i+1:]
				if _, err := c.Decode(typed); typed != text && !errors.Is(err, codecs.ErrSyntax) {
					t.Errorf("%s typed as %s was accepted", text, typed)
				}
			}
		}
	}
}

func TestSwappedNeighboursAreRefusedExcept09(t *testing.T) {
	c := codec(t, 8)
	for value := int64(1); value < 100_000_000; value = value*3 + 7 {
		text, err := c.Encode(value)
		if err != nil {
			t.Fatal(err)
		}
		for i := len("T-"); i+1 < len(text); i++ {
			typed := text[:i] + text[i+1:i+2] + text[i:i+1] + text[i+2:]
			pair := text[i : i+2]
			_, err := c.Decode(typed)
			if accepted := err == nil; accepted != (typed == text || pair == "09" || pair == "90") {
				t.Errorf("%s typed as %s: %v", text, typed, err)
			}
		}
	}
}

func TestWhatIsNotWrittenIsNotRead(t *testing.T) {
	for _, test := range []struct {
		width  int
		text   string
		offset int
	}{
		{0, "T-", 2},
		{0, "T-0", 3},
		{0, "T-018", 2}, // 18 with a zero in front
		{0, "T-19", 3},
		{0, "T-1x8", 3},
		{0, "T-1é8", 3},
		{0, "T--18", 2},
		{0, "T-+18", 2},
		{0, "T-92233720368547758082", 2}, // one more than the largest, with its check digit
		{6, "T-000018", 8},
		{6, "T-00000018", 9},
		{6, "T-0000017", 8},
	} {
		_, err := codec(t, test.width).Decode(test.text)
		syntax, ok := errors.AsType[*codecs.SyntaxError](err)
		if !ok || syntax.Offset != test.offset {
			t.Errorf("%q in width %d: %v; want byte %d to be wrong", test.text, test.width, err, test.offset)
		}
		// The codec would notice most of this by itself, but not say what is wrong.
		var id generators.GroupedID
		err = part(t, test.width).Parse(strings.TrimPrefix(test.text, "T-"), 0, &id)
		syntax, ok = errors.AsType[*codecs.SyntaxError](err)
		if !ok || syntax.Offset != test.offset-len("T-") || id.Value != 0 {
			t.Errorf("%q in width %d: the part answered %v, %v", test.text, test.width, id, err)
		}
	}
}

func TestANumberThatIsTooWideIsNotCut(t *testing.T) {
	text, err := codec(t, 6).Encode(1_000_000)
	if !errors.Is(err, codecs.ErrCodecOverflow) || text != "" {
		t.Errorf("Encode = %q, %v; want ErrCodecOverflow", text, err)
	}
}

func TestAWrongWidthNamesItsKey(t *testing.T) {
	for _, width := range []int{-1, 20} {
		settings := luhn.Settings{Width: width}
		if mistake, ok := errors.AsType[*field.Error](settings.Validate()); !ok || mistake.Key != "width" {
			t.Errorf("width %d: %v", width, settings.Validate())
		}
		if p, err := (luhn.Factory{}).Build(&settings); err == nil || !strings.Contains(err.Error(), "width") {
			t.Errorf("width %d was built: %v, %v", width, p, err)
		}
	}
	if p, err := (luhn.Factory{}).Build(luhn.Settings{}); err == nil {
		t.Errorf("built %v from what NewSettings does not return", p)
	}
}

// The two laws of every codec: what is written is read back, and what is read is what would be written.
func FuzzLuhn(f *testing.F) {
	f.Add(int64(math.MaxInt64), "T-92233720368547758074", 0)
	f.Add(int64(1), "T-0000018", 6)
	f.Add(int64(0), "T-018", 0)
	f.Add(int64(-1), "T-\xff8", 19)
	f.Fuzz(func(t *testing.T, value int64, text string, width int) {
		if (&luhn.Settings{Width: width}).Validate() != nil {
			return
		}
		c := codec(t, width)
		written, err := c.Encode(value)
		switch {
		case errors.Is(err, codecs.ErrCodecOverflow), errors.Is(err, codecs.ErrInvalidID):
		case err != nil:
			t.Errorf("Encode(%d): %v", value, err)
		default:
			if back, err := c.Decode(written); err != nil || back != value {
				t.Errorf("%d is written %q, which is read as %d, %v", value, written, back, err)
			}
		}
		for _, text := range []string{text, "T-" + text} {
			read, err := c.Decode(text)
			if errors.Is(err, codecs.ErrSyntax) {
				continue
			}
			if back, encodeErr := c.Encode(read); err != nil || encodeErr != nil || back != text {
				t.Errorf("%q is read as %d, %v, which is written %q, %v", text, read, err, back, encodeErr)
			}
		}
	})
}
