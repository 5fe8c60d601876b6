package endurance_test

import (
	"fmt"
	"strings"
	"time"
)

// availability says when workers made ids.
type availability struct {
	began, ended time.Time
	workers      int
	limit        int64
	ids          int64
	share        []float64       // of the time, for each worker
	gap          []time.Duration // the longest of each worker
	longest      time.Duration   // in which nobody made an id
	busy         float64         // workers that made ids at once, on average
}

// slice is how finely it looks: a worker that makes an id in one has been able to.
const slice = 100 * time.Millisecond

func availabilityOf(a *audit, began, ended time.Time, workers int) availability {
	v := availability{
		began: began, ended: ended, workers: workers, limit: a.limit, ids: a.ids,
		share: make([]float64, workers), gap: make([]time.Duration, workers),
	}
	slices := max(1, int(ended.Sub(began)/slice))
	last, anybody := make([]time.Time, workers), began
	counted := make([]int, workers)
	for worker := range last {
		last[worker], counted[worker] = began, -1
	}
	issued := make([]int, workers)
	for _, b := range a.batches { // in the order of time
		if b.at.Before(began) || !b.at.Before(ended) {
			continue
		}
		v.longest, anybody = max(v.longest, b.at.Sub(anybody)), b.at
		v.gap[b.worker], last[b.worker] = max(v.gap[b.worker], b.at.Sub(last[b.worker])), b.at
		if i := int(b.at.Sub(began) / slice); i != counted[b.worker] {
			counted[b.worker] = i
			issued[b.worker]++
		}
	}
	v.longest = max(v.longest, ended.Sub(anybody))
	for worker := range last {
		v.gap[worker] = max(v.gap[worker], ended.Sub(last[worker]))
		v.share[worker] = min(1, float64(issued[worker])/float64(slices))
		v.busy += v.share[worker]
	}
	return v
}

// String is a table.
func (v availability) String() string {
	var b strings.Builder
	took := v.ended.Sub(v.began)
	fmt.Fprintf(&b, "%d ids in %v, %.0f a second; "+
		"%.2f of %d slots made ids at a time (%.0f %%); nobody did for at most %v\n",
		v.ids, took.Round(time.Millisecond), float64(v.ids)/took.Seconds(), v.busy, v.limit, 100*v.busy/float64(v.limit),
		v.longest.Round(time.Millisecond))
	b.WriteString("share of the time in which each worker made ids, and its longest gap:")
	for worker := range v.share {
		fmt.Fprintf(&b, " %d: %.0f %% %v;", worker, 100*v.share[worker], v.gap[worker].Round(slice))
	}
	return strings.TrimSuffix(b.String(), ";")
}
