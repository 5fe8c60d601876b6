package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// run runs the range suite on one topology through one kind of client.
func run(t *testing.T, topology storetest.Harness, factory redisstore.Factory, options redisstore.Options) {
	topology.New = func() (storetest.Store, error) { return factory.New(patientSpec(), options) }
	storetest.RunRangeStore(t, topology)
}

func TestRangeStoreOnASingleServer(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{Password: "s3cr:t/", UnixSocket: true})
	topology := harness(t, []*servers.Redis{server}, []*servers.Redis{server}, nil)
	client := server.Client(t)

	t.Run("uri", func(t *testing.T) {
		run(t, topology, redisstore.Factory{}, optionsFor("redis://:s3cr%3at%2f@"+server.Addr, redisstore.WaitAuto()))
	})
	t.Run("socket", func(t *testing.T) {
		run(t, topology, redisstore.Factory{}, optionsFor("unix://:s3cr%3at%2f@"+server.Socket, redisstore.WaitAuto()))
	})
	t.Run("client", func(t *testing.T) {
		run(t, topology, redisstore.Factory{Client: client}, redisstore.DefaultOptions())
	})
	t.Run("client that retries and knows no contexts", func(t *testing.T) {
		options := server.Options()
		options.MaxRetries, options.ContextTimeoutEnabled = 3, false
		client := redis.NewClient(options)
		defer client.Close()
		run(t, topology, redisstore.Factory{Client: client}, redisstore.DefaultOptions())
	})
	t.Run("connection", func(t *testing.T) {
		topology := topology
		topology.New = func() (storetest.Store, error) {
			conn := client.Conn()
			store, err := redisstore.Factory{Conn: conn}.New(patientSpec(), redisstore.DefaultOptions())
			return onConn{store, sync.OnceValue(conn.Close)}, err
		}
		storetest.RunRangeStore(t, topology)
	})
	t.Run("own script runner", func(t *testing.T) {
		runner := &countingRunner{client: client}
		run(t, topology, redisstore.Factory{Runner: runner}, optionsFor("", redisstore.WaitFor(0)))
		if runner.runs.Load() == 0 {
			t.Error("the script runner handed in was not used")
		}
	})
}

func TestRangeStoreOverTLS(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{TLS: true, Password: "secret"})
	topology := harness(t, []*servers.Redis{server}, []*servers.Redis{server}, nil)
	t.Run("uri", func(t *testing.T) {
		run(t, topology, redisstore.Factory{},
			optionsFor("rediss://:secret@"+server.Addr+"?skip_verify=true", redisstore.WaitAuto()))
	})
	t.Run("client", func(t *testing.T) {
		run(t, topology, redisstore.Factory{Client: server.Client(t)}, redisstore.DefaultOptions())
	})
	t.Run("uri, with a certificate that is checked", func(t *testing.T) {
		uri := "rediss://:secret@" + server.Addr
		err := build(t, redisstore.Factory{}, hastySpec(), optionsFor(uri, redisstore.WaitAuto())).Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), "unknown authority") {
			t.Errorf("without the authority start answered %v", err)
		}
		l := startLoad(t, 1, task{URI: uri, CAFile: server.CAFile, Key: "shop/checked"})
		l.run(t, 10)
		if ranges := l.stop(t); repeats(ranges) > 0 {
			t.Errorf("repeats among %v", ranges)
		}
	})
}

