package gormstore

import (
	"context"
	"database/sql"
	"fmt"

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
	err = s.patiently(ctx, s.lockPatience(), func() error {
		if conn, err = l.pool.Conn(ctx); err != nil && !isContextError(err) {
			err = s.explain("connect", err)
		}
		return err
	})
	return conn, err
}

// run runs fn on one connection. It takes the connection first, so that a wait for the pool that ends without one
// is known to have had no effect.
func (s *Store) run(ctx context.Context, l link, fn func(tx *gorm.DB) error) error {
	conn, err := s.connect(ctx, l)
	switch {
	case err == nil:
	case isContextError(err) && !s.dialect.diagnose(err).busy:
		if err == ctx.Err() { // of the pool itself, and says less than its cause
			err = causeOf(ctx, err)
		}
		return fmt.Errorf("no connection became free in a pool of at most %d (nothing was sent): %w",
			l.pool.Stats().MaxOpenConnections, err)
	default:
		return err
	}
	defer conn.Close()

	tx := l.db.Session(&gorm.Session{NewDB: true, Context: ctx})
	tx.Statement.ConnPool = conn
	return fn(tx)
}
