package codecs_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

func friendly(t testing.TB, zone string) codecs.Part {
	t.Helper()
	return built(t)(codecs.Friendly(codecs.FriendlySettings{Zone: zone}))
}

func ownDate(t testing.TB, zone, pattern, delimiter string) codecs.Part {
	t.Helper()
	return built(t)(codecs.DatePrefix(codecs.DatePrefixSettings{Zone: zone, Pattern: pattern, Delimiter: delimiter}))
}

func laidOut(t testing.TB, layout generators.Layout, parts ...codecs.Part) codecs.Codec {
	t.Helper()
	codec, err := codecs.NewWithLayout(parts, layout)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// The friendly vectors are those of design section 7.
func TestSnowflakeTextsOfTheDesign(t *testing.T) {
	layout, seconds := generators.DefaultLayout(), generators.DefaultSecondLayout()
	second, err := seconds.Compose(70572601, 5, 7) // 2022-03-20T11:30:01Z
	if err != nil {
		t.Fatal(err)
	}
	const shanghai = "Asia/Shanghai"
	for _, c := range []struct {
		codec codecs.Codec
		id    int64
		text  string
	}{
		{laidOut(t, layout, friendly(t, shanghai)), 295913926632165376, "20220320133617924-5-0"},
		{laidOut(t, layout, friendly(t, shanghai)), 266231902451535872, "20211228155031894-1-0"},
		{laidOut(t, layout, friendly(t, shanghai)), 0, "20191225000000000-0-0"},
		{laidOut(t, layout, friendly(t, "UTC")), 295913926632165376, "20220320053617924-5-0"},
		{laidOut(t, layout, friendly(t, "UTC")), math.MaxInt64, "20890830074735551-1023-4095"},
		{laidOut(t, seconds, friendly(t, "UTC")), second, "20220320113001-5-7"},
		{laidOut(t, layout, codecs.Prefix("T"), friendly(t, shanghai), codecs.Suffix("-0")), 0, "T20191225000000000-0-0-0"},
		{laidOut(t, layout, ownDate(t, shanghai, "", "-"), codecs.Decimal()), 295913926632165376, "20220320-295913926632165376"},
		{laidOut(t, layout, ownDate(t, shanghai, "yyMM", ""), padded(t, 62, 11)), 295913926632165376, "22030LrHucXALbs"},
		{laidOut(t, layout, ownDate(t, shanghai, "yyyy-MM-dd HH:mm:ss.SSS", "|"), codecs.Decimal()), 0, "2019-12-25 00:00:00.000|0"},
		{laidOut(t, layout, ownDate(t, "UTC", "yyyy年MM月dd日", "第"), codecs.Decimal()), 0, "2019年12月24日第0"},
		// The date of a snowflake takes no part in telling ids apart, so that a zone with summer time does no harm.
		{laidOut(t, layout, ownDate(t, "Europe/Berlin", "yyyyMMddHH", "/"), codecs.Decimal()), 0, "2019122417/0"},
		{laidOut(t, layout, ownDate(t, shanghai, "dd.", ""), friendly(t, "UTC")), 0, "25.20191224160000000-0-0"},
		{laidOut(t, layout, codecs.Decimal()), math.MaxInt64, "9223372036854775807"},
	} {
		if text, err := c.codec.Encode(c.id); err != nil || text != c.text {
			t.Errorf("Encode(%d) = %q, %v; want %q", c.id, text, err, c.text)
		}
		if id, err := c.codec.Decode(c.text); err != nil || id != c.id {
			t.Errorf("Decode(%q) = %d, %v; want %d", c.text, id, err, c.id)
		}
	}
}

func TestFriendlyTextsAreReadOnlyAsTheyAreWritten(t *testing.T) {
	codec := laidOut(t, generators.DefaultLayout(), codecs.Prefix("T"), friendly(t, "Asia/Shanghai"))
	for text, want := range map[string]string{
		"":                                          "the text ends here",
		"T":                                         "the text ends here",
		"T20220320133617924":                        "byte 18 (friendly): the time and a -",
		"T2022032013361792-5-0":                     "byte 17 (friendly): the time and a -",
		"T202203201336179240-5-0":                   "byte 18 (friendly): the time and a -",
		"T20220320133617924-5":                      "byte 20 (friendly): the text ends here, before the - of the sequence",
		"T20220320133617924-5-":                     `byte 21 (friendly): "" is not a number`,
		"T20220320133617924--0":                     `byte 19 (friendly): "" is not a number`,
		"T20220320133617924-5-0-":                   "byte 22 (friendly): '-' is not a digit",
		"T20220320133617924-5-+1":                   "byte 21 (friendly): '+' is not a digit",
		"T20220320133617924-x-0":                    "byte 19 (friendly): 'x' is not a digit",
		"T2022032013361792x-5-0":                    "byte 17 (friendly): 'x' is not a digit of a time",
		"T2022032013361792４-5-0":                    "the time and a -",
		"T20220320133617924-05-0":                   "byte 19 (friendly): its id is written",
		"T20220320133617924-5-00":                   "its id is written",
		"T20220320133617924-1024-0":                 "slot 1024 is not one of 0 to 1023",
		"T20220320133617924-5-4096":                 "sequence 4096 is not one of 0 to 4095",
		"T20220320133617924-5-99999999999999999999": "is not a number that an id holds",
		"T20191224235959999-0-0":                    "tick -1 is not one of",
		"T20890830154735552-0-0":                    "tick 2199023255552 is not one of",
		"T20220230133617924-5-0":                    "its id is written",
		"T20220320253617924-5-0":                    "its id is written",
		"T00000000000000000-0-0":                    "tick",
		"t20220320133617924-5-0":                    "byte 0 (prefix",
	} {
		id, err := codec.Decode(text)
		if err == nil {
			t.Errorf("Decode(%q) = %d, want an error", text, id)
			continue
		}
		checkRefusal(t, text, err)
		mentions(t, err, want)
	}
}

func TestADateThatIsNotTheIDsOwnIsRefused(t *testing.T) {
	codec := laidOut(t, generators.DefaultLayout(), ownDate(t, "Asia/Shanghai", "", "-"), codecs.Decimal())
	for text, want := range map[string]string{
		"20220321-295913926632165376":  `byte 7 (date-prefix): its id is written "20220320-295913926632165376"`,
		"20220320_295913926632165376":  "byte 8 (date-prefix)",
		"xxxxxxxx-295913926632165376":  "byte 0 (date-prefix)",
		"20220320-":                    "the text ends here",
		"20220320-0295913926632165376": "zero in front",
	} {
		id, err := codec.Decode(text)
		if err == nil {
			t.Errorf("Decode(%q) = %d, want an error", text, id)
			continue
		}
		checkRefusal(t, text, err)
		mentions(t, err, want)
	}
}

// Summer time ends once a year: what is written in such an hour could be read as two ids.
func TestFriendlyRefusesZonesWhoseClocksAreSetBack(t *testing.T) {
	late := generators.DefaultLayout()
	late.EpochMillis = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	within := generators.DefaultLayout() // within the hour that came twice
	within.EpochMillis = time.Date(2022, 10, 30, 7, 30, 0, 0, time.UTC).UnixMilli()
	old := generators.DefaultLayout()
	old.EpochMillis = 0
	for _, c := range []struct {
		zone   string
		layout generators.Layout
		want   string // "" = it is fine
	}{
		{"UTC", generators.DefaultLayout(), ""},
		{"Asia/Kolkata", generators.DefaultLayout(), ""},
		{"America/Mexico_City", late, ""},
		{"Europe/Berlin", generators.DefaultLayout(), "the clocks of Europe/Berlin are set back on 2020-10-25"},
		{"America/New_York", generators.DefaultSecondLayout(), "set back on 2020-11-01"},
		{"America/Mexico_City", generators.DefaultLayout(), "set back on 2020-10-25"},
		{"America/Mexico_City", within, "set back on 2022-10-30"},
		{"Asia/Shanghai", old, "set back on 1986-09-14"},
	} {
		_, err := codecs.NewWithLayout([]codecs.Part{friendly(t, c.zone)}, c.layout)
		mistake, isList := errors.AsType[*codecs.ListError](err)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.zone, err)
		case c.want != "" && (!isList || !strings.Contains(mistake.Problem, c.want) || !strings.Contains(mistake.Accepted, "UTC")):
			t.Errorf("%s: %v; want %q", c.zone, err, c.want)
		}
	}
}

