//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filestore

import (
	"errors"
	"fmt"
	"os"
)

// tryLock refuses: without a lock nothing here would be right, and Start should say so.
func tryLock(*os.File) (bool, error) {
	return false, fmt.Errorf("directories cannot be locked on this system: %w", errors.ErrUnsupported)
}
