package servers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// RedisSettings say how redis-server is run. The zero value is a plain server that writes and syncs its append-only
// file before it answers.
type RedisSettings struct {
	Password   string   // asked of every client
	TLS        bool     // the port speaks TLS, with a certificate for 127.0.0.1
	UnixSocket bool     // there is a socket file, too
	Args       []string // more of redis-server's arguments; they win over those that are there already
}

// Redis is one redis-server. It is stopped when the test ends.
type Redis struct {
	*Process
	Addr     string      // host:port
	Socket   string      // the path of its socket file, if it has one
	Password string      // as in the settings
	TLS      *tls.Config // for clients; nil without TLS
	CAFile   string      // the authority that signed its certificate, in PEM; empty without TLS
}

// StartRedis starts a single server.
func StartRedis(tb testing.TB, settings RedisSettings) *Redis {
	tb.Helper()
	return start(tb, newRedis(tb, freePorts(tb, 1)[0], settings))
}

// StartRedisReplicas starts a master and its replicas, and waits until all of them are online.
func StartRedisReplicas(tb testing.TB, settings RedisSettings, replicas int) (*Redis, []*Redis) {
	tb.Helper()
	master := StartRedis(tb, settings)
	var all []*Redis
	for range replicas {
		all = append(all, StartRedisReplica(tb, master, settings))
	}
	return master, all
}

// StartRedisReplica starts one more replica of a master, and waits until it is online.
func StartRedisReplica(tb testing.TB, master *Redis, settings RedisSettings) *Redis {
	tb.Helper()
	before, err := master.onlineReplicas(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		tb.Fatal(err)
	}
	settings.Args = append([]string{"--replicaof", host + " " + port}, settings.Args...)
	replica := start(tb, newRedis(tb, freePorts(tb, 1)[0], settings))
	master.AwaitReplicas(tb, before+1)
	return replica
}

// Options are those of a client that does not retry.
func (r *Redis) Options() *redis.Options {
	return &redis.Options{
		Addr: r.Addr, Password: r.Password, TLSConfig: r.TLS,
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// Client returns a client, which is closed when the test ends.
func (r *Redis) Client(tb testing.TB) *redis.Client {
	client := redis.NewClient(r.Options())
	tb.Cleanup(func() { client.Close() })
	return client
}

// Do runs a command on the server, and fails the test if that fails.
func (r *Redis) Do(tb testing.TB, args ...any) any {
	tb.Helper()
	reply, err := r.do(context.Background(), args...)
	if err != nil {
		tb.Fatalf("%v on %s: %v", args, r.Addr, err)
	}
	return reply
}

func (r *Redis) do(ctx context.Context, args ...any) (any, error) {
	client := redis.NewClient(r.Options())
	defer client.Close()
	return client.Do(ctx, args...).Result()
}

// newRedis describes a server without starting it.
func newRedis(tb testing.TB, port int, settings RedisSettings) *Redis {
	tb.Helper()
	path := find(tb, "redis-server", "redis-server")
	dir := tb.TempDir()
	r := &Redis{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Password: settings.Password}
	args := []string{
		"--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", "always",
		"--repl-diskless-sync", "no", // a replica that is online acknowledges at once
		"--daemonize", "no",
	}
	if settings.TLS {
		files := makeCertificate(tb, dir)
		r.CAFile, r.TLS = files.authority, files.client
		args = append(args, "--port", "0", "--tls-port", strconv.Itoa(port), "--tls-auth-clients", "no", "--tls-replication", "yes",
			"--tls-cert-file", files.certificate, "--tls-key-file", files.key, "--tls-ca-cert-file", files.authority)
	} else {
		args = append(args, "--port", strconv.Itoa(port))
	}
	if settings.Password != "" {
		args = append(args, "--requirepass", settings.Password, "--masterauth", settings.Password)
	}
	if settings.UnixSocket {
		r.Socket = filepath.Join(shortDir(tb), "redis.sock")
		args = append(args, "--unixsocket", r.Socket)
	}
	r.Process = &Process{program: program{
		name: "redis-server " + r.Addr, path: path, args: append(args, settings.Args...), dir: dir,
		ready: func(ctx context.Context) error {
			// go-redis writes to stderr where nobody listens.
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.Addr)
			if err != nil {
				return err
			}
			conn.Close()
			_, err = r.do(ctx, "ping")
			return err
		},
	}}
	return r
}

// start starts what newRedis described.
func start(tb testing.TB, r *Redis) *Redis {
	tb.Helper()
	process, err := run(tb, r.program)
	r.Process = process
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// AwaitReplicas waits until the master has at least n replicas online.
func (r *Redis) AwaitReplicas(tb testing.TB, n int) {
	tb.Helper()
	Await(tb, fmt.Sprintf("%s has %d replicas", r.Addr, n), func(ctx context.Context) error {
		online, err := r.onlineReplicas(ctx)
		if err == nil && online < n {
			err = fmt.Errorf("it has %d", online)
		}
		return err
	})
}

func (r *Redis) onlineReplicas(ctx context.Context) (int, error) {
	info, err := r.do(ctx, "info", "replication")
	return strings.Count(fmt.Sprint(info), "state=online"), err
}

// Await asks until the answer is nil. It fails the test if that takes too long.
func Await(tb testing.TB, what string, ask func(ctx context.Context) error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			tb.Fatalf("still not true that %s: %v", what, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// shortDir is a temporary folder whose path leaves room in the 107 bytes of a socket's name.
func shortDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "cosid")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			tb.Error(err)
		}
	})
	return dir
}
