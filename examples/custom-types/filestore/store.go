// Package filestore keeps ranges in one directory of plain files, a file a key. It is small and nevertheless right: for
// several processes of one machine, through kill -9 and loss of power. docs/write-a-store.md explains it.
//
// What makes it right: the directory's lock makes a reservation one step among all processes, and the kernel gives it
// back when a process dies. A file is replaced by rename, so it is never half written. The answer is given after the
// disk has it.
//
// What it cannot: network file systems, whose locks do not always hold; and a disk that hangs, because a file
// operation that has begun does not end with its context. Only the wait for the lock does.
package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync/atomic"

	"github.com/cosid-go/cosid/stores"
)

// Store is one client of a directory: a RangeStore and a Sealer. It is safe for concurrent use. A Factory makes it.
type Store struct {
	spec    stores.Spec
	options Options
	root    atomic.Pointer[os.Root] // nil before Start and after Close
	closed  atomic.Bool             // for good
}

var (
	_ stores.Store      = (*Store)(nil)
	_ stores.RangeStore = (*Store)(nil)
	_ stores.Sealer     = (*Store)(nil)
)

// Start writes this file, to find out whether locks and writes work in the directory.
const (
	noticeFile = "cosid-counters.txt"
	notice     = "The files beside this one are counters of ids. Whoever deletes or restores one makes ids repeat.\n"
)

// Start opens the directory and tries it out.
func (s *Store) Start(ctx context.Context) error {
	root, err := os.OpenRoot(s.options.Dir)
	if err != nil {
		return fmt.Errorf("filestore: start: %w; make the directory once, by hand: a store that made it where a volume "+
			"is not mounted would start every counter over", err)
	}
	err = s.locked(ctx, root, func(dir *os.File) error { return replace(root, dir, noticeFile, notice) })
	if err == nil && !s.root.CompareAndSwap(nil, root) {
		err = errors.New("the store is already started")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("filestore: start in %s: %w", s.options.Dir, err), root.Close())
	}
	if s.closed.Load() { // before Start, or during it
		return errors.Join(fmt.Errorf("filestore: start in %s: %w", s.options.Dir, stores.ErrClosed), s.Close())
	}
	return nil
}

// Close gives the directory back. Calls in flight succeed or fail with ErrClosed.
func (s *Store) Close() error {
	s.closed.Store(true)
	if root := s.root.Swap(nil); root != nil {
		return root.Close()
	}
	return nil
}

// Reserve implements stores.RangeStore.
func (s *Store) Reserve(ctx context.Context, key string, size, initialOffset int64) (stores.Range, error) {
	var taken stores.Range
	err := stores.CheckReserve(key, size, initialOffset)
	if err == nil {
		err = s.update(ctx, key, func(c *counter) error {
			if !c.found {
				c.next = initialOffset
			}
			switch {
			case c.sealed:
				return stores.ErrRangeSealed
			case c.next > math.MaxInt64-size: // written so that nothing can wrap
				return fmt.Errorf("%w: %d ids from %d on", stores.ErrRangeExhausted, size, c.next)
			}
			taken = stores.Range{Start: c.next, End: c.next + size}
			c.next = taken.End
			return nil
		})
	}
	if err != nil {
		return stores.Range{}, fmt.Errorf("filestore: reserve %q: %w", key, err)
	}
	return taken, nil
}

// Seal implements stores.Sealer.
func (s *Store) Seal(ctx context.Context, key string) (bool, error) {
	err := stores.CheckKey(key)
	if err == nil {
		err = s.update(ctx, key, func(c *counter) error {
			c.sealed = true
			return nil
		})
	}
	if err != nil {
		return false, fmt.Errorf("filestore: seal %q: %w", key, err)
	}
	return true, nil
}

// update changes the counter of key, in one step among all processes. If change fails, nothing is written.
func (s *Store) update(ctx context.Context, key string, change func(*counter) error) error {
	root := s.root.Load()
	if root == nil {
		return stores.ErrClosed
	}
	err := s.locked(ctx, root, func(dir *os.File) error {
		c, err := read(root, key)
		if err != nil {
			return err
		}
		if err := change(&c); err != nil {
			return err
		}
		return replace(root, dir, fileName(key), c.text(key))
	})
	if errors.Is(err, fs.ErrClosed) { // a Close came in between
		return fmt.Errorf("%w: %w", stores.ErrClosed, err)
	}
	return err
}

// locked does work while it holds the directory's lock. ctx and the store's timeout bound the wait for it. An error of
// the wait leaves nothing unknown: work has not begun.
func (s *Store) locked(ctx context.Context, root *os.Root, work func(dir *os.File) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.spec.Timeout)
	defer cancel()
	dir, err := root.Open(".") // each call opens its own: a lock belongs to what one Open returned
	if err != nil {
		return err
	}
	defer dir.Close() // gives the lock back
	if err := lock(ctx, dir, s.options.Poll); err != nil {
		return err
	}
	return work(dir)
}
