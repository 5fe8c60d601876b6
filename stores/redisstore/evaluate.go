package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/stores"
)

// commander is what go-redis's clients and connections have in common. A pipeline goes over one connection.
type commander interface {
	Process(ctx context.Context, command redis.Cmder) error
	Pipeline() redis.Pipeliner
}

// evaluation is a script call on its way, and what came of it.
type evaluation struct {
	ScriptCall
	reply ScriptReply
	err   error

	sent *redis.Cmd
}

// evaluate runs scripts and one WAIT for all of them in one round trip, or in two where the server does not know one of
// them yet. WAIT is about everything that its connection has written, so it asks for as much as any of the calls does.
func evaluate(ctx context.Context, on commander, evaluations []*evaluation) {
	send(ctx, on, evaluations, func(s Script) (command, script string) { return "evalsha", s.SHA1 })
	var unknown []*evaluation
	for _, e := range evaluations {
		if redis.HasErrorPrefix(e.err, "NOSCRIPT") {
			unknown = append(unknown, e)
		}
	}
	if len(unknown) > 0 {
		send(ctx, on, unknown, func(s Script) (command, script string) { return "eval", s.Source })
	}
}

func send(
	ctx context.Context, on commander, evaluations []*evaluation, form func(Script) (command, script string),
) {
	replicas, waitTimeout := 0, time.Duration(0)
	for _, e := range evaluations {
		e.sent = redis.NewCmd(ctx, e.words(form)...)
		replicas, waitTimeout = max(replicas, e.Replicas), max(waitTimeout, e.WaitTimeout)
	}
	wait := redis.NewIntCmd(ctx, "wait", replicas, waitTimeout.Milliseconds())
	if len(evaluations) == 1 && replicas == 0 {
		_ = on.Process(ctx, once{evaluations[0].sent}) // sent has the error, too
	} else {
		pipe := on.Pipeline()
		for _, e := range evaluations {
			pipe.Process(ctx, once{e.sent})
		}
		if replicas > 0 {
			pipe.Process(ctx, wait)
		}
		_, _ = pipe.Exec(ctx) // each command has its error
	}
	for _, e := range evaluations {
		e.read(wait)
	}
}

// words are the call as a command of Redis.
func (e *evaluation) words(form func(Script) (command, script string)) []any {
	command, script := form(e.Script)
	words := make([]any, 0, 3+len(e.Keys)+len(e.Args))
	words = append(words, command, script, len(e.Keys))
	for _, key := range e.Keys {
		words = append(words, key)
	}
	for _, arg := range e.Args {
		words = append(words, arg)
	}
	return words
}

// read takes the answers to the script and to the WAIT behind it.
func (e *evaluation) read(wait *redis.IntCmd) {
	value, err := e.sent.Result()
	switch {
	case errors.Is(err, redis.Nil):
		e.err = fmt.Errorf("%w: the script answered nothing", stores.ErrOutcomeUnknown)
	case err != nil:
		e.err = err
	case e.Replicas > 0 && wait.Err() != nil:
		// The script has run. What is known of its replicas is not enough, whatever the server says.
		e.err = fmt.Errorf("%w: wait for replicas: %w", stores.ErrOutcomeUnknown, answered(wait.Err()))
	default:
		e.reply, e.err = ScriptReply{Value: value, Acknowledged: int(wait.Val())}, nil
	}
}

// once is a command that a client must not send again by itself, whatever its MaxRetries say: nobody knows whether
// the first one has taken effect.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }
