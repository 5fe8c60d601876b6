package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

func TestStartSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	const secret, noAnswer = "hunter2", "timeout"
	server := servers.StartRedis(t, servers.RedisSettings{Password: secret})
	plain := servers.StartRedis(t, servers.RedisSettings{})
	replica := servers.StartRedisReplica(t, plain, servers.RedisSettings{})
	overTLS := servers.StartRedis(t, servers.RedisSettings{TLS: true})
	noEval := servers.StartRedis(t, servers.RedisSettings{Args: []string{"--rename-command", "EVALSHA", ""}})
	frozen := servers.StartRedis(t, servers.RedisSettings{})
	mustFreeze(t, frozen)
	closed := servers.StartRedis(t, servers.RedisSettings{})
	closed.Kill()
	sentinels := servers.StartRedisSentinels(t, servers.RedisSettings{}, 0, servers.SentinelSettings{Password: secret})
	hosts := strings.Join(sentinels.Addrs(), ",")

	for _, test := range []struct {
		name    string
		uri     string
		cluster bool
		says    string
	}{
		{"a wrong password", "redis://:wrong-" + secret + "@" + server.Addr, false, "refused user and password"},
		{"no password", "redis://" + server.Addr, false, "asks for a password"},
		{"a closed port", "redis://" + closed.Addr, false, "refused"},
		{"no socket", "unix://:" + secret + "@/nowhere/redis.sock", false, "no such file"},
		{"an old server", uriOfFake(t, "6.2.24", ""), false, "is Redis 6.2.24: the store needs 7.0"},
		{"a sentinel", uriOfFake(t, "7.0.15", "sentinel"), false, "redis+sentinel://"},
		{"a node of a cluster", uriOfFake(t, "7.0.15", "cluster"), false, "cluster: true"},
		{"a replica", "redis://" + replica.Addr, false, "connect to its master"},
		{"no cluster", "redis://" + plain.Addr, true, "cluster: false"},
		{"a certificate of nobody", "rediss://" + overTLS.Addr, false, "certificate"},
		{"no TLS", "rediss://" + plain.Addr, false, noAnswer},
		{"no scripts", "redis://" + noEval.Addr, false, "allow EVAL, EVALSHA and WAIT"},
		{"a frozen server", "redis://" + frozen.Addr, false, noAnswer},
		{"no password of the sentinels", "redis+sentinel://" + hosts + "/" + servers.SentinelMaster, false, "sentinel-password"},
		{"no sentinels", "redis+sentinel://:" + secret + "@" + closed.Addr + "/main", false, "sentinel"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := optionsFor(test.uri, redisstore.WaitAuto())
			options.Cluster = test.cluster
			spec := patientSpec()
			if test.says == noAnswer {
				spec = hastySpec()
			}
			err := build(t, redisstore.Factory{}, spec, options).Start(context.WithoutCancel(t.Context()))
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("start answered %v, want it to say %q", err, test.says)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error repeats the password: %v", err)
			}
		})
	}
}

func uriOfFake(t *testing.T, version, mode string) string {
	return "redis://" + startFake(t, fakeServer{version: version, mode: mode})
}

