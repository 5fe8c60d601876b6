package memstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cosid-go/cosid/stores"
)

var (
	_ stores.Pinger     = (*Store)(nil)
	_ stores.Inspector  = (*Store)(nil)
	_ stores.RangeAdmin = (*Store)(nil)
	_ stores.SlotAdmin  = (*Store)(nil)
)

// Ping implements stores.Pinger. Memory always answers an open store.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("memstore: ping: %w", err)
	}
	return nil
}

// Inspect implements stores.Inspector.
func (s *Store) Inspect(ctx context.Context) (stores.Inspection, error) {
	if err := s.usable(ctx); err != nil {
		return stores.Inspection{}, fmt.Errorf("memstore: inspect: %w", err)
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	now, err := s.server.now()
	if err != nil {
		return stores.Inspection{}, fmt.Errorf("memstore: inspect: %w", err)
	}
	return stores.Inspection{
		Server: "memory of this process",
		Now:    time.UnixMilli(now),
		Findings: []stores.Finding{{
			Problem: "what this store keeps ends with the process: its ids repeat in the next one",
			Remedy:  "use it in tests only; a file is: { type: gorm, options: { driver: sqlite, dsn: data/cosid.db } }",
		}},
	}, nil
}

// Ranges implements stores.RangeAdmin. The keys are sorted, and as of one moment.
func (s *Store) Ranges(ctx context.Context, prefix string) iter.Seq2[stores.RangeRecord, error] {
	return func(yield func(stores.RangeRecord, error) bool) {
		if err := s.usable(ctx); err != nil {
			yield(stores.RangeRecord{}, fmt.Errorf("memstore: list ranges: %w", err))
			return
		}
		for _, record := range s.server.ranges(prefix) {
			if !yield(record, nil) {
				return
			}
		}
	}
}

// DeleteRange implements stores.RangeAdmin.
func (s *Store) DeleteRange(ctx context.Context, key string, force bool) (bool, error) {
	err := stores.CheckKey(key)
	if err == nil {
		err = s.usable(ctx)
	}
	var deleted bool
	if err == nil {
		deleted, err = s.server.deleteRange(key, force)
	}
	if err != nil {
		return false, fmt.Errorf("memstore: delete range %q: %w", key, err)
	}
	return deleted, nil
}

// RaiseRange implements stores.RangeAdmin.
func (s *Store) RaiseRange(ctx context.Context, key string, next int64) (stores.RangeRecord, error) {
	err := stores.CheckRaise(key, next)
	if err == nil {
		err = s.usable(ctx)
	}
	var record stores.RangeRecord
	if err == nil {
		record, err = s.server.raise(key, next)
	}
	if err != nil {
		return record, fmt.Errorf("memstore: raise range %q: %w", key, err)
	}
	return record, nil
}

// Slots implements stores.SlotAdmin.
func (s *Store) Slots(ctx context.Context, namespace string) (stores.SlotTable, error) {
	err := stores.CheckName(namespace)
	if err == nil {
		err = s.usable(ctx)
	}
	var table stores.SlotTable
	if err == nil {
		table, err = s.server.slotTable(namespace)
	}
	if err != nil {
		return stores.SlotTable{}, fmt.Errorf("memstore: list the slots of %q: %w", namespace, err)
	}
	return table, nil
}

func (s *Server) ranges(prefix string) []stores.RangeRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	var records []stores.RangeRecord
	for key, c := range s.counters {
		if strings.HasPrefix(key, prefix) {
			records = append(records, stores.RangeRecord{Key: key, Next: c.next, Sealed: c.sealed})
		}
	}
	slices.SortFunc(records, func(a, b stores.RangeRecord) int { return cmp.Compare(a.Key, b.Key) })
	return records
}

func (s *Server) deleteRange(key string, force bool) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, found := s.counters[key]
	if !found {
		return false, nil
	}
	if !c.sealed && !force {
		return false, stores.ErrNotSealed
	}
	delete(s.counters, key)
	return true, nil
}

func (s *Server) raise(key string, next int64) (stores.RangeRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counters[key]
	record := stores.RangeRecord{Key: key, Next: c.next, Sealed: c.sealed}
	switch {
	case c.sealed:
		return record, stores.ErrRangeSealed
	case c.next > next:
		return record, fmt.Errorf("%w: %d is stored, which lies above %d", stores.ErrWouldGoBack, c.next, next)
	}
	s.put(key, counter{next: next})
	record.Next = next
	return record, nil
}

func (s *Server) slotTable(namespace string) (stores.SlotTable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, found := s.slots[namespace]
	if !found {
		return stores.SlotTable{}, nil
	}
	now, err := s.now()
	if err != nil {
		return stores.SlotTable{}, err
	}
	table := stores.SlotTable{Limit: n.limit, ToleranceMillis: n.tolerance.Milliseconds(), StoreNow: now}
	for _, row := range n.rows {
		table.Rows = append(table.Rows, row)
	}
	slices.SortFunc(table.Rows, func(a, b stores.SlotRow) int { return cmp.Compare(a.Slot, b.Slot) })
	return table, nil
}
