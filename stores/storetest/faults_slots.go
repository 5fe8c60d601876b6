package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// NextAcquires is NextReserves for Acquire.
func (f *Faults) NextAcquires(faults ...Fault) { f.queue(&f.acquires, faults) }

// EveryAcquire is EveryReserve for Acquire.
func (f *Faults) EveryAcquire(fault Fault) { f.stand(&f.acquires, fault) }

// NextRenews is NextReserves for Renew.
func (f *Faults) NextRenews(faults ...Fault) { f.queue(&f.renews, faults) }

// EveryRenew is EveryReserve for Renew.
func (f *Faults) EveryRenew(fault Fault) { f.stand(&f.renews, fault) }

// NextReleases is NextReserves for Release.
func (f *Faults) NextReleases(faults ...Fault) { f.queue(&f.releases, faults) }

// EveryRelease is EveryReserve for Release.
func (f *Faults) EveryRelease(fault Fault) { f.stand(&f.releases, fault) }

// Acquires is the number of Acquire calls so far, whether they failed or not.
func (f *Faults) Acquires() int { return f.count("acquire") }

// Renews is the number of Renew calls so far, whether they failed or not.
func (f *Faults) Renews() int { return f.count("renew") }

// Releases is the number of Release calls so far, whether they failed or not.
func (f *Faults) Releases() int { return f.count("release") }

// Acquire implements stores.SlotLeaseStore.
func (f *Faults) Acquire(ctx context.Context, request stores.SlotRequest) (stores.SlotLease, error) {
	call := Call{Op: "acquire", Key: request.Namespace, Request: request}
	return f.lease(ctx, call, &f.acquires, func(inner stores.SlotLeaseStore) (stores.SlotLease, error) {
		return inner.Acquire(ctx, request)
	})
}

// Renew implements stores.SlotLeaseStore.
func (f *Faults) Renew(
	ctx context.Context, lease stores.SlotLease, ttl time.Duration, usedThrough int64,
) (stores.SlotLease, error) {
	call := Call{Op: "renew", Key: lease.Namespace, Lease: lease, TTL: ttl, UsedThrough: usedThrough}
	return f.lease(ctx, call, &f.renews, func(inner stores.SlotLeaseStore) (stores.SlotLease, error) {
		return inner.Renew(ctx, lease, ttl, usedThrough)
	})
}

// Release implements stores.SlotLeaseStore.
func (f *Faults) Release(ctx context.Context, lease stores.SlotLease, usedThrough int64) error {
	call := Call{Op: "release", Key: lease.Namespace, Lease: lease, UsedThrough: usedThrough}
	_, err := f.lease(ctx, call, &f.releases, func(inner stores.SlotLeaseStore) (stores.SlotLease, error) {
		return stores.SlotLease{}, inner.Release(ctx, lease, usedThrough)
	})
	return err
}

func (f *Faults) lease(
	ctx context.Context, call Call, script *script, commit func(stores.SlotLeaseStore) (stores.SlotLease, error),
) (stores.SlotLease, error) {
	fault, index := f.begin(call, script)
	answer, err := befall(ctx, fault, call.Op, call.Key, func() (stores.SlotLease, error) {
		inner, ok := f.inner.(stores.SlotLeaseStore)
		if !ok {
			return stores.SlotLease{}, errors.New("storetest: the inner store leases no slots")
		}
		return commit(inner)
	})
	if err == nil && fault.ForgeLease != nil && call.Op != "release" {
		answer = fault.ForgeLease(answer)
	}
	f.end(index, func(call *Call) { call.Done, call.Granted, call.Err = true, answer, err })
	return answer, err
}
