package codecs_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
)

// built asks for a part that can be built.
func built(t testing.TB) func(codecs.Part, error) codecs.Part {
	return func(p codecs.Part, err error) codecs.Part {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func plain(t testing.TB, parts ...codecs.Part) codecs.Codec {
	t.Helper()
	codec, err := codecs.New(parts)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func grouped(t testing.TB, period generators.Period, parts ...codecs.Part) codecs.GroupedCodec {
	t.Helper()
	codec, err := codecs.NewGrouped(parts, period)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func radix(t testing.TB, s codecs.RadixSettings) codecs.Part {
	t.Helper()
	return built(t)(codecs.Radix(s))
}

func padded(t testing.TB, base, width int) codecs.Part {
	t.Helper()
	return radix(t, codecs.RadixSettings{Radix: base, Width: &width, PadStart: true})
}

// billCodec writes 20261027-000042.
func billCodec(t testing.TB) codecs.GroupedCodec {
	t.Helper()
	date := built(t)(codecs.DatePrefix(codecs.DatePrefixSettings{Delimiter: "-"}))
	return grouped(t, generators.YearMonthDay, date, padded(t, 10, 6))
}

func TestGroupedTextsOfTheDesign(t *testing.T) {
	period := func(s codecs.PeriodSettings) codecs.Part { return built(t)(codecs.Period(s)) }
	date := func(s codecs.DatePrefixSettings) codecs.Part { return built(t)(codecs.DatePrefix(s)) }
	for _, c := range []struct {
		name   string
		period generators.Period
		parts  []codecs.Part
		id     generators.GroupedID
		text   string
	}{
		{
			"bill number", generators.YearMonthDay,
			[]codecs.Part{date(codecs.DatePrefixSettings{Delimiter: "-"}), padded(t, 10, 6)},
			generators.GroupedID{Period: "20261027", Value: 42},
			"20261027-000042",
		},
		{
			"period after a prefix", generators.YearMonthDay,
			[]codecs.Part{codecs.Prefix("BIZ-"), period(codecs.PeriodSettings{Delimiter: "-"}), padded(t, 10, 6)},
			generators.GroupedID{Period: "20261027", Value: 42},
			"BIZ-20261027-000042",
		},
		{
			"F98, prefix, short date and width 3", generators.YearMonthDay,
			[]codecs.Part{codecs.Prefix("BIZ"), period(codecs.PeriodSettings{ShortYear: true}), padded(t, 10, 3)},
			generators.GroupedID{Period: "20250318", Value: 1},
			"BIZ250318001",
		},
		{
			"short year first", generators.Year,
			[]codecs.Part{date(codecs.DatePrefixSettings{ShortYear: true, Delimiter: "/"}), codecs.Decimal()},
			generators.GroupedID{Period: "2099", Value: math.MaxInt64},
			"99/9223372036854775807",
		},
		{
			"number before the period", generators.YearMonth,
			[]codecs.Part{codecs.Decimal(), codecs.Suffix("@"), period(codecs.PeriodSettings{Delimiter: "."})},
			generators.GroupedID{Period: "202610", Value: 0},
			"0@202610.",
		},
		{
			"delimiter and prefix of digits", generators.YearMonth,
			[]codecs.Part{
				codecs.Prefix("1"), period(codecs.PeriodSettings{Delimiter: "00"}), codecs.Decimal(), codecs.Suffix("7"),
			},
			generators.GroupedID{Period: "202402", Value: 100},
			"1202402001007",
		},
		{
			"literals beyond ASCII", generators.Year,
			[]codecs.Part{codecs.Prefix("票"), period(codecs.PeriodSettings{Delimiter: "年"}), codecs.Decimal()},
			generators.GroupedID{Period: "2026", Value: 5},
			"票2026年5",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			codec := grouped(t, c.period, c.parts...)
			if text, err := codec.Encode(c.id); err != nil || text != c.text {
				t.Errorf("Encode(%v) = %q, %v; want %q", c.id, text, err, c.text)
			}
			if id, err := codec.Decode(c.text); err != nil || id != c.id {
				t.Errorf("Decode(%q) = %v, %v; want %v", c.text, id, err, c.id)
			}
		})
	}
}

func TestDefaultsAreFixed(t *testing.T) {
	if text, err := codecs.Default().Encode(42); err != nil || text != "0000000000016" {
		t.Errorf("Default writes 42 as %q, %v", text, err)
	}
	if text, err := codecs.Default().Encode(math.MaxInt64); err != nil || text != "1Y2P0IJ32E8E7" {
		t.Errorf("Default writes MaxInt64 as %q, %v", text, err)
	}
	id := generators.GroupedID{Period: "20261027", Value: 42}
	if text, err := codecs.DefaultGrouped(generators.YearMonthDay).Encode(id); err != nil || text != "20261027-42" {
		t.Errorf("DefaultGrouped writes %v as %q, %v", id, text, err)
	}
	for _, period := range []generators.Period{0, 99} {
		for _, id := range []generators.GroupedID{{}, {Period: "20261027"}} {
			if text, err := codecs.DefaultGrouped(period).Encode(id); !errors.Is(err, codecs.ErrInvalidID) {
				t.Errorf("DefaultGrouped(%v).Encode(%v) = %q, %v; want ErrInvalidID", period, id, text, err)
			}
		}
		if id, err := codecs.DefaultGrouped(period).Decode("-1"); err == nil {
			t.Errorf("DefaultGrouped(%v).Decode = %v, want an error", period, id)
		}
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	codec := billCodec(t)
	dst := []byte("no. ")
	got, err := codec.Append(dst, generators.GroupedID{Period: "20261027", Value: 42})
	if err != nil || string(got) != "no. 20261027-000042" {
		t.Errorf("Append = %q, %v", got, err)
	}
	got, err = codec.Append(dst, generators.GroupedID{Period: "20261027", Value: 1_000_000})
	if err == nil || string(got) != "no. " {
		t.Errorf("Append of a wide id = %q, %v; want what was there and an error", got, err)
	}
}

func TestIDsWithoutTextAreRefused(t *testing.T) {
	bill := billCodec(t)
	short := grouped(t, generators.Year,
		built(t)(codecs.Period(codecs.PeriodSettings{ShortYear: true})), codecs.Decimal())
	for _, c := range []struct {
		name   string
		codec  codecs.GroupedCodec
		period string
		value  int64
		want   error
		says   []string
	}{
		{"negative", bill, "20261027", -1, codecs.ErrInvalidID, []string{"-1", "not negative"}},
		{"no period", bill, "", 1, codecs.ErrInvalidID, []string{`""`, "YEAR_MONTH_DAY"}},
		{"period of another kind", bill, "202610", 1, codecs.ErrInvalidID, []string{"202610"}},
		{"day that does not exist", bill, "20260230", 1, codecs.ErrInvalidID, []string{"20260230"}},
		{
			"too wide", bill, "20261027", 1_000_000, codecs.ErrCodecOverflow,
			[]string{"1000000", "radix 10", "7 digits", "width is 6", "overflow: grow"},
		},
		{"year too early", short, "1999", 1, codecs.ErrCodecOverflow, []string{"1999", "2000 to 2099"}},
		{"year too late", short, "2100", 1, codecs.ErrCodecOverflow, []string{"2100", "2000 to 2099"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := generators.GroupedID{Period: c.period, Value: c.value}
			text, err := c.codec.Encode(id)
			if !errors.Is(err, c.want) || text != "" {
				t.Fatalf("Encode(%v) = %q, %v; want %v", id, text, err, c.want)
			}
			mentions(t, err, c.says...)
		})
	}
	_, err := codecs.Default().Encode(math.MinInt64)
	if !errors.Is(err, codecs.ErrInvalidID) {
		t.Errorf("Encode(MinInt64): %v, want ErrInvalidID", err)
	}
}

func TestWrongTextsSayWhereAndWhy(t *testing.T) {
	dashed := built(t)(codecs.Period(codecs.PeriodSettings{Delimiter: "-"}))
	bare := built(t)(codecs.Period(codecs.PeriodSettings{}))
	biz := grouped(t, generators.YearMonthDay, codecs.Prefix("BIZ-"), dashed, padded(t, 10, 6), codecs.Suffix("#"))
	open := grouped(t, generators.YearMonth, codecs.Decimal(), bare, codecs.Suffix("#"))
	for _, c := range []struct {
		codec  codecs.GroupedCodec
		text   string
		offset int
		part   string
		says   string
	}{
		{biz, "", 0, `prefix "BIZ-"`, "20 bytes are needed"},
		{biz, "BIZ-20261027-00004#", 19, `suffix "#"`, "20 bytes are needed"},
		{biz, "BIZ-20261027-0000042#", 20, `suffix "#"`, "only 20 bytes"},
		{biz, "BIX-20261027-000042#", 2, `prefix "BIZ-"`, `"BIX-" should be "BIZ-"`},
		{biz, "BIZ-20261327-000042#", 4, "period", `"20261327" is not a YEAR_MONTH_DAY`},
		{biz, "BIZ-20260230-000042#", 4, "period", `"20260230" is not a YEAR_MONTH_DAY`},
		{biz, "BIZ-2026102-0-00042#", 4, "period", `"2026102-"`},
		{biz, "BIZ-20261027_000042#", 12, "period", `"_" should be "-"`},
		{biz, "BIZ-20261027-0000a2#", 17, "radix 10", "'a' is not one of the digits 0123456789"},
		{biz, "BIZ-20261027-0000\xc3\xa9#", 17, "radix 10", "byte 0xc3 is not"},
		{biz, "BIZ-20261027- 00042#", 13, "radix 10", "' ' is not"},
		{biz, "BIZ-20261027--00042#", 13, "radix 10", "'-' is not"},
		{biz, "BIZ-20261027-000042!", 19, `suffix "#"`, `"!" should be "#"`},
		{open, "", 0, "decimal", "at least 8 bytes"},
		{open, "#", 1, "period", "at least 8 bytes"},
		{open, "202610#", 7, `suffix "#"`, "at least 8 bytes"},
		{open, "01202610#", 0, "decimal", "zero in front"},
		{open, "9223372036854775808202610#", 18, "decimal", "greater than 9223372036854775807"},
		{open, "1202613#", 1, "period", `"202613" is not a YEAR_MONTH`},
	} {
		id, err := c.codec.Decode(c.text)
		syntax, ok := errors.AsType[*codecs.SyntaxError](err)
		if !ok || !errors.Is(err, codecs.ErrSyntax) || id != (generators.GroupedID{}) {
			t.Errorf("Decode(%q) = %v, %v; want a SyntaxError", c.text, id, err)
			continue
		}
		if syntax.Text != c.text || syntax.Offset != c.offset || syntax.Part != c.part ||
			!strings.Contains(syntax.Problem, c.says) {
			t.Errorf("Decode(%q): %+v\nwant byte %d, part %s, a problem with %q", c.text, *syntax, c.offset, c.part, c.says)
		}
		mentions(t, err, fmt.Sprintf("%q", c.text), fmt.Sprintf("byte %d", c.offset), c.part, c.says)
	}
}

func TestALongTextDoesNotFloodItsError(t *testing.T) {
	long := strings.Repeat("\x00", 1<<20)
	for name, decode := range map[string]func(string) error{
		"default": func(s string) error {
			_, err := codecs.Default().Decode(s)
			return err
		},
		"default grouped": func(s string) error {
			_, err := codecs.DefaultGrouped(generators.Year).Decode(s)
			return err
		},
		"not decodable": func(s string) error {
			_, err := grouped(t, generators.Year, codecs.Decimal()).Decode(s)
			return err
		},
		"foreign part": func(s string) error {
			_, err := plain(t, quoting{codecs.Decimal()}).Decode(s)
			return err
		},
		"period of an id": func(s string) error {
			_, err := billCodec(t).Encode(generators.GroupedID{Period: s})
			return err
		},
	} {
		for _, text := range []string{long, "2026-" + long} {
			if err := decode(text); err == nil || len(err.Error()) > 2000 {
				t.Errorf("%s: error of %d bytes for a text of %d, want one to read", name, len(fmt.Sprint(err)), len(text))
			}
		}
	}
}

// quoting is a part from elsewhere whose errors hold the whole text.
type quoting struct{ codecs.Part }

func (quoting) Parse(text string, _ generators.Period, _ *generators.GroupedID) error {
	return fmt.Errorf("cannot read %q", text)
}

func TestTextWithoutPeriodIsWrittenAndNotRead(t *testing.T) {
	codec := grouped(t, generators.YearMonthDay, codecs.Prefix("B"), padded(t, 10, 4))
	text, err := codec.Encode(generators.GroupedID{Period: "20261027", Value: 7})
	if err != nil || text != "B0007" {
		t.Errorf("Encode = %q, %v; want B0007", text, err)
	}
	id, err := codec.Decode(text)
	if !errors.Is(err, codecs.ErrNotDecodable) || id != (generators.GroupedID{}) {
		t.Errorf("Decode = %v, %v; want ErrNotDecodable", id, err)
	}
	mentions(t, err, "B0007", "writes no period")
}

func TestListsThatCannotBeAreRefusedWithPosition(t *testing.T) {
	period := built(t)(codecs.Period(codecs.PeriodSettings{}))
	date := built(t)(codecs.DatePrefix(codecs.DatePrefixSettings{}))
	number, prefix := codecs.Decimal(), codecs.Prefix("A")
	day := generators.YearMonthDay
	type list = []codecs.Part
	type mistakes = []codecs.ListError // of Problem and Accepted a piece each
	for _, c := range []struct {
		name   string
		period generators.Period // 0: a list for plain ids
		parts  list
		want   mistakes
	}{
		{"no parts", 0, nil, mistakes{{-1, "", "no part writes the number", "exactly one"}}},
		{"no number", 0, list{prefix}, mistakes{{-1, "", "no part writes the number", "radix or decimal"}}},
		{"two numbers", 0, list{number, prefix, padded(t, 36, 13)}, mistakes{
			{2, "radix 36", "a second time, after list[0]", "exactly one"},
		}},
		{"three numbers", 0, list{number, number, number}, mistakes{
			{1, "decimal", "after list[0]", ""}, {2, "decimal", "after list[0]", ""},
		}},
		{"a period for plain ids", 0, list{prefix, period, number}, mistakes{
			{1, "period", "have none", "without a period"},
		}},
		{"a date prefix for plain ids", 0, list{date, number}, mistakes{{0, "date-prefix", "have none", ""}}},
		{"two periods", day, list{date, number, period}, mistakes{
			{2, "period", "a second time, after list[0]", "at most one"},
		}},
		{"a date prefix not in front", day, list{prefix, date, number}, mistakes{
			{1, "date-prefix", "only the first", "period part"},
		}},
		{"nil", 0, list{number, nil}, mistakes{{1, "<nil>", "is nil", "a part"}}},
		{"not a period", 99, list{period, number}, mistakes{
			{-1, "", "Period(99) is not a period", "YEAR_MONTH_DAY"},
		}},
		{"unknown role", 0, list{fake{role: 7, width: 1}, number}, mistakes{
			{0, "codecs_test.fake", "unknown role 7", "Literal"},
		}},
		{"variable literal", 0, list{fake{role: codecs.Literal, width: codecs.Variable}, number}, mistakes{
			{0, "codecs_test.fake", "variable width", "only the number"},
		}},
		{"variable period", day, list{fake{role: codecs.PeriodValue, width: codecs.Variable}, number}, mistakes{
			{0, "codecs_test.fake", "variable width", "only the number"},
		}},
		{"number without width", 0, list{fake{role: codecs.NumberValue}}, mistakes{
			{0, "codecs_test.fake", "width 0", "positive"},
		}},
		{"period without width", day, list{fake{role: codecs.PeriodValue}, number}, mistakes{
			{0, "codecs_test.fake", "width 0", "positive"},
		}},
		{"senseless width", 0, list{fake{role: codecs.Literal, width: -2}, number}, mistakes{
			{0, "codecs_test.fake", "width -2", "positive"},
		}},
		{"several at once", 0, list{nil, period}, mistakes{
			{0, "<nil>", "is nil", ""}, {1, "period", "have none", ""}, {-1, "", "no part writes", ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var codec any
			var err error
			if c.period == 0 {
				codec, err = codecs.New(c.parts)
			} else {
				codec, err = codecs.NewGrouped(c.parts, c.period)
			}
			if err == nil {
				t.Fatal("no error")
			}
			if codec != nil {
				t.Errorf("a codec comes with the error: %v", codec)
			}
			joined, ok := err.(interface{ Unwrap() []error })
			if !ok || len(joined.Unwrap()) != len(c.want) {
				t.Fatalf("%v; want %d mistakes", err, len(c.want))
			}
			for i, e := range joined.Unwrap() {
				got, want := *e.(*codecs.ListError), c.want[i]
				if got.Index != want.Index || got.Part != want.Part ||
					!strings.Contains(got.Problem, want.Problem) || !strings.Contains(got.Accepted, want.Accepted) {
					t.Errorf("%+v; want %+v", got, want)
				}
				mentions(t, e, got.Part, got.Problem, got.Accepted)
				if got.Index >= 0 {
					mentions(t, e, fmt.Sprintf("list[%d]", got.Index))
				}
			}
		})
	}
}

// fake is a part from elsewhere. It writes text, and parse, if any, reads it.
type fake struct {
	role  codecs.Role
	width int
	text  string
	parse func(string, *generators.GroupedID) error
}

func (f fake) Role() codecs.Role           { return f.role }
func (f fake) Width(generators.Period) int { return f.width }

func (f fake) Append(dst []byte, _ generators.GroupedID) ([]byte, error) {
	return append(dst, f.text...), nil
}

func (f fake) Parse(text string, _ generators.Period, id *generators.GroupedID) error {
	if f.parse == nil {
		return nil
	}
	return f.parse(text, id)
}

// The second law does not rest on the good manners of parts.
func TestALenientPartCannotMakeTwoTextsOfOneID(t *testing.T) {
	lenient := fake{role: codecs.Literal, width: 2, text: "ab"} // reads anything
	codec := plain(t, lenient, codecs.Decimal())
	if id, err := codec.Decode("ab7"); err != nil || id != 7 {
		t.Errorf("Decode = %d, %v; want 7", id, err)
	}
	_, err := codec.Decode("aB7")
	syntax, ok := errors.AsType[*codecs.SyntaxError](err)
	if !ok || syntax.Offset != 1 || syntax.Part != "codecs_test.fake" {
		t.Errorf("Decode of another text: %v; want a SyntaxError at byte 1", err)
	}
	negative := fake{role: codecs.NumberValue, width: 1, text: "x"}
	negative.parse = func(_ string, id *generators.GroupedID) error {
		id.Value = -1
		return nil
	}
	if id, err := plain(t, negative).Decode("x"); !errors.Is(err, codecs.ErrSyntax) {
		t.Errorf("Decode = %d, %v; want ErrSyntax, the id is negative", id, err)
	} else {
		mentions(t, err, "ids are not negative")
	}
}

func TestAPartThatLiesAboutItsWidthIsFoundOut(t *testing.T) {
	liar := fake{role: codecs.Literal, width: 3, text: "ab"}
	text, err := plain(t, liar, codecs.Decimal()).Encode(7)
	if err == nil {
		t.Fatalf("Encode = %q, want an error", text)
	}
	mentions(t, err, "codecs_test.fake wrote 2 bytes, its width is 3")
}

func TestErrorsOfForeignPartsKeepTheirPlace(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		offset int
	}{
		"syntax error": {&codecs.SyntaxError{Offset: 1, Problem: "odd"}, 3},
		"wrapped":      {fmt.Errorf("mine: %w", &codecs.SyntaxError{Offset: 1, Problem: "odd"}), 3},
		"other error":  {errors.New("odd"), 2},
	} {
		picky := fake{role: codecs.Literal, width: 2, text: "xy"}
		picky.parse = func(string, *generators.GroupedID) error { return c.err }
		_, err := plain(t, codecs.Prefix("P-"), picky, codecs.Decimal()).Decode("P-xy1")
		want := &codecs.SyntaxError{Text: "P-xy1", Offset: c.offset, Part: "codecs_test.fake", Problem: "odd"}
		if got, ok := errors.AsType[*codecs.SyntaxError](err); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
	}
}

func TestACodecDoesNotKeepTheCallersList(t *testing.T) {
	parts := []codecs.Part{codecs.Prefix("A"), codecs.Decimal()}
	codec := plain(t, parts...)
	parts[0] = codecs.Prefix("B")
	if text, err := codec.Encode(1); err != nil || text != "A1" {
		t.Errorf("Encode = %q, %v; want A1", text, err)
	}
}

func TestTextCostsOneAllocationAndAppendNone(t *testing.T) {
	bill, id := billCodec(t), generators.GroupedID{Period: "20261027", Value: 42}
	short, number := plain(t, padded(t, 62, 11)), int64(295913926632165376)
	open := codecs.DefaultGrouped(generators.YearMonthDay)
	buf := make([]byte, 0, 64)
	for _, c := range []struct {
		name string
		most float64
		run  func() error
	}{
		{"encode bill", 1, func() (err error) { sinkText, err = bill.Encode(id); return err }},
		{"append bill", 0, func() (err error) { sinkBytes, err = bill.Append(buf, id); return err }},
		{"encode radix 62", 1, func() (err error) { sinkText, err = short.Encode(number); return err }},
		{"append radix 62", 0, func() (err error) { sinkBytes, err = short.Append(buf, number); return err }},
		{"encode default grouped", 1, func() (err error) { sinkText, err = open.Encode(id); return err }},
		{"append default grouped", 0, func() (err error) { sinkBytes, err = open.Append(buf, id); return err }},
	} {
		if n := testing.AllocsPerRun(1000, func() {
			if err := c.run(); err != nil {
				t.Fatal(err)
			}
		}); n > c.most {
			t.Errorf("%s allocates %v times, want at most %v", c.name, n, c.most)
		}
	}
}

func mentions(t *testing.T, err error, pieces ...string) {
	t.Helper()
	for _, piece := range pieces {
		if !strings.Contains(err.Error(), piece) {
			t.Errorf("error %q does not say %q", err, piece)
		}
	}
}
