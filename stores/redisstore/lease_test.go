package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

func ask(owner string, limit int64) stores.SlotRequest {
	return stores.SlotRequest{
		Namespace: "shop", Owner: owner, Incarnation: "life-of-" + owner[:1], Limit: limit, Tolerance: time.Hour,
		TTL: 30 * time.Second, Preferred: stores.NoSlot,
	}
}

func mustAcquire(t testing.TB, store stores.SlotLeaseStore, request stores.SlotRequest) stores.SlotLease {
	t.Helper()
	lease, err := store.Acquire(context.WithoutCancel(t.Context()), request)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func mustRelease(t testing.TB, store stores.SlotLeaseStore, lease stores.SlotLease, usedThrough int64) {
	t.Helper()
	if err := store.Release(context.WithoutCancel(t.Context()), lease, usedThrough); err != nil {
		t.Fatal(err)
	}
}

// Other implementations share the data.
func TestSlotKeysAndRowsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	a, b := mustAcquire(t, store, ask("host.a", 3)), mustAcquire(t, store, ask("host:b", 3))
	mustRelease(t, store, b, b.Floor-1)
	other := ask("host@c", 3)
	other.Preferred = 1
	c := mustAcquire(t, store, other)

	hash := func(key string) map[string]string { return client.HGetAll(t.Context(), key).Val() }
	set := func(key string) string { return fmt.Sprint(client.ZRangeWithScores(t.Context(), key, 0, -1).Val()) }
	row := func(l stores.SlotLease, last string) string {
		return fmt.Sprintf("%s|%s|%s|%d|%d|%d|%d|%d", l.Owner, l.Incarnation, last, l.Fence, l.ExpiresAt, l.Floor,
			l.Ceiling, l.Ceiling)
	}
	for what, test := range map[string]struct{ got, want any }{
		"meta":  {hash("cosid:{shop}:meta"), map[string]string{"limit": "3", "tolerance": "3600000"}},
		"slot":  {hash("cosid:{shop}:slot"), map[string]string{"0": row(a, ""), "1": row(c, "host:b")}},
		"owner": {hash("cosid:{shop}:owner"), map[string]string{"host.a": "0", "host:b": "1", "host@c": "1"}},
		"held":  {hash("cosid:{shop}:held"), map[string]string{"host.a": "0", "host@c": "1"}},
		"free":  {set("cosid:{shop}:free"), fmt.Sprint([]redis.Z{{Score: 2, Member: "2"}})},
		"live": {set("cosid:{shop}:live"), fmt.Sprint([]redis.Z{
			{Score: float64(a.ExpiresAt), Member: "0"}, {Score: float64(c.ExpiresAt), Member: "1"},
		})},
		"keys": {client.DBSize(t.Context()).Val(), int64(6)},
	} {
		if fmt.Sprint(test.got) != fmt.Sprint(test.want) {
			t.Errorf("%s is %v, want %v", what, test.got, test.want)
		}
	}

	mustRelease(t, store, c, c.Floor+2)
	want := fmt.Sprintf("||host@c|2|0|%d|%d|%d", c.Floor, c.Ceiling, c.Floor+3)
	if got := hash("cosid:{shop}:slot")["1"]; got != want {
		t.Errorf("the released row is %q, want %q", got, want)
	}
	if got := set("cosid:{shop}:free"); got != fmt.Sprint([]redis.Z{{Score: 1, Member: "1"}, {Score: 2, Member: "2"}}) {
		t.Errorf("free are %s", got)
	}
}

// Whatever is prefilled in parts is so completely, and each slot is in one of the two sets.
func TestAllSlotsAreFreeOrLive(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	for _, limit := range []int64{1, 999, 1000, 1001, 2000, 2001, 7777} {
		request := ask("host", limit)
		request.Namespace, request.Preferred = fmt.Sprint("n", limit), limit-1
		mustAcquire(t, store, request)
		free := client.ZRangeWithScores(t.Context(), fmt.Sprintf("cosid:{n%d}:free", limit), 0, -1).Val()
		if int64(len(free)) != limit-1 {
			t.Errorf("of %d slots %d are free", limit, len(free))
		}
		for i, z := range free {
			if z.Score != float64(i) || z.Member != fmt.Sprint(i) {
				t.Fatalf("of %d slots %+v is at %d", limit, z, i)
			}
		}
		if live := client.ZCard(t.Context(), fmt.Sprintf("cosid:{n%d}:live", limit)).Val(); live != 1 {
			t.Errorf("%d are live", live)
		}
	}
}

