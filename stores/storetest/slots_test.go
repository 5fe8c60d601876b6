package storetest_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestCorrectLeaseStoreKeepsEveryPromise(t *testing.T) {
	storetest.RunSlotLeaseStore(t, newSlotServer(slotFlaw{}).harness())
}

// A correct store that is slow keeps them too, on a clock that can be moved and on one that cannot.
func TestSlowLeaseStoreKeepsEveryPromise(t *testing.T) {
	for _, promise := range storetest.SlotPromises() {
		for _, moving := range []bool{true, false} {
			t.Run(promise.Name+"/moving="+strconv.FormatBool(moving), func(t *testing.T) {
				if promise.Needs == storetest.ClockMoving && !moving {
					return
				}
				synctest.Test(t, func(t *testing.T) {
					h := newSlotServer(slotFlaw{await: slowlyLeased}).harness()
					if !moving {
						h.MoveClock = nil
					}
					if err := promise.Check(t.Context(), h); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// slowlyLeased is the right await after a round trip.
func slowlyLeased(ctx context.Context, c *slotClient) error {
	select {
	case <-time.After(time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.awaitGate(ctx)
}

// brokenLeaseStores are stores that break one promise each. The first six are what the design warns of.
var brokenLeaseStores = []struct {
	name   string
	breaks string // the promise whose check must notice
	flaw   func() slotFlaw
}{
	{"knows no next floor", "L1_next_window_begins_where_the_last_ended", noNextFloor},
	{"knows no next floor in a mixed run", "L1_windows_never_overlap", noNextFloor},
	{"knows no next floor while many run", "L1_windows_of_concurrent_clients_never_overlap", noNextFloor},
	{"knows no next floor when the clock steps", "L7_windows_never_overlap_whatever_the_clock_does", noNextFloor},
	{"moves the ceiling back", "L4_renew_never_shrinks", ceilingMovesBack},
	{"moves the ceiling back with the clock", "L7_clock_steps_back_within_the_tolerance", ceilingMovesBack},
	{"renews without a look at fence and incarnation", "L4_renew_after_another_grant_is_lost", renewsAnything},
	{"gives back to a holder what another has", "L4_renew_after_another_grant_is_lost", regrantsTaken},
	{"releases without a look at fence and incarnation", "L8_release_needs_its_lease", releasesAnything},
	{"keeps the fence when it grants again", "L2_fence_strictly_increases", keepsFence},
	{"keeps the fence when it grants again, and releases late", "L8_late_release_of_an_earlier_grant", keepsFence},
	{"forgets what was used", "L8_release_gives_the_unused_window_back", forgetsUsed},

	{"begins at the epoch", "L1_first_window_begins_now", beginsAtTheEpoch},
	{"begins with fence 0", "L1_first_window_begins_now", beginsWithFence(-1)},
	{"leases for seconds instead of milliseconds", "L1_first_window_begins_now", windowOf(1000)},
	{"skips to the expiry instead of the ceiling", "L1_next_window_begins_where_the_last_ended", nextFromExpiry},
	{"reads and writes in two steps", "L1_concurrent_acquires_get_different_slots", twoLeaseSteps},
	{"raises the fence at a renewal", "L2_fence_strictly_increases", renewRaisesFence},
	{"counts fences by holder", "L2_fence_strictly_increases", fenceByHolder},
	{"gives the preferred slot though it is live", "L3_live_lease_is_not_taken", takesPreferred},
	{"takes over from strangers", "L3_live_lease_is_not_taken", takesStrangers},
	{"never frees what expired", "L3_expired_lease_is_taken", neverExpires},
	{"frees what expired at twice its time", "L3_expired_lease_is_taken", graceFlaw},
	{"looks at the first few slots only", "L3_many_expired_leases_are_taken", looksAtFew},
	{"takes over first", "L3_takeover_is_the_last_resort", takesOverFirst},
	{"takes over unasked", "L3_takeover_is_the_last_resort", takesOverUnasked},
	{"begins a takeover at once", "L3_takeover_begins_where_the_old_window_ends", takeOverAtOnce},
	{"never takes over", "L3_takeover_begins_where_the_old_window_ends", neverTakesOver},
	{"takes over beyond the tolerance", "L3_takeover_within_the_tolerance", takesOverAnything},
	{"ignores what was used in a renewal", "L4_renew_extends", renewIgnoresUsed},
	{"renews beyond the tolerance", "L4_renew_extends", renewBeyondTolerance},
	{"renews from the old expiry on", "L4_renew_extends", renewFromExpiry},
	{"moves the floor in a renewal", "L4_renew_extends", renewMovesFloor},
	{"refuses to renew what was just renewed", "L4_renew_twice", renewsOnce},
	{"refuses to renew late", "L4_late_renew", refusesLate},
	{"leaves a slot free that was renewed late", "L4_late_renew", staysSwept},
	{"renews what has the right incarnation", "L4_renew_needs_its_lease", renewsByIncarnation},
	{"renews what has the right fence", "L4_renew_needs_its_lease", renewsByFence},
	{"renews what another owner holds", "L4_renew_needs_its_lease", renewsForAnyOwner},
	{"renews what was released", "L4_renew_after_release_is_lost", renewsReleased},
	{"grants one slot too many", "L5_slots_lie_below_the_limit", limitOff(1)},
	{"grants one slot too few", "L5_slots_lie_below_the_limit", limitOff(-1)},
	{"has room for 65536 slots", "L5_largest_limit", smallLimit},
	{"takes the settings of the last request", "L5_limit_and_tolerance_are_fixed", lastSettings},
	{"compares only the limit", "L5_limit_and_tolerance_are_fixed", comparesLimitOnly},
	{"swaps the settings in its error", "L5_limit_and_tolerance_are_fixed", swapsSettings},
	{"has several creators", "L5_one_first_acquire_fixes_them", twoLeaseSteps},
	{"moves the floor when it grants again", "L6_same_incarnation_gets_its_slot_back", regrantMovesFloor},
	{"shortens the window when it grants again", "L6_same_incarnation_gets_its_slot_back", regrantShrinks},
	{"grants again only what is live", "L6_same_incarnation_gets_its_slot_back", regrantsLiveOnly},
	{"moves to the preferred slot when it grants again", "L6_same_incarnation_gets_its_slot_back", neverRegrants},
	{"grants again only what is usable", "L6_same_incarnation_needs_no_free_slot", regrantsUsableOnly},
	{"releases an earlier grant", "L6_earlier_grant_is_lost", releasesByIncarnation},
	{"grants again by the owner's name", "L6_processes_of_one_name_never_share", regrantsByOwner},
	{"loses the slots of abandoned calls", "L6_abandoned_calls_can_be_made_again", losesAbandoned},
	{"gives windows of abandoned calls back", "L6_abandoned_calls_can_be_made_again", givesWindowsBack},
	{"ignores a context that is done", "L6_context_ends_the_wait", ignoresContextLeased},
	{"sends the request of a context that is done", "L6_context_ends_the_wait", sendsAnywayLeased},
	{"waits for a frozen server for ever", "L6_context_ends_the_wait_for_a_frozen_server", waitsForEverLeased},
	{"goes by the client's clock", "L7_only_the_stores_clock_decides", clientsClock},
	{"knows no tolerance", "L7_clock_steps_back_within_the_tolerance", noTolerance},
	{"tolerates anything", "L7_clock_steps_back_beyond_the_tolerance", toleratesAnything},
	{"mends rows from the future", "L7_clock_steps_forward", mendsRows},
	{"keeps the whole window at a release", "L8_release_gives_the_unused_window_back", keepsWindow},
	{"goes below the floor at a release", "L8_release_gives_the_unused_window_back", belowFloor},
	{"gives the last used millisecond back", "L8_release_gives_the_unused_window_back", givesLastBack},
	{"believes any claim of use", "L8_release_stays_within_the_window", believesClaims},
	{"releases what has the right fence", "L8_release_needs_its_lease", releasesByFence},
	{"fails to release again", "L8_release_twice", releasesOnce},
	{"moves the floor when it releases again", "L8_release_twice", releaseAgainMoves},
	{"releases by owner", "L8_late_release_of_an_earlier_grant", releasesByOwner},
	{"refuses to release late", "L8_release_after_expiry", refusesLateRelease},
	{"leaks a slot now and then", "L8_cycles_leak_no_slot", leaks},
	{"counts the free slots as live", "L9_no_free_slot_tells_counts_and_time", countsLimit},
	{"tells the last expiry", "L9_no_free_slot_tells_counts_and_time", tellsLastExpiry},
	{"makes others wait beyond the expiry", "L9_usable_at_the_time_told", graceFlaw},
	{"tells the ceiling as the time", "L9_usable_at_the_time_told", tellsCeiling},
	{"counts windows ahead as live", "L9_windows_beyond_the_tolerance_are_counted", countsAheadAsLive},
	{"tells expiries only", "L9_windows_beyond_the_tolerance_are_counted", tellsExpiries},
	{"compares namespaces without case", "L10_namespaces_do_not_touch", lowerNamespace},
	{"cuts namespaces at 63 characters", "L10_namespaces_do_not_touch", cutNamespace},
	{"orders slots as text", "order_smallest_slot", textOrder},
	{"gives the largest slot", "order_smallest_slot", largestFirst},
	{"ignores the preference", "order_preferred_before_sticky", ignoresPreferred},
	{"tries the last slot first", "order_preferred_before_sticky", stickyFirst},
	{"forgets the last slot", "order_sticky_before_smallest", forgetsLast},
	{"tries the preferred slot first", "order_own_row_before_preferred", preferredAtFirst},
	{"takes what is usable before what is ready", "order_ready_before_usable", unsorted},
	{"compares owners without case", "owners_are_told_apart", lowerOwner},
	{"cuts owners at 254 characters", "owners_are_told_apart", cutOwner},
	{"compares incarnations without case", "incarnations_are_told_apart", lowerIncarnation},
	{"cuts incarnations at 36 characters", "incarnations_are_told_apart", cutIncarnation},
	{"takes any request", "wrong_arguments_are_refused_first", takesAnyRequest},
	{"takes any lease", "wrong_arguments_are_refused_first", takesAnyLease},
	{"connects before it looks at arguments", "wrong_arguments_are_refused_first", connectsFirstLeased},
	{"works before Start", "unusable_before_start_and_after_close", worksBeforeStartLeased},
	{"works after Close", "unusable_before_start_and_after_close", worksAfterCloseLeased},
	{"frees the slots when a client closes", "unusable_before_start_and_after_close", freesOnClose},
	{"fails to close twice", "unusable_before_start_and_after_close", closesOnceLeased},
	{"fails oddly while it closes", "close_ends_calls_in_flight_safely", failsWhileClosingLeased},
	{"keeps rows in its clients", "reopened_store_goes_on", losesRowsOnClose},
	{"keeps settings in its clients", "reopened_store_goes_on", losesSettingsOnClose},
	{"loses rows in a restart", "restarted_server_goes_on", losesRowsOnRestart},
	{"loses fences in a restart", "restarted_server_goes_on", losesFencesOnRestart},
}

func TestSuiteCatchesBrokenLeaseStores(t *testing.T) {
	promises := map[string]storetest.SlotPromise{}
	for _, promise := range storetest.SlotPromises() {
		promises[promise.Name] = promise
	}
	caught := map[string]bool{}
	for _, broken := range brokenLeaseStores {
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
					f.await = slowlyLeased // the bubble's clock moves on only while all wait
				}
				if err = promise.Check(ctx, newSlotServer(f).harness()); ctx.Err() != nil {
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

func TestSlotHarnessMustDeclareWhatItLacks(t *testing.T) {
	whole := newSlotServer(slotFlaw{}).harness()
	without := func(change func(h *storetest.SlotHarness)) storetest.SlotHarness {
		h := whole
		change(&h)
		return h
	}
	for _, test := range []struct {
		name    string
		harness storetest.SlotHarness
		want    string
	}{
		{"nothing", storetest.SlotHarness{}, "New is not set"},
		{"no clock", without(func(h *storetest.SlotHarness) { h.MoveClock = nil }), "no clock moving"},
		{"no restart", without(func(h *storetest.SlotHarness) { h.Restart = nil }), "no restarting"},
		{"no freeze", without(func(h *storetest.SlotHarness) { h.Freeze = nil }), "no freezing"},
		{"a false claim", without(func(h *storetest.SlotHarness) {
			h.Lacks = map[storetest.Ability]string{storetest.ClockMoving: "none"}
		}), "but it is there"},
		{"an ability of others", without(func(h *storetest.SlotHarness) {
			h.Lacks = map[storetest.Ability]string{storetest.Sealing: "none"}
		}), "unknown ability"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.harness.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
		})
	}
}

// The flaws, in the order of the table.

func twoLeaseSteps() slotFlaw  { return slotFlaw{hurry: true} }
func takesOverFirst() slotFlaw { return slotFlaw{greedy: true} }
func unsorted() slotFlaw       { return slotFlaw{unsorted: true} }

func noNextFloor() slotFlaw {
	return slotFlaw{acquire: func(row stores.SlotRow, r stores.SlotRequest, now int64) stores.SlotRow {
		if !row.HeldBy(r.Owner, r.Incarnation) {
			row.NextFloor = 0
		}
		return row.Acquire(r, now)
	}}
}

func ceilingMovesBack() slotFlaw {
	return renewing(func(row *stores.SlotRow, _ stores.SlotLease, ttl time.Duration, now int64) {
		row.Ceiling = now + ttl.Milliseconds()
		row.NextFloor = row.Ceiling
	})
}

// renewing is a store that renews rightly and then does something more.
func renewing(more func(row *stores.SlotRow, l stores.SlotLease, ttl time.Duration, now int64)) slotFlaw {
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, used, now int64,
	) (stores.SlotRow, error) {
		row, err := row.Renew(l, ttl, tolerance, used, now)
		if err == nil {
			more(&row, l, ttl, now)
		}
		return row, err
	}}
}

// renewsIf is a store that has its own idea of which lease it renews, if the right one does not.
func renewsIf(accepts func(row stores.SlotRow, l stores.SlotLease) bool) slotFlaw {
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, used, now int64,
	) (stores.SlotRow, error) {
		if accepts(row, l) && row.Owner != "" {
			l.Fence, l.Owner, l.Incarnation = row.Fence, row.Owner, row.Incarnation
		}
		return row.Renew(l, ttl, tolerance, used, now)
	}}
}

// releasesIf is the same for releases.
func releasesIf(accepts func(row stores.SlotRow, l stores.SlotLease) bool) slotFlaw {
	return slotFlaw{release: func(row stores.SlotRow, l stores.SlotLease, used, _ int64) (stores.SlotRow, error) {
		if accepts(row, l) && row.Owner != "" {
			l.Fence, l.Owner, l.Incarnation = row.Fence, row.Owner, row.Incarnation
		}
		return row.Release(l, used)
	}}
}

func anyLease(stores.SlotRow, stores.SlotLease) bool { return true }

func renewsAnything() slotFlaw   { return renewsIf(anyLease) }
func releasesAnything() slotFlaw { return releasesIf(anyLease) }

// granting is a store that grants rightly and then does something more.
func granting(more func(before stores.SlotRow, row *stores.SlotRow, r stores.SlotRequest, now int64)) slotFlaw {
	return slotFlaw{acquire: func(before stores.SlotRow, r stores.SlotRequest, now int64) stores.SlotRow {
		row := before.Acquire(r, now)
		more(before, &row, r, now)
		return row
	}}
}

// regranting is the same for what its holder gets again.
func regranting(more func(before stores.SlotRow, row *stores.SlotRow, r stores.SlotRequest, now int64)) slotFlaw {
	return granting(func(before stores.SlotRow, row *stores.SlotRow, r stores.SlotRequest, now int64) {
		if before.HeldBy(r.Owner, r.Incarnation) {
			more(before, row, r, now)
		}
	})
}

func keepsFence() slotFlaw {
	return regranting(func(before stores.SlotRow, row *stores.SlotRow, _ stores.SlotRequest, _ int64) {
		row.Fence = before.Fence
	})
}

// releasing is a store that releases rightly and then does something more.
func releasing(more func(before stores.SlotRow, row *stores.SlotRow, used int64)) slotFlaw {
	return slotFlaw{release: func(before stores.SlotRow, l stores.SlotLease, used, _ int64) (stores.SlotRow, error) {
		row, err := before.Release(l, used)
		if err == nil && before.Owner != "" {
			more(before, &row, used)
		}
		return row, err
	}}
}

func forgetsUsed() slotFlaw {
	return releasing(func(before stores.SlotRow, row *stores.SlotRow, _ int64) { row.NextFloor = before.Floor })
}

func beginsAtTheEpoch() slotFlaw {
	return granting(func(before stores.SlotRow, row *stores.SlotRow, _ stores.SlotRequest, _ int64) {
		if before.Fence == 0 {
			row.Floor = 0
		}
	})
}

func beginsWithFence(off int64) func() slotFlaw {
	return func() slotFlaw {
		return slotFlaw{answer: func(l stores.SlotLease) stores.SlotLease { l.Fence += off; return l }}
	}
}

func windowOf(factor int64) func() slotFlaw {
	return func() slotFlaw {
		return granting(func(_ stores.SlotRow, row *stores.SlotRow, _ stores.SlotRequest, _ int64) {
			row.Ceiling = row.Floor + factor*(row.Ceiling-row.Floor)
			row.NextFloor = row.Ceiling
		})
	}
}

func nextFromExpiry() slotFlaw {
	return slotFlaw{acquire: func(row stores.SlotRow, r stores.SlotRequest, now int64) stores.SlotRow {
		if row.Owner != "" && !row.HeldBy(r.Owner, r.Incarnation) {
			row.NextFloor = row.ExpiresAt
		}
		return row.Acquire(r, now)
	}}
}

func renewRaisesFence() slotFlaw {
	return renewing(func(row *stores.SlotRow, _ stores.SlotLease, _ time.Duration, _ int64) { row.Fence++ })
}

func fenceByHolder() slotFlaw {
	return granting(func(before stores.SlotRow, row *stores.SlotRow, r stores.SlotRequest, _ int64) {
		if before.Owner == "" && before.LastOwner != r.Owner {
			row.Fence = 1
		}
	})
}

func takesPreferred() slotFlaw {
	var mu sync.Mutex
	preferred := stores.NoSlot
	return slotFlaw{
		order: func(sp *space, r stores.SlotRequest) iter.Seq[int64] {
			mu.Lock()
			defer mu.Unlock()
			preferred = r.Preferred
			return inOrder(sp, r)
		},
		free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
			mu.Lock()
			defer mu.Unlock()
			return row.UsableAt(tolerance) <= now || row.Slot == preferred
		},
	}
}

func takesStrangers() slotFlaw {
	return slotFlaw{
		free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
			return row.UsableAt(tolerance) <= now || tolerance > 0 && row.NextFloor-tolerance.Milliseconds() <= now
		},
	}
}

func neverExpires() slotFlaw {
	return slotFlaw{free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
		return row.UsableAt(tolerance) <= now && row.Owner == ""
	}}
}

func graceFlaw() slotFlaw {
	return slotFlaw{free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
		return row.UsableAt(tolerance) <= now && row.ExpiresAt <= now-10_000
	}}
}

func looksAtFew() slotFlaw {
	return slotFlaw{free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
		return row.UsableAt(tolerance) <= now && (row.Slot < 16 || row.Owner == "")
	}}
}

func takesOverUnasked() slotFlaw {
	return slotFlaw{takeOver: func(row stores.SlotRow, r stores.SlotRequest, now int64) bool {
		r.TakeOver = true
		return row.CanTakeOver(r, now) || row.LastOwner == r.Owner
	}}
}

func takeOverAtOnce() slotFlaw {
	return slotFlaw{acquire: func(row stores.SlotRow, r stores.SlotRequest, now int64) stores.SlotRow {
		if row.Live(now) && !row.HeldBy(r.Owner, r.Incarnation) {
			row.NextFloor = now
		}
		return row.Acquire(r, now)
	}}
}

func neverTakesOver() slotFlaw {
	return slotFlaw{takeOver: func(stores.SlotRow, stores.SlotRequest, int64) bool { return false }}
}

func takesOverAnything() slotFlaw {
	return slotFlaw{takeOver: func(row stores.SlotRow, r stores.SlotRequest, _ int64) bool {
		return r.TakeOver && row.Owner == r.Owner
	}}
}

func renewIgnoresUsed() slotFlaw {
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, _, now int64,
	) (stores.SlotRow, error) {
		return row.Renew(l, ttl, tolerance, 0, now)
	}}
}

