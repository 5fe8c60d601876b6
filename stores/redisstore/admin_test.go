package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// Keys of others and of slots are not listed, however much they look like a range's.
func TestOnlyRangesAreListed(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	mustAcquire(t, store, ask("a", 4))
	for _, key := range []string{
		"other", "cosid:{probe}", "cosid:{shop}", "cosid:{shop/bill}:other", "cosid:{shop/bill}:sealed:x", "cosid:{/}",
		"cosid:{shop/a b}", "cosid:shop/x", "x:cosid:{shop/x}", "cosid:{shop/x",
	} {
		server.Do(t, "set", key, "1")
	}
	server.Do(t, "rpush", "cosid:{shop/list}", "1")
	if _, err := store.Seal(t.Context(), "shop/unborn"); err != nil {
		t.Fatal(err)
	}
	got := map[stores.RangeRecord]int{}
	for record, err := range store.Ranges(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got[record]++
	}
	want := map[stores.RangeRecord]int{{Key: "shop/bill", Next: 11}: 1, {Key: "shop/unborn", Sealed: true}: 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("listed %v, want %v", got, want)
	}

	server.Do(t, "set", "cosid:{shop/foreign}", "abc")
	var last error
	for _, err := range store.Ranges(t.Context(), "shop/f") {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), `cosid:{shop/foreign} holds "abc"`) {
		t.Errorf("a foreign value is listed with error %v", last)
	}
}

func TestRaisingAForeignCounterIsRefused(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	for _, value := range []string{"abc", "", "007", "-1", "1.5", "9223372036854775808", " 1", "99999999999999999999999"} {
		server.Do(t, "set", "cosid:{shop/bill}", value)
		record, err := store.RaiseRange(t.Context(), "shop/bill", math.MaxInt64)
		if err == nil || record != (stores.RangeRecord{}) {
			t.Errorf("%q was raised to %+v, %v", value, record, err)
		}
		if got := server.Do(t, "get", "cosid:{shop/bill}"); got != value {
			t.Errorf("%q became %v", value, got)
		}
	}
}

// As numbers, not as texts.
func TestNextIDsOfDifferentLengthsAreCompared(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	for _, next := range []int64{0, 9, 10, 99, 100, 999_999, 1_000_000} {
		if record, err := store.RaiseRange(t.Context(), "shop/bill", next); err != nil || record.Next != next {
			t.Fatalf("raise to %d answered %+v, %v", next, record, err)
		}
		if record, err := store.RaiseRange(t.Context(), "shop/bill", next/2); next > 0 &&
			(!errors.Is(err, stores.ErrWouldGoBack) || record.Next != next) {
			t.Fatalf("raise back to %d answered %+v, %v", next/2, record, err)
		}
	}
}

func TestADeletionAndARaiseWaitForReplicas(t *testing.T) {
	t.Parallel()
	master, replicas := servers.StartRedisReplicas(t, servers.RedisSettings{}, 1)
	store := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(master), redisstore.WaitFor(1)))
	mustReserve(t, store, "shop/bill", 10, 1, 1)
	mustFreeze(t, replicas[0])
	if deleted, err := store.DeleteRange(t.Context(), "shop/bill", true); deleted ||
		!errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("delete answered %v, %v", deleted, err)
	}
	if record, err := store.RaiseRange(t.Context(), "shop/bill", 5); record != (stores.RangeRecord{}) ||
		!errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("raise answered %+v, %v", record, err)
	}
	if record, err := store.RaiseRange(t.Context(), "shop/bill", 4); record.Next != 5 ||
		!errors.Is(err, stores.ErrWouldGoBack) {
		t.Errorf("a refusal, which needs no replica, came out as %+v, %v", record, err)
	}
	mustThaw(t, replicas[0])
}

