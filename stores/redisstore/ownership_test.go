package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

func TestWhatWasHandedInStaysOpen(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 0)
	client, nodes := server.Client(t), cluster.Client(t)
	conn := client.Conn()
	defer conn.Close()
	for name, test := range map[string]struct {
		factory redisstore.Factory
		wait    redisstore.Wait
		alive   func(ctx context.Context) error
	}{
		"client":     {redisstore.Factory{Client: client}, redisstore.WaitAuto(), pings(client)},
		"cluster":    {redisstore.Factory{Client: nodes}, redisstore.WaitAuto(), pings(nodes)},
		"connection": {redisstore.Factory{Conn: conn}, redisstore.WaitAuto(), pings(conn)},
		"runner": {
			redisstore.Factory{Runner: &countingRunner{client: client}},
			redisstore.WaitFor(0),
			pings(client),
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t, test.factory, patientSpec(), optionsFor("", test.wait))
			mustReserve(t, store, name+"/bill", 10, 1, 1)
			if err := errors.Join(store.Close(), store.Close()); err != nil {
				t.Fatal(err)
			}
			if err := test.alive(t.Context()); err != nil {
				t.Errorf("after Close: %v", err)
			}
			again := open(t, test.factory, patientSpec(), optionsFor("", test.wait))
			mustReserve(t, again, name+"/bill", 10, 1, 11)
		})
	}
}

func TestWhatTheStoreOpenedIsClosed(t *testing.T) {
	// The collector closes sockets that nobody refers to any more: that would pass for a Close.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	server := servers.StartRedis(t, servers.RedisSettings{})
	options := optionsFor(uriOf(server)+"?client_name=cosid-test", redisstore.WaitAuto())
	connections := func() int { return strings.Count(fmt.Sprint(server.Do(t, "client", "list")), "name=cosid-test ") }

	store := open(t, redisstore.Factory{}, patientSpec(), options)
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	if connections() == 0 {
		t.Fatal("the test does not see the store's connections")
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	failing := build(t, redisstore.Factory{}, patientSpec(), options)
	server.Do(t, "replicaof", "127.0.0.1", "1")
	if err := failing.Start(t.Context()); err == nil {
		t.Fatal("it started on a replica")
	}
	servers.Await(t, "no connection is left", func(context.Context) error {
		if n := connections(); n > 0 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
}

func TestAURIWinsOverAClient(t *testing.T) {
	t.Parallel()
	server, other := servers.StartRedis(t, servers.RedisSettings{}), servers.StartRedis(t, servers.RedisSettings{})
	factory := redisstore.Factory{Client: other.Client(t)}
	store := open(t, factory, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	if got := server.Do(t, "get", "cosid:{shop/bill}"); got != "11" {
		t.Errorf("the server of the uri has %v", got)
	}
}

// badRunner answers what it is told to.
type badRunner struct {
	reply redisstore.ScriptReply
	err   error
}

func (r *badRunner) RunScript(context.Context, redisstore.ScriptCall) (redisstore.ScriptReply, error) {
	return r.reply, r.err
}

func TestARunnersAnswersAreNotTrusted(t *testing.T) {
	reserved := func(next any) any { return []any{"reserved", next} }
	for _, test := range []struct {
		name  string
		reply redisstore.ScriptReply
		err   error
		wait  redisstore.Wait
	}{
		{"nothing", redisstore.ScriptReply{}, nil, redisstore.WaitFor(0)},
		{"an empty list", redisstore.ScriptReply{Value: []any{}}, nil, redisstore.WaitFor(0)},
		{"a number", redisstore.ScriptReply{Value: reserved(int64(11))}, nil, redisstore.WaitFor(0)},
		{"a float", redisstore.ScriptReply{Value: reserved("1.1e1")}, nil, redisstore.WaitFor(0)},
		{"too much", redisstore.ScriptReply{Value: []any{"reserved", "11", "12"}}, nil, redisstore.WaitFor(0)},
		{"another word", redisstore.ScriptReply{Value: []any{"granted", "11"}}, nil, redisstore.WaitFor(0)},
		{"no acknowledgement", redisstore.ScriptReply{Value: reserved("11")}, nil, redisstore.WaitFor(1)},
		{"an error of its own", redisstore.ScriptReply{Value: reserved("11")}, errors.New("boom"), redisstore.WaitFor(0)},
	} {
		t.Run(test.name, func(t *testing.T) {
			runner := &badRunner{reply: redisstore.ScriptReply{Value: []any{"ready"}, Acknowledged: 1}}
			store := open(t, redisstore.Factory{Runner: runner}, patientSpec(), optionsFor("", test.wait))
			runner.reply, runner.err = test.reply, test.err
			r, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
			if !errors.Is(err, stores.ErrOutcomeUnknown) || r != (stores.Range{}) {
				t.Errorf("reserve answered %v, %v; want ErrOutcomeUnknown", r, err)
			}
		})
	}
}

type pinger interface {
	Ping(context.Context) *redis.StatusCmd
}

// pings tells whether a client still works.
func pings(client pinger) func(context.Context) error {
	return func(ctx context.Context) error { return client.Ping(ctx).Err() }
}
