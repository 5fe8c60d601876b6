//go:build unix

package endurance_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cosid-go/cosid/internal/servers"
)

// stage is a store on a server of its own, and what can be done to it.
type stage struct {
	name string
	server
	store     map[string]any                  // what stands below cosid.stores.main
	moveClock func(by time.Duration) error    // nil = the server's clock is the machine's
	forget    func(ctx context.Context) error // loses what it knows of slots

	freezes, crashes, steps atomic.Int64
}

type server interface {
	Start() error
	Kill()
	Freeze() error
	Thaw() error
}

// storeTimeout is short, so that a worker notices soon that the server is away.
const storeTimeout = "500ms"

func gorm(driver, dsn string) map[string]any {
	return map[string]any{
		"type": "gorm", "timeout": storeTimeout,
		"options": map[string]any{"driver": driver, "dsn": dsn, "auto-migrate": true},
	}
}

func redisStage(t *testing.T) *stage {
	redis := servers.StartRedis(t, servers.RedisSettings{})
	return &stage{
		name: "Redis", server: redis,
		store: map[string]any{
			"type": "redis", "timeout": storeTimeout, "options": map[string]any{"uri": "redis://" + redis.Addr},
		},
		forget: func(ctx context.Context) error { return redis.Client(t).FlushAll(ctx).Err() },
	}
}

func postgresStage(t *testing.T) *stage {
	clock := servers.NewClock(t)
	postgres := servers.StartPostgresUnder(t, clock, "max_connections=200")
	dsn := postgres.DSN(postgres.NewDatabase(t))
	return &stage{
		name: "PostgreSQL", server: postgres, store: gorm("postgres", dsn), moveClock: clock.Move,
		forget: func(ctx context.Context) error {
			conn, err := pgx.Connect(ctx, dsn)
			if err != nil {
				return err
			}
			defer conn.Close(ctx)
			rows, err := conn.Query(ctx, "select tablename from pg_tables where tablename like 'cosid\\_%slot%'")
			if err != nil {
				return err
			}
			tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			if len(tables) == 0 {
				return errors.New("there is no table of slots")
			}
			_, err = conn.Exec(ctx, "truncate "+strings.Join(tables, ", "))
			return err
		},
	}
}

func mariaStage(t *testing.T) *stage {
	clock := servers.NewClock(t)
	maria := servers.StartMariaDBUnder(t, clock, "max-connections=200")
	return &stage{
		name: "MariaDB", server: maria, store: gorm("mysql", maria.DSN(maria.NewDatabase(t))), moveClock: clock.Move,
	}
}

// servedStage is a store in the test's own process.
func servedStage(t *testing.T, s *served) *stage {
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return &stage{
		name: "served", server: s, moveClock: s.moveClock,
		store: map[string]any{
			"type": "served", "timeout": storeTimeout, "options": map[string]any{"addr": s.addr},
		},
		forget: func(context.Context) error { return s.forget() },
	}
}

// suffer lets the server's clock step, freezes the server and kills it, in turn and spread over the chaos. In the end the
// clock has passed all that it was: a lease from before a step back lives until then, even if its holder has gone (L3).
func (s *stage) suffer(chaos context.Context, z size) error {
	began := time.Now()
	misfortunes := []func(context.Context) error{
		s.step(20 * time.Minute), s.freeze(z.ttl + z.ttl/3), s.step(-20 * time.Minute), s.crash(z.ttl / 4),
		s.step(-30 * time.Second), s.freeze(z.ttl / 2), s.step(30 * time.Second), s.crash(z.ttl + z.ttl/3),
	}
	for i, misfortune := range misfortunes {
		due := z.chaos * time.Duration(i+1) / time.Duration(len(misfortunes)+1)
		if !sleep(chaos, time.Until(began.Add(due))) {
			break
		}
		if err := misfortune(chaos); err != nil {
			return err
		}
	}
	return s.step(30 * time.Minute)(chaos)
}

func (s *stage) step(by time.Duration) func(context.Context) error {
	return func(context.Context) error {
		if s.moveClock == nil {
			return nil
		}
		s.steps.Add(1)
		return s.moveClock(by)
	}
}

func (s *stage) freeze(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		s.freezes.Add(1)
		if err := s.Freeze(); err != nil {
			return err
		}
		sleep(ctx, d)
		return s.Thaw()
	}
}

func (s *stage) crash(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		s.crashes.Add(1)
		s.Kill()
		sleep(ctx, d)
		return s.Start()
	}
}

// String tells what was done to the server.
func (s *stage) String() string {
	return fmt.Sprintf("%d freezes, %d crashes, %d steps of its clock", s.freezes.Load(), s.crashes.Load(), s.steps.Load())
}
