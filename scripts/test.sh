#!/usr/bin/env bash
# Checks everything: ./scripts/test.sh, from any folder. It needs Go and the Go module proxy; as root on Debian it
# installs what else the tests use, and elsewhere it says what is missing and runs the rest.
#
#   ./scripts/test.sh                 every step
#   ./scripts/test.sh vet race        these steps only
#   REQUIRE_SERVERS=1                 something missing fails the run instead of being left out
#   FUZZ_SECONDS=3 FUZZ_BUDGET=45     time of one fuzz target, and of all of them together

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# other_modules keep their dependencies out of the product's go.mod.
other_modules=(benchmarks cmd/cosidvet examples/pgx)

step_tidy() { # every go.mod says what its module needs, and no more
	local file
	while read -r file; do
		say "$file"
		go -C "$(dirname "$file")" mod tidy -diff
	done < <(find . -name go.mod -not -path './.*' | sort)
}

step_format() { # gofumpt
	local files
	files=$(tool gofumpt -l .)
	if [[ $files ]]; then
		say "not in gofumpt's format, run make fmt:" "$files"
		return 1
	fi
}

step_build() { # everything compiles without cgo
	go build ./...
}

step_vet() { # go vet, in all modules
	go vet ./...
	local module
	for module in "${other_modules[@]}"; do go -C "$module" vet ./...; done
}

step_lint() { # staticcheck
	tool staticcheck ./...
	(cd cmd/cosidvet && go tool -modfile=../../tools/go.mod staticcheck ./...)
}

step_cross() { # other machines: go vet for 386, go build for arm64
	say "go vet, GOARCH=386"
	GOOS=linux GOARCH=386 go vet ./...
	# SQLite would take longer here than all else together, and the vet for 386 has compiled it for 32 bits.
	local packages
	packages=$(go list -f '{{.ImportPath}} {{join .Deps " "}}' ./... | awk '!/modernc/ { print $1 }')
	say "go build, GOARCH=arm64, without what links SQLite"
	# shellcheck disable=SC2086
	GOOS=linux GOARCH=arm64 go build $packages
}

step_example() { # the example, twice on one database
	scripts/example-twice.sh
}

step_fuzz() { # a short run of every fuzz target
	scripts/fuzz.sh
}

step_model() { # Spin checks the model of the slot leases
	if have spin spin && have gcc gcc libc6-dev; then
		scripts/model.sh
	else
		left_out "the model of the slot leases: it needs spin and a C compiler (Debian: spin gcc libc6-dev)"
	fi
}

step_oldest() { # the tests that meet GORM and go-redis, with the oldest that are supported
	scripts/oldest.sh
}

step_race() { # all tests, under the race detector
	need_server redis-server redis-server redis-sentinel
	need_server initdb postgresql
	need_server mariadbd mariadb-server
	need_server faketime faketime
	if can_race; then
		# More packages at once than processors: those with servers wait most of their time.
		CGO_ENABLED=1 go test -race -p 4 ./...
	else
		left_out "the race detector: it needs cgo and a C compiler (Debian: gcc libc6-dev) on a 64-bit machine"
		go test ./...
	fi
	go -C examples/pgx test ./...
	go -C cmd/cosidvet test ./...
}

# The tests come last, so that their lines stand at the end of the output.
all_steps=(tidy format build vet lint cross example fuzz model oldest race)

# can_race tells whether the race detector works here, by using it.
can_race() {
	local cc
	cc=$(go env CC)
	have "${cc%% *}" gcc libc6-dev || return 1
	printf 'package main\n\nfunc main() {}\n' >"$work/race.go"
	CGO_ENABLED=1 go run -race "$work/race.go"
}

# need_server COMMAND PACKAGE... says that the tests of this step use a server, which they start themselves:
#   need_server redis-server redis-server redis-sentinel
need_server() {
	if ! have "$@"; then left_out "tests with $1 (Debian: ${*:2})"; fi
}

# left_out notes for the summary what cannot run here, or fails where REQUIRE_SERVERS asks for everything.
left_out() {
	say "missing: $1"
	omissions+="  left out: $1"$'\n'
	if [[ ${REQUIRE_SERVERS:-} == 1 ]]; then
		say "REQUIRE_SERVERS=1 asks for it"
		return 1
	fi
}

what() { sed -n "s/^step_$1() { # //p" scripts/test.sh; }

omissions=
passed=
running=

summary() {
	local status=$?
	rm -rf "$work"
	say "" "== summary"
	printf '%s' "$passed"
	if [[ $running ]]; then say "  FAILED  $running: $(what "$running")   (alone: ./scripts/test.sh $running)"; fi
	printf '%s' "$omissions"
	if [[ $status == 0 ]]; then say "PASS in $SECONDS s"; else say "FAIL after $SECONDS s"; fi
	exit "$status"
}

steps=("$@")
if [[ $# == 0 ]]; then steps=("${all_steps[@]}"); fi
for step in "${steps[@]}"; do
	if [[ " ${all_steps[*]} " != *" $step "* ]]; then
		say "no step $step; there are: ${all_steps[*]}" >&2
		exit 2
	fi
done

trap summary EXIT
for running in "${steps[@]}"; do
	say "" "== $running: $(what "$running")"
	started=$SECONDS
	"step_$running"
	passed+=$(printf '  ok      %-8s %4d s  %s' "$running" $((SECONDS - started)) "$(what "$running")")$'\n'
done
running=
