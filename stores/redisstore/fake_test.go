package redisstore_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/internal/servers"
)

// fakeServer answers INFO as a Redis of some version and mode does, other commands as it is told, and all the rest with
// an error.
type fakeServer struct {
	version, mode string
	answer        func(words []string) string // a reply, hangUp, or empty for the error; may be nil
}

const hangUp = "hang up"

func startFake(t *testing.T, server fakeServer) (addr string) {
	t.Helper()
	return servers.Listen(t, func(conn net.Conn) { server.serve(conn) })
}

func (s fakeServer) serve(conn io.ReadWriter) {
	in := bufio.NewReader(conn)
	for {
		words, err := readCommand(in)
		if err != nil {
			return
		}
		reply := s.reply(words)
		if reply == hangUp {
			return
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return
		}
	}
}

func (s fakeServer) reply(words []string) string {
	if strings.EqualFold(words[0], "info") {
		text := "redis_version:" + s.version + "\r\nredis_mode:" + s.mode + "\r\nrole:master\r\n" +
			"connected_slaves:1\r\nslave0:ip=127.0.0.1,port=1,state=online,offset=1,lag=0\r\n"
		return fmt.Sprintf("$%d\r\n%s\r\n", len(text), text)
	}
	if strings.EqualFold(words[0], "wait") {
		return "" // answered together with the script
	}
	if s.answer != nil {
		if reply := s.answer(words); reply != "" {
			return reply
		}
	}
	return "-ERR unknown command '" + words[0] + "'\r\n"
}

// readCommand reads an array of bulk strings.
func readCommand(in *bufio.Reader) ([]string, error) {
	length := func(kind byte) (int, error) {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if line[0] != kind {
			return 0, fmt.Errorf("%q instead of %c", line, kind)
		}
		return strconv.Atoi(strings.TrimSpace(line[1:]))
	}
	n, err := length('*')
	words := make([]string, n)
	for i := 0; i < n && err == nil; i++ {
		var size int
		if size, err = length('$'); err == nil {
			word := make([]byte, size+2)
			_, err = io.ReadFull(in, word)
			words[i] = string(word[:size])
		}
	}
	return words, err
}
