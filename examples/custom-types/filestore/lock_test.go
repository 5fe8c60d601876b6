//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filestore

import (
	"context"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// However slow the disk is: whoever asks again at once must not win each time.
func TestACallerThatNeverLetsUpDoesNotStarveAnother(t *testing.T) {
	name := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const work, turns = 20 * time.Millisecond, 20
		greedy, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() {
			for take(greedy, name, work) == nil {
			}
		})
		synctest.Wait()
		modest, cancel := context.WithTimeout(t.Context(), 20*turns*work)
		defer cancel()
		for turn := range turns {
			if err := take(modest, name, work); err != nil {
				t.Fatalf("turn %d: %v", turn, err)
			}
		}
	})
}

// take holds the lock of the named directory for as long as work takes.
func take(ctx context.Context, name string, work time.Duration) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := lock(ctx, dir, time.Millisecond); err != nil {
		return err
	}
	time.Sleep(work)
	return nil
}