func TestListsFitTheKindOfTheirIDs(t *testing.T) {
	period := built(t)(codecs.Period(codecs.PeriodSettings{}))
	periodPrefix := built(t)(codecs.DatePrefix(codecs.DatePrefixSettings{}))
	date, friendly := ownDate(t, "UTC", "", ""), friendly(t, "UTC")
	layout := func(parts ...codecs.Part) error {
		_, err := codecs.NewWithLayout(parts, generators.DefaultLayout())
		return err
	}
	plain := func(parts ...codecs.Part) error { _, err := codecs.New(parts); return err }
	grouped := func(parts ...codecs.Part) error {
		_, err := codecs.NewGrouped(parts, generators.Year)
		return err
	}
	for _, c := range []struct {
		name string
		err  error
		says []string
	}{
		{"friendly and a number", layout(friendly, codecs.Decimal()), []string{"list[1] (decimal)", "a second time, after list[0]"}},
		{"friendly twice", layout(friendly, friendly), []string{"list[1] (friendly)", "a second time"}},
		{"a date alone", layout(date), []string{"no part writes the number"}},
		{"a date that is not first", layout(codecs.Decimal(), date), []string{"list[1] (date-prefix)", "only the first"}},
		{"a date-prefix without zone", layout(periodPrefix, codecs.Decimal()), []string{"list[0] (date-prefix)", "zone: Asia/Shanghai"}},
		{"a period", layout(period, codecs.Decimal()), []string{"list[0] (period)", "these ids have none"}},
		{"friendly of plain numbers", plain(friendly), []string{"list[0] (friendly)", "strategy snowflake", "these ids hold none"}},
		{"a date of plain numbers", plain(date, codecs.Decimal()), []string{"list[0] (date-prefix)", "these ids hold none"}},
		{"friendly of grouped ids", grouped(periodPrefix, friendly), []string{"list[1] (friendly)", "the id's period"}},
		{"a date with zone of grouped ids", grouped(date, codecs.Decimal()), []string{"list[0] (date-prefix)", "without zone and pattern"}},
	} {
		if c.err == nil {
			t.Errorf("%s is accepted", c.name)
			continue
		}
		mentions(t, c.err, c.says...)
	}
}

