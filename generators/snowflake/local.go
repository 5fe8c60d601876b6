package snowflake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// localStore is a stores.SlotLeaseStore of one slot that nobody leases: its row is kept by a file of this machine, and
// its clock is this machine's. The rules are those of every store, so that no step of the clock, no crash and no restart
// repeats an id. A lock beside the file keeps other processes from the same row.
type localStore struct {
	file      string
	namespace string
	slot      int64
	clock     func() time.Time
	logger    *slog.Logger

	mu        sync.Mutex // serializes the calls, as a server does; held during their I/O
	lock      *fileLock  // nil while the slot is free
	row       stores.SlotRow
	tolerance time.Duration
}

var _ stores.SlotLeaseStore = (*localStore)(nil)

// Acquire implements stores.SlotLeaseStore. It locks the file until Release, which is what makes a slot taken.
func (s *localStore) Acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lease, err := s.acquire(ctx, request)
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("slot %d in %s: %w", s.slot, s.file, err)
	}
	return lease, nil
}

func (s *localStore) acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	if err := stores.CheckSlotRequest(request); err != nil {
		return stores.SlotLease{}, err
	}
	if err := ctx.Err(); err != nil {
		return stores.SlotLease{}, err
	}
	if s.lock == nil {
		file, err := followLinks(s.file)
		if err != nil {
			return stores.SlotLease{}, err
		}
		s.file = file
		lock, err := lockFile(s.file + ".lock")
		if err != nil {
			return stores.SlotLease{}, err
		}
		s.lock = lock
	}
	lease, err := s.grant(request)
	if err != nil {
		s.unlock()
	}
	return lease, err
}

func (s *localStore) grant(request stores.SlotRequest) (stores.SlotLease, error) {
	now, err := s.now()
	if err != nil {
		return stores.SlotLease{}, err
	}
	row, err := s.read()
	if err != nil {
		return stores.SlotLease{}, err
	}
	// Whoever holds the lock holds the slot: a lease that a killed process left behind need not expire first.
	free := row.NextFloor - request.Tolerance.Milliseconds()
	if free > now && !row.HeldBy(request.Owner, request.Incarnation) {
		return stores.SlotLease{}, fmt.Errorf("this machine's clock lies further behind the slot's ids than the tolerance "+
			"allows: set it right, or wait: %w",
			&stores.NoFreeSlotError{Namespace: s.namespace, Limit: 1, Ahead: 1, UsableAt: free, StoreNow: now})
	}
	s.tolerance = request.Tolerance
	return s.write(row.Acquire(request, now), now)
}

// Renew implements stores.SlotLeaseStore.
func (s *localStore) Renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	renewed, err := s.renew(ctx, lease, ttl, usedThrough)
	if err != nil {
		return stores.SlotLease{}, fmt.Errorf("slot %d in %s: %w", s.slot, s.file, err)
	}
	return renewed, nil
}

func (s *localStore) renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	if err := stores.CheckRenew(lease, ttl, usedThrough); err != nil {
		return stores.SlotLease{}, err
	}
	if err := ctx.Err(); err != nil {
		return stores.SlotLease{}, err
	}
	if s.lock == nil {
		return stores.SlotLease{}, stores.ErrLeaseLost
	}
	now, err := s.now()
	if err != nil {
		return stores.SlotLease{}, err
	}
	if err := s.overtaken(); err != nil {
		if errors.Is(err, stores.ErrLeaseLost) {
			s.unlock() // the other one has the lock that counts
		}
		return stores.SlotLease{}, err
	}
	row, err := s.row.Renew(lease, ttl, s.tolerance, usedThrough, now)
	if err != nil {
		return stores.SlotLease{}, err
	}
	return s.write(row, now)
}

// Release implements stores.SlotLeaseStore. The file is unlocked in any case: if it could not be written, it says that
// the whole window was used.
func (s *localStore) Release(_ context.Context, lease stores.SlotLease, usedThrough int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	defer s.unlock()
	err := s.overtaken()
	if err == nil {
		var row stores.SlotRow
		if row, err = s.row.Release(lease, usedThrough); err == nil {
			_, err = s.write(row, 0)
		}
	}
	if err != nil {
		return fmt.Errorf("slot %d in %s: release: %w", s.slot, s.file, err)
	}
	return nil
}

// overtaken is ErrLeaseLost where another process has written the file since, which the lock keeps it from unless
// somebody deletes the lock's file, or the file system knows no locks.
func (s *localStore) overtaken() error {
	row, err := s.read()
	if err == nil && row.Fence > 0 && (row.Fence != s.row.Fence || !row.HeldBy(s.row.Owner, s.row.Incarnation)) {
		err = fmt.Errorf("%w: another process had the slot in spite of the lock, with fence %d: give each its own",
			stores.ErrLeaseLost, row.Fence)
	}
	return err
}

// write makes row what a restart finds, before anybody makes an id of it.
func (s *localStore) write(row stores.SlotRow, now int64) (stores.SlotLease, error) {
	if err := replaceFile(s.file, formatState(s.namespace, row)); err != nil {
		return stores.SlotLease{}, err
	}
	s.row = row
	return row.Lease(s.namespace, now), nil
}

// read finds the row that an earlier process left.
func (s *localStore) read() (stores.SlotRow, error) {
	text, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		s.logger.Warn("no state of the slot yet, a new file is made; it must outlive this process and its machine",
			"slot", s.slot, "file", s.file)
		return stores.SlotRow{Slot: s.slot}, nil
	}
	if err != nil {
		return stores.SlotRow{}, err
	}
	namespace, row, err := parseState(text)
	if err != nil {
		return stores.SlotRow{}, err
	}
	if namespace != s.namespace || row.Slot != s.slot {
		return stores.SlotRow{}, fmt.Errorf("the file belongs to slot %d of namespace %q, not to slot %d of %q: name another "+
			"one at slot.state-file", row.Slot, namespace, s.slot, s.namespace)
	}
	return row, nil
}

func (s *localStore) now() (int64, error) {
	now := s.clock().UnixMilli()
	return now, stores.CheckSlotClock(now)
}

func (s *localStore) unlock() {
	s.lock.release()
	s.lock = nil
}

// followLinks is the file that a name stands for, which need not exist. Replacing the link instead would leave behind
// what a restart finds under the link made anew, and lock another file than those who use another name.
func followLinks(name string) (string, error) {
	const most = 40
	for range most {
		target, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link
		}
		if !filepath.IsAbs(target) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(name)) // .. in the target is that of the real folder
			if err != nil {
				return "", err
			}
			target = filepath.Join(folder, target)
		}
		name = target
	}
	return "", fmt.Errorf("%s: more than %d links follow each other", name, most)
}

// replaceFile writes a file so that a crash leaves either the old text or the new one, on the disk.
func replaceFile(name string, text []byte) error {
	next := name + ".next"
	if err := writeSynced(next, text); err != nil {
		return err
	}
	if err := os.Rename(next, name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

func writeSynced(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
