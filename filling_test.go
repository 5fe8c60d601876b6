package cosid_test

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/generators"
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

// G41: a batch draws its ids at once. In batches of 200, 1,000 rows are five draws; how many reservations these are is
// a matter of step: as many as fit into a range are none.
func TestABatchOfRowsNeedsFewReservations(t *testing.T) {
	type row struct {
		ID int64 `gorm:"primaryKey;autoIncrement:false" cosid:"order"`
	}
	for _, c := range []struct {
		name, step string
		batch      int
		most       int64
	}{
		{"1000 rows at once with the default step", "100", 1000, 2},
		{"1000 rows in batches of 200 with a step of 1000", "1000", 200, 2},
		{"1000 rows in batches of 200 with the default step", "100", 200, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reserved atomic.Int64
			ids, err := cosid.Open(t.Context(), cosid.Options{
				Logger: quiet(), Hooks: cosid.Hooks{OnReserved: func(generators.Reserved) { reserved.Add(1) }},
				Source: source(t, strings.Replace(shop, "{ strategy: segment }", "{ strategy: segment, step: "+c.step+" }", 1)),
			})
			if err != nil {
				t.Fatal(err)
			}
			db := openApplicationDB(t)
			err = errors.Join(db.AutoMigrate(&row{}), db.Use(cosid.NewGORMPlugin(cosid.NewFiller(ids))))
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]row, 1000)
			if err := db.CreateInBatches(rows, c.batch).Error; err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				if rows[i].ID != int64(i+1) {
					t.Fatalf("row %d has the id %d", i, rows[i].ID)
				}
			}
			if err := ids.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := reserved.Load(); n > c.most {
				t.Errorf("%d reservations, want at most %d", n, c.most)
			}
		})
	}
}