func TestWhatMayNotBeCheckedIsSaid(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	server.Do(t, "acl", "setuser", "app", "on", ">pw", "~cosid:*", "+@connection", "-wait",
		"+eval", "+evalsha", "+exists", "+get", "+getex", "+set", "+incrby")
	server.Do(t, "acl", "setuser", "blind", "on", ">pw", "~cosid:*", "+@connection")
	uri := "redis://app:pw@" + server.Addr

	err := build(t, redisstore.Factory{}, hastySpec(), optionsFor(uri, redisstore.WaitAuto())).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "INFO replication is forbidden") {
		t.Errorf("auto without INFO: start answered %v", err)
	}

	spec, log := withLog(hastySpec())
	store := open(t, redisstore.Factory{}, spec, optionsFor(uri, redisstore.WaitFor(0)))
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	for _, part := range []string{"INFO replication", "CONFIG GET appendfsync", "maxmemory-policy", "+info"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the warning lacks %q: %s", part, log)
		}
	}

	// WAIT is allowed to nobody here: with replicas to wait for, that is told at once.
	err = build(t, redisstore.Factory{}, hastySpec(), optionsFor(uri, redisstore.WaitFor(1))).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "+wait") {
		t.Errorf("a number without WAIT: start answered %v", err)
	}
	err = build(t, redisstore.Factory{}, hastySpec(),
		optionsFor("redis://blind:pw@"+server.Addr, redisstore.WaitFor(0))).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "+evalsha") {
		t.Errorf("without scripts: start answered %v", err)
	}
}

func TestSettingsThatLoseWritesAreWarnedAbout(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	start := func() string {
		spec, log := withLog(hastySpec())
		open(t, redisstore.Factory{}, spec, optionsFor(uriOf(server), redisstore.WaitAuto()))
		return log.String()
	}
	if text := start(); text != "" {
		t.Errorf("a server without fault is warned about: %s", text)
	}
	for _, test := range []struct{ setting, wrong, right string }{
		{"appendonly", "no", "yes"},
		{"appendfsync", "everysec", "always"},
		{"no-appendfsync-on-rewrite", "yes", "no"},
		{"maxmemory-policy", "allkeys-lru", "noeviction"},
	} {
		server.Do(t, "config", "set", test.setting, test.wrong)
		text, remedy := start(), "CONFIG SET "+test.setting+" "+test.right
		if !strings.Contains(text, remedy) || strings.Count(text, "WARN") != 1 {
			t.Errorf("%s %s: warned %q", test.setting, test.wrong, text)
		}
		server.Do(t, "config", "set", test.setting, test.right)
	}
}

// Each is a clear error with a known outcome, and changes nothing.
func TestAnswersThatRefuseAWriteChangeNothing(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	for i, test := range []struct {
		name       string
		make, mend []any
		says       string
	}{
		{
			"out of memory",
			[]any{"config", "set", "maxmemory", "1"},
			[]any{"config", "set", "maxmemory", "0"},
			"maxmemory: raise it",
		},
		{"a replica", []any{"replicaof", "127.0.0.1", "1"}, []any{"replicaof", "no", "one"}, "connect to its master"},
		{
			"too few replicas",
			[]any{"config", "set", "min-replicas-to-write", "1"},
			[]any{"config", "set", "min-replicas-to-write", "0"},
			"min-replicas-to-write",
		},
		{
			"no rights",
			[]any{"acl", "setuser", "default", "-evalsha"},
			[]any{"acl", "setuser", "default", "+evalsha"},
			"+evalsha",
		},
		{
			"no rights on keys",
			[]any{"acl", "setuser", "default", "resetkeys"},
			[]any{"acl", "setuser", "default", "allkeys"},
			"cosid:*",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, fresh := fmt.Sprintf("shop/old%d", i), fmt.Sprintf("shop/new%d", i)
			mustReserve(t, store, old, 10, 1, 1)
			server.Do(t, test.make...)
			for _, key := range []string{old, fresh} {
				for _, size := range []int64{10, math.MaxInt64} {
					r, err := store.Reserve(t.Context(), key, size, 1)
					if err == nil || errors.Is(err, stores.ErrOutcomeUnknown) || errors.Is(err, stores.ErrRangeExhausted) {
						t.Fatalf("reserve %d of %s answered %v, %v", size, key, r, err)
					}
					if !strings.Contains(err.Error(), test.says) {
						t.Errorf("%v does not say %q", err, test.says)
					}
				}
			}
			server.Do(t, test.mend...)
			mustReserve(t, store, old, 10, 1, 11)
			mustReserve(t, store, fresh, 10, 1, 1)
		})
	}
}

