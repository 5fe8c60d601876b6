package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// failoverSettings ask for a password, by which replicas can be kept from following.
func failoverSettings() servers.RedisSettings { return servers.RedisSettings{Password: "secret"} }

// group is a master and its replicas, of which somebody promotes one once the master is gone.
type group struct {
	master   *servers.Redis
	replicas []*servers.Redis
	settle   func(t *testing.T, g group) group // waits until nobody changes the roles any more, and has the replicas follow
}

// failOver kills the master under load, brings it back as a replica, and waits until every worker is served again. It
// returns the group as it is then.
//
// A cruel failover takes the replicas' link away a moment before: what the master acknowledges by itself from then on
// is lost for certain.
func (g group) failOver(t *testing.T, l *load, cruel bool) group {
	t.Helper()
	l.run(t, 100)
	if cruel {
		g.letFollow(t, false)
		g.master.Do(t, "client", "kill", "type", "replica")
		// The load goes on, on the master only, for longer than it takes every caller to be told so twice: their first
		// answers from the new master are often lost, and would hide a repeat.
		time.Sleep(2*hastySpec().Timeout + 500*time.Millisecond)
	}
	g.master.Kill()
	killed := time.Now()
	g.letFollow(t, true)
	now := g.promoted(t)
	promoted := time.Now()
	if err := g.master.Start(); err != nil {
		t.Fatal(err)
	}
	now = g.settle(t, now)
	now.master.AwaitReplicas(t, len(now.replicas))
	complete := time.Now()
	l.awaitAbove(t, l.highest())
	t.Logf("cruel: %v; promoted after %v; every process was served %v after the replicas were complete",
		cruel, promoted.Sub(killed), time.Since(complete))
	return now
}

func (g group) letFollow(t *testing.T, may bool) {
	t.Helper()
	password := failoverSettings().Password
	if !may {
		password = "not " + password
	}
	for _, replica := range g.replicas {
		replica.Do(t, "config", "set", "masterauth", password)
	}
}

// promoted waits until a replica has become the master.
func (g group) promoted(t *testing.T) group {
	t.Helper()
	now := group{settle: g.settle}
	servers.Await(t, "a replica is the master", func(ctx context.Context) error {
		i := slices.IndexFunc(g.replicas, func(replica *servers.Redis) bool { return isMaster(ctx, replica) })
		if i < 0 {
			return errors.New("none is")
		}
		now.master = g.replicas[i]
		now.replicas = append(slices.Delete(slices.Clone(g.replicas), i, i+1), g.master)
		return nil
	})
	return now
}

func isMaster(ctx context.Context, server *servers.Redis) bool {
	client := redis.NewClient(server.Options())
	defer client.Close()
	info, err := client.Info(ctx, "replication").Result()
	return err == nil && strings.Contains(info, "role:master")
}

// checkFailovers runs failovers, the first and every second one cruel. Those with a wait that covers the replicas must not
// repeat an id. A last, cruel one without any wait must: it shows that the others could have.
func (g group) checkFailovers(t *testing.T, on task, failovers int) {
	t.Helper()
	l := startLoad(t, 4, on)
	for i := range failovers {
		g = g.failOver(t, l, i%2 == 0)
	}
	ranges := l.stop(t)
	if n := repeats(ranges); n > 0 {
		t.Errorf("wait %v: %d of %d ranges repeat ids", on.Wait, n, len(ranges))
	}
	t.Logf("wait %v: %d ranges over %d failovers", on.Wait, len(ranges), failovers)

	on.Wait = redisstore.WaitFor(0)
	l = startLoad(t, 4, on)
	g.failOver(t, l, true)
	if repeats(l.stop(t)) == 0 {
		t.Error("without a wait nothing is repeated, so that the failovers prove nothing")
	}
}

