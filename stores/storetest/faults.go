package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// Fault is what befalls one call to a store. The zero Fault lets the call pass untouched.
//
// The call first reaches the inner store, unless Before is set; then Latency and Until delay the reply; then
// After, Forge or ForgeLease replace it. A delay therefore lies between the commit and the reply, where it does most harm: if
// the caller's ctx ends first, the answer is stores.ErrOutcomeUnknown and what was committed is lost.
type Fault struct {
	Latency time.Duration   // how long the reply takes
	Until   <-chan struct{} // the reply hangs until this is closed; nil = it does not
	Deaf    bool            // the end of ctx does not shorten Latency or Until

	Before error // the call fails with it and never reaches the inner store
	After  error // the call takes effect, and fails with it: the reply is lost

	Forge      func(stores.Range) stores.Range         // replaces the range in the reply to a Reserve
	ForgeLease func(stores.SlotLease) stores.SlotLease // replaces the lease in the reply to an Acquire or Renew
}

// Call is one call that reached Faults. What its Op has no use for is zero.
type Call struct {
	Op            string // "reserve", "seal", "acquire", "renew" or "release"
	Key           string // of a reserve or seal; else the namespace
	Size          int64
	InitialOffset int64
	Request       stores.SlotRequest // of an acquire
	Lease         stores.SlotLease   // that was to be renewed or released
	TTL           time.Duration      // of a renew
	UsedThrough   int64              // of a renew or release
	At            time.Time

	// What the caller was told; zero until Done.
	Done    bool
	Range   stores.Range     // by a reserve
	Granted stores.SlotLease // by an acquire or renew
	Err     error
}

// Faults is a RangeStore that passes calls on to another one and breaks some of them on request, for tests of
// what uses a store. It logs every call. It is safe for concurrent use and works inside testing/synctest.
//
// It also is a Sealer, a SlotLeaseStore and a stores.Store, whose methods are forwarded where the inner store has
// them. Where it has not, Seal answers false, Start and Close do nothing, and Acquire, Renew and Release fail.
type Faults struct {
	inner stores.RangeStore

	mu                         sync.Mutex
	reserves, seals            script
	acquires, renews, releases script
	calls                      []Call
}

var (
	_ stores.RangeStore     = (*Faults)(nil)
	_ stores.Sealer         = (*Faults)(nil)
	_ stores.SlotLeaseStore = (*Faults)(nil)
	_ stores.Store          = (*Faults)(nil)
)

// NewFaults wraps inner. Until told otherwise it breaks nothing.
func NewFaults(inner stores.RangeStore) *Faults { return &Faults{inner: inner} }

// script says which fault the next call gets: the first one queued, or else the standing one.
type script struct {
	queued   []Fault
	standing Fault
}

func (s *script) next() Fault {
	if len(s.queued) == 0 {
		return s.standing
	}
	fault := s.queued[0]
	s.queued = s.queued[1:]
	return fault
}

// NextReserves queues faults for the reserves to come, one each. They come before the standing fault.
func (f *Faults) NextReserves(faults ...Fault) { f.queue(&f.reserves, faults) }

// EveryReserve sets the standing fault of reserves; the zero Fault ends it.
func (f *Faults) EveryReserve(fault Fault) { f.stand(&f.reserves, fault) }

// NextSeals is NextReserves for Seal.
func (f *Faults) NextSeals(faults ...Fault) { f.queue(&f.seals, faults) }

// EverySeal is EveryReserve for Seal.
func (f *Faults) EverySeal(fault Fault) { f.stand(&f.seals, fault) }

func (f *Faults) queue(script *script, faults []Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	script.queued = append(script.queued, faults...)
}

func (f *Faults) stand(script *script, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	script.standing = fault
}

// Calls returns the log so far, in the order in which the calls came in.
func (f *Faults) Calls() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// Reserves is the number of Reserve calls so far, whether they failed or not.
func (f *Faults) Reserves() int { return f.count("reserve") }

// Seals is the number of Seal calls so far, whether they failed or not.
func (f *Faults) Seals() int { return f.count("seal") }

func (f *Faults) count(op string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, call := range f.calls {
		if call.Op == op {
			n++
		}
	}
	return n
}

// Reserve implements stores.RangeStore.
func (f *Faults) Reserve(ctx context.Context, key string, size, initialOffset int64) (stores.Range, error) {
	fault, index := f.begin(Call{Op: "reserve", Key: key, Size: size, InitialOffset: initialOffset}, &f.reserves)
	answer, err := befall(ctx, fault, "reserve", key, func() (stores.Range, error) {
		return f.inner.Reserve(ctx, key, size, initialOffset)
	})
	if err == nil && fault.Forge != nil {
		answer = fault.Forge(answer)
	}
	f.end(index, func(call *Call) { call.Done, call.Range, call.Err = true, answer, err })
	return answer, err
}

// Seal implements stores.Sealer.
func (f *Faults) Seal(ctx context.Context, key string) (bool, error) {
	fault, index := f.begin(Call{Op: "seal", Key: key}, &f.seals)
	sealed, err := befall(ctx, fault, "seal", key, func() (bool, error) {
		if sealer, ok := f.inner.(stores.Sealer); ok {
			return sealer.Seal(ctx, key)
		}
		return false, nil
	})
	f.end(index, func(call *Call) { call.Done, call.Err = true, err })
	return sealed, err
}

// Start implements stores.Store.
func (f *Faults) Start(ctx context.Context) error {
	if store, ok := f.inner.(stores.Store); ok {
		return store.Start(ctx)
	}
	return nil
}

// Close implements stores.Store.
func (f *Faults) Close() error {
	if store, ok := f.inner.(stores.Store); ok {
		return store.Close()
	}
	return nil
}

func (f *Faults) begin(call Call, script *script) (Fault, int) {
	call.At = time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
	return script.next(), len(f.calls) - 1
}

func (f *Faults) end(index int, note func(call *Call)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	note(&f.calls[index])
}

func befall[T any](ctx context.Context, fault Fault, op, key string, commit func() (T, error)) (T, error) {
	var none, answer T
	var err error
	if fault.Before == nil {
		answer, err = commit()
	}
	if delayErr := delay(ctx, fault); delayErr != nil {
		return none, fmt.Errorf("storetest: %s %q: %w: %w", op, key, stores.ErrOutcomeUnknown, delayErr)
	}
	switch {
	case fault.Before != nil:
		return none, fmt.Errorf("storetest: %s %q: %w", op, key, fault.Before)
	case err != nil:
		return none, err
	case fault.After != nil:
		return none, fmt.Errorf("storetest: %s %q: %w", op, key, fault.After)
	}
	return answer, nil
}

// delay waits out the fault's delays. Its error is that of ctx.
func delay(ctx context.Context, fault Fault) error {
	ended := ctx.Done()
	if fault.Deaf {
		ended = nil
	}
	if fault.Latency > 0 {
		timer := time.NewTimer(fault.Latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ended:
			return ctx.Err()
		}
	}
	if fault.Until != nil {
		select {
		case <-fault.Until:
		case <-ended:
			return ctx.Err()
		}
	}
	return nil
}