func TestAFlushedScriptCacheIsNotSeen(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	for i := range int64(5) {
		server.Do(t, "script", "flush")
		mustReserve(t, store, "shop/bill", 10, 1, 1+10*i)
	}
	master, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, 1)
	waiting := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(master), redisstore.WaitAuto()))
	for i := range int64(5) {
		master.Do(t, "script", "flush")
		mustReserve(t, waiting, "shop/bill", 10, 1, 1+10*i)
	}
}

func TestForeignValuesAreRefused(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	for i, command := range [][]any{
		{"set", "abc"},
		{"set", ""},
		{"set", "007"},
		{"set", "1.5"},
		{"rpush", "1"},
		{"set", "-100"},
		{"set", "9223372036854775808"},
	} {
		key := fmt.Sprintf("shop/foreign%d", i)
		server.Do(t, command[0], "cosid:{"+key+"}", command[1])
		r, err := store.Reserve(t.Context(), key, 10, 1)
		if err == nil || errors.Is(err, stores.ErrRangeExhausted) {
			t.Errorf("%v: reserve answered %v, %v", command, r, err)
		}
	}
}

func TestCountersAreExactAndEndWithAnError(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))

	const preset int64 = 201605131024011014
	server.Do(t, "set", "cosid:{shop/bill}", fmt.Sprint(preset))
	mustReserve(t, store, "shop/bill", 1, 1, preset)
	mustReserve(t, store, "shop/bill", 1001, 1, preset+1)
	if got := server.Do(t, "get", "cosid:{shop/bill}"); got != fmt.Sprint(preset+1002) {
		t.Errorf("%v is stored", got)
	}

	const nearEnd = math.MaxInt64 - 10
	server.Do(t, "set", "cosid:{shop/end}", fmt.Sprint(int64(nearEnd)))
	mustReserve(t, store, "shop/end", 3, 1, nearEnd)
	for _, size := range []int64{8, 100, math.MaxInt64} {
		if r, err := store.Reserve(t.Context(), "shop/end", size, 1); !errors.Is(err, stores.ErrRangeExhausted) {
			t.Errorf("reserve %d answered %v, %v", size, r, err)
		}
	}
	if got := server.Do(t, "get", "cosid:{shop/end}"); got != fmt.Sprint(int64(nearEnd+3)) {
		t.Errorf("%v is stored after refusals", got)
	}
	mustReserve(t, store, "shop/end", 7, 1, nearEnd+3)
	if r, err := store.Reserve(t.Context(), "shop/end", 1, 1); !errors.Is(err, stores.ErrRangeExhausted) {
		t.Errorf("after the last id: %v, %v", r, err)
	}
}

// Other implementations share the data.
func TestKeysAndValuesAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	mustReserve(t, store, "shop/bill/20261027", 100, 1, 1)
	if sealed, err := store.Seal(t.Context(), "shop/bill/20261027"); !sealed || err != nil {
		t.Fatal(err)
	}
	if keys := fmt.Sprint(server.Do(t, "sort", "x")); keys != "[]" {
		t.Fatal(keys)
	}
	client := server.Client(t)
	for key, want := range map[string]string{
		"cosid:{shop/bill/20261027}": "101", "cosid:{shop/bill/20261027}:sealed": "1",
	} {
		if got, err := client.Get(t.Context(), key).Result(); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", key, got, err, want)
		}
		if ttl := client.TTL(t.Context(), key).Val(); ttl != -1 {
			t.Errorf("%s ends in %v", key, ttl)
		}
	}
	if n := client.DBSize(t.Context()).Val(); n != 2 {
		t.Errorf("there are %d keys", n)
	}

	// Somebody who bounds the keys of a shared server by an expiry would let the counter start over.
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	server.Do(t, "expire", "cosid:{shop/bill}", 60)
	mustReserve(t, store, "shop/bill", 10, 1, 11)
	if ttl := client.TTL(t.Context(), "cosid:{shop/bill}").Val(); ttl != -1 {
		t.Errorf("the counter ends in %v", ttl)
	}
}

