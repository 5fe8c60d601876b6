package main

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	"github.com/sony/sonyflake/v2"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores/memstore"
)

// snowflakes are the cases of ids of a time, a slot and a sequence.
type snowflakes struct{ burst, sustained []*benchCase }

// snowflakeCases time bursts with a sequence so wide that no tick is used up, so that what is timed is not the waiting for
// the next one; and without a pause the default layouts, whose rate is what their sequences hold.
func snowflakeCases(ctx context.Context) (snowflakes, error) {
	factory := snowflake.NewFactory()
	store := memstore.New()
	if err := store.Start(ctx); err != nil {
		return snowflakes{}, err
	}
	start := func(f generators.Factory, name string, settings any) (generators.Instance, error) {
		g, err := f.Build(generators.Spec{Namespace: "bench", Name: name, Store: store, Slots: generators.Slots{
			Limit: 8, TTL: 30 * time.Second, Tolerance: time.Hour, Owner: "bench",
		}}, settings)
		if err != nil {
			return nil, err
		}
		return g, g.Start(ctx)
	}
	wideSequence := snowflake.DefaultSettings()
	wideSequence.Bits = snowflake.Bits{Slot: new(3), Sequence: new(19)}
	burst, err := start(factory, "burst", &wideSequence)
	if err != nil {
		return snowflakes{}, err
	}
	other := snowflake.NewFactory() // whose slots may have other bits
	littleAhead := snowflake.DefaultSettings()
	littleAhead.MaxAhead = 2 * time.Millisecond // or each run would begin with a second's worth of ids
	sustained, err := start(other, "sustained", &littleAhead)
	if err != nil {
		return snowflakes{}, err
	}
	texts, err := start(factory.Wide(), "texts", factory.Wide().NewSettings())
	if err != nil {
		return snowflakes{}, err
	}
	node, err := bwmarrin.NewNode(1)
	if err != nil {
		return snowflakes{}, err
	}
	flake, err := sonyflake.New(sonyflake.Settings{MachineID: func() (int, error) { return 1, nil }})
	if err != nil {
		return snowflakes{}, err
	}
	g, limited := burst.(*snowflake.Generator), sustained.(*snowflake.Generator)
	return snowflakes{
		burst: []*benchCase{
			clockAndSwap(),
			snowflakeNext(ctx, "cosid snowflake", g), snowflakeBatches(ctx, g, 10), snowflakeBatches(ctx, g, 1000),
			wideNext(ctx, texts.(*snowflake.WideGenerator)),
		},
		sustained: []*benchCase{
			snowflakeNext(ctx, "cosid snowflake (4,096 a ms)", limited),
			generating("bwmarrin/snowflake (4,096 a ms)", func() (int64, error) { return node.Generate().Int64(), nil }),
			generating("sony/sonyflake (256 in 10 ms)", flake.NextID),
		},
	}, nil
}

// clockAndSwap is what a snowflake cannot do without: a look at the monotonic clock, and a change that nobody else made.
func clockAndSwap() *benchCase {
	var last padded
	began := time.Now()
	return &benchCase{name: "time.Since + compare-and-swap", ids: 1, loop: func(n int) {
		word := int64(0)
		for range n {
			word = swapIn(&last.Int64, int64(time.Since(began)))
		}
		numberSink.Store(word)
	}}
}

func swapIn(last *atomic.Int64, now int64) int64 {
	for {
		before := last.Load()
		word := max(before+1, now)
		if last.CompareAndSwap(before, word) {
			return word
		}
	}
}

func snowflakeNext(ctx context.Context, name string, g *snowflake.Generator) *benchCase {
	return &benchCase{name: name, ids: 1, loop: func(n int) {
		last := int64(0)
		for range n {
			id, err := g.Next(ctx)
			if err != nil {
				fatal(err) // one that fails is quick
			}
			last = id
		}
		numberSink.Store(last)
	}}
}

func snowflakeBatches(ctx context.Context, g *snowflake.Generator, size int) *benchCase {
	return &benchCase{name: "cosid snowflake, batches of " + strconv.Itoa(size), ids: size, loop: func(n int) {
		batch := make([]int64, size)
		for range n {
			if _, err := g.Fill(ctx, batch); err != nil {
				fatal(err)
			}
		}
		numberSink.Store(batch[0])
	}}
}

func wideNext(ctx context.Context, g *snowflake.WideGenerator) *benchCase {
	return &benchCase{name: "cosid wide-snowflake, 15 characters", ids: 1, loop: func(n int) {
		length := 0
		for range n {
			text, err := g.Next(ctx)
			if err != nil {
				fatal(err)
			}
			length += len(text)
		}
		textSink.Store(int64(length))
	}}
}

func generating(name string, next func() (int64, error)) *benchCase {
	return &benchCase{name: name, ids: 1, loop: func(n int) {
		last := int64(0)
		for range n {
			last, _ = next()
		}
		numberSink.Store(last)
	}}
}