func TestUserAndDatabaseOfTheURIAreUsed(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	group := servers.StartRedisSentinels(t, servers.RedisSettings{}, 0, servers.SentinelSettings{})
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 0)
	for _, on := range append([]*servers.Redis{server, group.Master}, cluster.Masters...) {
		on.Do(t, "acl", "setuser", "app", "on", ">pw", "~cosid:*", "+@all")
	}
	onCluster := optionsFor("redis://app:pw@"+strings.Join(cluster.Addrs(), ","), redisstore.WaitFor(0))
	onCluster.Cluster = true
	for _, test := range []struct {
		name    string
		options redisstore.Options
		masters []*servers.Redis
		db      int
	}{
		{"single", optionsFor("redis://app:pw@"+server.Addr+"/3", redisstore.WaitFor(0)), []*servers.Redis{server}, 3},
		{
			"sentinel",
			optionsFor("redis+sentinel://app:pw@"+strings.Join(group.Addrs(), ",")+"/"+servers.SentinelMaster+"/3",
				redisstore.WaitFor(0)),
			[]*servers.Redis{group.Master},
			3,
		},
		{"cluster", onCluster, cluster.Masters, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t, redisstore.Factory{}, patientSpec(), test.options)
			mustReserve(t, store, "shop/bill", 10, 1, 1)
			var found, users strings.Builder
			for _, master := range test.masters {
				fmt.Fprint(&found, master.Do(t, "info", "keyspace"))
				fmt.Fprint(&users, master.Do(t, "client", "list"))
			}
			if db := fmt.Sprintf("db%d:keys=1,", test.db); strings.Count(found.String(), ":keys=") != 1 ||
				!strings.Contains(found.String(), db) {
				t.Errorf("keys are in\n%s, want one in database %d", found.String(), test.db)
			}
			if !strings.Contains(users.String(), " user=app ") {
				t.Errorf("no connection is that user's:\n%s", users.String())
			}
		})
	}
}

func TestRangeStoreOnAMasterWithReplicas(t *testing.T) {
	t.Parallel()
	master, replicas := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	topology := harness(t, []*servers.Redis{master}, []*servers.Redis{master}, map[*servers.Redis]int{master: 2})
	t.Run("uri", func(t *testing.T) {
		run(t, topology, redisstore.Factory{}, optionsFor(uriOf(master), redisstore.WaitFor(2)))
	})
	t.Run("client, with the replicas frozen", func(t *testing.T) {
		topology.Freeze = freeze(replicas)
		run(t, topology, redisstore.Factory{Client: master.Client(t)}, redisstore.DefaultOptions())
	})
	t.Run("own script runner", func(t *testing.T) {
		client := master.Client(t)
		runner := waitingRunner{func(context.Context, string) (*redis.Client, error) { return client, nil }}
		run(t, restartedAlready(topology), redisstore.Factory{Runner: runner}, optionsFor("", redisstore.WaitFor(2)))
	})
}

func TestRangeStoreOnACluster(t *testing.T) {
	t.Parallel()
	for _, replicas := range []int{0, 3} {
		t.Run(fmt.Sprintf("with %d replicas", replicas), func(t *testing.T) {
			t.Parallel()
			cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, replicas)
			online := map[*servers.Redis]int{}
			for _, master := range cluster.Masters {
				online[master] = replicas / len(cluster.Masters)
			}
			topology := harness(t, cluster.Masters, cluster.Masters, online)
			restart := topology.Restart
			topology.Restart = func(ctx context.Context) error {
				err := restart(ctx)
				servers.Await(t, "the cluster serves again", func(ctx context.Context) error {
					for _, node := range cluster.Masters {
						info, err := node.Client(t).ClusterInfo(ctx).Result()
						if err != nil || !strings.Contains(info, "cluster_state:ok") {
							return fmt.Errorf("%s: %w\n%s", node.Addr, err, info)
						}
					}
					return nil
				})
				return err
			}
			t.Run("uri", func(t *testing.T) {
				options := optionsFor("redis://"+strings.Join(cluster.Addrs(), ","), redisstore.WaitAuto())
				options.Cluster = true
				run(t, topology, redisstore.Factory{}, options)
			})
			t.Run("client", func(t *testing.T) {
				run(t, restartedAlready(topology), redisstore.Factory{Client: cluster.Client(t)}, redisstore.DefaultOptions())
			})
			t.Run("own script runner", func(t *testing.T) {
				runner := waitingRunner{cluster.Client(t).MasterForKey}
				wait := redisstore.WaitFor(replicas / len(cluster.Masters))
				run(t, restartedAlready(topology), redisstore.Factory{Runner: runner}, optionsFor("", wait))
			})
		})
	}
}

