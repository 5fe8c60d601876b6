package runtime

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// check asks one store whether it can be reached. Questions that come while one is under way share its answer, so that
// however often health is asked for, and however slow the store is, one call of it runs.
type check struct {
	mu      sync.Mutex
	running *answer
	closed  bool
}

// answer is what a call came to. err is read after done is closed.
type answer struct {
	done chan struct{}
	err  error
}

// ask waits for an answer, no longer than ctx and timeout; life ends the call itself.
func (c *check) ask(ctx, life context.Context, store stores.Pinger, timeout time.Duration) error {
	if timeout > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within its timeout %v", timeout))
		defer cancel()
		ctx = bounded
	}
	a := c.begin(life, store, timeout)
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return fmt.Errorf("no answer yet: %w", context.Cause(ctx))
	}
}

func (c *check) begin(life context.Context, store stores.Pinger, timeout time.Duration) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		return c.running
	}
	a := &answer{done: make(chan struct{}), err: ErrClosed}
	if c.closed {
		close(a.done)
		return a
	}
	c.running = a
	go func() {
		ctx, cancel := life, func() {}
		if timeout > 0 {
			ctx, cancel = context.WithTimeout(life, timeout)
		}
		defer cancel()
		a.err = store.Ping(ctx)
		c.mu.Lock()
		c.running = nil
		c.mu.Unlock()
		close(a.done)
	}()
	return a
}

// stop refuses further questions and waits for the call under way, no longer than ctx.
func (c *check) stop(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	a := c.running
	c.mu.Unlock()
	if a == nil {
		return
	}
	select {
	case <-a.done:
	case <-ctx.Done():
	}
}
