package tags_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

type (
	billNo  string
	orderID int64
)

type bill struct {
	ID    int64  `cosid:"order"`
	No    string `cosid:"bill"`
	Title string
}

// newFiller returns a filler with the generators order, bill and default, each counting from 1 or the given number,
// and grouped, which gives text only.
func newFiller(first ...int64) (*tags.Filler, map[string]*tagstest.Counter) {
	start := int64(1)
	if len(first) > 0 {
		start = first[0]
	}
	counters := map[string]*tagstest.Counter{}
	generators := map[string]tags.Generator{}
	for _, name := range []string{"order", "bill", "default", "grouped"} {
		counters[name] = tagstest.NewCounter(start)
		generators[name] = counters[name]
		if name == "order" {
			generators[name] = tagstest.Quick{Counter: counters[name]}
		}
	}
	counters["bill"].Prefix = "B-"
	counters["grouped"].Prefix = "20261027-"
	counters["grouped"].Text = true
	return tags.NewFiller(tagstest.SourceOf(generators)), counters
}

func fill(t *testing.T, f *tags.Filler, target any) {
	t.Helper()
	if err := f.Fill(t.Context(), target); err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

func TestEveryFieldTypeOfAnIDIsFilled(t *testing.T) {
	type row struct {
		I     int                 `cosid:"order"`
		I8    int8                `cosid:"order"`
		I16   int16               `cosid:"order"`
		I32   int32               `cosid:"order"`
		I64   int64               `cosid:"order"`
		U     uint                `cosid:"order"`
		U8    uint8               `cosid:"order"`
		U16   uint16              `cosid:"order"`
		U32   uint32              `cosid:"order"`
		U64   uint64              `cosid:"order"`
		S     string              `cosid:"bill"`
		Named orderID             `cosid:"order"`
		Text  billNo              `cosid:"bill"`
		PI    *int64              `cosid:"order"`
		PS    *string             `cosid:"bill"`
		PN    *billNo             `cosid:"bill"`
		N64   sql.NullInt64       `cosid:"order"`
		N32   sql.NullInt32       `cosid:"order"`
		N16   sql.NullInt16       `cosid:"order"`
		NS    sql.NullString      `cosid:"bill"`
		G64   sql.Null[int64]     `cosid:"order"`
		GU    sql.Null[uint32]    `cosid:"order"`
		GS    sql.Null[billNo]    `cosid:"bill"`
		PNull *sql.NullInt64      `cosid:"order"`
		PG    *sql.Null[string]   `cosid:"bill"`
		Plain string              // no tag
		Never int64               `cosid:"-"`
		Def   int64               `cosid:""`
		Short string              `cosid:"bill,codec=short"`
		Group string              `cosid:"grouped"`
		Time  time.Time           // nothing tagged in it
		Any   any                 // never looked into
		Map   map[string]*bill    // nor this
		Fn    func()              // nor this
		_     struct{ ID string } // nor this
	}
	f, counters := newFiller()
	r := row{Any: &bill{}, Map: map[string]*bill{"a": {}}}
	fill(t, f, &r)
	i64, s1, s3 := int64(12), "B-3", billNo("B-4")
	want := row{
		I: 1, I8: 2, I16: 3, I32: 4, I64: 5, U: 6, U8: 7, U16: 8, U32: 9, U64: 10, S: "B-1", Named: 11, Text: "B-2",
		PI: &i64, PS: &s1, PN: &s3, N64: sql.NullInt64{Int64: 13, Valid: true}, N32: sql.NullInt32{Int32: 14, Valid: true},
		N16: sql.NullInt16{Int16: 15, Valid: true}, NS: sql.NullString{String: "B-5", Valid: true},
		G64: sql.Null[int64]{V: 16, Valid: true}, GU: sql.Null[uint32]{V: 17, Valid: true},
		GS: sql.Null[billNo]{V: "B-6", Valid: true}, PNull: &sql.NullInt64{Int64: 18, Valid: true},
		PG: &sql.Null[string]{V: "B-7", Valid: true}, Def: 1, Short: "sB-8", Group: "20261027-1",
		Any: r.Any, Map: r.Map,
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("filled\n%+v\nwant\n%+v", r, want)
	}
	if *r.Any.(*bill) != (bill{}) || *r.Map["a"] != (bill{}) {
		t.Errorf("an interface or a map was looked into: %+v %+v", r.Any, r.Map["a"])
	}
	before := counters["order"].Drawn() + counters["bill"].Drawn()
	fill(t, f, &r)
	if after := counters["order"].Drawn() + counters["bill"].Drawn(); after != before || !reflect.DeepEqual(r, want) {
		t.Errorf("filling again drew %d ids", after-before)
	}
}

func TestPresetFieldsAreKeptAndDrawNothing(t *testing.T) {
	type row struct {
		ID   int64           `cosid:"order"`
		No   string          `cosid:"bill"`
		Zero *int64          `cosid:"order"` // a pointer to zero was set by somebody
		Null sql.NullInt64   `cosid:"order"` // so was a Valid zero
		G    sql.Null[int32] `cosid:"order"`
	}
	f, counters := newFiller()
	r := row{ID: -5, No: "x", Zero: new(int64), Null: sql.NullInt64{Valid: true}, G: sql.Null[int32]{V: 3, Valid: true}}
	want := r
	fill(t, f, &r)
	if r != want || counters["order"].Drawn() != 0 || counters["bill"].Drawn() != 0 {
		t.Errorf("filled %+v, drew %v and %v; want %+v and no draw",
			r, counters["order"].Draws(), counters["bill"].Draws(), want)
	}
}

// Each shape of target takes one draw a generator, and gives the ids out in order.
func TestTargetsOfEveryShapeAreFilledInOrder(t *testing.T) {
	one, two, three := bill{ID: 1, No: "B-1"}, bill{ID: 2, No: "B-2"}, bill{ID: 3, No: "B-3"}
	single, pointer := bill{}, &bill{}
	slice := []bill{{}, {}, {}}
	pointers := []*bill{{}, nil, {}}
	array := [2]bill{}
	nested := [][]*bill{{{}}, nil, {{}, {}}}
	shared := &bill{}
	for _, c := range []struct {
		name      string
		target    any
		got, want any
	}{
		{"pointer to struct", &single, &single, &one},
		{"pointer to pointer", &pointer, pointer, &one},
		{"slice", slice, slice, []bill{one, two, three}},
		{"pointer to slice", &[]bill{{}, {Title: "kept"}}, nil, nil},
		{"slice of pointers", pointers, pointers, []*bill{&one, nil, &two}},
		{"pointer to array", &array, &array, &[2]bill{one, two}},
		{"slice of slices", nested, nested, [][]*bill{{&one}, nil, {&two, &three}}},
		{"one pointer twice", []*bill{shared, shared, {}}, shared, &one},
		{"empty slice", []bill{}, nil, nil},
		{"nil slice", []bill(nil), nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, counters := newFiller()
			fill(t, f, c.target)
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("filled %+v, want %+v", c.got, c.want)
			}
			for _, name := range []string{"order", "bill"} {
				if draws := counters[name].Draws(); len(draws) > 1 {
					t.Errorf("%s was drawn from in %d calls: %v", name, len(draws), draws)
				}
			}
		})
	}
}

func TestWhatCannotBeFilledIsRefusedAndDrawsNothing(t *testing.T) {
	type pp *bill
	type endless *endless
	type loop []loop
	var any1 any = &bill{}
	for _, c := range []struct {
		name   string
		target any
		want   string
	}{
		{"struct by value", bill{}, "a tags_test.bill by value cannot be filled; give a pointer"},
		{"untagged struct by value", struct{ A int }{}, "by value cannot be filled"},
		{"array by value", [2]bill{}, "a [2]tags_test.bill by value cannot be filled"},
		{"nil", nil, "the target is nil"},
		{"nil pointer", (*bill)(nil), "the target is a nil *tags_test.bill"},
		{"pointer to nil pointer", new(*bill), "the target is a nil *tags_test.bill"},
		{"pointer to interface", &any1, "a *interface {} holds no struct"},
		{"interfaces", []any{&bill{}}, "a []interface {} holds no struct"},
		{"number", new(int64), "a *int64 holds no struct"},
		{"map", map[string]bill{}, "holds no struct"},
		{"endless pointer", new(endless), "holds no struct"},
		{"endless slice", loop{}, "holds no struct"},
		{"named nil pointer", pp(nil), "the target is a nil tags_test.pp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, counters := newFiller()
			wantError(t, f.Fill(t.Context(), c.target), "cosid: fill: ", c.want)
			if n := counters["order"].Drawn() + counters["bill"].Drawn(); n != 0 {
				t.Errorf("%d ids were drawn", n)
			}
		})
	}
	f, _ := newFiller()
	fill(t, f, &struct{ Name string }{}) // nothing tagged: nothing to do
	if err := f.FillValue(t.Context(), reflect.Value{}); err == nil {
		t.Error("the zero reflect.Value was accepted")
	}
}

func TestFillAllDrawsOnceForAllTargets(t *testing.T) {
	type item struct {
		ID int64 `cosid:"order"`
	}
	f, counters := newFiller()
	b, items := bill{}, []item{{}, {}}
	err := f.FillAll(t.Context(), &b, items, bill{}, &b)
	wantError(t, err, "by value") // the others are filled all the same
	if b.ID != 1 || items[0].ID != 2 || items[1].ID != 3 {
		t.Errorf("filled %+v and %+v", b, items)
	}
	if got := counters["order"].Draws(); !slices.Equal(got, []int{3}) {
		t.Errorf("draws of %v, want one of 3", got)
	}
}

func TestFieldsOfOneGeneratorAreFilledRowByRow(t *testing.T) {
	type row struct {
		A int64 `cosid:"order"`
		B int32 `cosid:"order"`
	}
	f, counters := newFiller()
	rows := []row{{}, {A: 9}, {}}
	fill(t, f, rows)
	if want := []row{{1, 2}, {9, 3}, {4, 5}}; !slices.Equal(rows, want) {
		t.Errorf("filled %v, want %v", rows, want)
	}
	if got := counters["order"].Draws(); !slices.Equal(got, []int{5}) {
		t.Errorf("draws of %v, want one of 5", got)
	}
}

// An id that does not fit is reported, not truncated (G40).
func TestNumbersOutOfRangeAreRefusedAndTheFieldStaysEmpty(t *testing.T) {
	type row struct {
		I8  int8             `cosid:"order"`
		U32 uint32           `cosid:"order"`
		P   *int16           `cosid:"order"`
		N   sql.Null[uint16] `cosid:"order"`
		I64 int64            `cosid:"order"`
		U64 uint64           `cosid:"order"`
	}
	f, _ := newFiller(1<<40 + 7)
	rows := make([]row, 2)
	err := f.Fill(t.Context(), rows)
	wantError(t, err, `cosid: fill row.I8 from "order" in 2 rows: 1099511627783 does not fit int8`,
		`cosid: fill row.U32 from "order" in 2 rows: 1099511627784 does not fit uint32`,
		`row.P`, "does not fit int16", `row.N`, "does not fit uint16")
	if n := strings.Count(err.Error(), "\n"); n != 3 {
		t.Errorf("%d lines, want one a field:\n%v", n+1, err)
	}
	for i, r := range rows {
		if r.I8 != 0 || r.U32 != 0 || r.P != nil || r.N.Valid || r.N.V != 0 || r.I64 == 0 || r.U64 == 0 {
			t.Errorf("row %d: %+v", i, r)
		}
	}

	f, _ = newFiller(math.MaxInt64 - 1)
	var edge struct {
		I64 int64  `cosid:"order"`
		U64 uint64 `cosid:"order"`
	}
	fill(t, f, &edge)
	if edge.I64 != math.MaxInt64-1 || edge.U64 != math.MaxInt64 {
		t.Errorf("at the end of int64: %+v", edge)
	}

	f, _ = newFiller(255)
	var byteSized struct {
		A, B uint8 `cosid:"order"`
	}
	wantError(t, f.Fill(t.Context(), &byteSized), "256 does not fit uint8")
	if byteSized.A != 255 || byteSized.B != 0 {
		t.Errorf("at the end of uint8: %+v", byteSized)
	}

	f, _ = newFiller(127)
	var small struct {
		A, B int8 `cosid:"order"`
	}
	wantError(t, f.Fill(t.Context(), &small), "128 does not fit int8")
	if small.A != 127 || small.B != 0 {
		t.Errorf("at the end of int8: %+v", small)
	}
}

