//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package snowflake

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// fileLock is a lock that the system takes from a process that ends, however it ends. Its file stays.
type fileLock struct{ file *os.File }

func lockFile(name string) (*fileLock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &fileLock{f}, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errors.New("another process, or another namespace of this one, uses the slot: give each its own")
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
}

func (l *fileLock) release() { _ = l.file.Close() }

// syncFolder makes a new name in a folder last.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
