package cosid_test

import (
	"math"
	"testing"

	"github.com/cosid-go/cosid"
)

// Filling adds nothing to what the generators allocate: nothing for a number, the string itself for a text.
func TestFillingAllocatesNothingButTheText(t *testing.T) {
	ids, err := cosid.Open(t.Context(), cosid.Options{Logger: quiet(), Source: cosid.Source{
		Environ: []string{},
		Values: map[string]any{
			"namespace": "shop",
			"stores":    map[string]any{"memory": map[string]any{"type": "memory"}},
			"generators": map[string]any{
				"order": map[string]any{"strategy": "segment", "step": 1 << 20},
				"bill": map[string]any{
					"strategy": "periodic-segment", "step": 1 << 20, "period": "YEAR", "zone": "Asia/Shanghai",
				},
			},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer ids.Close(t.Context())
	filler, ctx := cosid.NewFiller(ids), t.Context()
	var number struct {
		ID   int64 `cosid:"order"`
		Name string
	}
	var bill Bill
	rows := make([]Bill, 100)
	for _, c := range []struct {
		name  string
		most  float64
		empty func()
		fill  func() error
	}{
		{"a number", 0, func() { number.ID = 0 }, func() error { return filler.Fill(ctx, &number) }},
		{"a number and a text", 1, func() { bill = Bill{} }, func() error { return filler.Fill(ctx, &bill) }},
		{"nothing", 0, func() {}, func() error { return filler.Fill(ctx, &bill) }},
		// Besides the texts the slice as an any, the grouped ids of the draw, and the codec's method as a value.
		{"100 rows", 100 + 3, func() { clear(rows) }, func() error { return filler.Fill(ctx, rows) }},
	} {
		allocs := math.Inf(1) // the least of some runs: the race detector makes pools forgetful
		for range 50 {
			allocs = min(allocs, testing.AllocsPerRun(1, func() {
				c.empty()
				if err := c.fill(); err != nil {
					t.Fatal(err)
				}
			}))
		}
		if allocs > c.most {
			t.Errorf("%s: %v allocations, want at most %v", c.name, allocs, c.most)
		}
	}
}
