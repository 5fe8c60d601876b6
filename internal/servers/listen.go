package servers

import (
	"net"
	"sync"
	"testing"
)

// Listen plays a server: it gives each connection to serve, in a goroutine of its own, and closes it afterwards. When
// the test ends all connections are closed, and every serve is waited for.
func Listen(tb testing.TB, serve func(conn net.Conn)) (addr string) {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	tb.Cleanup(func() {
		listener.Close()
		mu.Lock()
		for _, conn := range open {
			conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return listener.Addr().String()
}