func renewBeyondTolerance() slotFlaw {
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, _ time.Duration, used, now int64,
	) (stores.SlotRow, error) {
		return row.Renew(l, ttl, stores.MaxTolerance, used, now)
	}}
}

func renewFromExpiry() slotFlaw {
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, used, now int64,
	) (stores.SlotRow, error) {
		before := row.ExpiresAt
		row, err := row.Renew(l, ttl, tolerance, used, now)
		if err == nil {
			row.ExpiresAt = before + ttl.Milliseconds()
		}
		return row, err
	}}
}

func renewMovesFloor() slotFlaw {
	return renewing(func(row *stores.SlotRow, _ stores.SlotLease, _ time.Duration, now int64) {
		row.Floor = max(row.Floor, now)
	})
}

func renewsOnce() slotFlaw {
	var mu sync.Mutex
	var latest stores.SlotLease
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, used, now int64,
	) (stores.SlotRow, error) {
		mu.Lock()
		defer mu.Unlock()
		if l == latest {
			return row, stores.ErrLeaseLost
		}
		latest = l
		return row.Renew(l, ttl, tolerance, used, now)
	}}
}

func refusesLate() slotFlaw {
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, used, now int64,
	) (stores.SlotRow, error) {
		if !row.Live(now) {
			return row, stores.ErrLeaseLost
		}
		return row.Renew(l, ttl, tolerance, used, now)
	}}
}

