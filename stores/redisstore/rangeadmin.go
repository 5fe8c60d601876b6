package redisstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/stores"
)

// Ranges implements stores.RangeAdmin, by SCAN on every master, one after the other: a part of the keys at a time, so
// that nobody else waits for long. Each key comes once, which takes memory for all their names. A ScriptRunner that was
// handed in cannot list keys, since it does not say what servers are behind it. What a cluster moves from one server to
// another meanwhile may be missed.
func (s *Store) Ranges(ctx context.Context, prefix string) iter.Seq2[stores.RangeRecord, error] {
	return func(yield func(stores.RangeRecord, error) bool) {
		if err := s.eachRange(ctx, prefix, func(r stores.RangeRecord) bool { return yield(r, nil) }); err != nil {
			yield(stores.RangeRecord{}, fmt.Errorf("redisstore: list ranges: %w", err))
		}
	}
}

func (s *Store) eachRange(ctx context.Context, prefix string, visit func(stores.RangeRecord) bool) error {
	masters, err := s.mastersOf(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, master := range masters {
		for cursor := "0"; ; {
			records, next, err := s.rangesFrom(ctx, master.runner, prefix, cursor)
			if err != nil {
				return err
			}
			for _, record := range records {
				if seen[record.Key] || !strings.HasPrefix(record.Key, prefix) {
					continue
				}
				seen[record.Key] = true
				if !visit(record) {
					return nil
				}
			}
			if cursor = next; cursor == "0" {
				break
			}
		}
	}
	return nil
}

// mastersOf returns a runner for each server that has keys.
func (s *Store) mastersOf(ctx context.Context) (masters []node, err error) {
	err = s.within(ctx, func(ctx context.Context, l link) error {
		masters, err = await(ctx, &s.io, func() ([]node, error) { return s.eachMaster(ctx, l) })
		return err
	})
	return masters, s.connectError(ctx, err)
}

// node is a server that has keys.
type node struct {
	name   string
	runner ScriptRunner
}

func (s *Store) eachMaster(ctx context.Context, l link) ([]node, error) {
	switch {
	case l.masters == nil:
		return nil, errors.New("keys cannot be listed through the script runner that was handed in: " +
			"use a store with a uri or a client")
	case l.cluster == nil:
		return []node{{runner: l.runner}}, nil
	}
	var mu sync.Mutex
	var masters []node
	err := l.cluster.ForEachMaster(ctx, func(_ context.Context, master *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		masters = append(masters, node{nameOf(master), clientLink(master, s.bounds).runner})
		return nil
	})
	return masters, err
}

// rangesFrom runs ranges.lua once. It has no key, which could send it to another server.
func (s *Store) rangesFrom(
	ctx context.Context, master ScriptRunner, prefix, cursor string,
) (records []stores.RangeRecord, next string, err error) {
	var v verdict
	err = s.during(ctx, func(link) (err error) {
		v, err = s.runOn(ctx, master, 0, ScriptCall{
			Script: s.scripts.ranges,
			Args:   []string{cursor, "cosid:{" + escapeGlob(prefix) + "*"},
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if v.name != "ranges" || len(v.values)%3 != 1 {
		return nil, "", v.unexpected()
	}
	for at := 1; at < len(v.values); at += 3 {
		key, sealed := v.value(at), v.value(at+2) != ""
		if stores.CheckKey(key) != nil {
			continue // somebody else's
		}
		next, err := readNext(key, v.value(at+1))
		if err != nil {
			return nil, "", err
		}
		records = append(records, stores.RangeRecord{Key: key, Next: next, Sealed: sealed})
	}
	return records, v.value(0), nil
}

// DeleteRange implements stores.RangeAdmin, in one round trip.
func (s *Store) DeleteRange(ctx context.Context, key string, force bool) (bool, error) {
	err := stores.CheckKey(key)
	var deleted bool
	if err == nil {
		deleted, err = s.deleteRange(ctx, key, force)
	}
	if err != nil {
		return false, fmt.Errorf("redisstore: delete range %q: %w", key, err)
	}
	return deleted, nil
}

func (s *Store) deleteRange(ctx context.Context, key string, force bool) (bool, error) {
	next, sealed := rangeKeys(key)
	v, err := s.run(ctx, ScriptCall{
		Script: s.scripts.delete, Keys: []string{next, sealed}, Args: []string{flag(force)},
	})
	switch {
	case err != nil:
		return false, err
	case v.name == "deleted":
		return true, nil
	case v.refusal() == "unknown":
		return false, nil
	case v.refusal() == "not sealed":
		return false, stores.ErrNotSealed
	}
	return false, v.unexpected()
}

// RaiseRange implements stores.RangeAdmin, in one round trip.
func (s *Store) RaiseRange(ctx context.Context, key string, next int64) (stores.RangeRecord, error) {
	err := stores.CheckRaise(key, next)
	var record stores.RangeRecord
	if err == nil {
		record, err = s.raise(ctx, key, next)
	}
	if err != nil {
		return record, fmt.Errorf("redisstore: raise range %q: %w", key, err)
	}
	return record, nil
}

func (s *Store) raise(ctx context.Context, key string, to int64) (stores.RangeRecord, error) {
	next, sealed := rangeKeys(key)
	v, err := s.run(ctx, ScriptCall{
		Script: s.scripts.raise, Keys: []string{next, sealed}, Args: []string{decimal(to)},
	})
	switch {
	case err != nil:
		return stores.RangeRecord{}, err
	case v.name == "raised":
		return stores.RangeRecord{Key: key, Next: to}, nil
	case v.name != refused:
		return stores.RangeRecord{}, v.unexpected()
	}
	stored, err := readNext(key, v.value(1))
	if err != nil {
		return stores.RangeRecord{}, err
	}
	record := stores.RangeRecord{Key: key, Next: stored}
	switch v.refusal() {
	case "sealed":
		record.Sealed = true
		return record, stores.ErrRangeSealed
	case "back":
		return record, fmt.Errorf("%w: %d is stored, which lies above %d", stores.ErrWouldGoBack, stored, to)
	}
	return stores.RangeRecord{}, v.unexpected()
}

// readNext reads a stored next id; there is none, 0, for a key that was sealed before its first reserve.
func readNext(key, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	next, err := strconv.ParseInt(text, 10, 64)
	if err != nil || next < 0 || text != decimal(next) {
		return 0, fmt.Errorf("cosid:{%s} holds %q, which cosid did not write: set it above every id that was issued, "+
			"or delete it", key, text)
	}
	return next, nil
}

// escapeGlob makes a pattern of Redis that matches this text alone.
func escapeGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(text)
}
