package runtime

import (
	"context"
	"errors"
	"testing"
	"time"
)

type pingerFunc func(context.Context) error

func (f pingerFunc) Ping(ctx context.Context) error { return f(ctx) }

// A question that comes just when the runtime is closed would else outlive it.
func TestACheckThatWasStoppedAsksNoMore(t *testing.T) {
	var c check
	c.stop(t.Context())
	err := c.ask(t.Context(), t.Context(), pingerFunc(func(context.Context) error {
		t.Error("asked")
		return nil
	}), time.Second)
	if !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}
