package redisstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/stores"
)

// explain says what an error of a script call means. Only an answer of the server by which nothing has changed, and a
// request that was never sent, have a known outcome.
func explain(ctx context.Context, err error) error {
	var answer redis.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, stores.ErrOutcomeUnknown):
		if ended(ctx) && !errors.Is(err, context.Cause(ctx)) {
			return fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
		return err
	case errors.As(err, &answer):
		return answered(err)
	case isNotSent(err):
		err = fmt.Errorf("%w (nothing was sent)", err)
		if ended(ctx) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return err
	default:
		return unknown(ctx, err)
	}
}

// unknown wraps err, which may be nil, as an unknown outcome, with the reason why ctx ended if it did.
func unknown(ctx context.Context, err error) error {
	if ended(ctx) {
		return fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, context.Cause(ctx))
	}
	return fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, err)
}

// answered explains an error reply of the server.
func answered(err error) error {
	text := err.Error()
	for _, known := range knownAnswers() {
		if known.within && strings.Contains(text, known.text) || strings.HasPrefix(text, known.text) {
			return fmt.Errorf("%s: %w", known.advice, err)
		}
	}
	return err
}

// rights are what the store needs.
const rights = "+eval +evalsha +wait +ping +time +select +client|setname +cluster|slots +@read +@write -@dangerous " +
	"on keys cosid:*"

type knownAnswer struct {
	text   string
	within bool // anywhere in the answer, not at its start
	advice string
}

func knownAnswers() []knownAnswer {
	return []knownAnswer{
		{"READONLY", false, "the server is a replica, which cannot write: connect to its master"},
		{"OOM", false, "the server has reached its maxmemory: raise it, or remove other data"},
		{"NOPERM", false, "the user may not do this: allow " + rights},
		{"NOAUTH", false, "the server asks for a password: put user and password into the uri"},
		{"WRONGPASS", false, "the server refused user and password: correct them in the uri"},
		{"MOVED", false, "the key lies on another node of a Redis Cluster: set cluster: true or hand in a cluster client; with one, try again"},
		{"ASK", false, "the cluster is moving the key to another node: try again"},
		{"TRYAGAIN", false, "the cluster is moving the key to another node: try again"},
		{"CLUSTERDOWN", false, "the cluster does not serve now: see CLUSTER INFO"},
		{"LOADING", false, "the server is still loading its data: try again"},
		{"MASTERDOWN", false, "the server is a replica, which cannot write: connect to its master"},
		{"NOREPLICAS", false, "fewer replicas than the server's min-replicas-to-write are in reach: bring them back"},
		{"MISCONF", false, "the server cannot write its data to disk: see its log"},
		{"BUSY", false, "another script keeps the server busy: see SCRIPT KILL"},
		{"WRONGTYPE", false, "the key holds something that cosid did not write: remove it, or use another namespace"},
		{"The user executing the script can't", true, "the user may not do this: allow " + rights},
		{"holds no row of cosid", true, "a slot's row is not what cosid writes: remove it, or use another namespace"},
		{"not an integer", true, "the key holds something that cosid did not write: remove it, or use another namespace"},
		{"all sentinels specified in configuration are unreachable", true, "no sentinel names this master: see the hosts and " +
			"the master's name in the uri, sentinel-username and sentinel-password"},
		{"Unknown Redis command called from script", true, "the server has disabled or renamed a command that the store " +
			"needs: allow " + rights},
		{"unknown command", true, "the server has disabled or renamed a command that the store needs: allow EVAL, EVALSHA " +
			"and WAIT"},
		{"cluster support disabled", true, "the server is no Redis Cluster: set cluster: false"},
	}
}

// isRefusal tells whether err is the server's verdict on the script, and not about where it should have been sent.
func isRefusal(err error) bool {
	var answer redis.Error
	if !errors.As(err, &answer) {
		return false
	}
	for _, astray := range []string{"MOVED", "ASK", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "TRYAGAIN"} {
		if strings.HasPrefix(answer.Error(), astray) {
			return false
		}
	}
	return true
}

// isOverflow tells whether INCRBY refused to pass the largest int64. No other answer means exhausted.
func isOverflow(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) && strings.Contains(answer.Error(), "would overflow")
}

// isForbidden tells whether the server does not let this user use a command.
func isForbidden(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) &&
		(strings.HasPrefix(answer.Error(), "NOPERM") || strings.Contains(answer.Error(), "unknown command"))
}

// notSentError is an error from before anything was sent.
type notSentError struct{ error }

func (e notSentError) Unwrap() error { return e.error }

func isNotSent(err error) bool {
	var before notSentError
	var network *net.OpError
	return errors.As(err, &before) || errors.Is(err, redis.ErrClosed) ||
		errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted) ||
		errors.As(err, &network) && network.Op == "dial"
}

// ended tells whether ctx is over. A socket's deadline can be seen to pass a moment before the context's own.
func ended(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}