// A field that holds 0 or "" would be drawn anew each time (G22, G27).
func TestIDsThatLookEmptyAreRefused(t *testing.T) {
	f, counters := newFiller(0)
	counters["bill"].Blank = true
	var b bill
	wantError(t, f.Fill(t.Context(), &b), `cosid: fill bill.ID from "order": drew 0`, "initial-offset: 1",
		`cosid: fill bill.No from "bill": drew an empty text`)
	if b != (bill{}) {
		t.Errorf("written: %+v", b)
	}
	p := []struct {
		P *int64        `cosid:"order"`
		N sql.NullInt64 `cosid:"order"`
	}{{}}
	f, _ = newFiller(0)
	wantError(t, f.Fill(t.Context(), p), "drew 0")
	if p[0].P != nil {
		t.Errorf("a pointer to 0 was written: %+v", p)
	}
}

// If a generator gives out, the first rows are filled, and each field is reported once.
func TestShortDrawsFillTheFirstRows(t *testing.T) {
	f, counters := newFiller()
	counters["bill"].Left, counters["bill"].Err = 2, tagstest.ErrExhausted
	rows := make([]bill, 5)
	err := f.Fill(t.Context(), rows)
	want := `cosid: fill bill.No from "bill" in 3 rows: range exhausted`
	if !errors.Is(err, tagstest.ErrExhausted) || err.Error() != want {
		t.Errorf("error %v", err)
	}
	for i, r := range rows {
		if want := i < 2; (r.No != "") != want || r.ID != int64(i+1) {
			t.Errorf("row %d: %+v", i, r)
		}
	}

	// Filling the same rows again takes up where it stopped.
	counters["bill"].Left = -1
	fill(t, f, rows)
	if rows[1].No != "B-2" || rows[2].No != "B-3" || rows[4].No != "B-5" || rows[4].ID != 5 {
		t.Errorf("filled again: %+v", rows)
	}
}

func TestEveryFieldIsTriedAndErrorsAreJoined(t *testing.T) {
	f, counters := newFiller()
	for _, name := range []string{"order", "bill"} {
		counters[name].Left, counters[name].Err = 0, fmt.Errorf("%s: %w", name, tagstest.ErrExhausted)
	}
	var r struct {
		ID    int64  `cosid:"order"`
		No    string `cosid:"bill"`
		Other int64  `cosid:"default"`
	}
	err := f.Fill(t.Context(), &r)
	wantError(t, err, `cosid: fill .ID from "order": order: range exhausted`, `cosid: fill .No from "bill": bill: `)
	if r.Other != 1 {
		t.Errorf("the third field was not filled: %+v", r)
	}
}

func TestGeneratorsThatGiveTooLittleWithoutAReasonAreReported(t *testing.T) {
	f, counters := newFiller()
	counters["bill"].Left = 1
	rows := make([]bill, 3)
	wantError(t, f.Fill(t.Context(), rows), `bill.No from "bill" in 2 rows: the generator gave 1 of 3 ids and no error`)
}

func TestACallerWhoIsGoneDrawsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, target := range []any{&bill{}, []bill{{}, {}}} {
		f, counters := newFiller()
		fill(t, f, &bill{}) // a warm plan
		before := counters["order"].Drawn()
		if err := f.Fill(ctx, target); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: error %v", target, err)
		}
		if counters["order"].Drawn() != before {
			t.Errorf("%T: ids were drawn", target)
		}
	}
	f, _ := newFiller()
	if err := f.Fill(ctx, &bill{ID: 1, No: "x"}); err != nil {
		t.Errorf("nothing to draw, but %v", err)
	}
}

