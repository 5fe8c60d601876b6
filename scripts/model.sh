#!/usr/bin/env bash
# Checks the model of the slot lease protocol (docs/models) with spin, exhaustively within its bounds: no id is made
# twice and fences rise. Then it breaks the model in one way after the other, and each time spin must find an id that
# is made twice.
#
# It needs spin and gcc (Debian: spin gcc libc6-dev).
#
#   MODEL_FULL=1    larger bounds, which take some minutes and 4 GB more

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

model=$PWD/docs/models/slotlease.pml
small=(-DTTL=1 -DCLOCK=1 -DLIVES=3 -DGRANTS=3)
alone=-DREQUESTS=1 # one request in the net at a time, which may still be late, or executed again and again

# check DEFINES... explores the model; the report is in $work/report.
check() {
	(
		cd "$work"
		spin -a "$@" "$model"
		gcc -O1 -w -DSAFETY -DNOREDUCE -DSFH -DMEMLIM=8192 -o pan pan.c
		./pan -m200000 >report 2>&1
	)
}

# explored is the number of states and the time, as spin reports them.
explored() {
	awk '/states, stored/ { states = $1 } /elapsed time/ { time = $4 } END { print states " states, " time " s" }' \
		"$work/report"
}

# holds demands that the whole model was explored and no assertion failed.
holds() {
	local what=$1
	shift
	if ! check "$@" || ! grep -q 'errors: 0$' "$work/report" ||
		grep -Eq 'Search not completed|max search depth too small' "$work/report"; then
		cat "$work/report"
		say "FAIL $what"
		exit 1
	fi
	say "ok $what: $(explored)"
}

# breaks demands an id that is made twice.
breaks() {
	local what=$1
	shift
	check "$@" "${small[@]}" -DIDS_ONLY || true
	if ! grep -q 'assertion violated  !(id\[' "$work/report"; then
		cat "$work/report"
		say "FAIL $what: spin found nothing wrong"
		exit 1
	fi
	say "ok $what makes an id twice: found after $(explored)"
}

holds "two processes, one slot" "${small[@]}"
holds "longer windows" -DTTL=2 -DCLOCK=2 -DLIVES=3 -DGRANTS=3 $alone
holds "three processes" -DPROCESSES=3 -DTTL=1 -DCLOCK=1 -DLIVES=4 -DGRANTS=2 $alone
holds "two slots" -DSLOTS=2 -DTTL=1 -DCLOCK=1 -DTOLERANCE=0 -DLIVES=3 -DGRANTS=2 $alone
if [[ ${MODEL_FULL:-} ]]; then
	holds "two processes, longer windows" -DTTL=2 -DCLOCK=2 -DLIVES=3 -DGRANTS=3
	holds "two slots, ahead of the clock" -DSLOTS=2 -DTTL=1 -DCLOCK=1 -DLIVES=3 -DGRANTS=2 $alone
	holds "two processes, more lives" -DTTL=1 -DCLOCK=1 -DLIVES=4 -DGRANTS=4
fi

breaks "no next floor" -DNO_NEXT_FLOOR $alone
breaks "a ceiling that moves back" -DCEILING_MOVES_BACK $alone
breaks "a renew that checks neither fence nor incarnation" -DRENEW_CHECKS_NOTHING $alone
breaks "a release that checks neither" -DRELEASE_CHECKS_NOTHING $alone
breaks "a re-grant that keeps its fence, and an incarnation used again," -DRE_GRANT_KEEPS_FENCE -DINCARNATION_USED_AGAIN
breaks "a release that forgets usedThrough" -DRELEASE_FORGETS_USED $alone
breaks "a holder that goes on after its release" -DUSE_AFTER_RELEASE $alone
breaks "an incarnation that survives a crash" -DINCARNATION_SURVIVES $alone

holds "either alone is safe: a re-grant that keeps its fence" "${small[@]}" $alone -DIDS_ONLY -DRE_GRANT_KEEPS_FENCE
holds "and an incarnation used again" "${small[@]}" $alone -DIDS_ONLY -DINCARNATION_USED_AGAIN
