package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

// benchNamespace keeps the counters and slots of the application out of it.
const benchNamespace = "cosid-bench"

func newBench(t *cli.Tool) *cobra.Command {
	var last time.Duration
	var goroutines int
	cmd := &cobra.Command{
		Use:   "bench NAME",
		Short: "Measure a generator: ids a second, latency of reservations",
		Long: `Bench draws ids from a configured generator as fast as it makes them and throws them away. It works on the
generator's own store and settings, but in the namespace ` + benchNamespace + `, so that the application's counters and slots
stay as they are; the key that it leaves there is small and is used again.`,
		Example: `  cosid bench order
  cosid bench bill --duration 30s --goroutines 16`,
		Args:              cli.Args("the NAME of a generator"),
		ValidArgsFunction: t.CompleteGenerator,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case last <= 0:
				return cli.Usagef("--duration %v: it must be more than 0", last)
			case goroutines < 1 || goroutines > mostGoroutines:
				return cli.Usagef("--goroutines %d: 1 to %d are possible", goroutines, mostGoroutines)
			}
			cfg, err := t.LoadConfig()
			if err != nil {
				return err
			}
			g, err := cli.FindGenerator(cfg, args[0])
			if err != nil {
				return err
			}
			if slots, ok := g.Settings.(generators.SlotSettings); ok && !slots.LeasesSlot() {
				return fmt.Errorf("generator %q takes its slot from the configuration, whose state file belongs to the application: "+
					"measure it with slot.type: lease", g.Name)
			}
			separate := *cfg
			separate.Namespace = benchNamespace
			b := &bench{Generator: g.Name, Namespace: benchNamespace, Goroutines: goroutines}
			err = t.Draw(cmd.Context(), &separate, g, b.hooks(), func(e *runtime.Entry) error {
				return b.run(cmd.Context(), e, last, t.NewProgress())
			})
			if err != nil {
				return err
			}
			return t.Show(b)
		},
	}
	cmd.Flags().DurationVar(&last, "duration", 3*time.Second, "how long to draw")
	cmd.Flags().IntVar(&goroutines, "goroutines", 1, "how many callers draw at once, `N`")
	return cmd
}

const mostGoroutines = 10_000

// bench is one measurement.
type bench struct {
	Generator  string    `json:"generator"`
	Namespace  string    `json:"namespace"`
	Goroutines int       `json:"goroutines"`
	Seconds    float64   `json:"seconds"`
	IDs        string    `json:"ids"`
	PerSecond  float64   `json:"ids_per_second"`
	Failures   int64     `json:"failed_reservations"`
	Reserve    histogram `json:"reserve"`

	drawn atomic.Int64
	mu    sync.Mutex // guards Failures and Reserve while the generator runs
}

// hooks note each reservation.
func (b *bench) hooks() generators.Hooks {
	return generators.Hooks{
		OnReserved: func(e generators.Reserved) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.Reserve.add(e.Latency)
		},
		OnRefillFailed: func(generators.RefillFailed) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.Failures++
		},
	}
}

// run draws until the time is up or the user has had enough; either is fine. The first error of a caller ends it.
func (b *bench) run(ctx context.Context, e *runtime.Entry, last time.Duration, progress *cli.Progress) error {
	ctx, cancel := context.WithTimeout(ctx, last)
	defer cancel()
	began := time.Now()
	failures := make(chan error, b.Goroutines)
	for range b.Goroutines {
		go func() { failures <- b.draw(ctx, e) }()
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	defer progress.Done()
	var failure error
	for running := b.Goroutines; running > 0; {
		select {
		case err := <-failures:
			running--
			if err != nil && failure == nil {
				failure = err
				cancel()
			}
		case <-tick.C:
			elapsed := time.Since(began)
			progress.Show(elapsed.Seconds()/last.Seconds(), grouped(b.drawn.Load())+" ids")
		}
	}
	b.Seconds = time.Since(began).Seconds()
	b.IDs = strconv.FormatInt(b.drawn.Load(), 10)
	b.PerSecond = float64(b.drawn.Load()) / b.Seconds
	return failure
}

// turn is how many ids a caller draws before it looks at the clock.
const turn = 256

func (b *bench) draw(ctx context.Context, e *runtime.Entry) error {
	next := nextOf(e)
	for ctx.Err() == nil {
		drawn := int64(0) // counted apart: one counter that all callers share would be what is measured
		var err error
		for ; drawn < turn && err == nil; drawn++ {
			err = next(ctx)
		}
		if err != nil {
			drawn--
		}
		b.drawn.Add(drawn)
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// nextOf draws an id in the form that the generator makes.
func nextOf(e *runtime.Entry) func(context.Context) error {
	switch {
	case e.Grouped():
		return func(ctx context.Context) error { _, err := e.NextGrouped(ctx); return err }
	case e.Codec() != nil:
		return func(ctx context.Context) error { _, err := e.Next(ctx); return err }
	default:
		return func(ctx context.Context) error { _, err := e.NextString(ctx); return err }
	}
}

// Text writes the figures and the histogram.
func (b *bench) Text(p *cli.Page) {
	took := time.Duration(b.Seconds * float64(time.Second))
	p.Linef("%s: %s ids in %s by %s: %s ids a second", p.Bold(b.Generator), grouped(b.drawn.Load()), short(took),
		counted(b.Goroutines, "goroutine"), p.Good(grouped(int64(b.PerSecond))))
	if b.Failures > 0 {
		p.Linef("%s", p.Bad(counted(b.Failures, "reservation")+" failed"))
	}
	if b.Reserve.Count == 0 {
		p.Linef("No reservation was made: this strategy draws no ranges.")
		return
	}
	p.Linef("%s, on average %s, the longest %s:", counted(b.Reserve.Count, "reservation"),
		short(b.Reserve.mean()), short(b.Reserve.longest))
	b.Reserve.text(p)
}
