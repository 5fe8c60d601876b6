package tags_test

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

// counter is a generator that counts on in memory, and remembers how it was asked.
type counter struct {
	mu      sync.Mutex
	next    int64
	left    int    // how many ids there still are; -1 for no end
	err     error  // what comes after the last id
	grouped bool   // text only
	prefix  string // of texts
	blank   bool   // writes empty texts
	draws   []int  // the size of each draw
}

func newCounter(first int64) *counter { return &counter{next: first, left: -1} }

var errExhausted = errors.New("range exhausted")

func (c *counter) take(n int) int {
	c.draws = append(c.draws, n)
	if c.left >= 0 {
		n = min(n, c.left)
		c.left -= n
	}
	return n
}

func (c *counter) Grouped() bool { return c.grouped }

func (c *counter) Fill(_ context.Context, ids []int64) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.draws) > 1<<10 {
		c.draws = c.draws[:0]
	}
	n := c.take(len(ids))
	for i := range ids[:n] {
		ids[i] = c.next
		c.next++
	}
	if n < len(ids) {
		return n, c.err
	}
	return n, nil
}

func (c *counter) Next(ctx context.Context) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.draws) > 1<<10 {
		c.draws = c.draws[:0]
	}
	if c.take(1) == 0 {
		return 0, c.err
	}
	c.next++
	return c.next - 1, nil
}

func (c *counter) FillStrings(ctx context.Context, texts []string) (int, error) {
	ids := make([]int64, len(texts))
	n, err := c.Fill(ctx, ids)
	for i, id := range ids[:n] {
		if !c.blank {
			texts[i] = c.prefix + strconv.FormatInt(id, 10)
		}
	}
	return n, err
}

// drawn is how many ids were drawn in all.
func (c *counter) drawn() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, d := range c.draws {
		n += d
	}
	return n
}

// sourceOf is a source of the named generators. A codec is known if it is called short; texts through it begin
// with "s".
func sourceOf(generators map[string]tags.Generator) tags.Source {
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
