package cosid_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/internal/servers"
)

const onRedis = `cosid:
  namespace: shop
  stores:
    redis: { type: redis, options: { URI wait: auto } }
  generators:
    order: { strategy: segment }
    trade: { strategy: snowflake }
`

func yamlOnRedis(uri string) string {
	if uri != "" {
		uri = "uri: '" + uri + "',"
	}
	return strings.Replace(onRedis, "URI", uri, 1)
}

func redisClient(t *testing.T, addr string) *redis.Client {
	client := redis.NewClient(&redis.Options{
		Addr: addr, MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestAStoreWithoutURIUsesTheContainersRedisClientAndLeavesItOpen(t *testing.T) {
	server := servers.StartRedis(t, servers.RedisSettings{})
	client := redisClient(t, server.Addr)
	for _, c := range []struct {
		name   string
		supply fx.Option
	}{
		{"a client", fx.Supply(client)},
		{"a universal client", fx.Supply(fx.Annotate(client, fx.As(new(redis.UniversalClient))))},
		{"one client by both types", fx.Options(
			fx.Supply(client), fx.Supply(fx.Annotate(client, fx.As(new(redis.UniversalClient)))),
		)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ids *cosid.Runtime
			app := fxtest.New(t, fx.Provide(cosid.Module), fx.Supply(source(t, yamlOnRedis("")), quiet()), c.supply, fx.Populate(&ids)).
				RequireStart()
			for _, name := range []string{"order", "trade"} {
				entry, err := ids.Get(name)
				if err != nil {
					t.Fatal(err)
				}
				if id, err := entry.Next(t.Context()); err != nil || id < 1 {
					t.Errorf("%s: %d, %v", name, id, err)
				}
			}
			app.RequireStop()
			if n, err := client.Exists(t.Context(), "cosid:{shop/order}", "cosid:{shop}:slot").Result(); err != nil || n != 2 {
				t.Errorf("after stop: %d of the keys, %v", n, err)
			}
		})
	}
}

func TestSeveralRedisClientsInTheContainerAreNotChosenFrom(t *testing.T) {
	server := servers.StartRedis(t, servers.RedisSettings{})
	clients := fx.Supply(redisClient(t, server.Addr), redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{server.Addr}}))
	err := fx.New(fx.NopLogger, fx.Provide(cosid.Module), clients,
		fx.Supply(source(t, yamlOnRedis(""))), fx.Invoke(func(*cosid.Runtime) {})).Err()
	if err == nil || !strings.Contains(err.Error(), "cosid.yaml:4:") || !strings.Contains(err.Error(), "several Redis clients") {
		t.Errorf("got %v", err)
	}
	app := fxtest.New(t, fx.Provide(cosid.Module), clients,
		fx.Supply(source(t, yamlOnRedis("redis://"+server.Addr)), quiet()), fx.Invoke(func(*cosid.Runtime) {})).RequireStart()
	app.RequireStop()
}

func TestOpenTakesARedisClient(t *testing.T) {
	client := redisClient(t, servers.StartRedis(t, servers.RedisSettings{}).Addr)
	from := source(t, yamlOnRedis(""))
	if _, err := cosid.Open(t.Context(), cosid.Options{Source: from, Logger: quiet()}); err == nil ||
		!strings.Contains(err.Error(), "cosid.stores.redis.options.uri") {
		t.Errorf("without a client: %v", err)
	}
	ids, err := cosid.Open(t.Context(), cosid.Options{Source: from, Logger: quiet(), Redis: client})
	if err != nil {
		t.Fatal(err)
	}
	if err := ids.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("after Close: %v", err)
	}
}
