// Command benchmarks times the hot paths of cosid beside the least that an id can cost and beside other libraries,
// all in one run, and prints one table: go run . (or make bench, in the project's root).
//
// Machines that tests run on are noisy, so every case is run several times, in turn with all the others, and the
// shortest time of each is what counts. What is comparable between machines are the ratios.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

func main() {
	testing.Init()
	passes := flag.Int("passes", 7, "how often each case is run")
	only := flag.String("only", "", "the beginning of the title of the one group to run")
	length := flag.Duration("time", 100*time.Millisecond, "how long one run of a case takes")
	flag.Parse()
	if err := flag.Set("test.benchtime", length.String()); err != nil {
		fatal(err)
	}
	folder, err := os.MkdirTemp("", "cosid-benchmarks")
	if err != nil {
		fatal(err)
	}
	defer os.RemoveAll(folder)
	groups, err := newGroups(folder)
	if err != nil {
		fatal(err)
	}
	groups = slices.DeleteFunc(groups, func(g *group) bool { return !strings.HasPrefix(g.title, *only) })
	for range *passes {
		for _, g := range groups {
			for _, c := range g.cases {
				c.run(1)
				c.run(2)
			}
		}
	}
	fmt.Printf("%s, %s/%s, %d processors; the shortest of %d runs of %v\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), *passes, *length)
	for _, g := range groups {
		g.print()
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// group is a table: cases that are compared with the first one.
type group struct {
	title string
	cases []*benchCase
}

// benchCase is one way to make ids. Its loop makes n operations of so many ids each; it is a loop of its own, so that
// no call through a function value is timed that its users would not make.
type benchCase struct {
	name string
	ids  int // an operation
	loop func(n int)

	best   [3]float64 // nanoseconds an id, by the number of goroutines
	allocs float64    // an id
}

// run times the case in so many goroutines, on as many processors, and keeps the shortest time.
func (c *benchCase) run(goroutines int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(goroutines))
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		if goroutines == 1 {
			c.loop(b.N)
			return
		}
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() { c.loop(b.N/goroutines + 1) })
		}
		all.Wait()
	})
	ids := float64(result.N) * float64(c.ids)
	nanos := float64(result.T.Nanoseconds()) / ids
	if c.best[goroutines] == 0 || nanos < c.best[goroutines] {
		c.best[goroutines] = nanos
	}
	if goroutines == 1 {
		c.allocs = float64(result.MemAllocs) / ids
	}
}

func (g *group) print() {
	fmt.Printf("\n%s\n", g.title)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(table, "ns an id\tratio\tns, 2 goroutines\tratio\tallocations\t case")
	floor := g.cases[0]
	for _, c := range g.cases {
		fmt.Fprintf(table, "%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t %s\n", c.best[1], c.best[1]/floor.best[1],
			c.best[2], c.best[2]/floor.best[2], c.allocs, c.name)
	}
	_ = table.Flush()
}
