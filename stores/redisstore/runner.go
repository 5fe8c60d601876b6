package redisstore

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// clientRunner runs scripts on one server, or on the one that Sentinel calls the master.
type clientRunner struct{ client *redis.Client }

func (r clientRunner) RunScript(ctx context.Context, call ScriptCall) (ScriptReply, error) {
	return evaluate(ctx, r.client, call)
}

// timed returns the client with the store's timeout on each read and write. A clone shares the pool, and is not closed.
func timed(client *redis.Client, timeout time.Duration) *redis.Client {
	if o := client.Options(); o.ReadTimeout == timeout && o.WriteTimeout == timeout {
		return client
	}
	return client.WithTimeout(timeout)
}

// connRunner runs scripts on one connection, one at a time.
type connRunner struct {
	conn    *redis.Conn
	timeout time.Duration
	turn    chan struct{} // holds one token while the connection is in use
}

func newConnRunner(conn *redis.Conn, timeout time.Duration) connRunner {
	return connRunner{conn: conn, timeout: timeout, turn: make(chan struct{}, 1)}
}

func (r connRunner) RunScript(ctx context.Context, call ScriptCall) (reply ScriptReply, err error) {
	err = r.alone(ctx, func(ctx context.Context) error {
		reply, err = evaluate(ctx, r.conn, call)
		return err
	})
	return reply, err
}

// alone waits for its turn as long as ctx says. From then on use has the whole timeout: a connection whose answer is
// not read to its end is broken for good, and it is not ours.
func (r connRunner) alone(ctx context.Context, use func(ctx context.Context) error) error {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return notSentError{ctx.Err()}
	}
	defer func() { <-r.turn }()
	if err := ctx.Err(); err != nil {
		return notSentError{err}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.timeout)
	defer cancel()
	return use(ctx)
}

// clusterRunner runs scripts on the master of their keys' slot. A pipeline of the cluster client itself would send
// WAIT to any node.
type clusterRunner struct {
	client  *redis.ClusterClient
	timeout time.Duration
}

func (r clusterRunner) RunScript(ctx context.Context, call ScriptCall) (ScriptReply, error) {
	const attempts = 3
	for attempt := 1; ; attempt++ {
		master, err := r.client.MasterForKey(ctx, call.Keys[0])
		if err != nil {
			r.client.ReloadState(ctx)
			return ScriptReply{}, notSentError{err}
		}
		reply, err := evaluate(ctx, timed(master, r.timeout), call)
		if _, moved := redis.IsMovedError(err); moved && attempt < attempts {
			// Not run there. A node's own client does not follow; the new map says where to.
			if err := r.reload(ctx); err == nil {
				continue
			}
		}
		if err != nil && !isRefusal(err) {
			r.client.ReloadState(ctx) // the slot may have another master by now
		}
		return reply, err
	}
}

// reload asks the cluster for its map, and waits for the answer.
func (r clusterRunner) reload(ctx context.Context) error {
	return r.client.ForEachMaster(ctx, func(context.Context, *redis.Client) error { return nil })
}
