package main

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

// histogram counts durations in buckets with the bounds 1, 2, 5, 10, 20, … microseconds. Its size does not depend on how
// many there are. The zero value is empty.
type histogram struct {
	Count   int64
	sum     time.Duration
	longest time.Duration
	buckets [31]int64 // buckets[i] is below bound(i), and not below the one before; the last holds all the rest
}

func (h *histogram) add(d time.Duration) {
	h.Count++
	h.sum += d
	h.longest = max(h.longest, d)
	i := 0
	for i < len(h.buckets)-1 && d >= bound(i) {
		i++
	}
	h.buckets[i]++
}

// bound is the duration below which bucket i lies.
func bound(i int) time.Duration {
	d := time.Microsecond * [...]time.Duration{1, 2, 5}[i%3]
	for range i / 3 {
		d *= 10
	}
	return d
}

// filled are the first and the last bucket that hold something.
func (h *histogram) filled() (first, last int) {
	for i, n := range h.buckets {
		if n > 0 {
			if h.buckets[first] == 0 {
				first = i
			}
			last = i
		}
	}
	return first, last
}

// mean is 0 for an empty histogram.
func (h *histogram) mean() time.Duration {
	if h.Count == 0 {
		return 0
	}
	return h.sum / time.Duration(h.Count)
}

// MarshalJSON writes the buckets that hold something.
func (h *histogram) MarshalJSON() ([]byte, error) {
	type bucket struct {
		BelowMillis float64 `json:"below_ms"`
		Count       int64   `json:"count"`
	}
	buckets := []bucket{}
	for i, n := range h.buckets {
		if n > 0 {
			buckets = append(buckets, bucket{BelowMillis: millis(bound(i)), Count: n})
		}
	}
	return json.Marshal(struct {
		Count   int64    `json:"count"`
		Mean    float64  `json:"mean_ms"`
		Longest float64  `json:"longest_ms"`
		Buckets []bucket `json:"buckets"`
	}{h.Count, millis(h.mean()), millis(h.longest), buckets})
}

// longestBar is the width of the fullest bucket.
const longestBar = 40

// text draws one line a bucket, from the first that holds something to the last.
func (h *histogram) text(p *cli.Page) {
	first, last := h.filled()
	fullest := int64(1)
	for _, n := range h.buckets {
		fullest = max(fullest, n)
	}
	var rows [][]cli.Cell
	for i := first; i <= last; i++ {
		n := h.buckets[i]
		bar := strings.Repeat("#", int((n*longestBar+fullest-1)/fullest))
		rows = append(rows, []cli.Cell{cli.Right("< " + bound(i).String()), cli.Right(grouped(n)), cli.Left(cmp.Or(bar, " "))})
	}
	p.Table([]string{"LATENCY", "COUNT", ""}, rows)
}