func TestManyGoroutinesMayFillAtOnce(t *testing.T) {
	f, _ := newFiller()
	const workers, each = 8, 200
	ids := make(chan int64, workers*each*3)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				var b bill
				rows := []*bill{{}, {}}
				if err := errors.Join(f.Fill(t.Context(), &b), f.Fill(t.Context(), rows)); err != nil {
					t.Error(err)
				}
				ids <- b.ID
				ids <- rows[0].ID
				ids <- rows[1].ID
			}
		})
	}
	wg.Wait()
	close(ids)
	seen := map[int64]bool{}
	for id := range ids {
		if id == 0 || seen[id] {
			t.Fatalf("id %d is empty or came twice", id)
		}
		seen[id] = true
	}
}

func TestFillingANumberDoesNotAllocate(t *testing.T) {
	f, _ := newFiller()
	ctx := t.Context()
	var number struct {
		ID   int64 `cosid:"order"`
		Name string
	}
	var text bill
	rows := make([]struct {
		ID int64 `cosid:"order"`
	}, 100)
	for _, c := range []struct {
		name string
		most float64
		fill func() error
	}{
		{"number", 0, func() error { number.ID = 0; return f.Fill(ctx, &number) }},
		{"number and text", 3 + 2, func() error { text = bill{}; return f.Fill(ctx, &text) }}, // 2 are the fake's own
		{"100 numbers", 1, func() error { clear(rows); return f.Fill(ctx, rows) }},            // the slice as an any
	} {
		allocs := math.Inf(1) // the least of some runs: the race detector makes pools forgetful
		for range 50 {
			allocs = min(allocs, testing.AllocsPerRun(1, func() {
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

func TestBatchesGatherFromSeveralPlaces(t *testing.T) {
	f, counters := newFiller()
	a, b := bill{}, bill{}
	err := f.FillBatch(t.Context(), func(batch *tags.Batch) error {
		first, second := reflect.ValueOf(&a), reflect.ValueOf(&b)
		return errors.Join(batch.Add(first), batch.Add(second.Elem()), batch.Add(first))
	})
	if err != nil || a.ID != 1 || b.ID != 2 || !slices.Equal(counters["order"].Draws(), []int{2}) {
		t.Errorf("filled %+v and %+v in draws of %v: %v", a, b, counters["order"].Draws(), err)
	}
	c := bill{}
	err = f.FillBatch(t.Context(), func(batch *tags.Batch) error {
		_ = batch.Add(reflect.ValueOf(&c))
		return tagstest.ErrExhausted
	})
	if !errors.Is(err, tagstest.ErrExhausted) || c != (bill{}) || counters["order"].Drawn() != 2 {
		t.Errorf("a failed collection filled %+v: %v", c, err)
	}
}

// Texts have no numbers: the field is named when its type is first seen, and nothing is drawn.
func TestAGeneratorOfTextsFillsStringsOnly(t *testing.T) {
	traces := tagstest.NewCounter(1)
	traces.Prefix, traces.Only = "T", true
	f := tags.NewFiller(tagstest.SourceOf(map[string]tags.Generator{"trace": traces}))
	type Span struct {
		ID     string `cosid:"trace"`
		Parent *string
		Next   sql.NullString `cosid:"trace"`
	}
	spans := make([]Span, 2)
	if err := f.Fill(t.Context(), spans); err != nil || spans[0].ID != "T1" || spans[1].Next.String != "T4" {
		t.Errorf("filled %+v, %v", spans, err)
	}
	drawn := traces.Drawn()
	for want, value := range map[string]any{
		"Order.ID": &struct{ Order }{},
		"Batch.No": &Batch{},
	} {
		err := f.Fill(t.Context(), value)
		if err == nil || !strings.Contains(err.Error(), "cosid: "+want) ||
			!strings.Contains(err.Error(), `generator "trace" makes texts, and no numbers; fill a string`) {
			t.Errorf("%T: %v", value, err)
		}
	}
	if traces.Drawn() != drawn {
		t.Errorf("%d texts were drawn for numbers", traces.Drawn()-drawn)
	}
}

type Order struct {
	ID int64 `cosid:"trace"`
}

type Batch struct {
	No sql.Null[uint32] `cosid:"trace"`
}
