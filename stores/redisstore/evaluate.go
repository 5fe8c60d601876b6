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

// evaluate runs scripts and one WAIT for all of them in one round trip, and hands over each as soon as it has come to
// something. Scripts that the server does not know yet take a second one. WAIT is about everything that its connection
// has written, so it asks for as much as any of the calls does.
func evaluate(ctx context.Context, on commander, calls []*pendingCall, done func(*pendingCall)) {
	send(ctx, on, calls, func(s Script) (command, script string) { return "evalsha", s.SHA1 })
	var forgotten []*pendingCall
	for _, call := range calls {
		if call.err != nil && redis.HasErrorPrefix(call.err, "NOSCRIPT") {
			forgotten = append(forgotten, call)
		} else {
			done(call)
		}
	}
	if len(forgotten) == 0 {
		return
	}
	send(ctx, on, forgotten, func(s Script) (command, script string) { return "eval", s.Source })
	for _, call := range forgotten {
		done(call)
	}
}

func send(
	ctx context.Context, on commander, calls []*pendingCall, form func(Script) (command, script string),
) {
	var wait *redis.IntCmd // nil: nobody asks for replicas
	replicas, waitTimeout := 0, time.Duration(0)
	for _, call := range calls {
		call.sent = redis.NewCmd(ctx, call.words(form)...)
		replicas, waitTimeout = max(replicas, call.Replicas), max(waitTimeout, call.WaitTimeout)
	}
	if len(calls) == 1 && replicas == 0 {
		_ = on.Process(ctx, once{calls[0].sent}) // sent has the error, too
	} else {
		pipe := on.Pipeline()
		for _, call := range calls {
			pipe.Process(ctx, once{call.sent})
		}
		if replicas > 0 {
			wait = redis.NewIntCmd(ctx, "wait", replicas, waitTimeout.Milliseconds())
			pipe.Process(ctx, wait)
		}
		if _, err := pipe.Exec(ctx); err != nil {
			setMissing(calls, err)
		}
	}
	for _, call := range calls {
		call.read(wait)
	}
}

// setMissing gives an error to commands of which none has an answer or an error of its own: what comes before them, such
// as a greeting that is refused or a hook, go-redis does not write into them.
func setMissing(calls []*pendingCall, err error) {
	for _, call := range calls {
		if call.sent.Err() != nil || call.sent.Val() != nil {
			return
		}
	}
	for _, call := range calls {
		call.sent.SetErr(err)
	}
}

// words are the call as a command of Redis.
func (call *pendingCall) words(form func(Script) (command, script string)) []any {
	command, script := form(call.Script)
	words := make([]any, 0, 3+len(call.Keys)+len(call.Args))
	words = append(words, command, script, len(call.Keys))
	for _, key := range call.Keys {
		words = append(words, key)
	}
	for _, arg := range call.Args {
		words = append(words, arg)
	}
	return words
}

// read takes the answers to the script and to the WAIT behind it.
func (call *pendingCall) read(wait *redis.IntCmd) {
	value, err := call.sent.Result()
	switch {
	case err != nil && value != nil:
		// The server has answered. A hook has made an error of it, which says nothing about what the script did.
		call.err = fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, err)
	case errors.Is(err, redis.Nil):
		call.err = fmt.Errorf("%w: the script answered nothing", stores.ErrOutcomeUnknown)
	case err != nil:
		call.err = err
	case call.Replicas == 0:
		call.reply, call.err = ScriptReply{Value: value}, nil
	case wait.Err() != nil:
		// The script has run. What is known of its replicas is not enough, whatever the server says.
		call.err = fmt.Errorf("%w: wait for replicas: %w", stores.ErrOutcomeUnknown, answered(wait.Err()))
	default:
		call.reply, call.err = ScriptReply{Value: value, Acknowledged: int(wait.Val())}, nil
	}
}

// once is a command that a client must not send again by itself, whatever its MaxRetries say: nobody knows whether
// the first one has taken effect.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }
