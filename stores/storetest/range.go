package storetest

import (
	"context"
	"testing"
	"time"
)

// Promise is one promise of a contract and the check for it.
type Promise struct {
	Name  string  // the subtest's name, for instance "S1_ranges_are_disjoint"
	Text  string  // the promise, in a sentence
	Needs Ability // what the check needs; empty for nothing

	// Check returns nil if the store keeps the promise, and otherwise what it did instead. ctx bounds the check.
	Check func(ctx context.Context, h Harness) error
}

// checkTimeout bounds one check. Checks take seconds on a slow server.
const checkTimeout = 2 * time.Minute

// RunRangeStore checks every promise of stores.RangeStore and stores.Sealer, each in a subtest of its name.
func RunRangeStore(t *testing.T, h Harness) {
	t.Helper()
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	for _, promise := range RangePromises() {
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

// RangePromises returns the promises of stores.RangeStore and stores.Sealer, in the order of the contract.
func RangePromises() []Promise {
	return []Promise{
		{
			Name:  "S1_ranges_are_disjoint_and_increase",
			Text:  "ranges of one key never overlap, and strictly increase in the order in which reserves complete",
			Check: check(disjointInSequence),
		},
		{
			Name:  "S1_ranges_of_concurrent_clients_are_disjoint_and_increase",
			Text:  "that holds for concurrent callers on several clients too",
			Check: check(disjointUnderConcurrency),
		},
		{
			Name:  "S2_first_range_starts_at_initial_offset",
			Text:  "the first range of a new key starts at initialOffset, later ones go on from the stored value",
			Check: check(firstAtInitialOffset),
		},
		{
			Name:  "S2_exactly_one_creates_the_key",
			Text:  "of concurrent first reserves exactly one creates the key",
			Check: check(oneCreator),
		},
		{
			Name:  "S3_sizes_may_change",
			Text:  "the returned range is the fact, whatever size was asked for before (F84)",
			Check: check(sizesChange),
		},
		{
			Name:  "S3_clients_with_other_sizes",
			Text:  "no client infers a bound from what it has seen itself, while others reserve too",
			Check: check(clientsOfOtherSizes),
		},
		{
			Name:  "S4_abandoned_reserves_leave_gaps_only",
			Text:  "reserves that were cancelled or timed out and then retried leave gaps, never repeats",
			Check: check(abandonedReserves),
		},
		{
			Name:  "S4_context_ends_the_wait",
			Text:  "a call with a context that is done returns the context's error",
			Check: check(doneContext),
		},
		{
			Name:  "S4_context_ends_the_wait_for_a_frozen_server",
			Text:  "a call to a server that does not answer ends with its context; whatever it did is a gap at most",
			Needs: Freezing,
			Check: check(frozenServer),
		},
		{
			Name:  "S5_ids_end_below_the_largest_int64",
			Text:  "ids lie in [0, MaxInt64), every one of them can be reserved, and nothing wraps",
			Check: check(exactEnd),
		},
		{
			Name:  "S5_refused_reserve_changes_nothing",
			Text:  "a refused reserve leaves the stored value as it was, so that a smaller one still fits",
			Check: check(refusalChangesNothing),
		},
		{
			Name:  "S5_refused_first_reserve_creates_nothing",
			Text:  "a first reserve that would pass the end does not create the key",
			Check: check(refusalCreatesNothing),
		},
		{
			Name:  "S5_stored_value_counts_not_the_offset",
			Text:  "an initialOffset near the end does not exhaust a key that already exists",
			Check: check(storedValueCounts),
		},
		{
			Name:  "S5_exhausted_only_when_it_is_true",
			Text:  "concurrent callers take every id up to the end, and none is told exhausted before",
			Check: check(noFalseExhaustion),
		},
		{
			Name:  "S6_sealed_key_stays_sealed",
			Text:  "once a key is sealed every client's reserve of it fails, for good",
			Needs: Sealing,
			Check: check(staysSealed),
		},
		{
			Name:  "S6_sealing_is_idempotent",
			Text:  "sealing a sealed key succeeds and changes nothing",
			Needs: Sealing,
			Check: check(sealTwice),
		},
		{
			Name:  "S6_sealed_before_its_first_reserve",
			Text:  "sealing a key that does not exist keeps it from ever existing",
			Needs: Sealing,
			Check: check(sealUnknownKey),
		},
		{
			Name:  "S6_other_keys_go_on",
			Text:  "sealing a key does not touch another one, however much alike they are written",
			Needs: Sealing,
			Check: check(sealOneKeyOnly),
		},
		{
			Name:  "S6_seal_wins_over_concurrent_reserves",
			Text:  "no reserve that begins after a Seal has returned succeeds, even one that races to create the key",
			Needs: Sealing,
			Check: check(sealUnderConcurrency),
		},
		{
			Name:  "exact_above_2_53",
			Text:  "values above 2^53 are exact (F52)",
			Check: check(exactAboveDoubles),
		},
		{
			Name:  "keys_share_no_counter",
			Text:  "keys that differ only in case, in punctuation, at their end or by a period are different counters",
			Check: check(keysShareNoCounter),
		},
		{
			Name:  "wrong_arguments_are_refused_first",
			Text:  "a bad key, size or offset is ErrInvalidArgument before anything else, and has no effect",
			Check: check(wrongArguments),
		},
		{
			Name:  "unusable_before_start_and_after_close",
			Text:  "a store that is not started or is closed answers ErrClosed; Close may be called at any time, twice too",
			Check: check(lifeCycle),
		},
		{
			Name:  "close_ends_calls_in_flight_safely",
			Text:  "calls that meet a Close succeed or fail with ErrClosed, and other clients go on above them",
			Check: check(closeUnderConcurrency),
		},
		{
			Name:  "reopened_store_goes_on",
			Text:  "after all clients are closed, a new one goes on where they were",
			Check: check(reopened),
		},
		{
			Name:  "restarted_server_goes_on",
			Text:  "after a restart of the server a client goes on where it was",
			Needs: Restarting,
			Check: check(restarted),
		},
	}
}