// staysSwept keeps a set of free slots, from which a late renewal does not take its own.
func staysSwept() slotFlaw {
	var mu sync.Mutex
	swept := map[int64]bool{}
	return slotFlaw{
		order: func(sp *space, r stores.SlotRequest) iter.Seq[int64] {
			mu.Lock()
			defer mu.Unlock()
			for slot, row := range sp.rows {
				if row.Owner != "" && row.ExpiresAt < time.Now().UnixMilli()+30_001 {
					swept[slot] = true
				}
			}
			return inOrder(sp, r)
		},
		free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
			mu.Lock()
			defer mu.Unlock()
			if swept[row.Slot] && row.NextFloor-tolerance.Milliseconds() <= now {
				delete(swept, row.Slot)
				return true
			}
			return row.UsableAt(tolerance) <= now
		},
	}
}

func renewsByIncarnation() slotFlaw {
	return renewsIf(func(row stores.SlotRow, l stores.SlotLease) bool { return row.Incarnation == l.Incarnation })
}

func renewsByFence() slotFlaw {
	return renewsIf(func(row stores.SlotRow, l stores.SlotLease) bool {
		return row.Fence == l.Fence && row.Owner == l.Owner
	})
}

func renewsForAnyOwner() slotFlaw {
	return renewsIf(func(row stores.SlotRow, l stores.SlotLease) bool {
		return row.Fence == l.Fence && row.Incarnation == l.Incarnation
	})
}

