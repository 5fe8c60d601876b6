package codecs

import "github.com/cosid-go/cosid/generators"

// isPeriod tells whether text is what period.Format writes for some moment. Period.Parse tells the same, and
// more slowly: this runs once for each id that is written.
func isPeriod(text string, period generators.Period) bool {
	var year, month, day int
	switch {
	case period == generators.Year && len(text) == 4:
		year, month, day = number(text), 1, 1
	case period == generators.YearMonth && len(text) == 6:
		year, month, day = number(text[:4]), number(text[4:]), 1
	case period == generators.YearMonthDay && len(text) == 8:
		year, month, day = number(text[:4]), number(text[4:6]), number(text[6:])
	default:
		return false
	}
	return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

// number reads decimal digits, and is negative for anything else.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		digit := digits[i] - '0'
		if digit > 9 {
			return -1
		}
		n = 10*n + int(digit)
	}
	return n
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	default:
		return 31
	}
}
