//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package snowflake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// fileLock is a file that only one process can make. A process that is killed leaves it behind; it must then be deleted
// by hand, because nothing tells that its maker is gone.
type fileLock struct{ name string }

func lockFile(name string) (*fileLock, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("lock %s: another process uses the slot; if it was killed, delete that file", name)
	}
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(name))
	}
	return &fileLock{name}, nil
}

func (l *fileLock) release() { _ = os.Remove(l.name) }

// syncFolder does nothing: these systems cannot be asked to.
func syncFolder(string) error { return nil }
