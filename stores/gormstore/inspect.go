package gormstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/stores"
)

// Ping implements stores.Pinger. It opens the range table and reads no row of it.
func (s *Store) Ping(ctx context.Context) error {
	err := s.call(ctx, func(tx *gorm.DB) error {
		return s.reading(tx, "open table "+s.options.table(), func() error {
			return tx.Exec(`select 1 from ` + s.options.table() + ` where 1 = 0`).Error
		})
	})
	if err != nil {
		return fmt.Errorf("gormstore: ping: %w", err)
	}
	return nil
}

// Inspect implements stores.Inspector. Its findings are what Start would refuse or warn about, and what keeps slots from
// being leased.
func (s *Store) Inspect(ctx context.Context) (stores.Inspection, error) {
	var seen stores.Inspection
	err := s.call(ctx, func(tx *gorm.DB) error {
		seen = stores.Inspection{}
		err := s.reading(tx, "read version and clock", func() (err error) {
			var now int64
			if seen.Server, err = s.dialect.version(tx); err != nil {
				return err
			}
			err = queryOne(tx, []any{&now}, `select `+s.dialect.clock())
			seen.Now = time.UnixMilli(now)
			return err
		})
		if err != nil {
			return err
		}
		seen.Findings, err = s.findings(tx)
		return err
	})
	if err != nil {
		return stores.Inspection{}, fmt.Errorf("gormstore: inspect: %w", err)
	}
	return seen, nil
}

func (s *Store) findings(tx *gorm.DB) ([]stores.Finding, error) {
	var findings []stores.Finding
	note := func(err error) {
		if err != nil {
			findings = append(findings, s.finding(err))
		}
	}
	table := rangeTable(s.options.TablePrefix)
	note(s.reading(tx, "check table "+table, func() error { return s.checkRangeTable(tx) }))
	note(s.reading(tx, "check the durability", func() error {
		doubts, err := s.dialect.doubts(tx, table, s.handedIn == nil)
		if err == nil {
			findings = append(findings, doubts...)
		}
		return err
	}))
	if err := s.checkSlotTables(tx); err != nil {
		finding := s.finding(err)
		finding.Problem = "no slots can be leased here, which only matters to snowflakes: " + finding.Problem
		findings = append(findings, finding)
	}
	if ctx := tx.Statement.Context; ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return findings, nil
}

func (s *Store) checkRangeTable(tx *gorm.DB) error {
	d := s.dialect.schema(s.options.TablePrefix)[0]
	found, err := s.dialect.hasTable(tx, d.table)
	if err == nil && !found {
		err = missing(d)
	}
	if err == nil {
		err = s.dialect.checkRanges(tx, d.table)
	}
	return err
}

// finding makes a finding of an error.
func (s *Store) finding(err error) stores.Finding {
	var broken *defect
	if errors.As(err, &broken) {
		return stores.Finding{Problem: broken.problem, Remedy: broken.remedy}
	}
	remedy := s.dialect.diagnose(err).advice
	if remedy == "" {
		remedy = "see the server's log"
	}
	return stores.Finding{Problem: err.Error(), Remedy: remedy}
}
