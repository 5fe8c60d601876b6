package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

func TestBenchMeasuresAndLeavesTheApplicationsCountersAlone(t *testing.T) {
	tr := withExample(t)
	tr.run(t, "generate", "order").fine(t)
	for _, generator := range []string{"order", "bill"} {
		out := tr.run(t, "bench", generator, "--duration", "50ms", "--goroutines", "2").fine(t)
		if !regexp.MustCompile(`^`+generator+`: [\d,]+ ids in \S+ by 2 goroutines: [\d,]+ ids a second\n\d+ reservations?, on average`).
			MatchString(out) || !strings.Contains(out, "LATENCY") {
			t.Errorf("printed\n%s", out)
		}
	}
	var drawn generated
	if err := json.Unmarshal([]byte(tr.run(t, "generate", "order", "--output", "json").fine(t)), &drawn); err != nil {
		t.Fatal(err)
	}
	if drawn.IDs[0].Number != "101" {
		t.Errorf("the next id after a bench is %s, want 101: one step is lost with each run", drawn.IDs[0].Number)
	}
}

// The file keeps the window of the application's slot, whatever the namespace.
func TestBenchRefusesASlotOfTheConfigurationAndLeavesNoFile(t *testing.T) {
	for _, slot := range []string{"type: manual, id: 7", "type: stateful-set"} {
		for _, strategy := range []string{"snowflake", "wide-snowflake"} {
			tr := inFolder(t, "cosid:\n  namespace: shop\n  generators:\n    trade: { strategy: "+strategy+
				", slot: { "+slot+", state-file: trade.slot } }\n")
			o := tr.run(t, "bench", "trade", "--duration", "20ms")
			if o.code != cli.ExitFailure || o.out != "" || !strings.Contains(o.err, "slot.type: lease") {
				t.Errorf("%s, %s: %+v", strategy, slot, o)
			}
			if files, err := filepath.Glob("*"); err != nil || !slices.Equal(files, []string{"cosid.yaml"}) {
				t.Errorf("%s, %s: the folder holds %q, %v", strategy, slot, files, err)
			}
		}
	}
}

func TestBenchWritesItsFiguresForPrograms(t *testing.T) {
	var b struct {
		IDs       string  `json:"ids"`
		Seconds   float64 `json:"seconds"`
		PerSecond float64 `json:"ids_per_second"`
		Reserve   struct {
			Count   int64 `json:"count"`
			Buckets []struct {
				Below float64 `json:"below_ms"`
				Count int64   `json:"count"`
			} `json:"buckets"`
		} `json:"reserve"`
	}
	out := withExample(t).run(t, "bench", "order", "--duration", "50ms", "--output", "json").fine(t)
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		t.Fatal(err)
	}
	ids, _ := strconv.ParseFloat(b.IDs, 64)
	var counted int64
	for _, bucket := range b.Reserve.Buckets {
		counted += bucket.Count
	}
	if ids < 100 || b.PerSecond < ids || b.Reserve.Count < 1 || counted != b.Reserve.Count {
		t.Errorf("printed\n%s", out)
	}
}

func TestBenchEndsWhenTheUserHasHadEnough(t *testing.T) {
	tr := inFolder(t, "cosid:\n  namespace: shop\n  stores: { db: { type: memory } }\n  generators: { order: { strategy: segment } }\n")
	ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	began := time.Now()
	o := tr.runWithin(ctx, "bench", "order", "--duration", "1h")
	if took := time.Since(began); took > time.Minute || o.code != cli.ExitFine || !strings.Contains(o.out, "ids a second") {
		t.Errorf("after %v: %+v", took, o)
	}
}

func TestBenchDrawsABarOnATerminalAndWipesItAway(t *testing.T) {
	tr := withExample(t)
	tr.terminal = true
	o := tr.run(t, "bench", "order", "--duration", "250ms")
	if o.code != cli.ExitFine || !strings.Contains(o.err, "] ") || !strings.HasSuffix(o.err, "\r\x1b[K") {
		t.Errorf("exit code %d, stderr %q", o.code, o.err)
	}
}

func TestBenchOfAFailingGeneratorEndsWithItsError(t *testing.T) {
	tr := inFolder(t, `cosid:
  namespace: shop
  stores: { db: { type: memory } }
  generators: { order: { strategy: segment, initial-offset: 9223372036854775000 } }
`)
	o := tr.run(t, "bench", "order", "--duration", "1h", "--goroutines", "4")
	if o.code != cli.ExitFailure || o.out != "" || !strings.Contains(o.err, "range exhausted") || strings.Count(o.err, "\n") != 1 {
		t.Errorf("%+v", o)
	}
}

func TestHistogramDrawsItsBuckets(t *testing.T) {
	var b bench
	b.Generator, b.Goroutines, b.Seconds, b.PerSecond = "order", 1, 2, 617283.5
	b.drawn.Store(1234567)
	for d, n := range map[time.Duration]int{300 * time.Microsecond: 1, 3 * time.Millisecond: 40, 5 * time.Millisecond: 20, 50 * time.Millisecond: 1} {
		for range n {
			b.Reserve.add(d)
		}
	}
	b.Failures = 2
	tool := &cli.Tool{Stdout: &screen{}}
	if err := tool.Show(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "histogram", tool.Stdout.(*screen).String())
}
