package gormstore

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/internal/lifecycle"
	"github.com/cosid-go/cosid/stores"
)

// Store keeps ranges and slot leases in tables of a SQL database, safe for concurrent use. Stores on one database, in any
// number of processes, count as one store.
type Store struct {
	spec     stores.Spec
	options  Options
	dialect  dialect
	handedIn *gorm.DB // nil with a DSN

	slotsChecked atomic.Bool // the tables of slot leases can be used

	timedOut error // the cause where the timeout ends a call

	life lifecycle.Life[link]
}

var (
	_ stores.Store      = (*Store)(nil)
	_ stores.RangeStore = (*Store)(nil)
	_ stores.Sealer     = (*Store)(nil)

	_ stores.SlotLeaseStore = (*Store)(nil)
)

// New returns a store that is not started yet. db may be nil if the options hold a DSN, and is not used then.
// It does no I/O. Every mistake in the options is reported, as a field.Error where a key is to blame.
func New(spec stores.Spec, db *gorm.DB, options Options) (*Store, error) {
	options.handedIn = db != nil
	if err := options.Validate(); err != nil {
		return nil, fmt.Errorf("gormstore: build %q: %w", spec.Name, err)
	}
	if spec.Timeout <= 0 {
		return nil, fmt.Errorf("gormstore: build %q: timeout %v must be more than 0", spec.Name, spec.Timeout)
	}
	if spec.Logger == nil {
		spec.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{spec: spec, options: options, timedOut: lifecycle.TimeoutError(spec.Timeout)}
	if options.DSN != "" {
		s.dialect, _ = dialectNamed(options.Driver)
		return s, nil
	}
	s.handedIn = db
	var err error
	if s.dialect, err = dialectOf(db, options.Driver); err != nil {
		return nil, fmt.Errorf("gormstore: build %q: %w", spec.Name, err)
	}
	return s, nil
}

// Close waits for the calls in flight, which the timeout bounds, and closes what Start opened: never a database
// that was handed in. It is safe before Start and more than once.
func (s *Store) Close() error {
	if err := s.life.Close(link.close); err != nil {
		return fmt.Errorf("gormstore: close %q: %w", s.spec.Name, err)
	}
	return nil
}

// call runs fn on one connection, within ctx and the store's timeout. Where it fails before fn, nothing was sent.
func (s *Store) call(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l, err := s.life.Enter()
	if err != nil {
		return err
	}
	defer s.life.Leave()

	ctx = context.WithValue(ctx, callBegan{}, time.Now())
	ctx, cancel := context.WithTimeoutCause(ctx, s.spec.Timeout, s.timedOut)
	defer cancel()
	return s.run(ctx, l, fn)
}
