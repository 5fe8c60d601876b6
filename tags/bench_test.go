package tags_test

import (
	"context"
	"testing"

	"github.com/cosid-go/cosid/tags"
)

type benchNumber struct {
	Name string
	ID   int64 `cosid:"order"`
}

type benchBoth struct {
	ID int64  `cosid:"order"`
	No string `cosid:"bill"`
}

func BenchmarkDrawAlone(b *testing.B) {
	g := newCounter(1)
	for b.Loop() {
		if _, err := g.Next(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFillNumber(b *testing.B) {
	f := tags.NewFiller(sourceOf(map[string]tags.Generator{"order": newCounter(1)}))
	var row benchNumber
	b.ReportAllocs()
	for b.Loop() {
		row.ID = 0
		if err := f.Fill(context.Background(), &row); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFillNumberParallel(b *testing.B) {
	f := tags.NewFiller(sourceOf(map[string]tags.Generator{"order": newCounter(1)}))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var row benchNumber
		for pb.Next() {
			row.ID = 0
			if err := f.Fill(context.Background(), &row); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFillNumberAndText(b *testing.B) {
	f := tags.NewFiller(sourceOf(map[string]tags.Generator{"order": newCounter(1), "bill": newCounter(1)}))
	var row benchBoth
	b.ReportAllocs()
	for b.Loop() {
		row = benchBoth{}
		if err := f.Fill(context.Background(), &row); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFillThousandRows(b *testing.B) {
	f := tags.NewFiller(sourceOf(map[string]tags.Generator{"order": newCounter(1)}))
	rows := make([]benchNumber, 1000)
	b.ReportAllocs()
	for b.Loop() {
		clear(rows)
		if err := f.Fill(context.Background(), rows); err != nil {
			b.Fatal(err)
		}
	}
}