func TestRangeStoreUnderSentinel(t *testing.T) {
	group := servers.StartRedisSentinels(t, servers.RedisSettings{Password: "secret"}, 2, servers.SentinelSettings{Password: "watch"})
	topology := harness(t, []*servers.Redis{group.Master}, []*servers.Redis{group.Master},
		map[*servers.Redis]int{group.Master: 2})
	uri := "redis+sentinel://:secret@" + strings.Join(group.Addrs(), ",") + "/" + servers.SentinelMaster
	options := optionsFor(uri, redisstore.WaitFor(2))
	options.SentinelPassword = "watch"
	t.Run("uri", func(t *testing.T) { run(t, topology, redisstore.Factory{}, options) })
	t.Run("client", func(t *testing.T) {
		run(t, restartedAlready(topology), redisstore.Factory{Client: group.Client(t)}, redisstore.DefaultOptions())
	})
	if now := group.MasterAddr(t.Context()); now != group.Master.Addr {
		t.Errorf("the sentinels have made %s the master: the suite was meant to run without a failover", now)
	}
}

// harness kills and freezes servers. After a restart it waits until each has as many replicas online as it had.
func harness(t *testing.T, killed, frozen []*servers.Redis, online map[*servers.Redis]int) storetest.Harness {
	return storetest.Harness{
		Restart: func(context.Context) error {
			for _, server := range killed {
				server.Kill()
				if err := server.Start(); err != nil {
					return err
				}
			}
			for server, replicas := range online {
				server.AwaitReplicas(t, replicas)
			}
			return nil
		},
		Freeze: freeze(frozen),
	}
}

// restartedAlready leaves out the restarts, which take seconds on such a topology.
func restartedAlready(topology storetest.Harness) storetest.Harness {
	topology.Restart = nil
	topology.Lacks = map[storetest.Ability]string{storetest.Restarting: "the run with a URI restarts the same servers"}
	return topology
}

func freeze(frozen []*servers.Redis) func(context.Context) (func() error, error) {
	return func(context.Context) (func() error, error) {
		for _, server := range frozen {
			if err := server.Freeze(); err != nil {
				return nil, err
			}
		}
		return func() error {
			var errs []error
			for _, server := range frozen {
				errs = append(errs, server.Thaw())
			}
			return errors.Join(errs...)
		}, nil
	}
}

// onConn is a store with a connection that its application gives back.
type onConn struct {
	*redisstore.Store
	giveBack func() error
}

func (s onConn) Close() error { return errors.Join(s.Store.Close(), s.giveBack()) }

// countingRunner is a script runner as an application could write it.
type countingRunner struct {
	client *redis.Client
	runs   atomic.Int64
}

func (r *countingRunner) RunScript(ctx context.Context, call redisstore.ScriptCall) (redisstore.ScriptReply, error) {
	r.runs.Add(1)
	args := make([]any, len(call.Args))
	for i, arg := range call.Args {
		args[i] = arg
	}
	value, err := r.client.Eval(ctx, call.Script.Source, call.Keys, args...).Result()
	return redisstore.ScriptReply{Value: value}, err
}

// waitingRunner is a script runner that waits for replicas, as an application could write it.
type waitingRunner struct {
	master func(ctx context.Context, key string) (*redis.Client, error)
}

func (r waitingRunner) RunScript(ctx context.Context, call redisstore.ScriptCall) (redisstore.ScriptReply, error) {
	client, err := r.master(ctx, call.Keys[0])
	if err != nil {
		return redisstore.ScriptReply{}, err
	}
	args := make([]any, len(call.Args))
	for i, arg := range call.Args {
		args[i] = arg
	}
	pipe := client.Pipeline()
	script := pipe.Eval(ctx, call.Script.Source, call.Keys, args...)
	wait := redis.NewIntCmd(ctx, "wait", call.Replicas, call.WaitTimeout.Milliseconds())
	_ = pipe.Process(ctx, wait)
	_, err = pipe.Exec(ctx)
	if script.Err() == nil && script.Val() == nil {
		return redisstore.ScriptReply{}, err // from before the commands
	}
	if err := script.Err(); err != nil {
		return redisstore.ScriptReply{}, err
	}
	if err := wait.Err(); err != nil {
		return redisstore.ScriptReply{}, fmt.Errorf("%w: %w", stores.ErrOutcomeUnknown, err)
	}
	return redisstore.ScriptReply{Value: script.Val(), Acknowledged: int(wait.Val())}, nil
}
