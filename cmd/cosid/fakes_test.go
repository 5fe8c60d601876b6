package main

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// fakeFactory gives out one store, under a type.
type fakeFactory struct {
	name  string
	store stores.Store
}

func (f fakeFactory) Type() string { return f.name }

func (fakeFactory) NewOptions() any { return &struct{}{} }

func (f fakeFactory) Build(stores.Spec, any) (stores.Store, error) { return f.store, nil }

// bareStore has no ability at all.
type bareStore struct{}

func (bareStore) Start(context.Context) error { return nil }

func (bareStore) Close() error { return nil }

// fakeStore has all abilities of those who operate it, and shows what it was given.
type fakeStore struct {
	bareStore
	opening, calling error // what Start, and all else, answers
	seen             stores.Inspection
	records          []stores.RangeRecord
	broken           error // what ends the list of records
	slots            map[string]stores.SlotTable
}

func (s *fakeStore) Start(context.Context) error { return s.opening }

// Reserve is what makes it a store that generators take.
func (s *fakeStore) Reserve(context.Context, string, int64, int64) (stores.Range, error) {
	return stores.Range{}, errChanged
}

func (s *fakeStore) Ping(context.Context) error { return s.calling }

func (s *fakeStore) Inspect(context.Context) (stores.Inspection, error) { return s.seen, s.calling }

func (s *fakeStore) Ranges(_ context.Context, prefix string) iter.Seq2[stores.RangeRecord, error] {
	return func(yield func(stores.RangeRecord, error) bool) {
		for _, r := range s.records {
			if strings.HasPrefix(r.Key, prefix) && !yield(r, nil) {
				return
			}
		}
		if s.broken != nil {
			yield(stores.RangeRecord{}, s.broken)
		}
	}
}

func (*fakeStore) DeleteRange(context.Context, string, bool) (bool, error) { return false, errChanged }

func (*fakeStore) RaiseRange(context.Context, string, int64) (stores.RangeRecord, error) {
	return stores.RangeRecord{}, errChanged
}

// errChanged is the answer to what no command of this tool does.
var errChanged = errors.New("a tool that looks has changed something")

func (s *fakeStore) Slots(_ context.Context, namespace string) (stores.SlotTable, error) {
	return s.slots[namespace], s.calling
}

var (
	_ stores.RangeStore = (*fakeStore)(nil)
	_ stores.Pinger     = (*fakeStore)(nil)
	_ stores.Inspector  = (*fakeStore)(nil)
	_ stores.RangeAdmin = (*fakeStore)(nil)
	_ stores.SlotAdmin  = (*fakeStore)(nil)
)

// ago is a moment before noon, in milliseconds.
func ago(d time.Duration) int64 { return noon.Add(-d).UnixMilli() }
