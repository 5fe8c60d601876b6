package generators

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

// Period is the calendar unit in which grouped ids restart.
type Period int

// The periods. The zero Period is none of them, so that a forgotten setting is noticed.
const (
	Year         Period = iota + 1 // 2026
	YearMonth                      // 202610
	YearMonthDay                   // 20261027
)

// PeriodNames is what ParsePeriod accepts, in any case and with - or _.
const PeriodNames = "YEAR, YEAR_MONTH, YEAR_MONTH_DAY"

var periods = map[Period]struct{ name, layout string }{
	Year:         {"YEAR", "2006"},
	YearMonth:    {"YEAR_MONTH", "200601"},
	YearMonthDay: {"YEAR_MONTH_DAY", "20060102"},
}

// ParsePeriod reads the name of a period: YEAR, year-month, Year_Month_Day.
func ParsePeriod(name string) (Period, error) {
	canonical := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	for p, v := range periods {
		if v.name == canonical {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%q is not a period", name)
}

// String is the period's name, as in a configuration.
func (p Period) String() string {
	if v, ok := periods[p]; ok {
		return v.name
	}
	return fmt.Sprintf("Period(%d)", int(p))
}

// Width is the number of digits that Format writes, 0 for no period.
func (p Period) Width() int { return len(periods[p].layout) }

// Format writes the period that t lies in, in t's own zone.
func (p Period) Format(t time.Time) string { return t.Format(periods[p].layout) }

// Parse returns the first moment of the written period in zone. Only what Format writes is read.
func (p Period) Parse(text string, zone *time.Location) (time.Time, error) {
	t, err := time.ParseInLocation(periods[p].layout, text, zone)
	if err != nil || p.Format(t) != text {
		return time.Time{}, fmt.Errorf("%q is not a %s, written %s", text, p, periods[p].layout)
	}
	return p.Start(t), nil
}

// Start is the first moment of the period that t lies in, in t's own zone. Where the zone skips midnight, the
// period begins at the first moment that exists.
func (p Period) Start(t time.Time) time.Time {
	year, month, day := t.Date()
	switch p {
	case Year:
		month, day = time.January, 1
	case YearMonth:
		day = 1
	}
	return startOfDay(year, month, day, t.Location())
}

// Next is the first moment after the period that t lies in: where the next one starts.
func (p Period) Next(t time.Time) time.Time {
	year, month, day := t.Date()
	switch p {
	case Year:
		return startOfDay(year+1, time.January, 1, t.Location())
	case YearMonth:
		return startOfDay(year, month+1, 1, t.Location())
	default:
		return startOfDay(year, month, day+1, t.Location())
	}
}

// startOfDay finds the first moment in zone whose date is not before the given one. time.Date alone does not:
// around a clock change it may answer with the evening before, or with the second of two midnights. Zones
// change at whole seconds, so a search over seconds is exact.
func startOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	wanted := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	earliest := time.Date(year, month, day-1, 0, 0, 0, 0, zone).Add(-12 * time.Hour)
	const seconds = 4 * 24 * 60 * 60
	found := sort.Search(seconds, func(i int) bool {
		y, m, d := earliest.Add(time.Duration(i) * time.Second).Date()
		return !time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(wanted)
	})
	return earliest.Add(time.Duration(found) * time.Second)
}
