package codecs_test

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

func TestBuiltinPartsHaveTheNamesOfTheDesign(t *testing.T) {
	var names []string
	for _, f := range codecs.Builtin() {
		names = append(names, f.Name())
	}
	want := []string{"radix", "decimal", "prefix", "suffix", "date-prefix", "period", "friendly"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
}

// A list built the way a configuration builds it writes what one built in Go writes.
func TestFactoriesBuildFromTheirSettings(t *testing.T) {
	factories := map[string]codecs.PartFactory{}
	for _, f := range codecs.Builtin() {
		factories[f.Name()] = f
	}
	build := func(name string, set func(settings any)) codecs.Part {
		settings := factories[name].NewSettings()
		set(settings)
		if v, ok := settings.(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		return built(t)(factories[name].Build(settings))
	}
	text := func(s string) func(any) {
		return func(settings any) {
			if err := settings.(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
	}
	number := build("radix", func(s any) {
		radix := s.(*codecs.RadixSettings)
		radix.Radix, radix.Width, radix.PadStart = 10, new(4), true
	})
	period := build("period", func(s any) { s.(*codecs.PeriodSettings).Delimiter = "-" })
	date := build("date-prefix", func(s any) { s.(*codecs.DatePrefixSettings).ShortYear = true })
	decimal := build("decimal", func(any) {})
	suffix := build("suffix", text("!"))
	if name := fmt.Sprint(suffix); name != `suffix "!"` {
		t.Errorf("a suffix is called %s in errors", name)
	}
	id := generators.GroupedID{Period: "202610", Value: 42}
	for want, parts := range map[string][]codecs.Part{
		"B202610-0042!": {build("prefix", text("B")), period, number, suffix},
		"261042":        {date, decimal},
	} {
		if got, err := grouped(t, generators.YearMonth, parts...).Encode(id); err != nil || got != want {
			t.Errorf("Encode = %q, %v; want %q", got, err, want)
		}
	}
	if text, err := plain(t, build("radix", func(any) {})).Encode(71); err != nil || text != "1Z" {
		t.Errorf("radix without settings writes 71 as %q, %v; want radix 36, 1Z", text, err)
	}
}

func TestEachListEntryHasSettingsOfItsOwn(t *testing.T) {
	for _, f := range codecs.Builtin() {
		a, b := f.NewSettings(), f.NewSettings()
		if reflect.TypeOf(a).Elem().Size() > 0 && a == b {
			t.Errorf("%s: two entries share their settings", f.Name())
		}
	}
}

func TestFactoriesRefuseForeignSettings(t *testing.T) {
	for _, f := range codecs.Builtin() {
		for _, settings := range []any{nil, 7, new(string), struct{}{}} {
			part, err := f.Build(settings)
			if err == nil || part != nil {
				t.Errorf("%s: Build(%T) = %v, %v; want an error", f.Name(), settings, part, err)
				continue
			}
			mentions(t, err, f.Name(), fmt.Sprintf("%T", settings))
		}
	}
}

func TestPartsAreBuiltOnlyFromValidSettings(t *testing.T) {
	for _, f := range codecs.Builtin() {
		settings := f.NewSettings()
		switch s := settings.(type) {
		case *codecs.RadixSettings:
			s.Radix = 63
		case *codecs.DatePrefixSettings:
			s.Delimiter = "\n"
		case *codecs.PeriodSettings:
			s.Delimiter = "\n"
		case *codecs.FriendlySettings:
			s.Zone = "Local"
		case *codecs.LiteralSettings:
			if err := s.UnmarshalText([]byte("line\n")); err == nil {
				t.Errorf("%s: a text with a line end is taken", f.Name())
			}
		default:
			continue
		}
		if part, err := f.Build(settings); err == nil {
			t.Errorf("%s: Build = %v, want an error", f.Name(), part)
		}
	}
}

func TestALiteralOfAConfigurationIsNotEmpty(t *testing.T) {
	for _, err := range []error{new(codecs.LiteralSettings).Validate(), new(codecs.LiteralSettings).UnmarshalText(nil)} {
		mistake, ok := errors.AsType[*field.Error](err)
		if !ok || mistake.Key != "" {
			t.Errorf("%v; want a field.Error for the settings as a whole", err)
		}
	}
}
