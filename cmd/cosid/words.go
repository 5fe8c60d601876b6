package main

import (
	"strconv"
	"time"
)

// counted is a number with its noun: "1 mistake", "3 mistakes".
func counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(int64(n)) + " " + noun + "s"
}

// grouped writes a number with commas between the thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// moment writes milliseconds since the Unix epoch as a time; 0 is no time.
func moment(millis int64) string {
	if millis == 0 {
		return ""
	}
	return time.UnixMilli(millis).UTC().Format("2006-01-02T15:04:05.000Z")
}

// short writes a duration with about three digits.
func short(d time.Duration) string {
	unit := time.Nanosecond
	for d.Abs() >= 1000*unit && unit < time.Second {
		unit *= 10
	}
	return d.Round(unit).String()
}