func renewsReleased() slotFlaw {
	return slotFlaw{renew: func(
		row stores.SlotRow, l stores.SlotLease, ttl, tolerance time.Duration, used, now int64,
	) (stores.SlotRow, error) {
		if row.Owner == "" && row.Fence == l.Fence {
			row.Owner, row.Incarnation = l.Owner, l.Incarnation
		}
		return row.Renew(l, ttl, tolerance, used, now)
	}}
}

// orderOf is a store that tries slots in another order.
func orderOf(slots func(sp *space, r stores.SlotRequest) []int64) slotFlaw {
	return slotFlaw{order: func(sp *space, r stores.SlotRequest) iter.Seq[int64] { return slices.Values(slots(sp, r)) }}
}

func limitOff(by int64) func() slotFlaw {
	return func() slotFlaw {
		return orderOf(func(sp *space, _ stores.SlotRequest) []int64 { return upTo(sp.limit + by) })
	}
}

func upTo(n int64) []int64 {
	slots := make([]int64, n)
	for i := range slots {
		slots[i] = int64(i)
	}
	return slots
}

func smallLimit() slotFlaw {
	return slotFlaw{rename: func(r *stores.SlotRequest) {
		r.Limit, r.Preferred = min(r.Limit, 1<<16), min(r.Preferred, 1<<16-1)
	}}
}

