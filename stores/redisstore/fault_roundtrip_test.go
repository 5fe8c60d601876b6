package redisstore_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// wire stands between a client and a server, and notes what the client sends.
type wire struct {
	addr string

	mu    sync.Mutex
	sends [][]string // the names of the commands in each piece that came in one read
}

func startWire(t *testing.T, server string) *wire {
	t.Helper()
	w := &wire{}
	w.addr = servers.Listen(t, func(client net.Conn) {
		upstream, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		var answers sync.WaitGroup
		answers.Go(func() {
			_, _ = io.Copy(client, upstream)
		})
		w.forward(upstream, client)
		upstream.Close()
		answers.Wait()
	})
	return w
}

func (w *wire) forward(server io.Writer, client io.Reader) {
	piece := make([]byte, 1<<16)
	for {
		n, err := client.Read(piece)
		if err != nil {
			return
		}
		w.note(piece[:n])
		if _, err := server.Write(piece[:n]); err != nil {
			return
		}
	}
}

func (w *wire) note(piece []byte) {
	var names []string
	for in := bufio.NewReader(bytes.NewReader(piece)); ; {
		words, err := readCommand(in)
		if err != nil || len(words) == 0 {
			break
		}
		names = append(names, strings.ToLower(words[0]))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sends = append(w.sends, names)
}

// take returns what was sent since it was called last.
func (w *wire) take() [][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	sends := w.sends
	w.sends = nil
	return sends
}

func TestAReserveIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	single := servers.StartRedis(t, servers.RedisSettings{})
	master, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	for _, test := range []struct {
		name   string
		server *servers.Redis
		wait   redisstore.Wait
		sends  []string // of each reserve, in one piece
	}{
		{"no replica", single, redisstore.WaitAuto(), []string{"evalsha"}},
		{"two replicas", master, redisstore.WaitFor(2), []string{"evalsha", "wait"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := startWire(t, test.server.Addr)
			store := open(t, redisstore.Factory{}, patientSpec(), optionsFor("redis://"+w.addr, test.wait))
			mustReserve(t, store, "shop/bill", 10, 1, 1) // the first one brings the script
			w.take()
			const reserves = 100
			for i := range int64(reserves) {
				mustReserve(t, store, "shop/bill", 10, 1, 11+10*i)
			}
			sends := w.take()
			if len(sends) != reserves {
				t.Errorf("%d reserves sent %d times", reserves, len(sends))
			}
			for _, names := range sends {
				if !reflect.DeepEqual(names, test.sends) {
					t.Fatalf("a reserve sent %v, want %v", names, test.sends)
				}
			}
		})
	}
}

// What 16 callers reserve at once is one piece, with one WAIT for all of it, wherever they are ready at the same moment.
func TestReservesThatAreReadyShareARoundTrip(t *testing.T) {
	t.Parallel()
	master, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	for _, test := range []struct {
		name string
		wait redisstore.Wait
		last string // command of each piece
	}{
		{"without WAIT", redisstore.WaitFor(0), "evalsha"},
		{"with WAIT", redisstore.WaitFor(2), "wait"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := startWire(t, master.Addr)
			store := open(t, redisstore.Factory{}, patientSpec(), optionsFor("redis://"+w.addr, test.wait))
			key := "shop/" + test.last
			mustReserve(t, store, key, 10, 1, 1)
			w.take()
			const callers, each = 16, 100
			var running sync.WaitGroup
			for range callers {
				running.Go(func() {
					for range each {
						if _, err := store.Reserve(t.Context(), key, 10, 1); err != nil {
							t.Error(err)
						}
					}
				})
			}
			running.Wait()
			mustReserve(t, store, key, 10, 1, 1+10*(1+callers*each)) // nothing was sent twice
			pieces, scripts := 0, 0
			for _, names := range w.take() {
				if len(names) == 0 {
					t.Fatal("a command came in pieces")
				}
				if names[0] == "hello" || names[0] == "client" {
					continue // a connection that was opened meanwhile
				}
				n := len(names)
				if test.last == "wait" {
					n--
				}
				if want := append(slices.Repeat([]string{"evalsha"}, n), test.last); !slices.Equal(names, want[:len(names)]) {
					t.Fatalf("%v was sent", names)
				}
				pieces, scripts = pieces+1, scripts+n
			}
			if scripts != callers*each+1 || pieces >= scripts {
				t.Errorf("%d scripts were sent in %d pieces", scripts, pieces)
			}
			t.Logf("%d scripts in %d pieces", scripts, pieces)
		})
	}
}
