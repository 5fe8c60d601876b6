package redisstore

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/lifecycle"
	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
)

// boundsOf are those of a store whose trips the test waits for.
func boundsOf(t *testing.T, timeout time.Duration) bounds {
	var io sync.WaitGroup
	t.Cleanup(io.Wait)
	return bounds{timeout: timeout, timedOut: lifecycle.TimeoutError(timeout), io: &io}
}

func reserveCall(key string) ScriptCall {
	next, sealed := rangeKeys(key)
	return ScriptCall{Script: newScripts().reserve, Keys: []string{next, sealed}, Args: []string{"10", "11"}}
}

// together makes one trip of calls.
func together(t *testing.T, p *pipeliner, calls ...ScriptCall) []*pendingCall {
	t.Helper()
	pending := make([]*pendingCall, len(calls))
	for i, call := range calls {
		pending[i] = &pendingCall{ScriptCall: call, answered: make(chan struct{})}
		if first := p.join(pending[i]); first != (i == 0) {
			t.Fatalf("call %d is the first: %v", i, first)
		}
	}
	p.bounds.io.Go(func() { p.trip(context.Background()) })
	return pending
}

// mustSay waits for the answer to a call, which has no more time than that.
func (call *pendingCall) mustSay(t *testing.T, within time.Duration, words ...string) {
	t.Helper()
	select {
	case <-call.answered:
	case <-time.After(within):
		t.Fatalf("%v was not answered within %v", call.Keys, within)
	}
	v, err := readVerdict(call.reply.Value)
	if got := strings.Join(append([]string{v.name}, v.values...), " "); call.err != nil || got != strings.Join(words, " ") {
		t.Errorf("%v: %q, %v, %v; want %v", call.Keys, got, err, call.err, words)
	}
}

// Neither a refusal, nor an error, nor a script that the server has forgotten is anything to the others of a trip.
func TestEachCallOfATripHasItsOwnAnswer(t *testing.T) {
	t.Parallel()
	master, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, 1)
	p := &pipeliner{to: clientSender{timed(master.Client(t), 5*time.Second)}, bounds: boundsOf(t, 5*time.Second)}
	full, sealed, other := reserveCall("full"), reserveCall("sealed"), reserveCall("other")
	master.Do(t, "set", full.Keys[0], int64(math.MaxInt64-9))
	master.Do(t, "set", sealed.Keys[1], "1")
	master.Do(t, "hset", other.Keys[0], "a", "b")
	waits := reserveCall("b")
	waits.Replicas, waits.WaitTimeout = 1, time.Second
	for _, known := range []bool{false, true} {
		end := map[bool]string{false: "11", true: "21"}[known]
		calls := together(t, p, reserveCall("a"), full, sealed, other, waits)
		calls[0].mustSay(t, 5*time.Second, "reserved", end)
		calls[2].mustSay(t, 5*time.Second, "refused", "sealed")
		calls[4].mustSay(t, 5*time.Second, "reserved", end)
		if acknowledged := calls[4].reply.Acknowledged; acknowledged != 1 {
			t.Errorf("%d replicas acknowledged", acknowledged)
		}
		if err := calls[1].err; !isOverflow(err) {
			t.Errorf("a full range: %v", err)
		}
		if err := calls[3].err; err == nil || !strings.Contains(err.Error(), "WRONGTYPE") || errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("a key that is a hash: %v", err)
		}
	}
	master.Do(t, "script", "flush")
	together(t, p, reserveCall("a"))[0].mustSay(t, 5*time.Second, "reserved", "31")
}

// senderFunc is a sender that is told what to do.
type senderFunc func(ctx context.Context, calls []*pendingCall)

func (f senderFunc) send(ctx context.Context, calls []*pendingCall) { f(ctx, calls) }