func lastSettings() slotFlaw {
	return slotFlaw{settings: func(r stores.SlotRequest, sp *space) error {
		sp.limit, sp.tolerance = r.Limit, r.Tolerance
		return nil
	}}
}

func comparesLimitOnly() slotFlaw {
	return slotFlaw{settings: func(r stores.SlotRequest, sp *space) error {
		return stores.CheckSlotSettings(r, sp.limit, r.Tolerance)
	}}
}

func swapsSettings() slotFlaw {
	return slotFlaw{settings: func(r stores.SlotRequest, sp *space) error {
		asked := r
		asked.Limit, asked.Tolerance = sp.limit, sp.tolerance
		return stores.CheckSlotSettings(asked, r.Limit, r.Tolerance)
	}}
}

func regrantMovesFloor() slotFlaw {
	return regranting(func(_ stores.SlotRow, row *stores.SlotRow, _ stores.SlotRequest, now int64) {
		row.Floor = max(row.Floor, now)
	})
}

func regrantShrinks() slotFlaw {
	return regranting(func(_ stores.SlotRow, row *stores.SlotRow, r stores.SlotRequest, now int64) {
		row.Ceiling = now + r.TTL.Milliseconds()
		row.NextFloor = row.Ceiling
	})
}

// regrantsIf is a store that finds its holder's own slot only sometimes.
func regrantsIf(finds func(row stores.SlotRow, r stores.SlotRequest, now int64) bool) slotFlaw {
	return slotFlaw{own: finds}
}

