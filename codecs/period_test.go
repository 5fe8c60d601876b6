package codecs_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// The codec's calendar is that of generators.Period.
func TestPeriodsAreThoseThatExist(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	texts := []string{"", "0", "0000", "00000000", "2026-10-27", "+2026", "２０２６"}
	texts = append(texts, "20260230", "20240229", "21000229", "20000229")
	for range 5_000 {
		texts = append(texts,
			fmt.Sprintf("%04d", random.IntN(10_000)),
			fmt.Sprintf("%04d%02d", random.IntN(10_000), random.IntN(15)),
			fmt.Sprintf("%04d%02d%02d", 1990+random.IntN(120), random.IntN(15), random.IntN(34)))
	}
	for _, good := range []string{"2026", "202610", "20261027"} {
		for i := range good {
			for c := range 256 {
				texts = append(texts, good[:i]+string([]byte{byte(c)})+good[i+1:])
			}
		}
	}
	for _, period := range []generators.Period{generators.Year, generators.YearMonth, generators.YearMonthDay} {
		codec := codecs.DefaultGrouped(period)
		exist := 0
		for _, text := range texts {
			_, wrong := period.Parse(text, time.UTC)
			_, errEncode := codec.Encode(generators.GroupedID{Period: text})
			id, errDecode := codec.Decode(text + "-0")
			if (wrong == nil) != (errEncode == nil) || (wrong == nil) != (errDecode == nil) {
				t.Errorf("%v %q: Parse says %v, Encode %v, Decode %v", period, text, wrong, errEncode, errDecode)
			}
			if errDecode == nil && id.Period != text {
				t.Errorf("%v %q is read as %q", period, text, id.Period)
			}
			if wrong == nil {
				exist++
			}
		}
		if exist < 100 {
			t.Errorf("%v: only %d of the texts exist", period, exist)
		}
	}
}

func TestShortYearsLieInThisCentury(t *testing.T) {
	short := built(t)(codecs.DatePrefix(codecs.DatePrefixSettings{ShortYear: true}))
	codec := grouped(t, generators.YearMonthDay, short, codecs.Decimal())
	for text, want := range map[string]string{
		"0001011": "20000101", "9912311": "20991231", "2610271": "20261027", "0002291": "20000229",
	} {
		if id, err := codec.Decode(text); err != nil || id.Period != want || id.Value != 1 {
			t.Errorf("Decode(%q) = %v, %v; want 1 of %s", text, id, err, want)
		}
		if back, err := codec.Encode(generators.GroupedID{Period: want, Value: 1}); err != nil || back != text {
			t.Errorf("Encode(1 of %s) = %q, %v; want %q", want, back, err, text)
		}
	}
	for _, text := range []string{"2602301", "0102291", "2613011", "26a0011"} {
		if id, err := codec.Decode(text); !errors.Is(err, codecs.ErrSyntax) {
			t.Errorf("Decode(%q) = %v, %v; want ErrSyntax", text, id, err)
		}
	}
}

func TestADelimiterThatCannotBePrintedIsRefused(t *testing.T) {
	for _, delimiter := range []string{"\n", "-\x00", "\xff", "\u200b"} {
		_, errDate := codecs.DatePrefix(codecs.DatePrefixSettings{Delimiter: delimiter})
		_, errPeriod := codecs.Period(codecs.PeriodSettings{Delimiter: delimiter})
		for name, err := range map[string]error{"date-prefix": errDate, "period": errPeriod} {
			mistake, ok := errors.AsType[*field.Error](err)
			if !ok || mistake.Key != "delimiter" {
				t.Errorf("%s with delimiter %q: %v; want a field.Error for delimiter", name, delimiter, err)
				continue
			}
			mentions(t, err, "codecs: "+name+": ")
		}
	}
}

// A part keeps its own law, in whatever codec it is used, and says where a piece is wrong.
func TestAPeriodPartReadsOnlyItsOwnTexts(t *testing.T) {
	part := built(t)(codecs.Period(codecs.PeriodSettings{Delimiter: "-", ShortYear: true}))
	for _, c := range []struct {
		period generators.Period
		text   string
		offset int
	}{
		{generators.YearMonth, "", 0},
		{generators.YearMonth, "261", 3},
		{generators.YearMonth, "2610", 4},
		{generators.YearMonth, "2610--", 5},
		{generators.YearMonth, "2613-", 0},
		{0, "2610-", 5},
		{0, "-", 1},
	} {
		var id generators.GroupedID
		err := part.Parse(c.text, c.period, &id)
		syntax, ok := errors.AsType[*codecs.SyntaxError](err)
		if !ok || syntax.Offset != c.offset || id.Period != "" {
			t.Errorf("Parse(%q) for %v = %v, id %v; want a SyntaxError at byte %d", c.text, c.period, err, id, c.offset)
		}
	}
}