func TestWhoLeavesATripLeavesTheOthersTheirAnswers(t *testing.T) {
	sent, reply := make(chan int), make(chan struct{})
	p := &pipeliner{prompt: true, bounds: boundsOf(t, time.Minute), to: senderFunc(func(ctx context.Context, calls []*pendingCall) {
		sent <- len(calls)
		<-reply
		for _, call := range calls {
			call.err = ctx.Err()
			call.answer(ctx)
		}
	})}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := p.RunScript(ctx, reserveCall("a"))
		left <- err
	}()
	<-sent
	leave()
	if err := <-left; !errors.Is(err, stores.ErrOutcomeUnknown) || !errors.Is(err, context.Canceled) {
		t.Errorf("who left was told %v", err)
	}
	calls := together(t, p, reserveCall("a"), reserveCall("b")) // a trip more, while the first one lasts
	if n := <-sent; n != 2 {
		t.Fatalf("%d calls were sent", n)
	}
	close(reply)
	for _, call := range calls {
		<-call.answered
		if call.err != nil {
			t.Errorf("who stayed was told %v", call.err)
		}
	}
	p.bounds.io.Wait()
	if p.underway != 0 || len(p.ready) != 0 {
		t.Errorf("%d trips are under way, and %d calls ready", p.underway, len(p.ready))
	}
}

func TestWhatIsNotAnsweredIsUnknown(t *testing.T) {
	for name, send := range map[string]senderFunc{
		"no answer": func(context.Context, []*pendingCall) {},
		"a panic":   func(context.Context, []*pendingCall) { panic("a hook of the application's client") },
	} {
		t.Run(name, func(t *testing.T) {
			p := &pipeliner{to: send, bounds: boundsOf(t, time.Minute)}
			call := &pendingCall{answered: make(chan struct{})}
			p.join(call)
			func() {
				defer func() { _ = recover() }()
				p.trip(t.Context())
			}()
			<-call.answered
			if !errors.Is(call.err, stores.ErrOutcomeUnknown) {
				t.Errorf("the call was told %v", call.err)
			}
		})
	}
}

