package servers

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// clusterSlots is the number of hash slots of a Redis Cluster.
const clusterSlots = 16384

// RedisCluster is a Redis Cluster of three masters.
type RedisCluster struct {
	Masters  []*Redis
	Replicas []*Redis // that of the first master first, and so on round
}

// StartRedisCluster starts three masters that share the slots evenly, and as many replicas as asked for, dealt to the
// masters in turn. It waits until every node knows all of this.
func StartRedisCluster(tb testing.TB, settings RedisSettings, replicas int) *RedisCluster {
	tb.Helper()
	const masters = 3
	nodes := masters + replicas
	ports := freePorts(tb, 2*nodes)
	var all []*Redis
	for i := range nodes {
		withCluster := settings
		withCluster.Args = append([]string{
			"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "2000",
			"--cluster-port", strconv.Itoa(ports[nodes+i]), "--cluster-replica-validity-factor", "0",
		}, settings.Args...)
		all = append(all, start(tb, newRedis(tb, ports[i], withCluster)))
	}
	cluster := &RedisCluster{Masters: all[:masters], Replicas: all[masters:]}

	ids := make([]string, nodes)
	for i, node := range all {
		node.Do(tb, "cluster", "set-config-epoch", i+1)
		ids[i] = fmt.Sprint(node.Do(tb, "cluster", "myid"))
		host, port, _ := net.SplitHostPort(node.Addr)
		all[0].Do(tb, "cluster", "meet", host, port, ports[nodes+i])
	}
	for i, master := range cluster.Masters {
		master.Do(tb, "cluster", "addslotsrange", clusterSlots*i/masters, clusterSlots*(i+1)/masters-1)
	}
	Await(tb, "all nodes have met", func(ctx context.Context) error {
		for _, node := range all {
			if err := sees(ctx, node, "nodes", nodes, "connected"); err != nil {
				return err
			}
		}
		return nil
	})
	for i, replica := range cluster.Replicas {
		replica.Do(tb, "cluster", "replicate", ids[i%masters])
	}
	Await(tb, "the cluster is complete", func(ctx context.Context) error {
		for _, node := range all {
			if err := sees(ctx, node, "info", 1, "cluster_state:ok"); err != nil {
				return err
			}
			if err := sees(ctx, node, "nodes", replicas, "slave"); err != nil {
				return err
			}
		}
		for i, replica := range cluster.Replicas {
			if err := linked(ctx, replica, cluster.Masters[i%masters]); err != nil {
				return err
			}
		}
		return nil
	})
	return cluster
}

// sees tells whether a node's CLUSTER answer has a text so often.
func sees(ctx context.Context, node *Redis, subcommand string, times int, text string) error {
	answer, err := node.do(ctx, "cluster", subcommand)
	if err != nil {
		return err
	}
	found := 0
	for line := range strings.Lines(fmt.Sprint(answer)) {
		if strings.Contains(line, text) && !strings.Contains(line, "dis"+text) {
			found++
		}
	}
	if found != times {
		return fmt.Errorf("%s sees %q %d times, not %d, in:\n%v", node.Addr, text, found, times, answer)
	}
	return nil
}

func linked(ctx context.Context, replica, master *Redis) error {
	of, err := replica.do(ctx, "info", "replication")
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(master.Addr)
	text := fmt.Sprint(of)
	if !strings.Contains(text, "master_link_status:up") || !strings.Contains(text, "master_port:"+port+"\r\n") {
		return fmt.Errorf("%s is not linked to %s:\n%s", replica.Addr, master.Addr, text)
	}
	return nil
}

// Addrs are the addresses of all nodes.
func (c *RedisCluster) Addrs() []string {
	var addrs []string
	for _, node := range c.Nodes() {
		addrs = append(addrs, node.Addr)
	}
	return addrs
}

// Nodes are the masters and then the replicas.
func (c *RedisCluster) Nodes() []*Redis {
	return append(append([]*Redis{}, c.Masters...), c.Replicas...)
}

// Client returns a client, which is closed when the test ends.
func (c *RedisCluster) Client(tb testing.TB) *redis.ClusterClient {
	node := c.Masters[0].Options()
	client := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: c.Addrs(), Password: node.Password, TLSConfig: node.TLSConfig,
		MaxRetries: -1, ContextTimeoutEnabled: true, MaintNotificationsConfig: node.MaintNotificationsConfig,
	})
	tb.Cleanup(func() { client.Close() })
	return client
}

// KeyOfEachMaster returns a key for each master, in order, such that the master has redisKey of it.
func (c *RedisCluster) KeyOfEachMaster(tb testing.TB, redisKey func(key string) string) []string {
	tb.Helper()
	client := c.Client(tb)
	keys := make([]string, len(c.Masters))
	for i, missing := 0, len(keys); missing > 0; i++ {
		key := "shop/k" + strconv.Itoa(i)
		master, err := client.MasterForKey(context.Background(), redisKey(key))
		if err != nil {
			tb.Fatal(err)
		}
		for j := range keys {
			if keys[j] == "" && c.Masters[j].Addr == master.Options().Addr {
				keys[j] = key
				missing--
			}
		}
	}
	return keys
}
