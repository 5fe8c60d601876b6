//go:build unix && !aix && !solaris

package filestore_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/cosid-go/cosid/stores/storetest"
)

func TestRangeStore(t *testing.T) {
	dir := t.TempDir()
	storetest.RunRangeStore(t, storetest.Harness{
		New: func() (storetest.Store, error) { return newOn(dir) },

		// The server is the directory and the lock in the kernel. The worst that happens to them is a process that is
		// killed at work, with the lock in its hand and a file half written.
		Restart: func(context.Context) error {
			_, err := runWorker(dir, 3)
			return err
		},
		Freeze: func(context.Context) (func() error, error) { return holdLock(dir) },
	})
}

// holdLock takes the directory's lock, as a process that was stopped at work does.
func holdLock(dir string) (release func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}
