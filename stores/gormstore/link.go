package gormstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/logger"
)

// link is an open database. The zero link is none.
type link struct {
	db    *gorm.DB
	pool  *sql.DB
	owned bool // the store opened pool and closes it
}

// newLink makes a session of the store's own on pool: an application's plugins, hooks and dry runs do not reach
// it, and a replica that a plugin would choose for reads could answer with the past.
func newLink(dialector gorm.Dialector, pool *sql.DB, owned bool, log logger.Interface) (link, error) {
	db, err := gorm.Open(bareDialector{Dialector: dialector, pool: pool}, &gorm.Config{
		Logger:               log,
		DisableAutomaticPing: true,
	})
	return link{db: db, pool: pool, owned: owned}, err
}

// bareDialector speaks a dialect on a pool that is already there. Unlike the dialects' own Initialize it does no
// I/O, which no context could bound.
type bareDialector struct {
	gorm.Dialector
	pool *sql.DB
}

func (d bareDialector) Initialize(db *gorm.DB) error {
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{})
	db.ConnPool = d.pool
	return nil
}

func (l link) close() error {
	if !l.owned {
		return nil
	}
	return l.pool.Close()
}

// connect takes a connection of the pool. Opening one can meet a lock, too: while another process opens or recovers the
// file, or keeps it to itself.
func (s *Store) connect(ctx context.Context, l link) (conn *sql.Conn, err error) {
	err = s.patiently(ctx, s.lockPatience(ctx), func() error {
		conn, err = l.pool.Conn(ctx)
		switch {
		case err == nil:
			return nil
		case ended(ctx, err) && !s.dialect.diagnose(err).busy:
			return unconnected(ctx, l.pool.Stats(), err)
		default:
			return s.explain("connect", err)
		}
	})
	return conn, err
}

// ended tells whether err comes from the end of ctx. That of a dial that the deadline cut off comes just before ctx
// itself ends.
func ended(ctx context.Context, err error) bool {
	var timeout net.Error
	deadline, bounded := ctx.Deadline()
	if bounded && !time.Now().Before(deadline) && errors.As(err, &timeout) && timeout.Timeout() {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// unconnected explains an end of ctx before there was a connection.
func unconnected(ctx context.Context, stats sql.DBStats, err error) error {
	cause := context.Cause(ctx)
	if err != ctx.Err() { // which is the pool's own, and says less than its cause
		cause = fmt.Errorf("%w: %w", cause, err)
	}
	if stats.MaxOpenConnections > 0 && stats.InUse >= stats.MaxOpenConnections {
		return fmt.Errorf("no connection became free in a pool of at most %d (nothing was sent): %w",
			stats.MaxOpenConnections, cause)
	}
	return fmt.Errorf("the server did not accept a connection in time (nothing was sent); check that it runs, and host and "+
		"port: %w", cause)
}

// run runs fn on one connection. It takes the connection first, so that a wait for the pool that ends without one
// is known to have had no effect. Where the connection turns out to be broken before a statement was sent on it, fn
// runs again on another one: after a restart of the server a pool is full of them.
func (s *Store) run(ctx context.Context, l link, fn func(tx *gorm.DB) error) error {
	const tries = 10
	for try := 1; ; try++ {
		err := s.runOnce(ctx, l, fn)
		if try == tries || !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
}

func (s *Store) runOnce(ctx context.Context, l link, fn func(tx *gorm.DB) error) error {
	conn, err := s.connect(ctx, l)
	if err != nil {
		return err
	}
	defer conn.Close()

	tx := l.db.Session(&gorm.Session{NewDB: true, Context: ctx})
	tx.Statement.ConnPool = conn
	err = fn(tx)
	if unsure := conn.Raw(s.dialect.acknowledged); unsure != nil && err == nil {
		err = unsure
	}
	if s.dialect.diagnose(err).stale {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // takes it out of the pool
	}
	return err
}
