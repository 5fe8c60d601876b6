package segment_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/stores/memstore"
)

func benchGenerator(b *testing.B) *segment.Generator {
	b.Helper()
	store := memstore.New()
	if err := store.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	g, err := segment.New(store, "bench/id", segment.DefaultPolicy(), segment.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close(context.Background()) })
	return g
}

// The hot path beside what it cannot do without.
func BenchmarkNext(b *testing.B) {
	b.Run("bare add", func(b *testing.B) {
		var n atomic.Int64
		for b.Loop() {
			n.Add(1)
		}
	})
	b.Run("segment", func(b *testing.B) {
		g, ctx := benchGenerator(b), context.Background()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := g.Next(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNextParallel(b *testing.B) {
	b.Run("bare add", func(b *testing.B) {
		var n atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				n.Add(1)
			}
		})
	})
	b.Run("segment", func(b *testing.B) {
		g, ctx := benchGenerator(b), context.Background()
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := g.Next(ctx); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func BenchmarkFill100(b *testing.B) {
	g, ctx := benchGenerator(b), context.Background()
	ids := make([]int64, 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Fill(ctx, ids); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/id")
}
