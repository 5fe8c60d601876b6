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

// mustBeUnknown demands that a reserve fails as outcome unknown, within the timeout.
func mustBeUnknown(t *testing.T, store stores.RangeStore, key string) {
	t.Helper()
	begin := time.Now()
	r, err := store.Reserve(t.Context(), key, 10, 1)
	if !errors.Is(err, stores.ErrOutcomeUnknown) || r != (stores.Range{}) {
		t.Fatalf("reserve answered %v, %v; want ErrOutcomeUnknown", r, err)
	}
	if took := time.Since(begin); took > hastySpec().Timeout+time.Second {
		t.Errorf("it took %v, with a timeout of %v", took, hastySpec().Timeout)
	}
}

func mustThaw(t *testing.T, server *servers.Redis) {
	t.Helper()
	if err := server.Thaw(); err != nil {
		t.Fatal(err)
	}
}

func mustFreeze(t *testing.T, server *servers.Redis) {
	t.Helper()
	if err := server.Freeze(); err != nil {
		t.Fatal(err)
	}
}

func TestAFrozenReplicaLeavesTheOutcomeUnknownAndTheRangeUnused(t *testing.T) {
	t.Parallel()
	master, replicas := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	for _, test := range []struct {
		name    string
		factory redisstore.Factory
		uri     string
	}{
		{"uri", redisstore.Factory{}, uriOf(master)},
		{"client", redisstore.Factory{Client: master.Client(t)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t, test.factory, hastySpec(), optionsFor(test.uri, redisstore.WaitFor(2)))
			key := test.name + "/bill"
			mustReserve(t, store, key, 10, 1, 1)
			mustFreeze(t, replicas[0])
			mustBeUnknown(t, store, key)
			r, err := store.Reserve(t.Context(), test.name+"/huge", math.MaxInt64, 1)
			if !errors.Is(err, stores.ErrRangeExhausted) {
				t.Errorf("a refusal, which needs no replica, came out as %v, %v", r, err)
			}
			if sealed, err := store.Seal(t.Context(), test.name+"/sealed"); sealed || !errors.Is(err, stores.ErrOutcomeUnknown) {
				t.Errorf("seal answered %v, %v", sealed, err)
			}
			_, err = store.Reserve(t.Context(), key, 10, 1)
			if err == nil || !strings.Contains(err.Error(), "1 of 2 replicas") {
				t.Errorf("the error %v does not say how many acknowledged", err)
			}
			mustThaw(t, replicas[0])
			mustReserve(t, store, key, 10, 1, 31) // after the two that are lost
			if sealed, err := store.Seal(t.Context(), test.name+"/sealed"); !sealed || err != nil {
				t.Errorf("seal again answered %v, %v", sealed, err)
			}
		})
	}
}

func TestAutoWaitsForOneReplicaIfThereIsAny(t *testing.T) {
	t.Parallel()
	master := servers.StartRedis(t, servers.RedisSettings{})
	before := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(master), redisstore.WaitAuto()))
	mustReserve(t, before, "shop/bill", 10, 1, 1)

	// One that joins later is not waited for, until the store is opened again.
	replica := servers.StartRedisReplica(t, master, servers.RedisSettings{})
	after := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(master), redisstore.WaitAuto()))
	mustReserve(t, after, "shop/bill", 10, 1, 11)
	mustFreeze(t, replica)
	mustReserve(t, before, "shop/bill", 10, 1, 21)
	mustBeUnknown(t, after, "shop/bill")
	mustThaw(t, replica)
	mustReserve(t, after, "shop/bill", 10, 1, 41)

	// One that leaves is missed, until it is back.
	replica.Kill()
	mustBeUnknown(t, after, "shop/bill")
	master.Do(t, "config", "set", "repl-diskless-sync", "yes", "repl-diskless-sync-delay", "3600")
	if err := replica.Start(); err != nil {
		t.Fatal(err)
	}

	// One that is still copying is no reason to wait for none: it may become the master soon.
	servers.Await(t, "the replica asks for a copy", func(context.Context) error {
		if info := fmt.Sprint(master.Do(t, "info", "replication")); !strings.Contains(info, "state=wait_bgsave") {
			return errors.New(info)
		}
		return nil
	})
	err := build(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(master), redisstore.WaitAuto())).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "still copying") {
		t.Errorf("while the replica copies, start answered %v", err)
	}
	spec, log := withLog(hastySpec())
	open(t, redisstore.Factory{}, spec, optionsFor(uriOf(master), redisstore.WaitFor(0)))
	if !strings.Contains(log.String(), "set wait: 1") {
		t.Errorf("while the replica copies, wait: off warns %q", log)
	}
	master.Do(t, "config", "set", "repl-diskless-sync", "no", "repl-diskless-sync-delay", "0")
	master.AwaitReplicas(t, 1)
	mustReserve(t, after, "shop/bill", 10, 1, 61)
}