func TestAStartThatFailedMayBeRepeated(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := build(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	server.Kill()
	if err := store.Start(t.Context()); err == nil {
		t.Fatal("it started without a server")
	}
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("reserve before start: %v", err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); err == nil {
		t.Error("a second start succeeded")
	}
	mustReserve(t, store, "shop/bill", 10, 1, 1)
}

func TestCloseEndsAStartAndCallsOfAFrozenServer(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	options := optionsFor(uriOf(server), redisstore.WaitAuto())
	calling := open(t, redisstore.Factory{}, hastySpec(), options)
	starting := build(t, redisstore.Factory{}, patientSpec(), options)
	mustFreeze(t, server)

	ended := make(chan error, 2)
	go func() { ended <- starting.Start(context.WithoutCancel(t.Context())) }()
	go func() {
		_, err := calling.Reserve(context.WithoutCancel(t.Context()), "shop/bill", 1, 1)
		ended <- err
	}()
	time.Sleep(100 * time.Millisecond) // both wait for the server, most likely; else Close comes first, which is as good
	begin := time.Now()
	if err := errors.Join(starting.Close(), calling.Close()); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, stores.ErrClosed) && !errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("it ended with %v", err)
		}
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("close took %v", took)
	}
	mustThaw(t, server)
}

// A client that the application closed too early is an error with a known outcome.
func TestAClosedClientSendsNothing(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	store := open(t, redisstore.Factory{Client: client}, hastySpec(), redisstore.DefaultOptions())
	client.Close()
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); err == nil || errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("reserve answered %v", err)
	}
}

// Nobody knows what a script did whose answer was lost, so that a client's own retries must not send it again.
func TestAScriptWithoutAnswerIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, wait := range []redisstore.Wait{redisstore.WaitFor(0), redisstore.WaitFor(1)} {
		var sent atomic.Int64
		addr := startFake(t, fakeServer{version: "7.0.15", answer: func(words []string) string {
			switch {
			case !strings.EqualFold(words[0], "evalsha"):
				return ""
			case words[3] == "cosid:{probe}":
				return "*1\r\n$5\r\nready\r\n:1\r\n" // with an answer to the WAIT that may follow
			default:
				sent.Add(1)
				return hangUp
			}
		}})
		client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: 3, Protocol: 2})
		defer client.Close()
		store := open(t, redisstore.Factory{Client: client}, patientSpec(), optionsFor("", wait))
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); !errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("reserve answered %v, %v; want ErrOutcomeUnknown", r, err)
		}
		if n := sent.Load(); n != 1 {
			t.Errorf("wait %v: the script was sent %d times", wait, n)
		}
	}
}

// A client greets the server on each connection, before the first command. What comes of it is not lost in a pipeline.
func TestAGreetingThatIsRefusedIsNamed(t *testing.T) {
	t.Parallel()
	for _, replicas := range []int{0, 1} { // with WAIT calls are sent in pipelines
		master, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, replicas)
		master.Do(t, "acl", "setuser", "app", "on", ">old", "~*", "+@all")
		store := open(t, redisstore.Factory{}, patientSpec(), optionsFor("redis://app:old@"+master.Addr, redisstore.WaitFor(replicas)))
		mustReserve(t, store, "shop/bill", 10, 1, 1)
		master.Do(t, "acl", "setuser", "app", "resetpass", ">new")
		master.Do(t, "client", "kill", "user", "app")
		_, _ = store.Reserve(t.Context(), "shop/bill", 10, 1) // may still meet the connection that was killed
		_, err := store.Reserve(t.Context(), "shop/bill", 10, 1)
		if err == nil || !strings.Contains(err.Error(), "refused user and password") || errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("with %d replicas: %v, want the server's refusal", replicas, err)
		}
	}
}
