#!/usr/bin/env bash
# Runs the example twice on one database, in a folder of its own, and checks that the second run goes on where the
# first one was: no bill number and no order id comes twice, and all of the second run lie above those of the first.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rows=9
go build -o "$work/yaml-app" ./examples/yaml-app
cp examples/yaml-app/*.yaml "$work"
cd "$work"
for run in 1 2; do
	./yaml-app -n "$rows" -config cosid.yaml >"run$run"
	cat "run$run"
done

# column N RUN prints the n-th column of a run's table.
column() { awk -v n="$1" '/^BIZ-[0-9]+-[0-9]+ / { print $n }' "run$2"; }

check() {
	local name=$1 order=$2 n=$3 all repeated last first
	all=$(column "$n" 1; column "$n" 2)
	if [[ $(wc -l <<<"$all") != $((2 * rows)) ]]; then
		say "FAIL: two runs printed not 2 x $rows of $name:" "$all"
		exit 1
	fi
	repeated=$(sort <<<"$all" | uniq -d)
	if [[ $repeated ]]; then
		say "FAIL: repeated $name:" "$repeated"
		exit 1
	fi
	last=$(column "$n" 1 | sort "$order" | tail -1)
	first=$(column "$n" 2 | sort "$order" | head -1)
	if [[ $(printf '%s\n' "$last" "$first" | sort "$order" | tail -1) != "$first" ]]; then
		say "FAIL: $name of the second run begin at $first, below $last of the first"
		exit 1
	fi
	say "ok: $((2 * rows)) distinct $name; the first run ended at $last, the second began at $first"
}
check "bill numbers" -d 1
check "order ids" -n 4
