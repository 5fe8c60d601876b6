package storetest

import (
	"context"
	"testing"
)

// SlotPromise is one promise of stores.SlotLeaseStore and the check for it, as Promise is one of stores.RangeStore.
type SlotPromise struct {
	Name  string
	Text  string
	Needs Ability

	// Check returns nil if the store keeps the promise, and otherwise what it did instead. ctx bounds the check.
	Check func(ctx context.Context, h SlotHarness) error
}

// RunSlotLeaseStore checks every promise of stores.SlotLeaseStore, each in a subtest of its name.
func RunSlotLeaseStore(t *testing.T, h SlotHarness) {
	t.Helper()
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	for _, promise := range SlotPromises() {
		if reason, lacking := h.Lacks[promise.Needs]; lacking {
			t.Logf("%s: not applicable without %s: %s", promise.Name, promise.Needs, reason)
			continue
		}
		t.Run(promise.Name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), checkTimeout)
			defer cancel()
			if err := promise.Check(ctx, h); err != nil {
				t.Errorf("broken: %s\n%v", promise.Text, err)
			}
		})
	}
}

// SlotPromises returns the promises of stores.SlotLeaseStore, in the order of design section 6.
func SlotPromises() []SlotPromise {
	return []SlotPromise{
		{
			Name:  "L1_first_window_begins_now",
			Text:  "the first grant of a slot has fence 1 and a window of ttl from the store's now on",
			Check: checkSlots(freshSlot),
		},
		{
			Name:  "L1_next_window_begins_where_the_last_ended",
			Text:  "a window begins at the end of the slot's last one or now, whichever is later",
			Check: checkSlots(nextWindow),
		},
		{
			Name:  "L1_windows_never_overlap",
			Text:  "whatever holders do, no two of them may use the same millisecond of a slot",
			Check: checkSlots(windowsInSequence),
		},
		{
			Name:  "L1_windows_of_concurrent_clients_never_overlap",
			Text:  "that holds for many holders at once on few slots too",
			Check: checkSlots(windowsUnderConcurrency),
		},
		{
			Name:  "L1_concurrent_acquires_get_different_slots",
			Text:  "those who acquire at once get a slot each, while there are any, and no slot has two live holders",
			Check: checkSlots(oneHolderASlot),
		},
		{
			Name:  "L2_fence_strictly_increases",
			Text:  "each grant of a slot raises its fence by one, a grant to its holder too, and a renewal does not",
			Check: checkSlots(fenceRises),
		},
		{
			Name:  "L3_live_lease_is_not_taken",
			Text:  "a slot whose lease is live goes to nobody else, preferred or not",
			Check: checkSlots(liveStays),
		},
		{
			Name:  "L3_expired_lease_is_taken",
			Text:  "a slot whose holder was not heard of for its ttl goes to the next one, once (F66)",
			Check: checkSlots(expiredGoes),
		},
		{
			Name:  "L3_many_expired_leases_are_taken",
			Text:  "all slots can be had again after all their leases expired (F77)",
			Check: checkSlots(manyExpire),
		},
		{
			Name:  "L3_takeover_is_the_last_resort",
			Text:  "a live lease of the same owner is taken only if asked for, and if no other slot is usable",
			Check: checkSlots(takeOverLast),
		},
		{
			Name:  "L3_takeover_begins_where_the_old_window_ends",
			Text:  "after a takeover the old holder is fenced off, and its window ends before the new one begins",
			Check: checkSlots(takeOver),
		},
		{
			Name:  "L3_takeover_within_the_tolerance",
			Text:  "a live lease whose window ends beyond the tolerance is not taken over",
			Check: checkSlots(takeOverWithinTolerance),
		},
		{
			Name:  "L4_renew_extends",
			Text:  "a renewal extends the lease from now on and the window from what was used, within the tolerance",
			Check: checkSlots(renewExtends),
		},
		{
			Name:  "L4_renew_never_shrinks",
			Text:  "a renewal for less time moves neither the ceiling back nor the next window's floor",
			Check: checkSlots(renewNeverShrinks),
		},
		{
			Name:  "L4_renew_twice",
			Text:  "a renewal may be repeated at once, and each succeeds",
			Check: checkSlots(renewTwice),
		},
		{
			Name:  "L4_late_renew",
			Text:  "an expired lease whose slot nobody has taken is renewed, and is live again",
			Check: checkSlots(renewLate),
		},
		{
			Name:  "L4_renew_after_another_grant_is_lost",
			Text:  "once another has the slot the old holder cannot have it back, and the other's lease is untouched (F76)",
			Check: checkSlots(renewAfterTakeover),
		},
		{
			Name:  "L4_renew_needs_its_lease",
			Text:  "slot, fence, incarnation and owner must be those of the row, and the namespace known",
			Check: checkSlots(renewNeedsItsLease),
		},
		{
			Name:  "L4_renew_after_release_is_lost",
			Text:  "a released lease is not renewed",
			Check: checkSlots(renewAfterRelease),
		},
		{
			Name:  "L5_slots_lie_below_the_limit",
			Text:  "slots lie in [0, limit), and all of them are granted",
			Check: checkSlots(withinLimit),
		},
		{
			Name:  "L5_largest_limit",
			Text:  "a namespace may have MaxSlots slots",
			Check: checkSlots(largestLimit),
		},
		{
			Name:  "L5_limit_and_tolerance_are_fixed",
			Text:  "a request with another limit or tolerance than the namespace's is refused and changes nothing",
			Check: checkSlots(settingsStay),
		},
		{
			Name:  "L5_one_first_acquire_fixes_them",
			Text:  "of concurrent first acquires with different limits one wins, and the others are told",
			Check: checkSlots(oneFirstAcquire),
		},
		{
			Name:  "L6_same_incarnation_gets_its_slot_back",
			Text:  "an acquire made again gets the same slot and floor with a higher fence, expired or not",
			Check: checkSlots(ownSlotBack),
		},
		{
			Name:  "L6_same_incarnation_needs_no_free_slot",
			Text:  "that is so where no slot is free and its window lies beyond the tolerance, too",
			Check: checkSlots(ownSlotBackWhenFull),
		},
		{
			Name:  "L6_earlier_grant_is_lost",
			Text:  "what comes late or twice for an earlier grant of the same incarnation changes nothing",
			Check: checkSlots(earlierGrant),
		},
		{
			Name:  "L6_processes_of_one_name_never_share",
			Text:  "two processes of one name that acquire again and again never have the same slot (F55)",
			Check: checkSlots(sameNameTwice),
		},
		{
			Name:  "L6_abandoned_calls_can_be_made_again",
			Text:  "calls that were cancelled or timed out and then made again break no window and leak no slot",
			Check: checkSlots(abandonedLeases),
		},
		{
			Name:  "L6_context_ends_the_wait",
			Text:  "a call with a context that is done returns the context's error and does nothing",
			Check: checkSlots(doneContextLeases),
		},
		{
			Name:  "L6_context_ends_the_wait_for_a_frozen_server",
			Text:  "a call to a server that does not answer ends with its context",
			Needs: Freezing,
			Check: checkSlots(frozenLeases),
		},
		{
			Name:  "L7_only_the_stores_clock_decides",
			Text:  "now is the server's, whatever the client's clock says",
			Needs: ClockMoving,
			Check: checkSlots(storeClockDecides),
		},
		{
			Name:  "L7_clock_steps_back_within_the_tolerance",
			Text:  "slots stay usable, and windows begin ahead of the clock where they must",
			Needs: ClockMoving,
			Check: checkSlots(backWithinTolerance),
		},
		{
			Name:  "L7_clock_steps_back_beyond_the_tolerance",
			Text:  "slots that were used wait for the clock, and holders keep what they have",
			Needs: ClockMoving,
			Check: checkSlots(backBeyondTolerance),
		},
		{
			Name:  "L7_clock_steps_forward",
			Text:  "leases expire, and no window comes back when the clock is set right",
			Needs: ClockMoving,
			Check: checkSlots(forward),
		},
		{
			Name:  "L7_windows_never_overlap_whatever_the_clock_does",
			Text:  "windows and fences hold while the clock steps both ways under all calls",
			Needs: ClockMoving,
			Check: checkSlots(anySteps),
		},
		{
			Name:  "L8_release_gives_the_unused_window_back",
			Text:  "after a release the next window begins after the last used millisecond, or where this one did",
			Check: checkSlots(releaseGivesBack),
		},
		{
			Name:  "L8_release_stays_within_the_window",
			Text:  "a release that claims more than was granted does not move the next window beyond the ceiling",
			Check: checkSlots(releaseWithinWindow),
		},
		{
			Name:  "L8_release_needs_its_lease",
			Text:  "slot, fence and incarnation must be those of the row, or nothing is released",
			Check: checkSlots(releaseNeedsItsLease),
		},
		{
			Name:  "L8_release_twice",
			Text:  "a repeated release succeeds and changes nothing, and is ErrLeaseLost once another has the slot",
			Check: checkSlots(releaseTwice),
		},
		{
			Name:  "L8_late_release_of_an_earlier_grant",
			Text:  "a release that comes late does not give away what its holder or a later life of it has now",
			Check: checkSlots(releaseOfEarlierGrant),
		},
		{
			Name:  "L8_release_after_expiry",
			Text:  "an expired lease that nobody has taken is released as well, and the slot is free once",
			Check: checkSlots(releaseLate),
		},
		{
			Name:  "L8_cycles_leak_no_slot",
			Text:  "after thousands of releases, crashes and restarts all slots can be had",
			Check: checkSlots(nothingLeaks),
		},
		{
			Name:  "L9_no_free_slot_tells_counts_and_time",
			Text:  "with all slots live the error counts them and tells when the first expires",
			Check: checkSlots(fullOfLive),
		},
		{
			Name:  "L9_usable_at_the_time_told",
			Text:  "the slot of a holder that is gone is granted at its latest expiry",
			Check: checkSlots(fullUntilExpiry),
		},
		{
			Name:  "L9_windows_beyond_the_tolerance_are_counted",
			Text:  "free and expired slots whose window lies too far ahead are told apart from live ones",
			Check: checkSlots(fullOfWindowsAhead),
		},
		{
			Name:  "L10_namespaces_do_not_touch",
			Text:  "namespaces share no slot, setting or lease, however much alike they are written (F68)",
			Check: checkSlots(namespacesApart),
		},
		{
			Name:  "order_smallest_slot",
			Text:  "a new owner gets the smallest slot that is ready, and else the smallest that is usable",
			Check: checkSlots(smallestFree),
		},
		{
			Name:  "order_preferred_before_sticky",
			Text:  "the preferred slot comes before the owner's last one, if it is free",
			Check: checkSlots(preferredFirst),
		},
		{
			Name:  "order_sticky_before_smallest",
			Text:  "an owner finds its last slot again after a release, if it is free",
			Check: checkSlots(stickyNext),
		},
		{
			Name:  "order_own_row_before_preferred",
			Text:  "a restarted owner finds the slot that it held, once the lease is expired",
			Check: checkSlots(ownRowFirst),
		},
		{
			Name:  "order_ready_before_usable",
			Text:  "a slot whose window begins now comes before every one whose window begins ahead of the clock",
			Check: checkSlots(readyFirst),
		},
		{
			Name:  "owners_are_told_apart",
			Text:  "owners that differ only in case, in punctuation or at their end are different",
			Check: checkSlots(ownersApart),
		},
		{
			Name:  "incarnations_are_told_apart",
			Text:  "so are incarnations of one owner",
			Check: checkSlots(incarnationsApart),
		},
		{
			Name:  "wrong_arguments_are_refused_first",
			Text:  "a bad request, lease or time is ErrInvalidArgument before anything else, and has no effect",
			Check: checkSlots(wrongLeaseArguments),
		},
		{
			Name:  "unusable_before_start_and_after_close",
			Text:  "a store that is not started or is closed answers ErrClosed; closing it frees no slot",
			Check: checkSlots(slotLifeCycle),
		},
		{
			Name:  "close_ends_calls_in_flight_safely",
			Text:  "calls that meet a Close succeed or fail with ErrClosed, and other clients go on",
			Check: checkSlots(slotCloseUnderConcurrency),
		},
		{
			Name:  "reopened_store_goes_on",
			Text:  "after all clients are closed, a new one finds leases, windows and settings as they were",
			Check: checkSlots(slotReopened),
		},
		{
			Name:  "restarted_server_goes_on",
			Text:  "after a restart of the server a client finds them as they were",
			Needs: Restarting,
			Check: checkSlots(slotRestarted),
		},
	}
}
