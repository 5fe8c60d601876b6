package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

// What CosId for Java keeps, in its versions 2.x to 4.x: the last id that it has reserved, in column last_max_id of a
// row of table cosid, or as a number at a key of Redis. Both are named after the namespace and the generator.

// javaName is the name that CosId for Java has by default for a generator and, unless it is empty, its period. How its
// periods are written depends on the application's pattern.
func javaName(namespace, generator, period string) string {
	name := namespace + "." + generator
	if period != "" {
		name += "@" + period
	}
	return name
}

// javaKey is the key in Redis that belongs to a name.
func javaKey(name string) string { return "cosid:{" + name + "}.adder" }

// readRedis reads the last id from Redis.
func (s *source) readRedis(ctx context.Context, t *cli.Tool) (last int64, err error) {
	uri, err := resolve(t, "redis", s.redis)
	if err != nil {
		return 0, err
	}
	client, err := s.redisClient(uri)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, sourcePatience)
	defer cancel()
	text, err := client.Get(ctx, javaKey(s.cosidName)).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return 0, errors.New("there is no such key; --cosid-name gives another name")
	case err != nil && strings.HasPrefix(err.Error(), "MOVED "):
		return 0, fmt.Errorf("this is a Redis Cluster: add --redis-cluster (%w)", err)
	case err != nil:
		return 0, err
	}
	return parseID(text)
}

// redisClient makes a client that sends each command once. Errors of the parsers may repeat a piece of a password, and
// so are not shown.
func (s *source) redisClient(uri string) (redis.UniversalClient, error) {
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if s.redisCluster {
		options, err := redis.ParseClusterURL(uri)
		if err != nil {
			return nil, unreadableURI()
		}
		options.ContextTimeoutEnabled, options.MaintNotificationsConfig = true, quiet
		return redis.NewClusterClient(options), nil
	}
	options, err := redis.ParseURL(uri)
	if err != nil {
		return nil, unreadableURI()
	}
	options.MaxRetries, options.ContextTimeoutEnabled, options.MaintNotificationsConfig = -1, true, quiet
	return redis.NewClient(options), nil
}

func unreadableURI() error {
	return errors.New("the URI cannot be read; accepted: redis://user:password@host:port/db or rediss://…, with all but " +
		"letters and digits of the password percent-encoded")
}
