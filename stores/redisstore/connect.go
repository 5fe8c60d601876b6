package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// link is a way to Redis. The zero link is none.
type link struct {
	runner  ScriptRunner         // ends with its context or the timeout, and explains its errors
	cluster *redis.ClusterClient // behind runner; nil if it is no cluster

	// masters visits every server that may have to run a script, several at once; nil if a script runner is all
	// that there is.
	masters func(ctx context.Context, visit func(ctx context.Context, name string, on server) error) error

	shared   bool         // the connection is also used by others, whom WAIT would hold up
	failover bool         // Sentinel decides who is the master
	replicas int          // how many have to acknowledge a write, as Start found out
	close    func() error // closes what the store opened; nil if nothing
}

// server is what a single server is asked by, apart from the scripts.
type server interface {
	Ping(ctx context.Context) *redis.StatusCmd
	Info(ctx context.Context, section ...string) *redis.StringCmd
	ConfigGet(ctx context.Context, parameter string) *redis.MapStringStringCmd
}

// connect makes a client for the target. It connects at its first command.
func connect(t target, options Options, bounds bounds) link {
	o, timeout := t.server, bounds.timeout
	o.MaxRetries = -1 // nobody but the store knows what may be sent again
	o.DialerRetries = 1
	o.ContextTimeoutEnabled = true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = timeout, timeout, timeout, timeout
	life, end := context.WithCancel(context.Background())
	o.Dialer = dialing(life, o)
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	var l link
	var client interface{ Close() error }
	switch {
	case t.cluster:
		cluster := redis.NewClusterClient(clusterOptions(t.hosts, o))
		l, client = clusterLink(cluster, bounds), cluster
	case t.master != "":
		master := redis.NewFailoverClient(failoverOptions(t, options))
		master.AddHook(eagerHook{})
		l, client = clientLink(master, bounds), master
	default:
		server := redis.NewClient(o)
		l, client = clientLink(server, bounds), server
	}
	l.close = func() error {
		end()
		return client.Close()
	}
	return l
}

func clusterOptions(hosts []string, o *redis.Options) *redis.ClusterOptions {
	return &redis.ClusterOptions{
		Addrs: hosts, Dialer: o.Dialer, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig,
		ClientName: o.ClientName, Protocol: o.Protocol,
		MaxRetries: o.MaxRetries, DialerRetries: o.DialerRetries, ContextTimeoutEnabled: o.ContextTimeoutEnabled,
		DialTimeout: o.DialTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout, PoolTimeout: o.PoolTimeout,
		PoolFIFO: o.PoolFIFO, PoolSize: o.PoolSize, MinIdleConns: o.MinIdleConns, MaxIdleConns: o.MaxIdleConns,
		MaxActiveConns: o.MaxActiveConns, ConnMaxIdleTime: o.ConnMaxIdleTime, ConnMaxLifetime: o.ConnMaxLifetime,
		MaintNotificationsConfig: o.MaintNotificationsConfig,
	}
}

func failoverOptions(t target, options Options) *redis.FailoverOptions {
	o := t.server
	return &redis.FailoverOptions{
		MasterName: t.master, SentinelAddrs: t.hosts, Dialer: o.Dialer,
		SentinelUsername: options.SentinelUsername, SentinelPassword: options.SentinelPassword,
		Username: o.Username, Password: o.Password, DB: o.DB, TLSConfig: o.TLSConfig,
		ClientName: o.ClientName, Protocol: o.Protocol,
		MaxRetries: o.MaxRetries, DialerRetries: o.DialerRetries, ContextTimeoutEnabled: o.ContextTimeoutEnabled,
		DialTimeout: o.DialTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout, PoolTimeout: o.PoolTimeout,
		PoolFIFO: o.PoolFIFO, PoolSize: o.PoolSize, MinIdleConns: o.MinIdleConns, MaxIdleConns: o.MaxIdleConns,
		MaxActiveConns: o.MaxActiveConns, ConnMaxIdleTime: o.ConnMaxIdleTime, ConnMaxLifetime: o.ConnMaxLifetime,
	}
}

func clientLink(client *redis.Client, bounds bounds) link {
	client = timed(client, bounds.timeout)
	return link{
		failover: client.Options().Addr == failoverAddr,
		runner:   &pipeliner{to: clientSender{client}, bounds: bounds, prompt: keepsDeadlines(client.Options())},
		masters: func(ctx context.Context, visit func(context.Context, string, server) error) error {
			return visit(ctx, nameOf(client), client)
		},
	}
}

// keepsDeadlines tells whether a client ends with the deadline of its context. Where it asks somebody for credentials
// nobody knows.
func keepsDeadlines(o *redis.Options) bool {
	return o.ContextTimeoutEnabled &&
		o.CredentialsProvider == nil && o.CredentialsProviderContext == nil && o.StreamingCredentialsProvider == nil
}

// failoverAddr is what go-redis writes for the address of a client that follows Sentinel.
const failoverAddr = "FailoverClient"

// nameOf is the client's address, for messages.
func nameOf(client *redis.Client) string {
	if addr := client.Options().Addr; addr != failoverAddr {
		return addr
	}
	return "the master that Sentinel names"
}

func clusterLink(client *redis.ClusterClient, bounds bounds) link {
	return link{
		cluster: client,
		runner:  &pipeliner{to: clusterSender{client: client, timeout: bounds.timeout}, bounds: bounds},
		masters: func(ctx context.Context, visit func(context.Context, string, server) error) error {
			return client.ForEachMaster(ctx, func(ctx context.Context, master *redis.Client) error {
				return visit(ctx, master.Options().Addr, timed(master, bounds.timeout))
			})
		},
	}
}

func connLink(conn *redis.Conn, bounds bounds) link {
	runner := newConnRunner(conn, bounds.timeout)
	return link{
		runner: awaited{runner: runner, bounds: bounds},
		masters: func(ctx context.Context, visit func(context.Context, string, server) error) error {
			return runner.alone(ctx, func(ctx context.Context) error {
				return visit(ctx, "the connection handed in", conn)
			})
		},
		shared: true,
	}
}

// handedIn makes a link of what the application gave. There is nothing to close.
func (f Factory) handedIn(bounds bounds) (link, error) {
	switch client := f.Client.(type) {
	case nil:
	case *redis.Client:
		if client != nil {
			return clientLink(client, bounds), nil
		}
		return link{}, errors.New("the *redis.Client handed in is nil")
	case *redis.ClusterClient:
		if client != nil {
			return clusterLink(client, bounds), nil
		}
		return link{}, errors.New("the *redis.ClusterClient handed in is nil")
	case *redis.Ring:
		return link{}, errors.New("a *redis.Ring was handed in: it gives a key to another server when one is down, " +
			"where its counter starts over; hand in a *redis.Client or a *redis.ClusterClient, or set uri")
	default:
		return link{}, fmt.Errorf("a %T was handed in, of which nobody knows where it sends a WAIT to: hand in a "+
			"*redis.Client, a *redis.ClusterClient or your own ScriptRunner, or set uri", client)
	}
	if f.Conn != nil {
		return connLink(f.Conn, bounds), nil
	}
	return link{runner: awaited{runner: f.Runner, bounds: bounds}}, nil
}