func regrantsLiveOnly() slotFlaw {
	return regrantsIf(func(row stores.SlotRow, r stores.SlotRequest, now int64) bool {
		return row.HeldBy(r.Owner, r.Incarnation) && row.Live(now) || row.Owner == r.Owner && r.Preferred == row.Slot
	})
}

func neverRegrants() slotFlaw {
	return regrantsIf(func(stores.SlotRow, stores.SlotRequest, int64) bool { return false })
}

func regrantsUsableOnly() slotFlaw {
	return regrantsIf(func(row stores.SlotRow, r stores.SlotRequest, now int64) bool {
		return row.HeldBy(r.Owner, r.Incarnation) && row.NextFloor-r.Tolerance.Milliseconds() <= now
	})
}

func regrantsTaken() slotFlaw {
	return regrantsIf(func(row stores.SlotRow, r stores.SlotRequest, _ int64) bool {
		return row.HeldBy(r.Owner, r.Incarnation) || row.Owner != "" && row.LastOwner == r.Owner
	})
}

func releasesByIncarnation() slotFlaw {
	return releasesIf(func(row stores.SlotRow, l stores.SlotLease) bool { return row.Incarnation == l.Incarnation })
}

func regrantsByOwner() slotFlaw {
	f := regrantsIf(func(row stores.SlotRow, r stores.SlotRequest, _ int64) bool { return row.Owner == r.Owner })
	f.acquire = func(row stores.SlotRow, r stores.SlotRequest, now int64) stores.SlotRow {
		if row.Owner == r.Owner {
			row.Incarnation = r.Incarnation
		}
		return row.Acquire(r, now)
	}
	return f
}

func losesAbandoned() slotFlaw {
	return slotFlaw{ended: func(_ context.Context, sp *space, slot int64) {
		row := sp.rows[slot]
		row.Owner, row.Incarnation, row.ExpiresAt = "nobody", "none", math.MaxInt64
		sp.rows[slot] = row
	}}
}

func givesWindowsBack() slotFlaw {
	return slotFlaw{ended: func(_ context.Context, sp *space, slot int64) {
		row := sp.rows[slot]
		row.NextFloor, row.ExpiresAt, row.Owner = row.Floor, 0, ""
		sp.rows[slot] = row
	}}
}

func ignoresContextLeased() slotFlaw {
	return slotFlaw{usable: alwaysLeases, await: alwaysLeases}
}

func alwaysLeases(context.Context, *slotClient) error { return nil }

func sendsAnywayLeased() slotFlaw {
	return slotFlaw{usable: alwaysLeases, await: alwaysLeases, ended: func(context.Context, *space, int64) {}}
}

func waitsForEverLeased() slotFlaw {
	return slotFlaw{await: func(_ context.Context, c *slotClient) error {
		if gate := c.server.gate(); gate != nil {
			<-gate
		}
		return nil
	}}
}

func clientsClock() slotFlaw {
	return slotFlaw{now: func(*slotServer) int64 { return time.Now().UnixMilli() }}
}

func noTolerance() slotFlaw {
	return slotFlaw{free: func(row stores.SlotRow, _ time.Duration, now int64) bool { return row.UsableAt(0) <= now }}
}

func toleratesAnything() slotFlaw {
	return slotFlaw{free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
		return row.UsableAt(0) <= now || tolerance > 0 && row.ExpiresAt <= now
	}}
}

