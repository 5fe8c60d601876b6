package redisstore

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// clientSender sends calls to one server, or to the one that Sentinel calls the master.
type clientSender struct{ client *redis.Client }

func (s clientSender) send(ctx context.Context, calls []*pendingCall) {
	evaluate(ctx, s.client, calls, func(call *pendingCall) { call.answer(ctx) })
}

// timed returns the client with the store's timeout on each read and write. A clone shares the pool, and is not closed;
// it lacks the client's hooks, so the client itself is better where its deadlines are those of its contexts.
func timed(client *redis.Client, timeout time.Duration) *redis.Client {
	o := client.Options()
	suits := func(own time.Duration) bool {
		return own == timeout || o.ContextTimeoutEnabled && (own <= 0 || own > timeout)
	}
	if suits(o.ReadTimeout) && suits(o.WriteTimeout) {
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
		alone := &pendingCall{ScriptCall: call}
		evaluate(ctx, r.conn, []*pendingCall{alone}, func(*pendingCall) {})
		reply = alone.reply
		return alone.err
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

// clusterSender sends calls to the masters of their keys' slots. A pipeline of the cluster client itself would send
// WAIT to any node.
type clusterSender struct {
	client  *redis.ClusterClient
	timeout time.Duration
}

func (s clusterSender) send(ctx context.Context, calls []*pendingCall) {
	const attempts = 3
	s.try(ctx, calls, attempts)
}

// try sends to all masters at once, and from each of them on what has to go elsewhere: none waits for another.
func (s clusterSender) try(ctx context.Context, calls []*pendingCall, attempts int) {
	byMaster := map[*redis.Client][]*pendingCall{}
	for _, call := range calls {
		master, err := s.client.MasterForKey(ctx, call.Keys[0])
		if err != nil {
			s.client.ReloadState(ctx)
			call.err = notSentError{err}
			call.answer(ctx)
			continue
		}
		byMaster[master] = append(byMaster[master], call)
	}
	var trips sync.WaitGroup
	for master, calls := range byMaster {
		trips.Go(func() {
			moved := s.sendTo(ctx, master, calls)
			switch {
			case len(moved) == 0:
			case attempts > 1:
				// Those were not run. A node's own client does not follow; the new map says where to.
				s.reload(ctx)
				s.try(ctx, moved, attempts-1)
			default:
				for _, call := range moved {
					call.answer(ctx)
				}
			}
		})
	}
	trips.Wait()
}

func (s clusterSender) sendTo(ctx context.Context, master *redis.Client, calls []*pendingCall) (moved []*pendingCall) {
	evaluate(ctx, timed(master, s.timeout), calls, func(call *pendingCall) {
		if _, is := redis.IsMovedError(call.err); is {
			moved = append(moved, call)
			return
		}
		if call.err != nil && !isRefusal(call.err) {
			s.client.ReloadState(ctx) // the slot may have another master by now
		}
		call.answer(ctx)
	})
	return moved
}

// reload asks the cluster for its map, and waits for the answer: a quarter of the timeout at most. go-redis asks the nodes
// in random order and gives all of its time to one that does not answer, so it is told to ask anew.
func (s clusterSender) reload(ctx context.Context) {
	const attempts = 4
	for range attempts {
		attempt, cancel := context.WithTimeout(ctx, s.timeout/(4*attempts))
		_ = s.client.ForEachMaster(attempt, func(context.Context, *redis.Client) error { return nil })
		silent := ended(attempt)
		cancel()
		if !silent {
			return
		}
	}
}
