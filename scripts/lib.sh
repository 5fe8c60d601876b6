# Helpers of the scripts in this folder; sourced, not run. After sourcing, the working directory is the
# repository's root, $work is a folder of the run's own, and the first command that fails ends the run.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The version stamp asks git, which refuses a checkout that belongs to somebody else, as in most containers.
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"

# No package needs cgo. Only the race detector does, and says so where it is used; one setting for all the
# rest lets every step find in the build cache what an earlier one has compiled.
export CGO_ENABLED=0

export LC_ALL=C # one order of sorting everywhere

say() { printf "%s\n" "$@"; }

# tool NAME ARGS... runs a tool at the version pinned in tools/go.mod.
tool() { go tool -modfile=tools/go.mod "$@"; }

# have COMMAND PACKAGE... makes sure that a command is there, installing the Debian packages where that is possible.
have() {
	local command=$1
	shift
	if there "$command"; then return 0; fi
	if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then return 1; fi
	say "installing $* for $command"
	{ apt-get update -qq && install_quietly "$@"; } || return 1
	there "$command"
}

# there COMMAND tells whether a command can be found; Debian keeps PostgreSQL's server out of PATH.
there() { command -v "$1" >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null; }

# install_quietly installs packages without starting their services: the tests start their own, on free ports.
install_quietly() {
	local policy=/usr/sbin/policy-rc.d status=0 ours=
	if [[ ! -e $policy ]]; then
		printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && ours=yes
	fi
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null || status=$?
	if [[ $ours ]]; then rm -f "$policy"; fi
	return "$status"
}