// It is finished by whoever comes next.
func TestAnAcquireThatWasBrokenOffWhileTheSlotsWereWrittenGoesOn(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	ctx, cancel := context.WithCancel(t.Context())
	runner := &brokenOff{countingRunner: countingRunner{client: server.Client(t)}, after: 3, cancel: cancel}
	store := open(t, redisstore.Factory{Runner: runner}, patientSpec(), optionsFor("", redisstore.WaitFor(0)))
	if lease, err := store.Acquire(ctx, ask("a", 9000)); !errors.Is(err, context.Canceled) {
		t.Fatalf("acquire answered %+v, %v", lease, err)
	}
	if n := server.Client(t).ZCard(t.Context(), "cosid:{shop}:free").Val(); n < 2000 || n > 8000 {
		t.Errorf("%d slots are written", n)
	}
	last := ask("b", 9000)
	last.Preferred = 8999
	if lease := mustAcquire(t, store, last); lease.Slot != 8999 {
		t.Errorf("acquired %+v", lease)
	}
	if lease := mustAcquire(t, store, ask("a", 9000)); lease.Slot != 0 {
		t.Errorf("acquired %+v", lease)
	}
}

// brokenOff cancels a context after some runs.
type brokenOff struct {
	countingRunner
	after  int64
	cancel func()
}

func (r *brokenOff) RunScript(ctx context.Context, call redisstore.ScriptCall) (redisstore.ScriptReply, error) {
	if r.runs.Load() == r.after {
		r.cancel()
	}
	return r.countingRunner.RunScript(ctx, call)
}

// One acquire sweeps SweepBatch expired leases at most, unless it finds nothing among them.
func TestOneAcquireSweepsABatch(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	options := optionsFor("", redisstore.WaitFor(0))
	options.SweepBatch = 3
	runner := &movedRunner{client: client}
	store := open(t, redisstore.Factory{Runner: runner}, patientSpec(), options)
	const slots = 12
	for i := range slots {
		mustAcquire(t, store, ask(fmt.Sprint("gone-", i), slots))
	}
	runner.millis.Add(31_000)
	taken := mustAcquire(t, store, ask("a", slots))
	row := client.HGet(t.Context(), "cosid:{shop}:slot", fmt.Sprint(taken.Slot)).Val()
	if columns := strings.Split(row, "|"); columns[2] != fmt.Sprint("gone-", taken.Slot) {
		t.Errorf("the row %q does not name its former owner", row)
	}
	if free := client.ZCard(t.Context(), "cosid:{shop}:free").Val(); free != 2 {
		t.Errorf("%d slots are free after an acquire that may sweep 3 and takes 1", free)
	}

	// Their windows lie beyond the tolerance, since the clock has stepped back: all but the last one to be swept.
	for i := range slots {
		rows := client.HGetAll(t.Context(), "cosid:{shop}:slot").Val()
		columns := strings.Split(rows[fmt.Sprint(i)], "|")
		columns[7] = "1900000000000000"
		if columns[0] == "gone-11" {
			columns[7] = columns[4]
		}
		client.HSet(t.Context(), "cosid:{shop}:slot", fmt.Sprint(i), strings.Join(columns, "|"))
	}
	if lease := mustAcquire(t, store, ask("b", slots)); lease.Slot != 11 {
		t.Errorf("acquired %+v, want the only slot that is usable", lease)
	}
	var none *stores.NoFreeSlotError
	lease, err := store.Acquire(t.Context(), ask("c", slots))
	if !errors.As(err, &none) || none.Live != 2 || none.Ahead != 10 {
		t.Errorf("acquire answered %+v, %v", lease, err)
	}
}