func TestIDsBeyondTheLayoutHaveNoText(t *testing.T) {
	layout := generators.Layout{Unit: time.Second, TimestampBits: 31, SlotBits: 10, SequenceBits: 12}
	for _, parts := range [][]codecs.Part{{friendly(t, "UTC")}, {ownDate(t, "UTC", "", ""), codecs.Decimal()}} {
		for _, id := range []int64{-1, 1 << 53, math.MaxInt64} {
			if text, err := laidOut(t, layout, parts...).Encode(id); !errors.Is(err, codecs.ErrInvalidID) {
				t.Errorf("Encode(%d) = %q, %v; want ErrInvalidID", id, text, err)
			}
		}
	}
	if codec, err := codecs.NewWithLayout([]codecs.Part{codecs.Decimal()}, generators.Layout{}); err == nil {
		t.Errorf("no layout makes a codec: %v", codec)
	}
	far := generators.Layout{Unit: time.Second, TimestampBits: 41, SlotBits: 10, SequenceBits: 12}
	if text, err := laidOut(t, far, friendly(t, "UTC")).Encode(math.MaxInt64); !errors.Is(err, codecs.ErrCodecOverflow) {
		t.Errorf("a year of five digits is written %q, %v; want ErrCodecOverflow", text, err)
	}
}

func TestALayoutPartWritesNothingBeforeItKnowsTheLayout(t *testing.T) {
	for _, part := range []codecs.Part{friendly(t, "UTC"), ownDate(t, "UTC", "", "")} {
		if got, err := part.Append([]byte("a"), generators.GroupedID{}); err == nil || string(got) != "a" {
			t.Errorf("%v wrote %q, %v", part, got, err)
		}
		if err := part.Parse("20191224160000000-0-0", 0, &generators.GroupedID{}); err == nil {
			t.Errorf("%v read a text", part)
		}
	}
}