func mendsRows() slotFlaw {
	return slotFlaw{
		free: func(row stores.SlotRow, tolerance time.Duration, now int64) bool {
			return row.UsableAt(tolerance) <= now || row.NextFloor > now+(12*time.Hour).Milliseconds()
		},
		acquire: func(row stores.SlotRow, r stores.SlotRequest, now int64) stores.SlotRow {
			if row.NextFloor > now+(12*time.Hour).Milliseconds() {
				row.NextFloor = now
			}
			return row.Acquire(r, now)
		},
	}
}

func keepsWindow() slotFlaw {
	return releasing(func(before stores.SlotRow, row *stores.SlotRow, _ int64) { row.NextFloor = before.Ceiling })
}

func belowFloor() slotFlaw {
	return releasing(func(_ stores.SlotRow, row *stores.SlotRow, used int64) { row.NextFloor = used + 1 })
}

func givesLastBack() slotFlaw {
	return releasing(func(before stores.SlotRow, row *stores.SlotRow, used int64) {
		row.NextFloor = max(before.Floor, used)
	})
}

func believesClaims() slotFlaw {
	return releasing(func(before stores.SlotRow, row *stores.SlotRow, used int64) {
		row.NextFloor = max(before.Floor, used+1)
	})
}

func releasesByFence() slotFlaw {
	return releasesIf(func(row stores.SlotRow, l stores.SlotLease) bool { return row.Fence == l.Fence })
}

func releasesOnce() slotFlaw {
	return slotFlaw{release: func(row stores.SlotRow, l stores.SlotLease, used, _ int64) (stores.SlotRow, error) {
		if row.Owner == "" {
			return row, stores.ErrLeaseLost
		}
		return row.Release(l, used)
	}}
}

func releaseAgainMoves() slotFlaw {
	return slotFlaw{release: func(row stores.SlotRow, l stores.SlotLease, used, _ int64) (stores.SlotRow, error) {
		if row.Owner == "" && row.Fence == l.Fence {
			row.NextFloor = max(row.Floor, used+1)
			return row, nil
		}
		return row.Release(l, used)
	}}
}

func releasesByOwner() slotFlaw {
	return releasesIf(func(row stores.SlotRow, l stores.SlotLease) bool { return row.Owner == l.Owner })
}

func refusesLateRelease() slotFlaw {
	return slotFlaw{release: func(row stores.SlotRow, l stores.SlotLease, used, now int64) (stores.SlotRow, error) {
		if row.Owner != "" && !row.Live(now) {
			return row, stores.ErrLeaseLost
		}
		return row.Release(l, used)
	}}
}

func leaks() slotFlaw {
	var mu sync.Mutex
	releases := 0
	return releasing(func(before stores.SlotRow, row *stores.SlotRow, _ int64) {
		mu.Lock()
		defer mu.Unlock()
		if releases++; releases == 3000 {
			*row = before
		}
	})
}

func countsLimit() slotFlaw {
	return slotFlaw{none: func(e *stores.NoFreeSlotError, _ *space) { e.Live, e.Ahead = 0, e.Limit }}
}

func tellsLastExpiry() slotFlaw {
	return slotFlaw{none: func(e *stores.NoFreeSlotError, sp *space) {
		for _, row := range sp.rows {
			e.UsableAt = max(e.UsableAt, row.ExpiresAt)
		}
	}}
}

func tellsCeiling() slotFlaw {
	return slotFlaw{none: func(e *stores.NoFreeSlotError, sp *space) {
		e.UsableAt = math.MaxInt64
		for _, row := range sp.rows {
			e.UsableAt = min(e.UsableAt, row.Ceiling-1)
		}
	}}
}

func countsAheadAsLive() slotFlaw {
	return slotFlaw{none: func(e *stores.NoFreeSlotError, _ *space) { e.Live, e.Ahead = e.Live+e.Ahead, 0 }}
}

func tellsExpiries() slotFlaw {
	return slotFlaw{none: func(e *stores.NoFreeSlotError, sp *space) {
		e.UsableAt = math.MaxInt64
		for _, row := range sp.rows {
			if row.Live(e.StoreNow) {
				e.UsableAt = min(e.UsableAt, row.ExpiresAt)
			}
		}
	}}
}

func lowerNamespace() slotFlaw {
	return slotFlaw{rename: func(r *stores.SlotRequest) { r.Namespace = strings.ToLower(r.Namespace) }}
}

func cutNamespace() slotFlaw {
	return slotFlaw{rename: func(r *stores.SlotRequest) { r.Namespace = cut(63)(r.Namespace) }}
}

func textOrder() slotFlaw {
	return orderOf(func(sp *space, _ stores.SlotRequest) []int64 {
		slots := upTo(sp.limit)
		slices.SortFunc(slots, func(a, b int64) int { return strings.Compare(strconv.Itoa(int(a)), strconv.Itoa(int(b))) })
		return slots
	})
}

func largestFirst() slotFlaw {
	return orderOf(func(sp *space, _ stores.SlotRequest) []int64 {
		slots := upTo(sp.limit)
		slices.Reverse(slots)
		return slots
	})
}

func ignoresPreferred() slotFlaw {
	return orderOf(func(sp *space, r stores.SlotRequest) []int64 {
		r.Preferred = stores.NoSlot
		return slices.Collect(inOrder(sp, r))
	})
}

