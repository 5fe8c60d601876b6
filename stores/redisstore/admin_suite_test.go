package redisstore_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func runAdmin(t *testing.T, factory redisstore.Factory, options redisstore.Options) {
	storetest.RunAdmin(t, storetest.Harness{
		New: func() (storetest.Store, error) { return factory.New(patientSpec(), options) },
	})
}

func TestAdminOnASingleServer(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{Password: "secret"})
	client := server.Client(t)
	t.Run("uri", func(t *testing.T) {
		runAdmin(t, redisstore.Factory{}, optionsFor(uriOf(server), redisstore.WaitAuto()))
	})
	t.Run("client", func(t *testing.T) {
		runAdmin(t, redisstore.Factory{Client: client}, redisstore.DefaultOptions())
	})
	t.Run("connection", func(t *testing.T) {
		storetest.RunAdmin(t, storetest.Harness{New: func() (storetest.Store, error) {
			conn := client.Conn()
			store, err := redisstore.Factory{Conn: conn}.New(patientSpec(), redisstore.DefaultOptions())
			return onConn{store, sync.OnceValue(conn.Close)}, err
		}})
	})
}

func TestAdminOnAMasterWithReplicas(t *testing.T) {
	t.Parallel()
	master, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	runAdmin(t, redisstore.Factory{}, optionsFor(uriOf(master), redisstore.WaitFor(2)))
}

func TestAdminOnACluster(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 3)
	t.Run("uri", func(t *testing.T) {
		options := optionsFor("redis://"+strings.Join(cluster.Addrs(), ","), redisstore.WaitAuto())
		options.Cluster = true
		runAdmin(t, redisstore.Factory{}, options)
	})
	t.Run("client", func(t *testing.T) {
		runAdmin(t, redisstore.Factory{Client: cluster.Client(t)}, redisstore.DefaultOptions())
	})
}

func TestAdminUnderSentinel(t *testing.T) {
	t.Parallel()
	group := servers.StartRedisSentinels(t, servers.RedisSettings{}, 1, servers.SentinelSettings{})
	runAdmin(t, redisstore.Factory{Client: group.Client(t)}, redisstore.DefaultOptions())
}

// A script runner does all but list keys: it does not say what servers are behind it.
func TestAScriptRunnerListsNoKeys(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{Runner: &countingRunner{client: server.Client(t)}}, patientSpec(),
		optionsFor("", redisstore.WaitFor(0)))
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	n := 0
	for record, err := range store.Ranges(t.Context(), "") {
		if n++; err == nil || !strings.Contains(err.Error(), "a uri or a client") || record != (stores.RangeRecord{}) {
			t.Errorf("it listed %+v, %v", record, err)
		}
	}
	if n != 1 {
		t.Errorf("it yielded %d times, want one error", n)
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if record, err := store.RaiseRange(t.Context(), "shop/bill", 100); err != nil || record.Next != 100 {
		t.Errorf("raise answered %+v, %v", record, err)
	}
	if deleted, err := store.DeleteRange(t.Context(), "shop/bill", true); err != nil || !deleted {
		t.Errorf("delete answered %v, %v", deleted, err)
	}
	seen, err := store.Inspect(t.Context())
	if err != nil || len(seen.Findings) != 1 || seen.Now.IsZero() || !strings.Contains(seen.Server, "script runner") {
		t.Errorf("inspect answered %+v, %v", seen, err)
	}
}
