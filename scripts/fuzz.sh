#!/usr/bin/env bash
# Runs every fuzz target for FUZZ_SECONDS (3), for less where there are so many that they would take longer than
# FUZZ_BUDGET seconds (30) together.

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

seconds=$((${FUZZ_BUDGET:-30} / ${#targets[@]}))
if ((seconds > ${FUZZ_SECONDS:-3})); then seconds=${FUZZ_SECONDS:-3}; fi
if ((seconds < 1)); then seconds=1; fi

say "${#targets[@]} targets, $seconds s each"
for target in "${targets[@]}"; do
	read -r folder name <<<"$target"
	if ! fuzz "$folder" "$name" >"$work/fuzz.log" 2>&1; then
		cat "$work/fuzz.log"
		say "FAIL $folder $name"
		exit 1
	fi
	say "ok $folder $name: $(grep -o 'execs: [0-9]*' "$work/fuzz.log" | tail -1)"
done
