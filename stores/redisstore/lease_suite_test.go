package redisstore_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores/redisstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

// slotHarness is a harness of the slot suite on a topology of the range suite's.
func slotHarness(
	topology storetest.Harness, factory redisstore.Factory, options redisstore.Options,
) storetest.SlotHarness {
	h := storetest.SlotHarness{
		New:     func() (storetest.SlotStore, error) { return factory.New(patientSpec(), options) },
		Restart: topology.Restart,
		Freeze:  topology.Freeze,
		Cycles:  400,
		Largest: 5000, // more than one script writes down
		Lacks: map[storetest.Ability]string{
			storetest.ClockMoving: "a server's clock is the machine's; TestSlotLeaseStoreWhileTheClockMoves has another",
		},
	}
	for ability, reason := range topology.Lacks {
		h.Lacks[ability] = reason
	}
	return h
}

// cyclesEnv makes the proof that no slot leaks longer: 10000 is the full load.
const cyclesEnv = "COSID_STRESS_CYCLES"

func TestSlotLeaseStoreOnASingleServer(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	topology := harness(t, []*servers.Redis{server}, []*servers.Redis{server}, nil)
	h := slotHarness(topology, redisstore.Factory{}, optionsFor(uriOf(server), redisstore.WaitAuto()))
	h.Cycles, h.Largest = 1000, 0
	if n, err := strconv.Atoi(os.Getenv(cyclesEnv)); err == nil {
		h.Cycles = n
	}
	storetest.RunSlotLeaseStore(t, h)
}

// The scripts of the store, with a clock that the test moves in place of the server's.
func TestSlotLeaseStoreWhileTheClockMoves(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	runner := &movedRunner{client: server.Client(t)}
	topology := harness(t, []*servers.Redis{server}, []*servers.Redis{server}, nil)
	h := slotHarness(topology, redisstore.Factory{Runner: runner}, optionsFor("", redisstore.WaitFor(0)))
	delete(h.Lacks, storetest.ClockMoving)
	h.MoveClock = func(_ context.Context, delta time.Duration) error {
		runner.millis.Add(delta.Milliseconds())
		return nil
	}
	storetest.RunSlotLeaseStore(t, h)
	if runner.clocks.Load() == 0 {
		t.Error("no script has read the clock that the test moves")
	}
}

func TestSlotLeaseStoreOnAMasterWithReplicas(t *testing.T) {
	t.Parallel()
	master, replicas := servers.StartRedisReplicas(t, servers.RedisSettings{}, 2)
	topology := harness(t, []*servers.Redis{master}, replicas, map[*servers.Redis]int{master: 2})
	storetest.RunSlotLeaseStore(t,
		slotHarness(topology, redisstore.Factory{}, optionsFor(uriOf(master), redisstore.WaitFor(2))))
}

func TestSlotLeaseStoreOnACluster(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 3)
	topology := restartedAlready(harness(t, nil, cluster.Masters, nil))
	options := optionsFor("redis://"+strings.Join(cluster.Addrs(), ","), redisstore.WaitAuto())
	options.Cluster = true
	storetest.RunSlotLeaseStore(t, slotHarness(topology, redisstore.Factory{}, options))
}

func TestSlotLeaseStoreUnderSentinel(t *testing.T) {
	t.Parallel()
	group := servers.StartRedisSentinels(t, servers.RedisSettings{Password: "secret"}, 2, servers.SentinelSettings{Password: "watch"})
	topology := restartedAlready(harness(t, nil, []*servers.Redis{group.Master}, nil))
	options := optionsFor("redis+sentinel://:secret@"+strings.Join(group.Addrs(), ",")+"/"+servers.SentinelMaster,
		redisstore.WaitFor(2))
	options.SentinelPassword = "watch"
	storetest.RunSlotLeaseStore(t, slotHarness(topology, redisstore.Factory{}, options))
}

// movedRunner runs scripts as if the server's clock were some milliseconds off.
type movedRunner struct {
	client *redis.Client
	millis atomic.Int64
	clocks atomic.Int64 // how many scripts have read it
}

func (r *movedRunner) RunScript(ctx context.Context, call redisstore.ScriptCall) (redisstore.ScriptReply, error) {
	source := strings.Replace(call.Script.Source, "redis.call('TIME')", fmt.Sprintf(`(function()
		local time = redis.call('TIME')
		local moved = time[1] * 1000 + math.floor(time[2] / 1000) + %d
		return {string.format('%%.0f', math.floor(moved / 1000)), string.format('%%.0f', moved %% 1000 * 1000)}
	end)()`, r.millis.Load()), 1)
	if source != call.Script.Source {
		r.clocks.Add(1)
	}
	args := make([]any, len(call.Args))
	for i, arg := range call.Args {
		args[i] = arg
	}
	value, err := r.client.Eval(ctx, source, call.Keys, args...).Result()
	return redisstore.ScriptReply{Value: value}, err
}
