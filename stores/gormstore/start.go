package gormstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

const untilContextEnds = time.Duration(math.MaxInt64)

// Start opens the database, creates the tables if it may, and checks those that it needs. It is bounded by
// ctx, or by ten seconds where ctx has no deadline, and tries again while other processes hold the database's lock. If
// it fails, nothing is left open and it may be called again. A store that is started is not started again.
func (s *Store) Start(ctx context.Context) error {
	err := s.life.Start(ctx, func(ctx context.Context) (link, error) {
		l, err := s.openLink()
		if err == nil {
			err = s.prepare(ctx, l)
		}
		return l, err
	}, link.close)
	if err != nil {
		return fmt.Errorf("gormstore: start %q: %w", s.spec.Name, err)
	}
	return nil
}

func (s *Store) openLink() (link, error) {
	if s.handedIn != nil {
		pool, err := s.handedIn.DB() // the root pool, even of a session inside a transaction
		if err != nil {
			return link{}, fmt.Errorf("find the pool of the *gorm.DB handed in: %w", err)
		}
		return newLink(s.handedIn.Dialector, pool, false, s.handedIn.Logger)
	}
	dialector, pool, err := s.dialect.open(s.options.DSN)
	if err != nil {
		return link{}, err
	}
	if !s.dialect.embedded() {
		s.options.limit(pool)
	}
	return newLink(dialector, pool, true, logger.Discard)
}

// prepare creates the tables if it may and checks what calls will rely on.
func (s *Store) prepare(ctx context.Context, l link) error {
	return s.patiently(ctx, untilContextEnds, func() error {
		return s.run(ctx, l, func(tx *gorm.DB) error {
			s.options.home = ""
			if err := s.makeTables(tx); err != nil {
				return err
			}
			if err := s.dialect.checkRanges(tx, s.options.table()); err != nil {
				return s.explain("check table "+s.options.table(), err)
			}
			doubts, err := s.dialect.doubts(tx, s.options.table(), l.owned)
			if err != nil {
				return s.explain("check the durability", err)
			}
			for _, doubt := range doubts {
				s.spec.Logger.WarnContext(ctx, "cosid: the store may lose reserved ranges", "store", s.spec.Name,
					"reason", doubt.Problem, "remedy", doubt.Remedy)
			}
			if s.options.home, err = s.dialect.home(tx, s.options.table()); err != nil {
				return s.explain("find the schema of the table", err)
			}
			return nil
		})
	})
}

// makeTables makes every table, where it may. Where it may not, only the ranges' must be there: many applications lease
// no slots, and the call that does says what is missing.
func (s *Store) makeTables(tx *gorm.DB) error {
	for i, d := range s.dialect.schema(s.options.TablePrefix) {
		if i > 0 && !s.options.autoMigrate() {
			return nil
		}
		if err := s.makeTable(tx, d); err != nil {
			return err
		}
	}
	if err := s.checkSlotTables(tx); err != nil {
		return err
	}
	s.slotsChecked.Store(true)
	return nil
}

func (s *Store) makeTable(tx *gorm.DB, d definition) error {
	found, err := s.dialect.hasTable(tx, d.table)
	if err != nil {
		return s.explain("look for table "+d.table, err)
	}
	if found {
		return nil
	}
	if !s.options.autoMigrate() {
		return missing(d)
	}
	err = tx.Exec(d.create).Error
	if err == nil {
		return nil
	}
	// Databases refuse it in many ways where another process does the same at that moment.
	if found, lookErr := s.dialect.hasTable(tx, d.table); found && lookErr == nil {
		return nil
	}
	return s.explain("create table "+d.table, err)
}
