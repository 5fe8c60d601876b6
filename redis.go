package cosid

import (
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
	"go.uber.org/fx"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// RedisClients are the clients that an fx container may hold. Whichever there is serves stores of type redis that name
// no uri, and is never closed. fx finds a value by its exact type only, so each type has its field.
type RedisClients struct {
	fx.In

	Universal redis.UniversalClient `optional:"true"`
	Client    *redis.Client         `optional:"true"`
	Cluster   *redis.ClusterClient  `optional:"true"`
}

// factory uses the only client. Where there are several, a store without uri is refused: choosing one of them could
// move its counters to another server, where they would start over.
func (c RedisClients) factory() stores.Factory {
	var clients []redis.UniversalClient
	add := func(client redis.UniversalClient) {
		for _, known := range clients {
			if known == client {
				return
			}
		}
		clients = append(clients, client)
	}
	if c.Universal != nil {
		add(c.Universal)
	}
	if c.Client != nil {
		add(c.Client)
	}
	if c.Cluster != nil {
		add(c.Cluster)
	}
	switch len(clients) {
	case 0:
		return redisstore.Factory{}
	case 1:
		return redisstore.Factory{Client: clients[0]}
	default:
		return severalClients{redisstore.Factory{Client: clients[0]}, clients}
	}
}

// severalClients builds stores that name a uri, and no others.
type severalClients struct {
	redisstore.Factory
	clients []redis.UniversalClient
}

func (f severalClients) Build(spec stores.Spec, options any) (stores.Store, error) {
	if o, ok := options.(*redisstore.Options); ok && o.URI == "" {
		types := make([]string, len(f.clients))
		for i, client := range f.clients {
			types[i] = fmt.Sprintf("%T", client)
		}
		return nil, field.Errorf("uri", "a uri, or just one client in the container",
			"missing, and the container has several Redis clients (%s), of which the store must not choose", strings.Join(types, ", "))
	}
	return f.Factory.Build(spec, options)
}