// A refusal is right however many free slots have to be looked at, and a usable one is found behind them.
func TestManyFreeSlotsAheadOfTheClock(t *testing.T) {
	t.Parallel()
	const slots = 3000
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	first := mustAcquire(t, store, ask("a", slots))
	mustRelease(t, store, first, first.Floor)
	farAhead := first.StoreNow + (2 * time.Hour).Milliseconds()
	rows := map[string]any{}
	for slot := range slots - 1 {
		rows[fmt.Sprint(slot)] = fmt.Sprintf("||x|1|0|1|%d|%d", farAhead+int64(slots-slot), farAhead+int64(slots-slot))
	}
	client.HSet(t.Context(), "cosid:{shop}:slot", rows)

	if lease := mustAcquire(t, store, ask("b", slots)); lease.Slot != slots-1 {
		t.Errorf("acquired %+v, want the only slot that is usable", lease)
	}
	var none *stores.NoFreeSlotError
	lease, err := store.Acquire(t.Context(), ask("c", slots))
	if !errors.As(err, &none) || none.Live != 1 || none.Ahead != slots-1 {
		t.Fatalf("acquire answered %+v, %v", lease, err)
	}
	if none.UsableAt <= none.StoreNow || none.UsableAt > none.StoreNow+30_000 {
		t.Errorf("%+v does not tell when the live lease expires", none)
	}
	restarted := ask("b", slots)
	restarted.Incarnation, restarted.TakeOver = "b-2", true
	if lease := mustAcquire(t, store, restarted); lease.Slot != slots-1 || lease.Fence != 2 {
		t.Errorf("acquired %+v, want to take over", lease)
	}
}

// A slot that is swept after its number was passed by is not forgotten.
func TestASlotIsSweptBehindWhereOneHasLooked(t *testing.T) {
	t.Parallel()
	const slots = 1100 // more than one call looks at
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	runner := &movedRunner{client: client}
	options := optionsFor("", redisstore.WaitFor(0))
	options.SweepBatch = 1
	store := open(t, redisstore.Factory{Runner: runner}, patientSpec(), options)
	mustAcquire(t, store, ask("a", slots))
	sooner := ask("b", slots)
	sooner.TTL = time.Second
	mustAcquire(t, store, sooner)
	rows := map[string]any{}
	for slot := 1; slot < slots; slot++ { // all but a's are far ahead
		rows[fmt.Sprint(slot)] = "||x|1|0|1|1900000000000000|1900000000000000"
	}
	client.HSet(t.Context(), "cosid:{shop}:slot", rows)
	runner.millis.Add(31_000)
	if lease := mustAcquire(t, store, ask("c", slots)); lease.Slot != 0 || lease.Fence != 2 {
		t.Errorf("acquired %+v, want the only slot that is usable", lease)
	}
}

// The hash of owners does not grow with the names that ever were: a row names two.
func TestOwnersOfOtherDaysAreForgotten(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	for i := range 20 {
		lease := mustAcquire(t, store, ask(fmt.Sprint("pod-", i), 2))
		mustRelease(t, store, lease, lease.Floor)
	}
	for key, want := range map[string]int64{"cosid:{shop}:owner": 2, "cosid:{shop}:held": 0} {
		if n := client.HLen(t.Context(), key).Val(); n > want {
			t.Errorf("%s has %d names: %v", key, n, client.HGetAll(t.Context(), key).Val())
		}
	}
}

// A window is used only once enough replicas have it, and a retry finds it again.
func TestALeaseThatIsNotAcknowledgedIsNotUsed(t *testing.T) {
	t.Parallel()
	master, replicas := servers.StartRedisReplicas(t, servers.RedisSettings{}, 1)
	store := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(master), redisstore.WaitFor(1)))
	other := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(master), redisstore.WaitFor(1)))
	held := mustAcquire(t, store, ask("held", 2))
	mustFreeze(t, replicas[0])
	lease, err := store.Acquire(t.Context(), ask("a", 2))
	if !errors.Is(err, stores.ErrOutcomeUnknown) || lease != (stores.SlotLease{}) {
		t.Errorf("acquire answered %+v, %v", lease, err)
	}
	if lease, err = store.Renew(t.Context(), held, time.Minute, held.Floor); !errors.Is(err, stores.ErrOutcomeUnknown) ||
		lease != (stores.SlotLease{}) {
		t.Errorf("renew answered %+v, %v", lease, err)
	}
	if _, err = store.Acquire(t.Context(), ask("b", 2)); !errors.Is(err, stores.ErrNoFreeSlot) {
		t.Errorf("a refusal, which needs no replica, came out as %v", err)
	}
	if err = store.Release(t.Context(), held, held.Floor); !errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("release answered %v", err)
	}
	// What was released already needs the replica all the same, through another client too: it has not heard of it.
	if err = other.Release(t.Context(), held, held.Floor); !errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("release again answered %v", err)
	}
	mustThaw(t, replicas[0])
	if lease = mustAcquire(t, store, ask("a", 2)); lease.Slot != 1 || lease.Fence != 2 {
		t.Errorf("made again, acquire answered %+v; want the slot of the first call", lease)
	}
	mustRelease(t, store, held, held.Floor)
}

