#!/usr/bin/env bash
# Runs every fuzz target for FUZZ_SECONDS (3), for less where there are so many that they would take longer than
# FUZZ_BUDGET seconds (45) together.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

targets=() # "package target"
folders=$({ grep -rl --include='*_test.go' '^func Fuzz' . || true; } | sed 's,/[^/]*$,,' | sort -u)
for folder in $folders; do
	listed=$(go test -list '^Fuzz' "$folder")
	for name in $(grep '^Fuzz' <<<"$listed" || true); do targets+=("$folder $name"); done
done

if [[ ${#targets[@]} == 0 ]]; then
	say "no fuzz targets"
	exit
fi

# fuzz runs one target. Left to itself, Go would spend most of a short run on making interesting inputs shorter.
fuzz() { go test -run '^$' -fuzz "^$2\$" -fuzztime "${seconds}s" -fuzzminimizetime 10x "$1"; }

# ended_badly tells whether Go has made a failure of the end of the time itself, as it does now and then: no input failed,
# and no line of a test says anything. Such a run is repeated, once.
ended_badly() {
	! grep -q 'Failing input written' "$work/fuzz.log" && grep -qx '    context deadline exceeded' "$work/fuzz.log"
}

seconds=$((${FUZZ_BUDGET:-45} / ${#targets[@]}))
if ((seconds > ${FUZZ_SECONDS:-3})); then seconds=${FUZZ_SECONDS:-3}; fi
if ((seconds < 1)); then seconds=1; fi

say "${#targets[@]} targets, $seconds s each"
for target in "${targets[@]}"; do
	read -r folder name <<<"$target"
	status=
	fuzz "$folder" "$name" >"$work/fuzz.log" 2>&1 || status=failed
	if [[ $status ]] && ended_badly; then
		status=
		fuzz "$folder" "$name" >"$work/fuzz.log" 2>&1 || status=failed
	fi
	if [[ $status ]]; then
		cat "$work/fuzz.log"
		say "FAIL $folder $name"
		exit 1
	fi
	say "ok $folder $name: $(grep -o 'execs: [0-9]*' "$work/fuzz.log" | tail -1)"
done
