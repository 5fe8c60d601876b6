package main

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/generators/segment"
)

// configuration has ranges so large that what is timed is the making of ids, not the memory store.
var configuration = map[string]any{
	"namespace": "bench",
	"stores":    map[string]any{"memory": map[string]any{"type": "memory"}},
	"generators": map[string]any{
		"order": map[string]any{"strategy": "segment", "step": 1 << 24},
		"bill": map[string]any{
			"strategy": "periodic-segment", "step": 1 << 24, "period": "YEAR_MONTH_DAY", "zone": "Asia/Shanghai",
			"codec": []any{
				map[string]any{"date-prefix": map[string]any{"delimiter": "-"}},
				map[string]any{"radix": map[string]any{"radix": 10, "width": 6, "pad-start": true, "overflow": "grow"}},
			},
		},
	},
}

// sinks keep the compiler from leaving out what is timed.
var (
	numberSink atomic.Int64
	textSink   atomic.Int64
)

// newGroups makes all cases. Those that need files keep them in folder.
func newGroups(folder string) ([]*group, error) {
	ctx := context.Background()
	ids, err := cosid.Open(ctx, cosid.Options{
		Source: cosid.Source{Values: configuration, Environ: []string{}}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	order, err := ids.Get("order")
	if err != nil {
		return nil, err
	}
	bill, err := ids.Get("bill")
	if err != nil {
		return nil, err
	}
	segments, err := cosid.As[*segment.Generator](ids, "order")
	if err != nil {
		return nil, err
	}
	periods, err := cosid.As[*periodic.Generator](ids, "bill")
	if err != nil {
		return nil, err
	}
	others, err := rivals()
	if err != nil {
		return nil, err
	}
	snowflakes, err := snowflakeCases(ctx)
	if err != nil {
		return nil, err
	}
	texts, err := textCases(bill)
	if err != nil {
		return nil, err
	}
	scraping, err := scrapingCases(ctx, ids, segments)
	if err != nil {
		return nil, err
	}
	filler := cosid.NewFiller(ids)
	filling, err := fillingCases(ctx, order, filler)
	if err != nil {
		return nil, err
	}
	creating, err := creatingCases(ctx, folder, order, bill, filler)
	if err != nil {
		return nil, err
	}
	return []*group{
		{"Segment ids, beside a bare atomic add", append([]*benchCase{
			bareAdd(), designFloor(), segmentNext(ctx, segments), entryNext(ctx, order),
			batches(ctx, segments, 10), batches(ctx, segments, 100), batches(ctx, segments, 1000),
		}, others...)},
		{"Periodic ids, beside a look at the clock and an atomic add", []*benchCase{
			clockAndAdd(), periodicNext(ctx, periods), entryNextGrouped(ctx, bill),
		}},
		{"Snowflakes in a burst, beside a look at the monotonic clock and a compare-and-swap", snowflakes.burst},
		{"Snowflakes without a pause: what their layouts hold", snowflakes.sustained},
		{"Scraping, beside the same without", scraping},
		{"Text of a bill number, beside strconv's decimal of as many digits", texts.bill},
		{"Text of a number, beside strconv in radix 36", texts.number},
		{"Filling a struct, beside the entry's Next", filling},
		{"Create on SQLite, with and without the plugin", creating},
	}, nil
}

func bareAdd() *benchCase {
	var next padded
	return &benchCase{name: "atomic.Int64.Add", ids: 1, loop: func(n int) {
		last := int64(0)
		for range n {
			last = next.Add(1)
		}
		numberSink.Store(last)
	}}
}

// padded lies on cache lines of its own, as the generators' counters do.
type padded struct {
	_ [128]byte
	atomic.Int64
	_ [128]byte
}

// piece is what the design cannot do without: a pointer to the current range, an add and a comparison.
type piece struct {
	start, size int64
	taken       padded
}

func designFloor() *benchCase {
	var current atomic.Pointer[piece]
	current.Store(&piece{size: 1 << 62})
	return &benchCase{name: "pointer load + add + compare", ids: 1, loop: func(n int) {
		last := int64(0)
		for range n {
			p := current.Load()
			if i := p.taken.Add(1) - 1; i < p.size {
				last = p.start + i
			}
		}
		numberSink.Store(last)
	}}
}

func segmentNext(ctx context.Context, g *segment.Generator) *benchCase {
	return &benchCase{name: "cosid segment, concrete type", ids: 1, loop: func(n int) {
		last := int64(0)
		for range n {
			last, _ = g.Next(ctx)
		}
		numberSink.Store(last)
	}}
}

func entryNext(ctx context.Context, e *cosid.Entry) *benchCase {
	return &benchCase{name: "cosid segment, runtime entry", ids: 1, loop: func(n int) {
		last := int64(0)
		for range n {
			last, _ = e.Next(ctx)
		}
		numberSink.Store(last)
	}}
}

func batches(ctx context.Context, g *segment.Generator, size int) *benchCase {
	return &benchCase{name: "cosid segment, batches of " + strconv.Itoa(size), ids: size, loop: func(n int) {
		batch := make([]int64, size)
		for range n {
			_, _ = g.Fill(ctx, batch)
		}
		numberSink.Store(batch[0])
	}}
}

func clockAndAdd() *benchCase {
	var next padded
	return &benchCase{name: "time.Now + add", ids: 1, loop: func(n int) {
		last := int64(0)
		for range n {
			last = time.Now().UnixNano() + next.Add(1)
		}
		numberSink.Store(last)
	}}
}

func periodicNext(ctx context.Context, g *periodic.Generator) *benchCase {
	return &benchCase{name: "cosid periodic, concrete type", ids: 1, loop: func(n int) {
		var last generators.GroupedID
		for range n {
			last, _ = g.Next(ctx)
		}
		numberSink.Store(last.Value)
	}}
}

func entryNextGrouped(ctx context.Context, e *cosid.Entry) *benchCase {
	return &benchCase{name: "cosid periodic, runtime entry", ids: 1, loop: func(n int) {
		var last generators.GroupedID
		for range n {
			last, _ = e.NextGrouped(ctx)
		}
		numberSink.Store(last.Value)
	}}
}

// texts are the cases that write text.
type texts struct{ bill, number []*benchCase }

func textCases(bill *cosid.Entry) (texts, error) {
	const big = int64(295913926632165376)
	radix62, err := codecOf(62, 11)
	if err != nil {
		return texts{}, err
	}
	radix36, err := codecOf(36, 13)
	if err != nil {
		return texts{}, err
	}
	grouped := bill.GroupedCodec()
	id := generators.GroupedID{Period: "20261027", Value: 42}
	return texts{
		bill: []*benchCase{
			writing("strconv.FormatInt(20261027000042, 10)", func() int { return len(strconv.FormatInt(20261027000042, 10)) }),
			writing("cosid 20261027-000042", func() int { text, _ := grouped.Encode(id); return len(text) }),
		},
		number: []*benchCase{
			appending("strconv.AppendInt, radix 36", func(dst []byte) []byte { return strconv.AppendInt(dst, big, 36) }),
			appending("cosid radix 62, width 11", func(dst []byte) []byte { dst, _ = radix62.Append(dst, big); return dst }),
			appending("cosid radix 36, width 13", func(dst []byte) []byte { dst, _ = radix36.Append(dst, big); return dst }),
		},
	}, nil
}

func codecOf(radix, width int) (codecs.Codec, error) {
	part, err := codecs.Radix(codecs.RadixSettings{Radix: radix, Width: &width, PadStart: true})
	if err != nil {
		return nil, err
	}
	return codecs.New([]codecs.Part{part})
}

func writing(name string, write func() int) *benchCase {
	return &benchCase{name: name, ids: 1, loop: func(n int) {
		length := 0
		for range n {
			length += write()
		}
		textSink.Store(int64(length))
	}}
}

func appending(name string, appendTo func([]byte) []byte) *benchCase {
	return &benchCase{name: name, ids: 1, loop: func(n int) {
		buffer := make([]byte, 0, 64)
		for range n {
			buffer = appendTo(buffer[:0])
		}
		textSink.Store(int64(len(buffer)))
	}}
}
