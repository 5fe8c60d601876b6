package servers

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// SentinelMaster is the name by which the sentinels of StartRedisSentinels know their master.
const SentinelMaster = "main"

// RedisSentinels is a master with replicas, and three sentinels that watch it.
type RedisSentinels struct {
	Master    *Redis // the one that was the master at first
	Replicas  []*Redis
	Sentinels []*Redis
}

// SentinelSettings say how the sentinels themselves are run.
type SentinelSettings struct {
	Password  string        // asked of their clients
	DownAfter time.Duration // how long the master has to be silent before they fail over; 0 = longer than any test
}

// StartRedisSentinels starts them.
func StartRedisSentinels(tb testing.TB, settings RedisSettings, replicas int, sentinels SentinelSettings) *RedisSentinels {
	tb.Helper()
	path := find(tb, "redis-sentinel", "redis-sentinel")
	downAfter := cmp.Or(sentinels.DownAfter, time.Hour)
	s := &RedisSentinels{}
	s.Master, s.Replicas = StartRedisReplicas(tb, settings, replicas)
	host, masterPort, _ := net.SplitHostPort(s.Master.Addr)
	for _, port := range freePorts(tb, 3) {
		dir := tb.TempDir()
		lines := []string{
			"port " + strconv.Itoa(port), "bind 127.0.0.1", "dir " + dir,
			"sentinel monitor " + SentinelMaster + " " + host + " " + masterPort + " 2",
			"sentinel down-after-milliseconds " + SentinelMaster + " " + strconv.FormatInt(downAfter.Milliseconds(), 10),
			"sentinel failover-timeout " + SentinelMaster + " 3000",
		}
		if settings.Password != "" {
			lines = append(lines, "sentinel auth-pass "+SentinelMaster+" "+settings.Password)
		}
		if sentinels.Password != "" {
			lines = append(lines, "requirepass "+sentinels.Password, "sentinel sentinel-pass "+sentinels.Password)
		}
		file := filepath.Join(dir, "sentinel.conf")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			tb.Fatal(err)
		}
		sentinel := &Redis{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Password: sentinels.Password}
		sentinel.Process = &Process{program: program{
			name: "redis-sentinel " + sentinel.Addr, path: path, args: []string{file}, dir: dir,
			ready: func(ctx context.Context) error {
				_, err := sentinel.do(ctx, "ping")
				return err
			},
		}}
		s.Sentinels = append(s.Sentinels, start(tb, sentinel))
	}
	for _, sentinel := range s.Sentinels {
		Await(tb, "the sentinel knows the others and the replicas", func(ctx context.Context) error {
			return knows(ctx, sentinel, len(s.Sentinels)-1, replicas)
		})
	}
	return s
}

func knows(ctx context.Context, sentinel *Redis, others, replicas int) error {
	client := redis.NewSentinelClient(sentinel.Options())
	defer client.Close()
	master, err := client.Master(ctx, SentinelMaster).Result()
	if err != nil {
		return err
	}
	if master["num-other-sentinels"] != strconv.Itoa(others) || master["num-slaves"] != strconv.Itoa(replicas) {
		return fmt.Errorf("%s knows %s sentinels and %s replicas", sentinel.Addr,
			master["num-other-sentinels"], master["num-slaves"])
	}
	return nil
}

// MasterAddr is the address of the master, as a majority of the sentinels that answer sees it; empty if they differ.
func (s *RedisSentinels) MasterAddr(ctx context.Context) string {
	votes := map[string]int{}
	for _, sentinel := range s.Sentinels {
		client := redis.NewSentinelClient(sentinel.Options())
		address, err := client.GetMasterAddrByName(ctx, SentinelMaster).Result()
		client.Close()
		if err == nil && len(address) == 2 {
			votes[net.JoinHostPort(address[0], address[1])]++
		}
	}
	for address, n := range votes {
		if n >= 2 {
			return address
		}
	}
	return ""
}

// Addrs are the addresses of the sentinels.
func (s *RedisSentinels) Addrs() []string {
	var addrs []string
	for _, sentinel := range s.Sentinels {
		addrs = append(addrs, sentinel.Addr)
	}
	return addrs
}

// Client returns a client that follows the master. It is closed when the test ends.
func (s *RedisSentinels) Client(tb testing.TB) *redis.Client {
	server := s.Master.Options()
	client := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: SentinelMaster, SentinelAddrs: s.Addrs(), SentinelPassword: s.Sentinels[0].Password,
		Password: server.Password, TLSConfig: server.TLSConfig, MaxRetries: -1, ContextTimeoutEnabled: true,
	})
	tb.Cleanup(func() { client.Close() })
	return client
}