// Nothing that cosid did not write becomes a lease.
func TestForeignRowsAreRefused(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	store := open(t, redisstore.Factory{}, patientSpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	lease := mustAcquire(t, store, ask("a", 1))
	for _, row := range []string{
		"", "x", "a|life-of-a||1|1|1|1", "a|life-of-a||1|1|1|1|1|1", "a|life-of-a||1|1|1|1|-1", "a|life-of-a||1|1|1|1|1.5",
		"a|life-of-a||1|1|1|1|9007199254740992", "a|life-of-a||99999999999999999999|1|1|1|1", "a|life-of-a||1e3|1|1|1|1",
	} {
		client.HSet(t.Context(), "cosid:{shop}:slot", "0", row)
		_, acquireErr := store.Acquire(t.Context(), ask("a", 1))
		_, renewErr := store.Renew(t.Context(), lease, time.Minute, lease.Floor)
		releaseErr := store.Release(t.Context(), lease, lease.Floor)
		for what, err := range map[string]error{"acquire": acquireErr, "renew": renewErr, "release": releaseErr} {
			if err == nil || !strings.Contains(err.Error(), "not what cosid writes") {
				t.Errorf("%s of the row %q answered %v", what, row, err)
			}
		}
		if got := client.HGet(t.Context(), "cosid:{shop}:slot", "0").Val(); got != row {
			t.Errorf("%q became %q", row, got)
		}
		if _, err := store.Slots(t.Context(), "shop"); err == nil && !strings.Contains(row, "9007199254740992") {
			t.Errorf("the row %q is listed", row)
		}
	}
}

func TestTimesAndFencesAreExact(t *testing.T) {
	t.Parallel()
	const clock, fence = 1<<52 - 1, 1<<53 - 4
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := server.Client(t)
	runner := &movedRunner{client: client}
	runner.millis.Store(clock - time.Now().UnixMilli() - 60_000)
	store := open(t, redisstore.Factory{Runner: runner}, patientSpec(), optionsFor("", redisstore.WaitFor(0)))
	row := fmt.Sprintf("||x|%d|0|1|%d|%d", int64(fence), int64(clock), int64(clock)+7)
	request := ask("a", 1)
	mustAcquire(t, store, request)
	client.HSet(t.Context(), "cosid:{shop}:slot", "0", row)
	for i := range int64(3) {
		lease := mustAcquire(t, store, request)
		if lease.Fence != fence+1+i || lease.Floor != clock+7 || lease.Ceiling != clock+7+30_000 {
			t.Fatalf("of the row %s acquired %+v", row, lease)
		}
		renewed, err := store.Renew(t.Context(), lease, time.Hour, lease.Ceiling-1)
		if err != nil || renewed.Fence != lease.Fence || renewed.Ceiling < clock+3_000_000 {
			t.Fatalf("renewed %+v, %v", renewed, err)
		}
		mustRelease(t, store, renewed, renewed.Floor-1)
		request.Incarnation = fmt.Sprint("next-", i)
	}
	if lease, err := store.Acquire(t.Context(), request); err == nil || !strings.Contains(err.Error(), "fences") {
		t.Errorf("beyond the last fence: %+v, %v", lease, err)
	}

	runner.millis.Add(120_000)
	for what, call := range map[string]func() error{
		"acquire": func() error { _, err := store.Acquire(t.Context(), request); return err },
		"renew": func() error {
			_, err := store.Renew(t.Context(), stores.SlotLease{
				Namespace: "shop", Owner: "a", Incarnation: "a", Fence: 1, Ceiling: 2,
			}, time.Second, 1)
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "set it right") {
			t.Errorf("%s by an insane clock: %v", what, err)
		}
	}
}