// Whatever keeps the answer away: a server that stands still, a dial that does not come to an end, or whoever is asked
// for the password.
func TestACallEndsWithTheTimeout(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	if err := server.Freeze(); err != nil {
		t.Fatal(err)
	}
	defer server.Thaw()
	hung := make(chan struct{})
	hang := func(context.Context, string, string) (net.Conn, error) {
		<-hung
		return nil, errors.New("this host is gone")
	}
	ask := func() (username, password string) {
		<-hung
		return "", ""
	}
	const timeout = 300 * time.Millisecond
	bounds := boundsOf(t, timeout)
	defer close(hung)
	for _, test := range []struct {
		name                string
		prompt, cancellable bool
		dial                dialer
		password            func() (username, password string)
	}{
		{"frozen", false, false, nil, nil},
		{"frozen, cancellable", false, true, nil, nil},
		{"frozen, prompt", true, false, nil, nil},
		{"frozen, prompt, cancellable", true, true, nil, nil},
		{"dialling", false, false, hang, nil},
		{"dialling, cancellable", false, true, hang, nil},
		{"dialling, prompt", true, false, hang, nil},
		{"dialling, prompt, cancellable", true, true, hang, nil},
		{"asking", false, false, nil, ask},
		{"asking, prompt", true, false, nil, ask},
		{"asking, prompt, cancellable", true, true, nil, ask},
		{"hooked, cancellable", true, true, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := server.Options()
			options.ContextTimeoutEnabled, options.Dialer, options.CredentialsProvider = test.prompt, test.dial, test.password
			client := redis.NewClient(options)
			t.Cleanup(func() { client.Close() })
			if strings.HasPrefix(test.name, "hooked") {
				client.AddHook(processHook(func(redis.ProcessHook) redis.ProcessHook {
					return func(context.Context, redis.Cmder) error { <-hung; return errors.New("the hook had nothing to say") }
				}))
			}
			ctx := context.Background()
			if test.cancellable {
				ctx = t.Context()
			}
			began := time.Now()
			_, err := clientLink(client, bounds).runner.RunScript(ctx, reserveCall("a"))
			took := time.Since(began)
			if !errors.Is(err, context.DeadlineExceeded) || test.dial == nil && !errors.Is(err, stores.ErrOutcomeUnknown) {
				t.Errorf("it ended with %v", err)
			}
			if took < timeout || took > timeout+2*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A client that knows no contexts gives each of its steps the whole timeout.
func TestACallEndsWithTheTimeoutOfTheStoreNotOfEachStep(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second
	addr := greetSlowly(t, timeout-100*time.Millisecond)
	for _, cancellable := range []bool{false, true} {
		client := redis.NewClient(&redis.Options{Addr: addr, DisableIdentity: true, MaxRetries: -1})
		defer client.Close()
		ctx := context.Background()
		if cancellable {
			ctx = t.Context()
		}
		began := time.Now()
		_, err := clientLink(client, boundsOf(t, timeout)).runner.RunScript(ctx, reserveCall("a"))
		if took := time.Since(began); !errors.Is(err, stores.ErrOutcomeUnknown) || took > 2*timeout-500*time.Millisecond {
			t.Errorf("cancellable %v: %v after %v", cancellable, err, took)
		}
	}
}

// greetSlowly starts a server that answers the first command of each connection late, and no other.
func greetSlowly(t *testing.T, after time.Duration) (addr string) {
	return servers.Listen(t, func(conn net.Conn) {
		if _, err := conn.Read(make([]byte, 4096)); err == nil {
			time.Sleep(after)
			_, _ = io.WriteString(conn, "-ERR unknown command 'hello'\r\n")
		}
		_, _ = io.Copy(io.Discard, conn)
	})
}

func TestAFrozenMasterHoldsUpItsOwnCallsOnly(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, patientCluster(), 0)
	const timeout = 5 * time.Second
	p := clusterLink(cluster.Client(t), boundsOf(t, timeout)).runner.(*pipeliner)
	keys := cluster.KeyOfEachMaster(t, rangeKey)
	for _, key := range keys {
		together(t, p, reserveCall(key))[0].mustSay(t, timeout, "reserved", "11")
	}
	if err := cluster.Masters[0].Freeze(); err != nil {
		t.Fatal(err)
	}
	calls := together(t, p, reserveCall(keys[0]), reserveCall(keys[1]), reserveCall(keys[2]))
	for _, call := range calls[1:] {
		call.mustSay(t, timeout-time.Second, "reserved", "21")
	}
	if err := cluster.Masters[0].Thaw(); err != nil {
		t.Fatal(err)
	}
	calls[0].mustSay(t, timeout, "reserved", "21")
}

// A call that has to go elsewhere is run once, there, and waits for no master but the one that it goes to.
func TestCallsOfATripThatHaveToGoElsewhere(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, patientCluster(), 0)
	const timeout = 10 * time.Second
	p := clusterLink(cluster.Client(t), boundsOf(t, timeout)).runner.(*pipeliner)
	keys := cluster.KeyOfEachMaster(t, rangeKey)
	together(t, p, reserveCall("shop/before"))[0].mustSay(t, timeout, "reserved", "11") // the map is known now
	from, to, frozen := cluster.Masters[0], cluster.Masters[1], cluster.Masters[2]
	slot, id := from.Do(t, "cluster", "keyslot", rangeKey(keys[0])), to.Do(t, "cluster", "myid")
	for _, node := range []*servers.Redis{to, from, frozen} {
		node.Do(t, "cluster", "setslot", slot, "node", id)
	}
	if err := frozen.Freeze(); err != nil {
		t.Fatal(err)
	}
	calls := together(t, p, reserveCall(keys[0]), reserveCall(keys[1]), reserveCall(keys[2]))
	calls[0].mustSay(t, timeout-time.Second, "reserved", "11")
	calls[1].mustSay(t, timeout-time.Second, "reserved", "11")
	if err := frozen.Thaw(); err != nil {
		t.Fatal(err)
	}
	calls[2].mustSay(t, timeout, "reserved", "11")
	if got := to.Do(t, "get", rangeKey(keys[0])); got != "11" {
		t.Errorf("the new master has %v", got)
	}
}

// patientCluster serves on while one of its nodes stands still.
func patientCluster() servers.RedisSettings {
	return servers.RedisSettings{Args: []string{"--cluster-node-timeout", "60000"}}
}

func rangeKey(key string) string {
	next, _ := rangeKeys(key)
	return next
}

// A script that has to be sent again holds up nobody but its own caller.
func TestAnAnswerIsHandedOverBeforeOthersAreSentAgain(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	const timeout = 10 * time.Second
	options := server.Options()
	options.ReadTimeout, options.WriteTimeout = timeout, timeout
	client := redis.NewClient(options)
	defer client.Close()
	sentAgain := make(chan struct{})
	client.AddHook(processHook(func(next redis.ProcessHook) redis.ProcessHook {
		return func(ctx context.Context, command redis.Cmder) error {
			if command.Name() == "eval" {
				<-sentAgain
			}
			return next(ctx, command)
		}
	}))
	p := clientLink(client, boundsOf(t, timeout)).runner.(*pipeliner)
	server.Do(t, "script", "load", newScripts().reserve.Source)
	_, sealed := rangeKeys("b")
	calls := together(t, p, reserveCall("a"), ScriptCall{Script: newScripts().seal, Keys: []string{sealed}})
	calls[0].mustSay(t, timeout/2, "reserved", "11")
	close(sentAgain)
	calls[1].mustSay(t, timeout, "sealed")
}

// processHook is a hook of a client around single commands.
type processHook func(next redis.ProcessHook) redis.ProcessHook

func (h processHook) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (h processHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return h(next) }
func (h processHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// What a hook makes of an answer says nothing about what the script did.
func TestAHooksErrorAfterTheAnswerIsAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	const timeout = 10 * time.Second
	options := server.Options()
	options.ReadTimeout, options.WriteTimeout = timeout, timeout
	client := redis.NewClient(options)
	defer client.Close()
	client.AddHook(processHook(func(next redis.ProcessHook) redis.ProcessHook {
		return func(ctx context.Context, command redis.Cmder) error {
			if err := next(ctx, command); err != nil || command.Name() != "evalsha" {
				return err
			}
			return redis.ErrPoolTimeout // of another server, which the hook asks
		}
	}))
	server.Do(t, "script", "load", newScripts().reserve.Source)
	_, err := clientLink(client, boundsOf(t, timeout)).runner.RunScript(t.Context(), reserveCall("a"))
	if !errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("it ended with %v", err)
	}
	if got := server.Do(t, "get", rangeKey("a")); got != "11" {
		t.Errorf("the server has %v: the test shows nothing", got)
	}
}

func TestHooksOfAClientHandedInAreKept(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	for _, test := range []struct {
		name    string
		own     time.Duration // timeout of the client
		prompt  bool
		timeout time.Duration // of the store
		kept    bool
	}{
		{"the same timeout", time.Second, false, time.Second, true},
		{"a longer one, and contexts", 5 * time.Second, true, time.Second, true},
		{"none, and contexts", -1, true, time.Second, true},
		{"a longer one, without contexts", 5 * time.Second, false, time.Second, false},
		{"a shorter one", time.Second, true, 5 * time.Second, false},
	} {
		options := server.Options()
		options.ReadTimeout, options.WriteTimeout, options.ContextTimeoutEnabled = test.own, test.own, test.prompt
		client := redis.NewClient(options)
		defer client.Close()
		seen := false
		client.AddHook(processHook(func(next redis.ProcessHook) redis.ProcessHook {
			return func(ctx context.Context, command redis.Cmder) error {
				seen = true
				return next(ctx, command)
			}
		}))
		if err := timed(client, test.timeout).Ping(t.Context()).Err(); err != nil || seen != test.kept {
			t.Errorf("%s: hooks ran: %v, %v", test.name, seen, err)
		}
	}
}