func TestMistakesInTheSettingsOfDatesNameTheirKeys(t *testing.T) {
	type settings = codecs.DatePrefixSettings
	for _, c := range []struct {
		settings settings
		key      string
		want     string
	}{
		{settings{Pattern: "yyyyMMdd"}, "zone", "a time zone is required"},
		{settings{Zone: "Local"}, "zone", "machine to machine"},
		{settings{Zone: "Mars/Phobos"}, "zone", "not a known time zone"},
		{settings{Zone: "UTC", Pattern: "yyyyMMDD"}, "pattern", `"DD" in "yyyyMMDD" is no field`},
		{settings{Zone: "UTC", Pattern: "yyy"}, "pattern", `"yyy"`},
		{settings{Zone: "UTC", Pattern: "yyyy-M"}, "pattern", `"M"`},
		{settings{Zone: "UTC", Pattern: "20yy"}, "pattern", `"2" in`},
		{settings{Zone: "UTC", Pattern: "--"}, "pattern", "holds no field"},
		{settings{Zone: "UTC", Pattern: "yyyy\n"}, "pattern", "cannot be printed"},
		{settings{Zone: "UTC", Delimiter: "\n"}, "delimiter", "cannot be printed"},
		{settings{Zone: "UTC", ShortYear: true}, "short-year", "the pattern says"},
	} {
		err := c.settings.Validate()
		mistake, ok := errors.AsType[*field.Error](err)
		if !ok || mistake.Key != c.key || !strings.Contains(mistake.Problem, c.want) {
			t.Errorf("%+v: %v; want the key %q and %q", c.settings, err, c.key, c.want)
		}
		if part, err := codecs.DatePrefix(c.settings); err == nil {
			t.Errorf("%+v builds %v", c.settings, part)
		}
	}
	for _, zone := range []string{"", "Local", "Mars/Phobos"} {
		if part, err := codecs.Friendly(codecs.FriendlySettings{Zone: zone}); err == nil {
			t.Errorf("zone %q builds %v", zone, part)
		}
	}
}

func TestSnowflakeTextsAreReadBack(t *testing.T) {
	for _, layout := range []generators.Layout{generators.DefaultLayout(), generators.DefaultSecondLayout()} {
		for _, codec := range snowflakeCodecs(t, layout, "Asia/Shanghai", "yyMMddHHmmssSSS") {
			for range 2000 {
				id := rand.Int64()
				text, err := codec.Encode(id)
				if err != nil {
					t.Fatal(err)
				}
				if back, err := codec.Decode(text); err != nil || back != id {
					t.Fatalf("%d is written %q, which is read as %d, %v", id, text, back, err)
				}
			}
		}
	}
}

func snowflakeCodecs(t testing.TB, layout generators.Layout, zone, pattern string) []codecs.Codec {
	var made []codecs.Codec
	date, errDate := codecs.DatePrefix(codecs.DatePrefixSettings{Zone: zone, Pattern: pattern, Delimiter: "-"})
	friendly, errFriendly := codecs.Friendly(codecs.FriendlySettings{Zone: zone})
	if errors.Join(errDate, errFriendly) != nil {
		return nil
	}
	for _, parts := range [][]codecs.Part{
		{friendly}, {date, friendly}, {date, codecs.Decimal()}, {codecs.Prefix("7"), friendly, codecs.Suffix("-0")},
	} {
		if codec, err := codecs.NewWithLayout(parts, layout); err == nil {
			made = append(made, codec)
		}
	}
	return made
}

// Whatever the zone and the pattern: a text that is read is the only one of its id, and an id that has a text is read
// from it.
func FuzzSnowflakeTexts(f *testing.F) {
	f.Add("20220320133617924-5-0", int64(295913926632165376), "Asia/Shanghai", "yyyyMMdd", false, 41, 10, 12)
	f.Add("2022-20220320133617-5-0", int64(0), "UTC", "yyyy", true, 31, 10, 22)
	f.Add("720191225000000000-0-0-0", int64(1), "Europe/Berlin", "HH:mm", false, 40, 0, 1)
	f.Add("-0-0", int64(math.MaxInt64), "America/Mexico_City", "票yy", false, 42, 1, 20)
	f.Fuzz(func(t *testing.T, text string, id int64, zone, pattern string, seconds bool, timestamp, slot, sequence int) {
		layout := generators.Layout{
			Unit: time.Millisecond, EpochMillis: generators.DefaultEpochMillis,
			TimestampBits: timestamp, SlotBits: slot, SequenceBits: sequence,
		}
		if seconds {
			layout.Unit = time.Second
		}
		if layout.Validate() != nil {
			return
		}
		for _, codec := range snowflakeCodecs(t, layout, zone, pattern) {
			checkDecode(t, codec, text)
			written, err := codec.Encode(id)
			if err != nil {
				checkUnwritable(t, err)
			} else if back, err := codec.Decode(written); err != nil || back != id {
				t.Errorf("%d is written %q, which is read as %d, %v", id, written, back, err)
			}
		}
	})
}
