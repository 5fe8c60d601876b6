package tags_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/cosid-go/cosid/tags"
)

// quickest is about the least that a generator can do, so that what filling adds to it shows.
type quickest struct{ last atomic.Int64 }

func (q *quickest) Grouped() bool { return false }

func (q *quickest) TextOnly() bool { return false }

func (q *quickest) Next(context.Context) (int64, error) { return q.last.Add(1), nil }

func (q *quickest) Fill(_ context.Context, ids []int64) (int, error) {
	end := q.last.Add(int64(len(ids)))
	for i := range ids {
		ids[i] = end - int64(len(ids)-1-i)
	}
	return len(ids), nil
}

func (q *quickest) FillStrings(_ context.Context, texts []string) (int, error) {
	for i := range texts {
		texts[i] = "20261027-000042"
	}
	return len(texts), nil
}

func newQuickFiller() (*tags.Filler, *quickest) {
	q := &quickest{}
	return tags.NewFiller(func(string, string) (tags.Generator, error) { return q, nil }), q
}

type numberRow struct {
	Name string
	ID   int64 `cosid:"order"`
}

// BenchmarkFill puts a fill beside the bare draw in it.
func BenchmarkFill(b *testing.B) {
	ctx := context.Background()
	f, q := newQuickFiller()
	var number numberRow
	var text bill
	rows := make([]numberRow, 1000)
	for _, c := range []struct {
		name string
		fill func() error
	}{
		{"bare Next", func() error {
			id, err := q.Next(ctx)
			number.ID = id
			return err
		}},
		{"number", func() error {
			number.ID = 0
			return f.Fill(ctx, &number)
		}},
		{"number and text", func() error {
			text.ID, text.No = 0, ""
			return f.Fill(ctx, &text)
		}},
		{"nothing to fill", func() error { return f.Fill(ctx, &number) }},
		{"1000 rows", func() error {
			clear(rows)
			return f.Fill(ctx, rows)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.fill(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
