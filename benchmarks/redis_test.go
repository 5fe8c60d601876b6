package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// BenchmarkRedis reports how many plain INCRBYs, calls of a script that does nothing and reserves the same client does
// a second in the same run, and the ratios of the latter to INCRBY; with replicas there is a WAIT in a pipeline behind
// each, as the store has it. An EVALSHA of its own costs the server at least what the script that does nothing does.
// Reserves are timed with a context that nobody can cancel (store), as is the case for INCRBY, and with one that ends
// the call at once when it is cancelled (cancellable), which go-redis cannot do by itself. Each caller has a connection
// and a key.
//
//	go test -bench Redis -benchtime 60x -run - .
func BenchmarkRedis(b *testing.B) {
	for _, on := range []struct {
		name     string
		args     []string
		replicas int
	}{
		{"AOF always", nil, 0},
		{"no AOF", []string{"--appendonly", "no"}, 0},
		{"no AOF, 2 replicas", []string{"--appendonly", "no"}, 2},
	} {
		b.Run(on.name, func(b *testing.B) {
			server, _ := servers.StartRedisReplicas(b, servers.RedisSettings{Args: on.args}, on.replicas)
			for _, callers := range []int{1, 16} {
				b.Run(fmt.Sprint(callers), func(b *testing.B) { compareRedis(b, server, callers, on.replicas) })
			}
		})
	}
}

func compareRedis(b *testing.B, server *servers.Redis, callers, replicas int) {
	options := server.Options()
	options.PoolSize, options.PipelinePoolSize = callers, callers
	client := redis.NewClient(options)
	defer client.Close()
	spec, storeOptions := stores.Spec{Name: "redis", Timeout: timeout}, redisstore.DefaultOptions()
	storeOptions.Wait = redisstore.WaitFor(replicas)
	store, err := redisstore.Factory{Client: client}.New(spec, storeOptions)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	if err := store.Start(context.Background()); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	cancellable, cancel := context.WithCancel(ctx)
	defer cancel()
	empty := redis.NewScript("#!lua\nreturn {'reserved', '1'}")
	if err := empty.Load(ctx, client).Err(); err != nil {
		b.Fatal(err)
	}
	// A command within a timeout, which nobody does without.
	command := func(do func(ctx context.Context, on redis.Cmdable) error) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if replicas == 0 {
			return do(ctx, client)
		}
		pipe := client.Pipeline()
		_ = do(ctx, pipe) // Exec has its error
		pipe.Do(ctx, "wait", replicas, timeout.Milliseconds()/2)
		_, err := pipe.Exec(ctx)
		return err
	}
	ways := []struct {
		unit string
		call func(key string) error
	}{
		{"incrby", func(key string) error {
			return command(func(ctx context.Context, on redis.Cmdable) error { return on.IncrBy(ctx, key, 100).Err() })
		}},
		{"empty-script", func(key string) error {
			return command(func(ctx context.Context, on redis.Cmdable) error {
				return on.EvalSha(ctx, empty.Hash(), []string{key, key}, 100, 101).Err()
			})
		}},
		{"store", func(key string) error { _, err := store.Reserve(ctx, key, 100, 1); return err }},
		{"cancellable", func(key string) error { _, err := store.Reserve(cancellable, key, 100, 1); return err }},
	}
	const turn = 50 * time.Millisecond
	rates, ratios := make([][]float64, len(ways)), make([][]float64, len(ways))
	for b.Loop() { // short turns, so that what else the machine does befalls all
		for i, way := range ways {
			rate, err := rateOf(callers, turn, way.call)
			if err != nil {
				b.Fatal(err)
			}
			rates[i] = append(rates[i], rate)
			ratios[i] = append(ratios[i], rate/rates[0][len(rates[0])-1])
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, way := range ways {
		b.ReportMetric(median(rates[i]), way.unit+"/s")
		if i > 0 {
			b.ReportMetric(median(ratios[i]), way.unit+"-ratio")
		}
	}
}
