package periodic_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/stores/memstore"
)

// The hot path beside what it cannot do without: a look at the clock and an addition.
func BenchmarkNext(b *testing.B) {
	b.Run("time.Now and add", func(b *testing.B) {
		var n atomic.Int64
		var last time.Time
		for b.Loop() {
			last = time.Now()
			n.Add(1)
		}
		_ = last
	})
	b.Run("periodic", func(b *testing.B) {
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
	b.Run("time.Now and add", func(b *testing.B) {
		var n atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			var last time.Time
			for pb.Next() {
				last = time.Now()
				n.Add(1)
			}
			_ = last
		})
	})
	b.Run("periodic", func(b *testing.B) {
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

func benchGenerator(b *testing.B) *periodic.Generator {
	b.Helper()
	store := memstore.New()
	if err := store.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	calendar := periodic.Calendar{Period: generators.Year, Zone: time.UTC}
	g, err := periodic.New(store, "bench/bill", calendar, periodic.DefaultPolicy(), periodic.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close(context.Background()) })
	return g
}
