package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestCorrectStoreKeepsEveryPromise(t *testing.T) {
	storetest.RunRangeStore(t, newServer(flaw{}).harness())
}

// A correct store that is slow keeps them too: waits and retries are no faults.
func TestSlowStoreKeepsEveryPromise(t *testing.T) {
	for _, promise := range storetest.RangePromises() {
		t.Run(promise.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := promise.Check(t.Context(), newServer(flaw{await: slowly}).harness()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// slowly is the right await after a round trip.
func slowly(ctx context.Context, c *client) error {
	select {
	case <-time.After(time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.awaitGate(ctx)
}

// brokenStores are stores that break one promise each, as real ones have done.
var brokenStores = []struct {
	name   string
	breaks string // the promise whose check must notice
	flaw   func() flaw
}{
	{"repeats a range now and then", "S1_ranges_are_disjoint_and_increase", repeatsARange},
	{"hands out the higher of two ranges first", "S1_ranges_are_disjoint_and_increase", swapsRanges},
	{"reads and writes in two steps", "S1_ranges_of_concurrent_clients_are_disjoint_and_increase", twoSteps},
	{"ignores the initial offset", "S2_first_range_starts_at_initial_offset", alwaysFromOne},
	{"starts at the initial offset again", "S2_first_range_starts_at_initial_offset", alwaysFromOffset},
	{"has two creators", "S2_exactly_one_creates_the_key", twoCreators},
	{"infers the start from the first size it saw", "S3_sizes_may_change", infersStart},
	{"infers the start from its own last range", "S3_clients_with_other_sizes", remembersItsEnd},
	{"gives the range of a cancelled call back", "S4_abandoned_reserves_leave_gaps_only", givesBack},
	{"ignores a context that is done", "S4_context_ends_the_wait", ignoresContext},
	{"sends the request of a context that is done", "S4_context_ends_the_wait", sendsAnyway},
	{"waits for a frozen server for ever", "S4_context_ends_the_wait_for_a_frozen_server", waitsForEver},
	{"wraps at the largest integer", "S5_ids_end_below_the_largest_int64", wraps},
	{"refuses the last id", "S5_ids_end_below_the_largest_int64", refusesTheLastID},
	{"cuts the last range short", "S5_ids_end_below_the_largest_int64", cutsTheLastRange},
	{"moves to the end when it refuses", "S5_refused_reserve_changes_nothing", movesToTheEnd},
	{"creates the key when it refuses", "S5_refused_first_reserve_creates_nothing", createsWhenRefusing},
	{"checks the offset of a key that exists", "S5_stored_value_counts_not_the_offset", checksOffset},
	{"forgets the limit when the offset is near the end", "S5_stored_value_counts_not_the_offset", limitsByOffset},
	{"calls a lost race exhausted", "S5_exhausted_only_when_it_is_true", raceIsExhausted},
	{"un-seals after some refusals", "S6_sealed_key_stays_sealed", unseals},
	{"clients remember that a key was open", "S6_sealed_key_stays_sealed", remembersOpen},
	{"seals and un-seals in turns", "S6_sealing_is_idempotent", togglesSeal},
	{"fails to seal again", "S6_sealing_is_idempotent", failsToSealAgain},
	{"seals only keys that exist", "S6_sealed_before_its_first_reserve", sealsExisting},
	{"seals by prefix", "S6_other_keys_go_on", sealsByPrefix},
	{"creates over a seal", "S6_seal_wins_over_concurrent_reserves", createsOverSeal},
	{"claims to have sealed", "S6_seal_wins_over_concurrent_reserves", claimsSeal},
	{"computes in doubles", "exact_above_2_53", doubles},
	{"compares keys without case", "keys_share_no_counter", func() flaw { return flaw{rename: strings.ToLower} }},
	{"cuts keys at 191 characters", "keys_share_no_counter", func() flaw { return flaw{rename: cut(191)} }},
	{"forgets the period", "keys_share_no_counter", func() flaw { return flaw{rename: dropPeriod} }},
	{"takes _ for any character", "keys_share_no_counter", func() flaw { return flaw{rename: punctuation} }},
	{"takes any key", "wrong_arguments_are_refused_first", takesAnyKey},
	{"takes an empty size", "wrong_arguments_are_refused_first", takesEmptySize},
	{"connects before it looks at arguments", "wrong_arguments_are_refused_first", connectsFirst},
	{"works before Start", "unusable_before_start_and_after_close", worksBeforeStart},
	{"works after Close", "unusable_before_start_and_after_close", worksAfterClose},
	{"fails to close twice", "unusable_before_start_and_after_close", closesOnce},
	{"closes the other clients too", "unusable_before_start_and_after_close", closesAll},
	{"fails oddly while it closes", "close_ends_calls_in_flight_safely", failsWhileClosing},
	{"keeps counters in its clients", "reopened_store_goes_on", losesOnClose},
	{"forgets seals when it is closed", "reopened_store_goes_on", losesSealsOnClose},
	{"loses counters in a restart", "restarted_server_goes_on", losesOnRestart},
}

func TestSuiteCatchesBrokenStores(t *testing.T) {
	promises := map[string]storetest.Promise{}
	for _, promise := range storetest.RangePromises() {
		promises[promise.Name] = promise
	}
	caught := map[string]bool{}
	for _, broken := range brokenStores {
		t.Run(broken.name, func(t *testing.T) {
			promise, known := promises[broken.breaks]
			if !known {
				t.Fatalf("there is no promise %q", broken.breaks)
			}
			var err error
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				f := broken.flaw()
				if f.await == nil {
					f.await = slowly // the bubble's clock moves on only while all wait
				}
				if err = promise.Check(ctx, newServer(f).harness()); ctx.Err() != nil {
					t.Errorf("%s noticed only by its timeout: %v", broken.breaks, err)
				}
			})
			if err == nil {
				t.Fatalf("%s did not notice", broken.breaks)
			}
			caught[broken.breaks] = true
			t.Logf("%s: %v", broken.breaks, err)
		})
	}
	for name := range promises {
		if !caught[name] {
			t.Errorf("no broken store proves that %s can fail", name)
		}
	}
}

func TestHarnessMustDeclareWhatItLacks(t *testing.T) {
	whole := newServer(flaw{}).harness()
	for _, test := range []struct {
		name    string
		harness storetest.Harness
		want    string
	}{
		{"nothing", storetest.Harness{}, "New is not set"},
		{"no restart", storetest.Harness{New: whole.New, Freeze: whole.Freeze}, "no restarting"},
		{"no freeze", storetest.Harness{New: whole.New, Restart: whole.Restart}, "no freezing"},
		{"a false claim", storetest.Harness{
			New: whole.New, Restart: whole.Restart, Freeze: whole.Freeze,
			Lacks: map[storetest.Ability]string{storetest.Sealing: "none"},
		}, "but it is there"},
		{"an unknown ability", storetest.Harness{
			New: whole.New, Restart: whole.Restart, Freeze: whole.Freeze,
			Lacks: map[storetest.Ability]string{"flying": "none"},
		}, "unknown ability"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.harness.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
		})
	}
}

func repeatsARange() flaw {
	var mu sync.Mutex
	var calls int
	var last stores.Range
	return flaw{answer: func(_ *client, _ string, r stores.Range) stores.Range {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls%10 == 0 && last.Size() >= r.Size() {
			return stores.Range{Start: last.Start, End: last.Start + r.Size()}
		}
		last = r
		return r
	}}
}

func swapsRanges() flaw {
	var mu sync.Mutex
	spare := map[int64]stores.Range{} // by size
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		mu.Lock()
		defer mu.Unlock()
		if r, ok := spare[size]; ok {
			delete(spare, size)
			return r, nil
		}
		r, err := c.server.reserve(key, 2*size, offset)
		if err != nil {
			return r, err
		}
		spare[size] = stores.Range{Start: r.Start, End: r.Start + size}
		return stores.Range{Start: r.Start + size, End: r.End}, nil
	}}
}

func twoSteps() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		before := c.server.get(key)
		pause()
		r, after, err := advance(before, size, offset)
		if err == nil {
			c.server.put(key, after)
		}
		return r, err
	}}
}

