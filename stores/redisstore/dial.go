package redisstore

import (
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// dialer is how go-redis connects.
type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// dialing makes connections for a client of the store's own, as long as its life lasts.
func dialing(life context.Context, o *redis.Options) dialer {
	plain := &net.Dialer{Timeout: o.DialTimeout}
	dial := plain.DialContext
	if o.TLSConfig != nil {
		dial = (&tls.Dialer{NetDialer: plain, Config: o.TLSConfig}).DialContext
	}
	return eager(func(ctx context.Context, network, addr string) (net.Conn, error) {
		// go-redis lets a dial go on for others where its caller has left.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return dial(ctx, network, addr)
	})
}

// eager lets every call find out for itself whether the server is back. Once as many dials in a row have failed as its
// pool is large, a go-redis client answers with the last error and dials once a second only, which is a second without
// ids at each restart. Such a dial is a connection here that fails at its first use.
func eager(dial dialer) dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			// Twice, since go-redis takes the outermost error off when it greets the server.
			return unreachable{network, addr, notSentError{notSentError{err}}}, nil
		}
		return conn, nil
	}
}

// eagerHook makes a client's dials eager together with what comes before them: one that follows Sentinel asks there for
// the master.
type eagerHook struct{}

func (eagerHook) DialHook(next redis.DialHook) redis.DialHook { return eager(next) }

func (eagerHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (eagerHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// unreachable is a connection to where no connection is to be had.
type unreachable struct {
	network, addr string
	err           error
}

func (u unreachable) Read([]byte) (int, error)  { return 0, u.err }
func (u unreachable) Write([]byte) (int, error) { return 0, u.err }
func (u unreachable) Close() error              { return nil }

func (u unreachable) LocalAddr() net.Addr  { return u }
func (u unreachable) RemoteAddr() net.Addr { return u }
func (u unreachable) Network() string      { return u.network }
func (u unreachable) String() string       { return u.addr }

func (u unreachable) SetDeadline(time.Time) error      { return nil }
func (u unreachable) SetReadDeadline(time.Time) error  { return nil }
func (u unreachable) SetWriteDeadline(time.Time) error { return nil }

// SyscallConn lets a pool find out that an idle connection is none: its caller had left while it was dialed, or it was
// dialed in advance.
func (u unreachable) SyscallConn() (syscall.RawConn, error) { return nil, u.err }