// The full size is COSID_STRESS_FAILOVERS=10, here and for the cluster.
func TestFailoversBySentinelRepeatNothing(t *testing.T) {
	t.Parallel()
	const watchword = "watch"
	s := servers.StartRedisSentinels(t, failoverSettings(), 2, servers.SentinelSettings{Password: watchword, DownAfter: time.Second})
	on := task{
		URI: "redis+sentinel://:secret@" + strings.Join(s.Addrs(), ",") + "/" + servers.SentinelMaster,
		Key: "shop/bill", SentinelPassword: watchword, Wait: redisstore.WaitFor(2),
	}
	t.Run("a frozen replica", func(t *testing.T) {
		store := open(t, redisstore.Factory{}, hastySpec(), on.options())
		mustReserve(t, store, "shop/frozen", 10, 1, 1)
		mustFreeze(t, s.Replicas[0])
		defer s.Replicas[0].Thaw()
		mustBeUnknown(t, store, "shop/frozen")
		mustThaw(t, s.Replicas[0])
		mustReserve(t, store, "shop/frozen", 10, 1, 21) // [11, 21) is lost, and lost to everybody
	})
	settle := func(t *testing.T, g group) group { return g.ledBy(t, agreedMaster(t, s.Sentinels)) }
	group{s.Master, s.Replicas, settle}.checkFailovers(t, on, timesFromEnv(t, "COSID_STRESS_FAILOVERS", 1))
}

// agreedMaster waits until all sentinels are done with a failover, and with another one that a busy machine may have
// made them start, and returns the master's address. A failover that comes before may leave them at odds for a minute.
func agreedMaster(t *testing.T, sentinels []*servers.Redis) (master string) {
	t.Helper()
	servers.Await(t, "the sentinels agree on the master", func(ctx context.Context) error {
		master = ""
		for _, sentinel := range sentinels {
			client := redis.NewSentinelClient(sentinel.Options())
			knows, err := client.Master(ctx, servers.SentinelMaster).Result()
			replicas, replicasErr := client.Replicas(ctx, servers.SentinelMaster).Result()
			client.Close()
			if err := errors.Join(err, replicasErr); err != nil {
				return err
			}
			addr := net.JoinHostPort(knows["ip"], knows["port"])
			settled := knows["flags"] == "master" && (master == "" || master == addr)
			if !settled || slices.ContainsFunc(replicas, func(r map[string]string) bool { return r["flags"] != "slave" }) {
				return fmt.Errorf("%s knows %v and %v", sentinel.Addr, knows, replicas)
			}
			master = addr
		}
		return nil
	})
	return master
}

// ledBy is the group with this master. Whoever still thinks that it is one is made a replica, which would take the
// sentinels some ten seconds.
func (g group) ledBy(t *testing.T, master string) group {
	t.Helper()
	now := group{settle: g.settle}
	host, port, _ := net.SplitHostPort(master)
	for _, server := range append([]*servers.Redis{g.master}, g.replicas...) {
		if server.Addr == master {
			now.master = server
			continue
		}
		now.replicas = append(now.replicas, server)
		if isMaster(t.Context(), server) {
			server.Do(t, "replicaof", host, port)
		}
	}
	return now
}

func TestFailoversOfAClusterRepeatNothing(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, failoverSettings(), 3)
	const key = "shop/bill"
	owner, err := cluster.Client(t).MasterForKey(t.Context(), "cosid:{"+key+"}")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cluster.Masters, func(m *servers.Redis) bool { return m.Addr == owner.Options().Addr })
	if i < 0 {
		t.Fatalf("%s is no master of the cluster", owner)
	}
	on := task{
		URI: "redis://:secret@" + strings.Join(cluster.Addrs(), ","), Cluster: true,
		Key: key, Wait: redisstore.WaitAuto(), // 1, and there is one replica
	}
	byItself := func(_ *testing.T, g group) group { return g }
	group{cluster.Masters[i], cluster.Replicas[i : i+1], byItself}.
		checkFailovers(t, on, timesFromEnv(t, "COSID_STRESS_FAILOVERS", 1))
}