func alwaysFromOne() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, _ int64) (stores.Range, error) {
		return c.server.reserve(key, size, 1)
	}}
}

func alwaysFromOffset() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		c.server.put(key, row{})
		return c.server.reserve(key, size, offset)
	}}
}

func twoCreators() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if !c.server.get(key).exists {
			pause()
			c.server.put(key, row{exists: true, next: offset})
		}
		return c.server.reserve(key, size, offset)
	}}
}

func infersStart() flaw {
	return flaw{answer: func(c *client, key string, r stores.Range) stores.Range {
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, found := c.memory[key]; !found {
			c.memory[key] = r.Size()
		}
		return stores.Range{Start: r.End - c.memory[key], End: r.End}
	}}
}

func remembersItsEnd() flaw {
	return flaw{answer: func(c *client, key string, r stores.Range) stores.Range {
		if end, found := c.recall(key, r.End); found {
			r = stores.Range{Start: end, End: end + r.Size()}
			c.recall(key, r.End)
		}
		return r
	}}
}

func givesBack() flaw {
	return flaw{reserve: func(ctx context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		r, err := c.server.reserve(key, size, offset)
		if err != nil {
			return r, err
		}
		select {
		case <-time.After(2 * time.Millisecond): // the reply
			return r, nil
		case <-ctx.Done():
			before := c.server.get(key)
			before.next -= size
			c.server.put(key, before)
			return stores.Range{}, ctx.Err()
		}
	}}
}

