package snowflake_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores/memstore"
)

// benchGenerator makes ids of so few timestamp bits and so many of sequence that no burst uses up a tick.
func benchGenerator(b *testing.B) *snowflake.Generator {
	b.Helper()
	store := memstore.New()
	if err := store.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	f := snowflake.NewFactory()
	settings := snowflake.DefaultSettings()
	settings.Bits = snowflake.Bits{Slot: new(1), Sequence: new(20)}
	spec := generators.Spec{Namespace: "bench", Name: "trade", Store: store, Slots: generators.Slots{
		Limit: 2, TTL: 30 * time.Second, Tolerance: time.Hour, Owner: "bench",
	}}
	built, err := f.Build(spec, &settings)
	if err != nil {
		b.Fatal(err)
	}
	if err := built.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { built.Close(context.Background()) })
	return built.(*snowflake.Generator)
}

// The hot path beside what it cannot do without.
func BenchmarkNext(b *testing.B) {
	b.Run("clock and CAS", func(b *testing.B) {
		var n atomic.Int64
		origin := time.Now()
		for b.Loop() {
			last := n.Load()
			n.CompareAndSwap(last, max(last+1, int64(time.Since(origin))))
		}
	})
	b.Run("snowflake", func(b *testing.B) {
		g, ctx := benchGenerator(b), context.Background()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := g.Next(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The same as a ratio, of the shortest of very many short stretches of each, in turn: other work on the machine hardly
// touches it.
func BenchmarkNextBesideClockAndCAS(b *testing.B) {
	g, ctx := benchGenerator(b), context.Background()
	var n atomic.Int64
	origin := time.Now()
	const stretch = 500
	shortest := func(best time.Duration, f func()) time.Duration {
		began := time.Now()
		for range stretch {
			f()
		}
		return min(best, time.Since(began))
	}
	floor, next := time.Hour, time.Hour
	for b.Loop() {
		floor = shortest(floor, func() {
			last := n.Load()
			n.CompareAndSwap(last, max(last+1, int64(time.Since(origin))))
		})
		next = shortest(next, func() {
			if _, err := g.Next(ctx); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.ReportMetric(float64(floor.Nanoseconds())/stretch, "floor-ns/id")
	b.ReportMetric(float64(next.Nanoseconds())/stretch, "next-ns/id")
	b.ReportMetric(float64(next)/float64(floor), "ratio")
}

func BenchmarkNextParallel(b *testing.B) {
	b.Run("clock and CAS", func(b *testing.B) {
		var n atomic.Int64
		origin := time.Now()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				for {
					last, now := n.Load(), int64(time.Since(origin))
					if n.CompareAndSwap(last, max(last+1, now)) {
						break
					}
				}
			}
		})
	})
	b.Run("snowflake", func(b *testing.B) {
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
