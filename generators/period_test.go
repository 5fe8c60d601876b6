package generators_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones must not depend on the machine

	"github.com/cosid-go/cosid/generators"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestPeriodNamesAreReadInAnyCaseAndWithDashes(t *testing.T) {
	for name, want := range map[string]generators.Period{
		"YEAR": generators.Year, "year": generators.Year,
		"YEAR_MONTH": generators.YearMonth, "year-month": generators.YearMonth,
		"YEAR_MONTH_DAY": generators.YearMonthDay, "Year-Month_Day": generators.YearMonthDay,
	} {
		got, err := generators.ParsePeriod(name)
		if err != nil || got != want {
			t.Errorf("ParsePeriod(%q) = %v, %v; want %v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "DAILY", "YEARMONTH", "YEAR MONTH"} {
		if got, err := generators.ParsePeriod(name); err == nil {
			t.Errorf("ParsePeriod(%q) = %v, want an error", name, got)
		}
	}
}

func TestPeriodWritesAndReadsItsOwnText(t *testing.T) {
	at := time.Date(2026, 10, 27, 23, 59, 59, 0, zone(t, "Asia/Shanghai"))
	for period, want := range map[generators.Period]string{
		generators.Year: "2026", generators.YearMonth: "202610", generators.YearMonthDay: "20261027",
	} {
		text := period.Format(at)
		if text != want || len(text) != period.Width() {
			t.Errorf("%v.Format = %q, width %d; want %q", period, text, period.Width(), want)
		}
		start, err := period.Parse(text, at.Location())
		if err != nil || !start.Equal(period.Start(at)) {
			t.Errorf("%v.Parse(%q) = %v, %v; want %v", period, text, start, err, period.Start(at))
		}
	}
	for _, text := range []string{"", "2026", "20261327", "20260230", "2026102", "202610271", "2026-0-1"} {
		if at, err := generators.YearMonthDay.Parse(text, time.UTC); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, at)
		}
	}
}

// A day is a calendar day of its zone: 23, 24 or 25 hours long, and one without midnight begins where it can (F102).
func TestDaysFollowTheZonesCalendar(t *testing.T) {
	for _, c := range []struct {
		zone, noon, start string
		hours             float64
	}{
		{"Asia/Shanghai", "2026-10-27", "2026-10-27T00:00:00+08:00", 24},
		{"America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00", 23},
		{"America/New_York", "2026-11-01", "2026-11-01T00:00:00-04:00", 25},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", 23}, // 00:00 does not exist
		{"America/Havana", "2025-11-02", "2025-11-02T00:00:00-04:00", 25},    // 00:00 comes twice
		{"Pacific/Apia", "2011-12-29", "2011-12-29T00:00:00-10:00", 24},      // the 30th is left out
	} {
		at, err := time.ParseInLocation("2006-01-02 15", c.noon+" 12", zone(t, c.zone))
		if err != nil {
			t.Fatal(err)
		}
		day := generators.YearMonthDay
		start, next := day.Start(at), day.Next(at)
		if got := start.Format(time.RFC3339); got != c.start {
			t.Errorf("%s %s starts at %s, want %s", c.zone, c.noon, got, c.start)
		}
		if got := next.Sub(start).Hours(); got != c.hours {
			t.Errorf("%s %s has %v hours, want %v", c.zone, c.noon, got, c.hours)
		}
		if before, last := day.Format(start.Add(-1)), day.Format(next.Add(-1)); before == day.Format(at) || last != day.Format(at) {
			t.Errorf("%s %s: the moment before it is in %s, its last one in %s", c.zone, c.noon, before, last)
		}
	}
}

func TestPeriodsFollowEachOtherWithoutGap(t *testing.T) {
	for _, period := range []generators.Period{generators.Year, generators.YearMonth, generators.YearMonthDay} {
		at := period.Start(time.Date(2024, 1, 31, 12, 0, 0, 0, zone(t, "Europe/Lisbon")))
		for range 800 {
			next := period.Next(at)
			if !next.After(at) || !period.Start(next).Equal(next) || !period.Start(next.Add(-1)).Equal(at) {
				t.Fatalf("%v: after %v comes %v", period, at, next)
			}
			at = next
		}
	}
}
