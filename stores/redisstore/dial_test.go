package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// However many calls have failed while the server was away, the first one after its return succeeds.
func TestServiceIsBackWithTheServer(t *testing.T) {
	t.Parallel()
	single := servers.StartRedis(t, servers.RedisSettings{})
	group := servers.StartRedisSentinels(t, servers.RedisSettings{}, 0, servers.SentinelSettings{})
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 0)
	key := cluster.KeyOfEachMaster(t, redisKey)[0]
	onSentinel := optionsFor("redis+sentinel://"+strings.Join(group.Addrs(), ",")+"/"+servers.SentinelMaster,
		redisstore.WaitFor(0))
	onCluster := optionsFor("redis://"+strings.Join(cluster.Addrs(), ","), redisstore.WaitFor(0))
	onCluster.Cluster = true
	servesAgain := func(ctx context.Context) error { // a node does not at once
		info, err := cluster.Masters[0].Client(t).ClusterInfo(ctx).Result()
		if err == nil && !strings.Contains(info, "cluster_state:ok") {
			err = errors.New(info)
		}
		return err
	}
	for _, test := range []struct {
		name    string
		options redisstore.Options
		server  *servers.Redis
		serves  func(ctx context.Context) error // nil: as soon as it runs
	}{
		{"single", optionsFor(uriOf(single), redisstore.WaitFor(0)), single, nil},
		{"sentinel", onSentinel, group.Master, nil},
		{"cluster", onCluster, cluster.Masters[0], servesAgain},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t, redisstore.Factory{}, patientSpec(), test.options)
			mustReserve(t, store, key, 10, 1, 1)
			test.server.Kill()
			for i := range 100 { // more than any pool is large
				_, err := store.Reserve(t.Context(), key, 10, 1)
				unknown := errors.Is(err, stores.ErrOutcomeUnknown)
				if err == nil || unknown && i > 0 || !unknown && !strings.Contains(err.Error(), "nothing was sent") {
					t.Fatalf("call %d answered %v, want a known outcome as soon as the connection is gone", i, err)
				}
			}
			if err := test.server.Start(); err != nil {
				t.Fatal(err)
			}
			if test.serves != nil {
				servers.Await(t, "the node serves", test.serves)
			}
			mustReserve(t, store, key, 10, 1, 11)
		})
	}
}

// Nor do calls fail then that come later, over connections which were dialed in advance while the server was away.
func TestNoConnectionIsLeftOfAnOutage(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server)+"?min_idle_conns=8&pool_fifo=true", redisstore.WaitFor(0)))
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	server.Kill()
	for range 30 {
		if _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err == nil {
			t.Fatal("a killed server has answered")
		}
		time.Sleep(2 * time.Millisecond) // the pool fills up again
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		mustReserve(t, store, "shop/bill", 10, 1, 11+10*i)
	}
}

func TestServiceIsBackWithTheSentinels(t *testing.T) {
	t.Parallel()
	group := servers.StartRedisSentinels(t, servers.RedisSettings{}, 0, servers.SentinelSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(),
		optionsFor("redis+sentinel://"+strings.Join(group.Addrs(), ",")+"/"+servers.SentinelMaster, redisstore.WaitFor(0)))
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	all := append([]*servers.Redis{group.Master}, group.Sentinels...)
	for _, server := range all {
		server.Kill()
	}
	for range 100 {
		if _, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err == nil {
			t.Fatal("a killed server has answered")
		}
	}
	for _, server := range all {
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	servers.Await(t, "the sentinels name the master", func(ctx context.Context) error {
		if addr := group.MasterAddr(ctx); addr != group.Master.Addr {
			return fmt.Errorf("they name %q", addr)
		}
		return nil
	})
	mustReserve(t, store, "shop/bill", 10, 1, 11)
}
