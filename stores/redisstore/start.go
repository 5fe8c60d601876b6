package redisstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/cosid-go/cosid/stores"
)

// Start connects, checks that the server keeps what it acknowledges, and decides how many replicas writes wait for. It
// is bounded by ctx, or by ten seconds where ctx has no deadline. If it fails, nothing is left open and it may be
// called again. A store that is started is not started again.
func (s *Store) Start(ctx context.Context) error {
	err := s.life.Start(ctx, func(ctx context.Context) (link, error) {
		l, err := s.open()
		if err == nil {
			l.replicas, err = s.verifyOnLive(ctx, l)
		}
		return l, err
	}, link.shut)
	if err != nil {
		return fmt.Errorf("redisstore: start %q: %w", s.spec.Name, err)
	}
	return nil
}

// verifyOnLive is verify, over the connections that are alive. A client that was handed in may hold others, which the
// server has closed and which show it at their next use only.
func (s *Store) verifyOnLive(ctx context.Context, l link) (int, error) {
	const mostIdle = 100
	for try := 1; ; try++ {
		replicas, err := s.verify(ctx, l)
		dead := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
		if try == mostIdle || !dead || isNotSent(err) {
			return replicas, err
		}
	}
}

// verify checks the servers and returns how many replicas writes have to wait for.
func (s *Store) verify(ctx context.Context, l link) (int, error) {
	masters, err := await(ctx, &s.io, func() ([]master, error) { return inspectAll(ctx, l) })
	if err != nil {
		return 0, s.connectError(ctx, err)
	}
	for _, m := range masters {
		if err := m.check(l.cluster != nil); err != nil {
			return 0, fmt.Errorf("connect: %w", err)
		}
	}
	replicas, err := s.options.Wait.decide(masters)
	if err != nil {
		return 0, err
	}
	if l.shared && replicas > 0 {
		return 0, fmt.Errorf("wait: %v comes out as %d, and WAIT must not hold up a *redis.Conn that was handed in: "+
			"hand in a client, or set wait: off", s.options.Wait, replicas)
	}
	if _, err := s.probe(ctx, l, replicas); err != nil {
		return 0, fmt.Errorf("run a script: %w", err)
	}
	s.warnOf(ctx, s.doubts(l, masters, replicas))
	return replicas, nil
}

func (s *Store) warnOf(ctx context.Context, doubts []doubt) {
	for _, doubt := range doubts {
		s.spec.Logger.WarnContext(ctx, "cosid: the store may lose reserved ranges or leases",
			"store", s.spec.Name, "server", doubt.server, "reason", doubt.Problem+": "+doubt.Remedy)
	}
}

// connectError explains an error of a question to a server; nothing hangs on its outcome.
func (s *Store) connectError(ctx context.Context, err error) error {
	var network net.Error
	switch {
	case err == nil, errors.Is(err, stores.ErrClosed):
		return err
	case errors.Is(err, stores.ErrOutcomeUnknown):
		return fmt.Errorf("connect: no answer: %w", context.Cause(ctx))
	case ended(ctx):
		return fmt.Errorf("connect: %w: %w", context.Cause(ctx), err)
	case errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("connect: no answer within the timeout of %v (so it is where one side speaks TLS and the other "+
			"does not, too): %w", s.spec.Timeout, err)
	default:
		return fmt.Errorf("connect: %w", answered(err))
	}
}
