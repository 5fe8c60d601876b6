package redisstore

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/redis/go-redis/v9"
)

// pipeliner is a runner that sends the calls that are there at the same moment together. No call waits for one that is
// under way, so each takes one round trip, however many share it: a request, the server's turn and a WAIT for replicas
// cost almost the same for ten scripts as for one.
type pipeliner struct {
	to     sender
	bounds bounds

	// prompt tells that the sender keeps the deadlines of contexts. A call that nobody can cancel needs no goroutine then,
	// which it could leave behind.
	prompt bool

	mu       sync.Mutex
	ready    []*pendingCall // for the next trip, which the first of them makes
	underway int            // trips
}

// sender makes a trip: it sends calls in as few round trips as it can, and answers those that it has an answer for as
// soon as it has it. The others count as outcome unknown.
type sender interface {
	send(ctx context.Context, calls []*pendingCall)
}

// pendingCall is a call on its way, and what came of it.
type pendingCall struct {
	ScriptCall
	sent  *redis.Cmd // what it was sent as last
	reply ScriptReply
	err   error

	done     bool          // answered is closed; the trip's alone
	answered chan struct{} // closed once reply and err may be read
}

// answer lets the caller go on, with what the evaluation came to. ctx is the trip's.
func (call *pendingCall) answer(ctx context.Context) {
	if call.err != nil {
		call.err = explain(ctx, call.err)
	}
	call.done = true
	close(call.answered)
}

func (p *pipeliner) RunScript(ctx context.Context, call ScriptCall) (ScriptReply, error) {
	alone := p.prompt && ctx.Done() == nil
	if !alone {
		var cancel context.CancelFunc
		ctx, cancel = p.bounds.limit(ctx)
		defer cancel()
	}
	pending := &pendingCall{ScriptCall: call, answered: make(chan struct{})}
	switch first := p.join(pending); {
	case first && alone:
		p.trip(ctx)
	case first:
		p.bounds.io.Go(func() { p.trip(ctx) })
	}
	select {
	case <-pending.answered:
		return pending.reply, pending.err
	case <-ctx.Done():
	}
	select {
	case <-pending.answered: // it came, too
		return pending.reply, pending.err
	default:
		return ScriptReply{}, unknown(ctx, nil)
	}
}

// join lets a call take part in the next trip, and tells whether it has to make it.
func (p *pipeliner) join(call *pendingCall) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = append(p.ready, call)
	return len(p.ready) == 1
}

// trip sends the calls that are ready, for the first of them, whose context it is. That one may leave early, which is
// nothing to the others.
func (p *pipeliner) trip(ctx context.Context) {
	ctx, cancel := p.bounds.limit(context.WithoutCancel(ctx))
	defer cancel()
	calls := p.depart()
	defer func() { // also where a hook of the application's client panics
		p.mu.Lock()
		p.underway--
		p.mu.Unlock()
		for _, call := range calls {
			if !call.done {
				call.err = unknown(ctx, errors.New("nobody has answered it"))
				call.answer(ctx)
			}
		}
	}()
	p.to.send(ctx, calls)
}

// depart takes the calls that are ready. Where trips are under way there are more callers, and those that can run are
// let run first: the answers of one trip wake all of its callers, who come back together.
func (p *pipeliner) depart() []*pendingCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.underway > 0 {
		p.mu.Unlock()
		runtime.Gosched()
		p.mu.Lock()
	}
	calls := p.ready
	p.ready, p.underway = nil, p.underway+1
	return calls
}
