package redisstore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
)

// What a URI says is not lost on the way to a cluster or to Sentinel, whose clients have options of their own types.
func TestOptionsOfAURIReachEveryKindOfClient(t *testing.T) {
	of := filledOptions(t)
	for _, options := range []any{
		clusterOptions([]string{"a:1"}, of),
		failoverOptions(target{server: of, master: "main", hosts: []string{"a:1"}}, Options{}),
	} {
		got, carried := reflect.ValueOf(options).Elem(), 0
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			want := reflect.ValueOf(of).Elem().FieldByName(name)
			if !want.IsValid() || want.Type() != got.Field(i).Type() || want.IsZero() || want.Kind() == reflect.Func {
				continue
			}
			if !reflect.DeepEqual(got.Field(i).Interface(), want.Interface()) {
				t.Errorf("%T: %s is %v, want %v", options, name, got.Field(i), want)
			}
			carried++
		}
		if carried < 18 {
			t.Errorf("%T: only %d options were looked at", options, carried)
		}
	}
	sentinel := failoverOptions(target{server: of}, Options{SentinelUsername: "watcher", SentinelPassword: "pw"})
	if sentinel.SentinelUsername != "watcher" || sentinel.SentinelPassword != "pw" {
		t.Errorf("for the sentinels: %q, %q", sentinel.SentinelUsername, sentinel.SentinelPassword)
	}
}

// filledOptions has a value in each option that a URI or connect can set.
func filledOptions(t *testing.T) *redis.Options {
	t.Helper()
	of := &redis.Options{
		TLSConfig: &tls.Config{ServerName: "redis"}, PoolFIFO: true, ContextTimeoutEnabled: true, DialerRetries: 1,
	}
	// Options that only a single server's URI may have are refused for the others (ofOneServer), and so are retries.
	left := []string{
		"Network", "Addr", "DialerRetryTimeout", "MinRetryBackoff", "MaxRetryBackoff", "ReadBufferSize", "WriteBufferSize",
		"MaxConcurrentDials", "ConnMaxLifetimeJitter", "FailingTimeoutSeconds", "IdentitySuffix", "UnstableResp3",
		"PipelinePoolSize", "PipelineReadBufferSize", "PipelineWriteBufferSize", "PushNotificationProcessor",
		"PipelineReadTimeout", "PipelineWriteTimeout", "DisableIdentity", "DisableIndentity",
	}
	fields := reflect.ValueOf(of).Elem()
	for i := range fields.NumField() {
		field, name := fields.Field(i), fields.Type().Field(i).Name
		if !field.CanSet() || slices.Contains(left, name) {
			continue
		}
		switch field.Interface().(type) {
		case string:
			field.SetString(name)
		case int, time.Duration:
			field.SetInt(int64(i) + 2)
		}
	}
	return of
}

// Nothing was sent where not even the greeting of TLS has come to an end.
func TestAFailedHandshakeHasAKnownOutcome(t *testing.T) {
	t.Parallel()
	hangsUp := servers.Listen(t, func(net.Conn) {})
	options := Options{URI: "rediss://" + hangsUp, SweepBatch: 16}
	to, mistake := options.target()
	if mistake != nil {
		t.Fatal(mistake)
	}
	l := connect(to, options, boundsOf(t, 5*time.Second))
	defer l.shut()
	if _, err := l.runner.RunScript(t.Context(), reserveCall("a")); err == nil || errors.Is(err, stores.ErrOutcomeUnknown) {
		t.Errorf("it ended with %v, want one by which nothing was sent", err)
	}
}

func TestReplicasThatINFONamesTwiceCountOnce(t *testing.T) {
	const replication = "role:master\r\nconnected_slaves:2\r\nslave0:ip=10.0.0.8,port=6379,state=online,offset=1,lag=0\r\n" +
		"slave1:ip=10.0.0.9,port=6379,state=wait_bgsave,offset=0,lag=0\r\n"
	m := master{replicas: -1}
	m.read(replication) // servers that give all sections, whichever is asked for
	m.read(replication)
	if m.replicas != 1 || m.copying != 1 {
		t.Errorf("%d replicas and %d that copy", m.replicas, m.copying)
	}
}

// Whoever leaves while a connection is being made leaves nothing behind that others fail with.
func TestADialThatFailsForNobodyIsForgotten(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	dark := make(chan struct{}) // until then the host does not answer, and is not there after that
	var dials atomic.Int64
	fails := func(context.Context, string, string) (net.Conn, error) {
		dials.Add(1)
		<-dark
		return nil, errors.New("this host is not there")
	}
	options := server.Options()
	works := redis.NewDialer(options)
	var dial atomic.Pointer[dialer]
	dial.Store(&fails)
	options.Dialer = eager(func(ctx context.Context, network, addr string) (net.Conn, error) {
		return (*dial.Load())(ctx, network, addr)
	})
	client := redis.NewClient(options)
	defer client.Close()
	runner := clientLink(client, boundsOf(t, 10*time.Second)).runner
	var leaving sync.WaitGroup
	for range 5 {
		leaving.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if _, err := client.Ping(ctx).Result(); err == nil {
				t.Error("a host that does not answer has answered")
			}
		})
	}
	leaving.Wait()
	dial.Store(&works)
	close(dark)
	// Whoever asks while such a dial comes to its end may still be given what it has come to.
	servers.Await(t, "the dials have ended", func(context.Context) error {
		if idle, all := client.PoolStats().IdleConns, dials.Load(); all == 0 || int64(idle) != all {
			return fmt.Errorf("%d of %d dials have ended", idle, all)
		}
		return nil
	})
	for range 10 {
		if _, err := runner.RunScript(t.Context(), reserveCall("a")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCloseEndsDials(t *testing.T) {
	t.Parallel()
	connected := make(chan struct{})
	silent := servers.Listen(t, func(conn net.Conn) { // it never answers the greeting of TLS
		close(connected)
		_, _ = io.Copy(io.Discard, conn)
	})
	options := Options{URI: "rediss://" + silent, SweepBatch: 16}
	to, mistake := options.target()
	if mistake != nil {
		t.Fatal(mistake)
	}
	const timeout = time.Minute
	l := connect(to, options, boundsOf(t, timeout))
	ended := make(chan error)
	go func() {
		_, err := l.runner.RunScript(context.Background(), reserveCall("a"))
		ended <- err
	}()
	<-connected
	if err := l.shut(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil || errors.Is(err, stores.ErrOutcomeUnknown) {
			t.Errorf("the call ended with %v", err)
		}
	case <-time.After(timeout / 2):
		t.Error("the dial goes on")
	}
}