func ignoresContext() flaw {
	return flaw{usable: alwaysUsable, await: alwaysUsable}
}

func alwaysUsable(context.Context, *client) error { return nil }

func sendsAnyway() flaw {
	return flaw{
		usable: alwaysUsable,
		await:  alwaysUsable,
		reserve: func(ctx context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
			r, err := c.server.reserve(key, size, offset)
			if ctx.Err() != nil {
				return stores.Range{}, ctx.Err()
			}
			return r, err
		},
		seal: func(ctx context.Context, _ *client, _ string) (bool, error) { return true, ctx.Err() },
	}
}

func waitsForEver() flaw {
	return flaw{await: func(_ context.Context, c *client) error {
		if gate := c.server.gate(); gate != nil {
			<-gate
		}
		return nil
	}}
}

func wraps() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		before := c.server.get(key)
		start := offset
		if before.exists {
			start = before.next
		}
		c.server.put(key, row{exists: true, next: start + size})
		return stores.Range{Start: start, End: start + size}, nil
	}}
}

func refusesTheLastID() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if next := max(c.server.get(key).next, offset); next >= math.MaxInt64-size {
			return stores.Range{}, stores.ErrRangeExhausted
		}
		return c.server.reserve(key, size, offset)
	}}
}

func cutsTheLastRange() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if before := c.server.get(key); before.exists && before.next > math.MaxInt64-size && before.next < math.MaxInt64 {
			size = math.MaxInt64 - before.next
		}
		return c.server.reserve(key, size, offset)
	}}
}

func movesToTheEnd() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		r, err := c.server.reserve(key, size, offset)
		if errors.Is(err, stores.ErrRangeExhausted) {
			c.server.put(key, row{exists: true, next: math.MaxInt64})
		}
		return r, err
	}}
}

func createsWhenRefusing() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if !c.server.get(key).exists {
			c.server.put(key, row{exists: true, next: offset})
		}
		return c.server.reserve(key, size, offset)
	}}
}

func checksOffset() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if offset > math.MaxInt64-size {
			return stores.Range{}, stores.ErrRangeExhausted
		}
		return c.server.reserve(key, size, offset)
	}}
}

func limitsByOffset() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if before := c.server.get(key); before.exists && offset > math.MaxInt64-size {
			c.server.put(key, row{exists: true, next: before.next + size})
			return stores.Range{Start: before.next, End: before.next + size}, nil
		}
		return c.server.reserve(key, size, offset)
	}}
}

func raceIsExhausted() flaw {
	var busy sync.Mutex
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if !busy.TryLock() {
			return stores.Range{}, stores.ErrRangeExhausted
		}
		defer busy.Unlock()
		pause()
		return c.server.reserve(key, size, offset)
	}}
}

func unseals() flaw {
	var mu sync.Mutex
	refusals := 0
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		mu.Lock()
		defer mu.Unlock()
		if before := c.server.get(key); before.sealed {
			if refusals++; refusals == 5 {
				before.sealed = false
				c.server.put(key, before)
			}
		}
		return c.server.reserve(key, size, offset)
	}}
}

func remembersOpen() flaw {
	return flaw{reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
		if _, seenOpen := c.recall(key, 1); seenOpen {
			before := c.server.get(key)
			before.sealed = false
			c.server.put(key, before)
		}
		return c.server.reserve(key, size, offset)
	}}
}

func togglesSeal() flaw {
	return flaw{seal: func(_ context.Context, c *client, key string) (bool, error) {
		before := c.server.get(key)
		before.sealed = !before.sealed
		c.server.put(key, before)
		return true, nil
	}}
}

func failsToSealAgain() flaw {
	return flaw{seal: func(_ context.Context, c *client, key string) (bool, error) {
		before := c.server.get(key)
		if before.sealed {
			return true, stores.ErrRangeSealed
		}
		before.sealed = true
		c.server.put(key, before)
		return true, nil
	}}
}

func sealsExisting() flaw {
	return flaw{seal: func(_ context.Context, c *client, key string) (bool, error) {
		if before := c.server.get(key); before.exists {
			before.sealed = true
			c.server.put(key, before)
		}
		return true, nil
	}}
}

