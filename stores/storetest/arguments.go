package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/cosid-go/cosid/stores"
)

func wrongArguments(t *trial) error {
	open, err := t.open()
	if err != nil {
		return err
	}
	unstarted, err := t.unstarted()
	if err != nil {
		return err
	}
	closed, err := t.open()
	if err != nil {
		return err
	}
	if err := closed.Close(); err != nil {
		return err
	}
	cancelled, cancel := context.WithCancel(t.ctx)
	cancel()

	for _, try := range []struct {
		name  string
		ctx   context.Context
		store Store
	}{
		{"an open store", t.ctx, open},
		{"a context that is done", cancelled, open},
		{"a store that is not started", t.ctx, unstarted},
		{"a closed store", t.ctx, closed},
	} {
		if err := t.refusesArguments(try.ctx, try.store); err != nil {
			return fmt.Errorf("with %s: %w", try.name, err)
		}
	}
	return t.expect(open, t.key("bill"), 1, 5, 5) // not created by any of them
}

func (t *trial) refusesArguments(ctx context.Context, store Store) error {
	reserve := func(key string, size, offset int64) error {
		r, err := store.Reserve(ctx, key, size, offset)
		if !errors.Is(err, stores.ErrInvalidArgument) || r != (stores.Range{}) {
			return fmt.Errorf("Reserve(%q, %d, %d) answered %v and error %v, want ErrInvalidArgument", key, size, offset, r, err)
		}
		return nil
	}
	key := t.key("bill")
	for _, size := range []int64{0, -1, math.MinInt64} {
		if err := reserve(key, size, 1); err != nil {
			return err
		}
	}
	for _, offset := range []int64{-1, math.MinInt64} {
		if err := reserve(key, 1, offset); err != nil {
			return err
		}
	}
	for _, bad := range badKeys(t.namespace) {
		if err := reserve(bad, 1, 1); err != nil {
			return err
		}
		sealer, ok := store.(stores.Sealer)
		if !ok {
			continue
		}
		if _, err := sealer.Seal(ctx, bad); !errors.Is(err, stores.ErrInvalidArgument) {
			return fmt.Errorf("Seal(%q) answered error %v, want ErrInvalidArgument", bad, err)
		}
	}
	return nil
}

func badKeys(namespace string) []string {
	bad := []string{"", "/", "//", namespace, namespace + "/", "/bill", namespace + "/bill/2026/10"}
	for _, name := range []string{
		"", " ", ".bill", "-bill", "_bill", "bill ", " bill", "b ll", "bill\n", "bill\x00", "b:ll", "{bill}", "bill*",
		"b'll", `b"ll`, "b%ll", "b\\ll", "bíll", "\xff", strings.Repeat("x", 65),
	} {
		bad = append(bad, stores.RangeKey(namespace, name), stores.RangeKey(name, "bill"),
			stores.PeriodKey(stores.RangeKey(namespace, "bill"), name))
	}
	return bad
}