func stickyFirst() slotFlaw {
	return orderOf(func(sp *space, r stores.SlotRequest) []int64 {
		slots := slices.Collect(inOrder(sp, r))
		if last, known := sp.last[r.Owner]; known {
			slots = slices.Insert(slots, 0, last)
		}
		return slots
	})
}

func forgetsLast() slotFlaw {
	return orderOf(func(sp *space, r stores.SlotRequest) []int64 {
		if r.Preferred != stores.NoSlot {
			return append([]int64{r.Preferred}, upTo(sp.limit)...)
		}
		return upTo(sp.limit)
	})
}

func preferredAtFirst() slotFlaw {
	return orderOf(func(sp *space, r stores.SlotRequest) []int64 {
		slots := slices.Collect(inOrder(sp, r))
		if r.Preferred != stores.NoSlot {
			slots = slices.Insert(slots, 0, r.Preferred)
		}
		return slots
	})
}

func lowerOwner() slotFlaw {
	return slotFlaw{rename: func(r *stores.SlotRequest) { r.Owner = strings.ToLower(r.Owner) }}
}

func cutOwner() slotFlaw {
	return slotFlaw{rename: func(r *stores.SlotRequest) { r.Owner = cut(254)(r.Owner) }}
}

func lowerIncarnation() slotFlaw {
	return slotFlaw{rename: func(r *stores.SlotRequest) { r.Incarnation = strings.ToLower(r.Incarnation) }}
}

func cutIncarnation() slotFlaw {
	return slotFlaw{rename: func(r *stores.SlotRequest) { r.Incarnation = cut(36)(r.Incarnation) }}
}

func takesAnyRequest() slotFlaw {
	return slotFlaw{checkRequest: func(r stores.SlotRequest) error { return stores.CheckName(r.Namespace) }}
}

func takesAnyLease() slotFlaw {
	return slotFlaw{checkLease: func(l stores.SlotLease, _ time.Duration, _ int64) error {
		return stores.CheckName(l.Namespace)
	}}
}

func connectsFirstLeased() slotFlaw {
	return slotFlaw{
		checkRequest: func(stores.SlotRequest) error { return nil },
		settings: func(r stores.SlotRequest, sp *space) error {
			if err := stores.CheckSlotRequest(r); err != nil {
				return err
			}
			return stores.CheckSlotSettings(r, sp.limit, sp.tolerance)
		},
	}
}

func worksBeforeStartLeased() slotFlaw {
	return slotFlaw{usable: func(ctx context.Context, c *slotClient) error {
		if c.closed {
			return stores.ErrClosed
		}
		return ctx.Err()
	}}
}

func worksAfterCloseLeased() slotFlaw {
	return slotFlaw{usable: func(ctx context.Context, c *slotClient) error {
		if !c.started {
			return stores.ErrClosed
		}
		return ctx.Err()
	}}
}

func freesOnClose() slotFlaw {
	return slotFlaw{close: func(c *slotClient) error {
		if open, _ := c.shut(); open {
			for _, sp := range c.server.spaces {
				for slot, row := range sp.rows {
					row.Owner, row.Incarnation, row.ExpiresAt = "", "", 0
					sp.rows[slot] = row
				}
			}
		}
		return nil
	}}
}

func closesOnceLeased() slotFlaw {
	return slotFlaw{close: func(c *slotClient) error {
		if open, _ := c.shut(); !open && c.started {
			return errors.New("close of a closed store")
		}
		return nil
	}}
}

func failsWhileClosingLeased() slotFlaw {
	return slotFlaw{usable: func(ctx context.Context, c *slotClient) error {
		if err := c.isUsable(ctx); err != nil {
			return errors.New("connection is gone")
		}
		return nil
	}}
}

func losesRowsOnClose() slotFlaw {
	return slotFlaw{close: func(c *slotClient) error {
		if _, last := c.shut(); last {
			for _, sp := range c.server.spaces {
				clear(sp.rows)
			}
		}
		return nil
	}}
}

func losesSettingsOnClose() slotFlaw {
	return slotFlaw{
		close: func(c *slotClient) error {
			if _, last := c.shut(); last {
				for _, sp := range c.server.spaces {
					sp.limit = 0
				}
			}
			return nil
		},
		settings: func(r stores.SlotRequest, sp *space) error {
			if sp.limit == 0 {
				sp.limit = r.Limit
			}
			return stores.CheckSlotSettings(r, sp.limit, sp.tolerance)
		},
	}
}

func losesRowsOnRestart() slotFlaw {
	return slotFlaw{restart: func(s *slotServer) { clear(s.spaces) }}
}

func losesFencesOnRestart() slotFlaw {
	return slotFlaw{restart: func(s *slotServer) {
		for _, sp := range s.spaces {
			for _, slot := range slices.Collect(maps.Keys(sp.rows)) {
				row := sp.rows[slot]
				if row.Owner == "" {
					row.Fence = 0
				}
				sp.rows[slot] = row
			}
		}
	}}
}