func TestWaitIsComparedWithTheReplicasThereAre(t *testing.T) {
	t.Parallel()
	master, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	client := master.Client(t)
	conn := client.Conn()
	defer conn.Close()
	for _, test := range []struct {
		name    string
		factory redisstore.Factory
		wait    redisstore.Wait
		fails   string // with this text; empty = starts
		warns   string // with this text; empty = not at all
	}{
		{"all", redisstore.Factory{Client: client}, redisstore.WaitFor(2), "", ""},
		{"too many", redisstore.Factory{Client: client}, redisstore.WaitFor(3), "2 replicas online", ""},
		{"auto", redisstore.Factory{Client: client}, redisstore.WaitAuto(), "", "1 of 2 replicas"},
		{"off", redisstore.Factory{Client: client}, redisstore.WaitFor(0), "", "set wait: 2"},
		{"auto on a shared connection", redisstore.Factory{Conn: conn}, redisstore.WaitAuto(), "set wait: off", ""},
		{"a number on a shared connection", redisstore.Factory{Conn: conn}, redisstore.WaitFor(1), "set wait: off", ""},
		{"off on a shared connection", redisstore.Factory{Conn: conn}, redisstore.WaitFor(0), "", "set wait: 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec, log := withLog(hastySpec())
			err := build(t, test.factory, spec, optionsFor("", test.wait)).Start(t.Context())
			switch {
			case test.fails == "" && err != nil:
				t.Fatal(err)
			case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
				t.Fatalf("start answered %v, want it to say %q", err, test.fails)
			}
			if text := log.String(); (test.warns == "") != (text == "") || !strings.Contains(text, test.warns) {
				t.Errorf("it warns %q, want %q", text, test.warns)
			}
		})
	}
}

func TestAClusterIsWaitedForWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 3)
	factory := redisstore.Factory{Client: cluster.Client(t)}
	store := open(t, factory, hastySpec(), redisstore.DefaultOptions())

	// WAIT goes to the master that has the key: only the keys of one with a frozen replica are affected.
	mustFreeze(t, cluster.Replicas[0])
	for i, key := range cluster.KeyOfEachMaster(t, redisKey) {
		if i == 0 {
			mustBeUnknown(t, store, key)
			mustBeUnknown(t, store, key)
		} else {
			mustReserve(t, store, key, 10, 1, 1)
		}
	}
	mustThaw(t, cluster.Replicas[0])
	servers.Await(t, "the thawed replica acknowledges", func(ctx context.Context) error {
		_, err := store.Reserve(ctx, "shop/any", 10, 1)
		return err
	})

	cluster.Replicas[0].Kill()
	servers.Await(t, "a master has lost its replica", func(ctx context.Context) error {
		info, err := cluster.Masters[0].Client(t).Info(ctx, "replication").Result()
		if err == nil && strings.Contains(info, "state=online") {
			err = errors.New(info)
		}
		return err
	})
	for _, test := range []struct {
		wait  redisstore.Wait
		fails string
	}{
		{redisstore.WaitAuto(), "has none"},
		{redisstore.WaitFor(1), "has 0 replicas online"},
		{redisstore.WaitFor(0), ""},
	} {
		spec, log := withLog(hastySpec())
		err := build(t, factory, spec, optionsFor("", test.wait)).Start(t.Context())
		if test.fails == "" {
			if err != nil || !strings.Contains(log.String(), "set wait: 1") {
				t.Errorf("wait %v: %v, and it warns %q", test.wait, err, log)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.fails) ||
			!strings.Contains(err.Error(), cluster.Masters[0].Addr) {
			t.Errorf("wait %v: start answered %v, want it to say %q of %s", test.wait, err, test.fails, cluster.Masters[0].Addr)
		}
	}
}

func TestASlotThatMovesIsFollowed(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 0)
	store := open(t, redisstore.Factory{Client: cluster.Client(t)}, patientSpec(), redisstore.DefaultOptions())
	key := cluster.KeyOfEachMaster(t, redisKey)[0]
	from, to := cluster.Masters[0], cluster.Masters[1]
	mustReserve(t, store, "shop/before", 10, 1, 1) // the map is known now
	slot, id := from.Do(t, "cluster", "keyslot", redisKey(key)), to.Do(t, "cluster", "myid")
	for _, node := range []*servers.Redis{to, from, cluster.Masters[2]} {
		node.Do(t, "cluster", "setslot", slot, "node", id)
	}
	mustReserve(t, store, key, 10, 1, 1)
	if got := to.Do(t, "get", redisKey(key)); got != "11" {
		t.Errorf("the new master has %v", got)
	}
}

func TestAClusterIsFollowedThroughAFailover(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 3)
	store := open(t, redisstore.Factory{Client: cluster.Client(t)}, hastySpec(), redisstore.DefaultOptions())
	key := cluster.KeyOfEachMaster(t, redisKey)[0]
	mustReserve(t, store, key, 10, 1, 1)

	cluster.Masters[0].Kill()
	servers.Await(t, "the replica becomes the master", func(ctx context.Context) error {
		_, err := store.Reserve(ctx, key, 10, 1)
		if err == nil || !strings.Contains(err.Error(), "0 of 1 replicas") {
			return fmt.Errorf("reserve answered %w", err)
		}
		return nil
	})
	if err := cluster.Masters[0].Start(); err != nil {
		t.Fatal(err)
	}
	var r stores.Range
	servers.Await(t, "the old master is its replica", func(ctx context.Context) (err error) {
		r, err = store.Reserve(ctx, key, 10, 1)
		return err
	})
	if r.Start < 21 {
		t.Errorf("reserved %v, after [1, 11) and at least one range that was not acknowledged", r)
	}
}

// redisKey is where a key's next id is kept.
func redisKey(key string) string { return "cosid:{" + key + "}" }