func sealsByPrefix() flaw {
	var mu sync.Mutex
	var sealed []string
	return flaw{
		seal: func(_ context.Context, c *client, key string) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			sealed = append(sealed, key)
			return true, nil
		},
		reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
			mu.Lock()
			defer mu.Unlock()
			for _, prefix := range sealed {
				if strings.HasPrefix(key, prefix) {
					return stores.Range{}, stores.ErrRangeSealed
				}
			}
			return c.server.reserve(key, size, offset)
		},
	}
}

func createsOverSeal() flaw {
	return flaw{
		reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
			if before := c.server.get(key); !before.exists && !before.sealed {
				pause()
				c.server.put(key, row{exists: true, next: offset + size})
				return stores.Range{Start: offset, End: offset + size}, nil
			}
			return c.server.reserve(key, size, offset)
		},
		seal: func(_ context.Context, c *client, key string) (bool, error) {
			time.Sleep(time.Millisecond / 2) // arrives while others create the key
			before := c.server.get(key)
			before.sealed = true
			c.server.put(key, before)
			return true, nil
		},
	}
}

// claimsSeal is a client that seals in the background and answers before.
func claimsSeal() flaw {
	var mu sync.Mutex
	reservesLeft := map[string]int{}
	return flaw{
		seal: func(_ context.Context, _ *client, key string) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			reservesLeft[key] = 1000
			return true, nil
		},
		reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
			mu.Lock()
			defer mu.Unlock()
			if left, sealed := reservesLeft[key]; sealed {
				if left == 0 {
					return stores.Range{}, stores.ErrRangeSealed
				}
				reservesLeft[key]--
			}
			return c.server.reserve(key, size, offset)
		},
	}
}

func doubles() flaw {
	return flaw{answer: func(_ *client, _ string, r stores.Range) stores.Range {
		end := r.End
		if float := float64(end); float < math.MaxInt64 {
			end = int64(float)
		}
		return stores.Range{Start: end - r.Size(), End: end}
	}}
}

func cut(length int) func(string) string {
	return func(key string) string { return key[:min(len(key), length)] }
}

func dropPeriod(key string) string {
	parts := strings.Split(key, "/")
	return parts[0] + "/" + parts[1]
}

func punctuation(key string) string { return strings.NewReplacer("-", "_", ".", "_").Replace(key) }

func takesAnyKey() flaw {
	return flaw{check: func(_ string, size, offset int64) error { return stores.CheckReserve("shop/bill", size, offset) }}
}

func takesEmptySize() flaw {
	return flaw{check: func(key string, size, offset int64) error {
		if size == 0 {
			return nil
		}
		return stores.CheckReserve(key, size, offset)
	}}
}

func connectsFirst() flaw {
	return flaw{
		check: func(string, int64, int64) error { return nil },
		reserve: func(_ context.Context, c *client, key string, size, offset int64) (stores.Range, error) {
			if err := stores.CheckReserve(key, size, offset); err != nil {
				return stores.Range{}, err
			}
			return c.server.reserve(key, size, offset)
		},
	}
}

func worksBeforeStart() flaw {
	return flaw{usable: func(ctx context.Context, c *client) error {
		if c.closed {
			return stores.ErrClosed
		}
		return ctx.Err()
	}}
}

func worksAfterClose() flaw {
	return flaw{usable: func(ctx context.Context, c *client) error {
		if !c.started {
			return stores.ErrClosed
		}
		return ctx.Err()
	}}
}

func closesOnce() flaw {
	return flaw{close: func(c *client) error {
		c.mu.Lock()
		again := c.closed
		c.mu.Unlock()
		c.shut()
		if again {
			return errors.New("close of a closed store")
		}
		return nil
	}}
}

func closesAll() flaw {
	var mu sync.Mutex
	closed := false
	return flaw{
		close: func(c *client) error {
			mu.Lock()
			defer mu.Unlock()
			closed = true
			c.shut()
			return nil
		},
		usable: func(ctx context.Context, c *client) error {
			mu.Lock()
			defer mu.Unlock()
			if closed || !c.started || c.closed {
				return stores.ErrClosed
			}
			return ctx.Err()
		},
	}
}

func failsWhileClosing() flaw {
	return flaw{usable: func(ctx context.Context, c *client) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.closed {
			return fmt.Errorf("connection is gone")
		}
		return ctx.Err()
	}}
}

func losesOnClose() flaw {
	return flaw{close: func(c *client) error {
		if c.shut() {
			clear(c.server.rows)
		}
		return nil
	}}
}

func losesSealsOnClose() flaw {
	return flaw{close: func(c *client) error {
		if c.shut() {
			for key, r := range c.server.rows {
				r.sealed = false
				c.server.rows[key] = r
			}
		}
		return nil
	}}
}

func losesOnRestart() flaw {
	return flaw{restart: func(s *server) { clear(s.rows) }}
}
