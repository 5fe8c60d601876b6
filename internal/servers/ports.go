package servers

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports are taken below those that the system gives to outgoing connections: one of these could take the port of a
// server while it is down.
const (
	lowestPort  = 10000
	highestPort = 32000
)

// freePort returns a port of the loopback interface that nobody listens on.
func freePort() (int, error) {
	port, listener, err := claimPort()
	if err != nil {
		return 0, err
	}
	return port, listener.Close()
}

// freePorts returns n different ones.
func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	ports := make([]int, n)
	for i := range ports {
		port, listener, err := claimPort()
		if err != nil {
			tb.Fatal(err)
		}
		defer listener.Close()
		ports[i] = port
	}
	return ports
}

func claimPort() (int, net.Listener, error) {
	var err error
	for range 100 {
		port := lowestPort + rand.IntN(highestPort-lowestPort)
		var listener net.Listener
		if listener, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, listener, nil
		}
	}
	return 0, nil, fmt.Errorf("no free port from %d to %d: %w", lowestPort, highestPort, err)
}
