package redisstore

import (
	"context"
	"sync"
	"time"
)

// bounds are what holds for all that a store sends.
type bounds struct {
	timeout  time.Duration
	timedOut error           // the cause where timeout has ended it
	io       *sync.WaitGroup // what may outlive its call; Close waits for it
}

// limit bounds ctx by the timeout.
func (b bounds) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.timeout, b.timedOut)
}

// await runs fn, and leaves it behind where ctx ends first: a client's reads end with a deadline at best, never because
// a context is cancelled. Whoever owns io waits for fn in the end.
func await[T any](ctx context.Context, io *sync.WaitGroup, fn func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	io.Go(func() {
		value, err := fn()
		answers <- answer{value, err}
	})
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answers: // it came, too
		return a.value, a.err
	default:
		var none T
		return none, unknown(ctx, nil)
	}
}

// awaited is a runner whose calls can be left behind.
type awaited struct {
	runner ScriptRunner
	bounds bounds
}

func (a awaited) RunScript(ctx context.Context, call ScriptCall) (ScriptReply, error) {
	ctx, cancel := a.bounds.limit(ctx)
	defer cancel()
	reply, err := await(ctx, a.bounds.io, func() (ScriptReply, error) { return a.runner.RunScript(ctx, call) })
	return reply, explain(ctx, err)
}
