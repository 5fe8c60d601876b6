package cli

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// QuietDrivers keeps database drivers from writing to the process's stderr, which go-redis does at each failed connection:
// their errors come back to the tool anyway. It changes what the whole process shares, and so it is for main.
func QuietDrivers() { redis.SetLogger(silence{}) }

// silence is a logger of go-redis.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}
