package config

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const acceptedDuration = "a number with a unit, such as 500ms, 1m30s, 1d or PT1S"

var errNotADuration = errors.New("not a duration")

// parseDuration reads what time.ParseDuration reads, days (1d, 1d12h) and ISO 8601 durations of days and below
// (PT1S, P1DT12H). A number without a unit is refused, except 0.
func parseDuration(text string) (time.Duration, error) {
	if strings.HasPrefix(text, "P") {
		return parseISODuration(text)
	}
	days, rest, found := strings.Cut(text, "d")
	if !found {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, errNotADuration
		}
		return d, nil
	}
	total, err := countDays(days)
	if err != nil || rest == "" {
		return total, err
	}
	d, err := time.ParseDuration(rest)
	if err != nil || total < 0 || rest[0] == '+' || total > total+d {
		return 0, errNotADuration
	}
	return total + d, nil
}

var isoDuration = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)

func parseISODuration(text string) (time.Duration, error) {
	groups := isoDuration.FindStringSubmatch(text)
	if groups == nil || text == "P" || strings.HasSuffix(text, "T") {
		return 0, errNotADuration
	}
	var total time.Duration
	for i, unit := range []string{"d", "h", "m", "s"} {
		digits := groups[i+1]
		if digits == "" {
			continue
		}
		d, err := parseDuration(digits + unit)
		if err != nil || total > total+d {
			return 0, errNotADuration
		}
		total += d
	}
	return total, nil
}

func countDays(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	days, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXpPeEiInN_") {
		return 0, errNotADuration
	}
	if d := days * float64(day); d < -float64(1<<62) || d > float64(1<<62) {
		return 0, errNotADuration
	}
	return time.Duration(days * float64(day)), nil
}
