package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/cosid-go/cosid/stores"
)

func wrongLeaseArguments(t *slotTrial) {
	open, unstarted, closed := t.open(), t.unstarted(), t.open()
	if t.err != nil {
		return
	}
	t.failed(closed.Close())
	cancelled, cancel := context.WithCancel(t.ctx)
	cancel()
	for _, try := range []struct {
		name  string
		ctx   context.Context
		store SlotStore
	}{
		{"an open store", t.ctx, open},
		{"a context that is done", cancelled, open},
		{"a store that is not started", t.ctx, unstarted},
		{"a closed store", t.ctx, closed},
	} {
		if err := t.refusesLeaseArguments(try.ctx, try.store); err != nil {
			t.failed(fmt.Errorf("with %s: %w", try.name, err))
		}
	}
	t.acquireNext(open, t.request("a"), 0, 1, 0) // not granted by any of them
}

func (t *slotTrial) refusesLeaseArguments(ctx context.Context, store SlotStore) error {
	for i, spoil := range wrongRequests {
		request := t.request("a")
		spoil(&request)
		lease, err := store.Acquire(ctx, request)
		if !errors.Is(err, stores.ErrInvalidArgument) || lease != (stores.SlotLease{}) {
			return fmt.Errorf("request %d: Acquire(%+v) answered %+v and error %v, want ErrInvalidArgument",
				i, request, lease, err)
		}
	}
	lease := stores.SlotLease{
		Namespace: t.namespace, Owner: "a", Incarnation: "a-1", Fence: 1,
		Floor: 1_700_000_000_000, Ceiling: 1_700_000_600_000,
	}
	for i, spoil := range wrongLeases {
		wrong := lease
		spoil(&wrong)
		if err := refusesLease(ctx, store, wrong, time.Second, lease.Floor); err != nil {
			return fmt.Errorf("lease %d: %w", i, err)
		}
	}
	if err := refusesLease(ctx, store, lease, time.Second, lease.Ceiling); err != nil {
		return fmt.Errorf("used through the ceiling: %w", err)
	}
	for _, ttl := range wrongTTLs {
		if renewed, err := store.Renew(ctx, lease, ttl, lease.Floor); !errors.Is(err, stores.ErrInvalidArgument) {
			return fmt.Errorf("Renew for %v answered %+v and error %v, want ErrInvalidArgument", ttl, renewed, err)
		}
	}
	return nil
}

// refusesLease demands that the lease can be neither renewed nor released.
func refusesLease(
	ctx context.Context, store SlotStore, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) error {
	renewed, renewErr := store.Renew(ctx, lease, ttl, usedThrough)
	releaseErr := store.Release(ctx, lease, usedThrough)
	if !errors.Is(renewErr, stores.ErrInvalidArgument) || renewed != (stores.SlotLease{}) ||
		!errors.Is(releaseErr, stores.ErrInvalidArgument) {
		return fmt.Errorf("%+v, used through %d: Renew answered %+v and error %v, Release %v; want ErrInvalidArgument",
			lease, usedThrough, renewed, renewErr, releaseErr)
	}
	return nil
}

var wrongTTLs = []time.Duration{
	0, -time.Second, time.Microsecond, time.Millisecond - 1, time.Second + 1, stores.MaxTTL + time.Millisecond,
	math.MaxInt64, math.MinInt64,
}

var wrongRequests = func() []func(*stores.SlotRequest) {
	wrong := []func(*stores.SlotRequest){
		func(r *stores.SlotRequest) { r.Limit = 0 },
		func(r *stores.SlotRequest) { r.Limit = -1 },
		func(r *stores.SlotRequest) { r.Limit = stores.MaxSlots + 1 },
		func(r *stores.SlotRequest) { r.Limit = math.MaxInt64 },
		func(r *stores.SlotRequest) { r.Preferred = -2 },
		func(r *stores.SlotRequest) { r.Preferred = r.Limit },
		func(r *stores.SlotRequest) { r.Tolerance = -time.Millisecond },
		func(r *stores.SlotRequest) { r.Tolerance = time.Microsecond },
		func(r *stores.SlotRequest) { r.Tolerance = stores.MaxTolerance + time.Millisecond },
	}
	for _, ttl := range wrongTTLs {
		wrong = append(wrong, func(r *stores.SlotRequest) { r.TTL = ttl })
	}
	for _, name := range wrongNamespaces {
		wrong = append(wrong, func(r *stores.SlotRequest) { r.Namespace = name })
	}
	for _, owner := range wrongOwners {
		wrong = append(wrong, func(r *stores.SlotRequest) { r.Owner = owner })
	}
	for _, word := range wrongIncarnations {
		wrong = append(wrong, func(r *stores.SlotRequest) { r.Incarnation = word })
	}
	return wrong
}()

var wrongLeases = func() []func(*stores.SlotLease) {
	wrong := []func(*stores.SlotLease){
		func(l *stores.SlotLease) { *l = stores.SlotLease{} },
		func(l *stores.SlotLease) { l.Slot = -1 },
		func(l *stores.SlotLease) { l.Slot = stores.MaxSlots },
		func(l *stores.SlotLease) { l.Fence = 0 },
		func(l *stores.SlotLease) { l.Fence = -1 },
		func(l *stores.SlotLease) { l.Ceiling = math.MaxInt64 },
	}
	for _, name := range wrongNamespaces {
		wrong = append(wrong, func(l *stores.SlotLease) { l.Namespace = name })
	}
	for _, owner := range wrongOwners {
		wrong = append(wrong, func(l *stores.SlotLease) { l.Owner = owner })
	}
	for _, word := range wrongIncarnations {
		wrong = append(wrong, func(l *stores.SlotLease) { l.Incarnation = word })
	}
	return wrong
}()

var (
	wrongNamespaces   = []string{"", " ", "a/b", "a|b", "a:b", "{a}", ".a", "a\n", "\xff", "é", strings.Repeat("n", 65)}
	wrongOwners       = []string{"", " ", "a b", "a|b", "a/b", "-a", "a\x00", "\xff", "é", strings.Repeat("o", 256)}
	wrongIncarnations = []string{"", " ", "a|b", "a.b", "a_b", "a:b", "a\n", "\xff", "é", strings.Repeat("i", 65)}
)
