package filestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// lock waits for the directory's exclusive lock, no longer than ctx, which could not end the system's own wait. So it
// asks again and again, after random pauses. Whoever has just given the lock back pauses before the first try like all
// others: without that, a caller that never lets up would win it again each time.
func lock(ctx context.Context, dir *os.File, poll time.Duration) error {
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("waiting for the directory's lock: %w", err)
		}
		select {
		case <-ctx.Done():
			continue
		case <-time.After(rand.N(2 * poll)):
		}
		if locked, err := tryLock(dir); locked || err != nil {
			return err
		}
	}
}
