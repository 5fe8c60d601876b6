package redisstore

import (
	"context"
	"net"
	"time"
)

// dialer is the type of go-redis's Dialer.
type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

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
