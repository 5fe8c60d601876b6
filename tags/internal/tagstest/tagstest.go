// Package tagstest has generators for the tests of tags and its sub-packages.
package tagstest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cosid-go/cosid/tags"
)

// Counter is a generator that counts on in memory, and remembers how it was asked.
type Counter struct {
	Left   int    // how many ids there still are, less than 0 for no end
	Err    error  // what comes after the last id
	Text   bool   // is grouped: text only
	Prefix string // of texts
	Blank  bool   // writes empty texts
	Only   bool   // makes texts and no numbers

	// Before is called at the start of each draw; its error is that of the draw.
	Before func(ctx context.Context) error

	mu    sync.Mutex
	next  int64
	draws []int
}

// NewCounter returns a Counter without an end whose first id is first.
func NewCounter(first int64) *Counter { return &Counter{next: first, Left: -1} }

// ErrExhausted is an error for Err.
var ErrExhausted = errors.New("range exhausted")

// Draws returns the size of each draw so far.
func (c *Counter) Draws() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.draws)
}

// Drawn returns how many ids were asked for so far.
func (c *Counter) Drawn() int {
	n := 0
	for _, d := range c.Draws() {
		n += d
	}
	return n
}

// Grouped is a method of tags.Generator.
func (c *Counter) Grouped() bool { return c.Text }

// TextOnly is a method of tags.Generator.
func (c *Counter) TextOnly() bool { return c.Only }

// Fill is a method of tags.Generator.
func (c *Counter) Fill(ctx context.Context, ids []int64) (int, error) {
	if c.Before != nil {
		if err := c.Before(ctx); err != nil {
			return 0, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.draws) == 1<<12 {
		c.draws = c.draws[:0] // a benchmark: nobody asks
	}
	c.draws = append(c.draws, len(ids))
	n := len(ids)
	if c.Left >= 0 {
		n = min(n, c.Left)
		c.Left -= n
	}
	for i := range ids[:n] {
		ids[i] = c.next
		c.next++
	}
	if n < len(ids) {
		return n, c.Err
	}
	return n, nil
}

// FillStrings is a method of tags.Generator.
func (c *Counter) FillStrings(ctx context.Context, texts []string) (int, error) {
	ids := make([]int64, len(texts))
	n, err := c.Fill(ctx, ids)
	for i, id := range ids[:n] {
		texts[i] = ""
		if !c.Blank {
			texts[i] = c.Prefix + strconv.FormatInt(id, 10)
		}
	}
	return n, err
}

// Quick is a Counter that also draws one by one.
type Quick struct{ *Counter }

// Next is the optional method of tags.Generator.
func (q Quick) Next(ctx context.Context) (int64, error) {
	var id [1]int64
	_, err := q.Fill(ctx, id[:])
	return id[0], err
}

// SourceOf is a source of the named generators. A codec is known if it is called short; texts through it begin
// with "s".
func SourceOf(generators map[string]tags.Generator) tags.Source {
	return func(generator, codec string) (tags.Generator, error) {
		g, ok := generators[generator]
		if !ok {
			have := slices.Sorted(maps.Keys(generators))
			return nil, fmt.Errorf("no generator named %q (have %s)", generator, strings.Join(have, ", "))
		}
		switch codec {
		case "":
			return g, nil
		case "short":
			return short{g}, nil
		}
		return nil, fmt.Errorf("no codec named %q (have short)", codec)
	}
}

// short is a generator looked up with the codec called short.
type short struct{ tags.Generator }

func (s short) FillStrings(ctx context.Context, texts []string) (int, error) {
	n, err := s.Generator.FillStrings(ctx, texts)
	for i := range texts[:n] {
		texts[i] = "s" + texts[i]
	}
	return n, err
}