func TestInspectTellsTheTopologyAndWhatIsWrong(t *testing.T) {
	t.Parallel()
	single := servers.StartRedis(t, servers.RedisSettings{})
	master, replicas := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 0)
	clusterOptions := optionsFor("redis://"+strings.Join(cluster.Addrs(), ","), redisstore.WaitAuto())
	clusterOptions.Cluster = true
	onSingle := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(single), redisstore.WaitAuto()))
	onMaster := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(master), redisstore.WaitFor(2)))
	onCluster := open(t, redisstore.Factory{}, hastySpec(), clusterOptions)

	inspect := func(store *redisstore.Store, server string, findings ...string) {
		t.Helper()
		seen, err := store.Inspect(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(seen.Server, server) || !strings.HasPrefix(seen.Server, "Redis 7.") {
			t.Errorf("the server is %q, want it to say %q", seen.Server, server)
		}
		if off := time.Since(seen.Now).Abs(); off > 10*time.Second {
			t.Errorf("its clock is %v off", off)
		}
		if len(seen.Findings) != len(findings) {
			t.Errorf("found %+v, want %q", seen.Findings, findings)
			return
		}
		for i, finding := range seen.Findings {
			if text := finding.Problem + " / " + finding.Remedy; !strings.Contains(text, findings[i]) {
				t.Errorf("found %q, want it to say %q", text, findings[i])
			}
		}
	}
	inspect(onSingle, "a master with no replica")
	inspect(onMaster, "a master with 2 replicas")
	inspect(onCluster, "a cluster of 3 masters")

	single.Do(t, "config", "set", "appendfsync", "everysec")
	single.Do(t, "config", "set", "maxmemory-policy", "allkeys-lru")
	inspect(onSingle, "", "CONFIG SET appendfsync always", "CONFIG SET maxmemory-policy noeviction")
	cluster.Masters[1].Do(t, "config", "set", "appendonly", "no")
	inspect(onCluster, "", cluster.Masters[1].Addr+": appendonly is no")

	replicas[1].Kill()
	servers.Await(t, "the master misses a replica", func(ctx context.Context) error {
		seen, err := onMaster.Inspect(ctx)
		if err == nil && !strings.Contains(seen.Server, "1 replica") {
			err = errors.New(seen.Server)
		}
		return err
	})
	inspect(onMaster, "a master with 1 replica", "wait for 2 replicas and 1 are online")
	single.Do(t, "config", "set", "appendfsync", "always")
	single.Do(t, "config", "set", "maxmemory-policy", "noeviction")
	single.Do(t, "replicaof", "127.0.0.1", "1")
	inspect(onSingle, "a replica", "connect to its master")

	single.Kill()
	cluster.Masters[2].Kill()
	for name, store := range map[string]*redisstore.Store{"single server": onSingle, "cluster": onCluster} {
		if err := store.Ping(t.Context()); err == nil {
			t.Errorf("%s: a ping of a dead server succeeded", name)
		}
		if _, err := store.Inspect(t.Context()); err == nil {
			t.Errorf("%s: a dead server is inspected", name)
		}
	}
}

// The rights that an error names are enough for everything.
func TestRightsThatAreAskedForSuffice(t *testing.T) {
	t.Parallel()
	server, cluster := servers.StartRedis(t, servers.RedisSettings{}), servers.StartRedisCluster(t, servers.RedisSettings{}, 0)
	commands, keys, _ := strings.Cut(redisstore.Rights, " on keys ")
	user := []any{"acl", "setuser", "app", "on", ">pw", "~" + keys, "-@all", "+info", "+config|get"}
	for _, rule := range strings.Fields(commands) {
		user = append(user, rule)
	}
	for _, on := range append([]*servers.Redis{server}, cluster.Masters...) {
		on.Do(t, user...)
	}
	onCluster := optionsFor("redis://app:pw@"+strings.Join(cluster.Addrs(), ","), redisstore.WaitFor(0))
	onCluster.Cluster = true
	mustReserve(t, open(t, redisstore.Factory{}, patientSpec(), onCluster), "shop/bill", 10, 1, 1)
	options := optionsFor("redis://app:pw@"+server.Addr+"/3?client_name=orders", redisstore.WaitFor(0))
	runAdmin(t, redisstore.Factory{}, options)
	store := open(t, redisstore.Factory{}, patientSpec(), options)
	lease := mustAcquire(t, store, ask("a", 4))
	lease, err := store.Renew(t.Context(), lease, time.Minute, lease.Floor)
	if err != nil {
		t.Fatal(err)
	}
	mustRelease(t, store, lease, lease.Floor)
}
