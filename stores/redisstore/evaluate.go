package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/stores"
)

// commander is what go-redis's clients and connections have in common. A pipeline goes over one connection.
type commander interface {
	Process(ctx context.Context, command redis.Cmder) error
	Pipeline() redis.Pipeliner
}

// evaluate runs a script and its WAIT in one round trip, or in two where the server does not know the script yet.
func evaluate(ctx context.Context, on commander, call ScriptCall) (ScriptReply, error) {
	reply, err := send(ctx, on, call, "evalsha", call.Script.SHA1)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		return send(ctx, on, call, "eval", call.Script.Source)
	}
	return reply, err
}

func send(ctx context.Context, on commander, call ScriptCall, command, script string) (ScriptReply, error) {
	args := make([]any, 0, 3+len(call.Keys)+len(call.Args))
	args = append(args, command, script, len(call.Keys))
	for _, key := range call.Keys {
		args = append(args, key)
	}
	for _, arg := range call.Args {
		args = append(args, arg)
	}
	run := redis.NewCmd(ctx, args...)
	acknowledged, waitErr := 0, error(nil)
	if call.Replicas == 0 {
		_ = on.Process(ctx, once{run}) // run has the error, too
	} else {
		wait := redis.NewIntCmd(ctx, "wait", call.Replicas, call.WaitTimeout.Milliseconds())
		pipe := on.Pipeline()
		pipe.Process(ctx, once{run})
		pipe.Process(ctx, wait)
		_, waitErr = pipe.Exec(ctx)
		acknowledged = int(wait.Val())
	}

	value, err := run.Result()
	switch {
	case errors.Is(err, redis.Nil):
		return ScriptReply{}, fmt.Errorf("%w: the script answered nothing", stores.ErrOutcomeUnknown)
	case err != nil:
		return ScriptReply{}, err
	case waitErr != nil:
		// The script has run. What is known of its replicas is not enough, whatever the server says.
		return ScriptReply{}, fmt.Errorf("%w: wait for replicas: %w", stores.ErrOutcomeUnknown, answered(waitErr))
	default:
		return ScriptReply{Value: value, Acknowledged: acknowledged}, nil
	}
}

// once is a command that a client must not send again by itself, whatever its MaxRetries say: nobody knows whether
// the first one has taken effect.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }
