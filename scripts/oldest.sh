#!/usr/bin/env bash
# Runs the tests that meet GORM with the oldest GORM that is supported, and those that meet go-redis with the oldest
# go-redis. go.mod asks for newer ones (docs/decisions, numbers 12 and 20), so a copy of go.mod replaces them.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

oldest_gorm=v1.31.0
oldest_redis=v9.20.0

# with MODULE VERSION PACKAGE... tests the packages with this version of the module.
with() {
	local module=$1 version=$2
	shift 2
	cp go.mod go.sum "$work"
	go mod edit -replace "$module=$module@$version" "$work/go.mod"
	say "$module $version; go.mod has $(go list -m -f '{{.Version}}' "$module")"
	GOFLAGS="$GOFLAGS -mod=mod -modfile=$work/go.mod" go test "$@"
}

# The other steps run what is left out here, with the newest: what takes long, and says little about the library.
with gorm.io/gorm "$oldest_gorm" -short ./tags/... ./stores/gormstore/... .
with github.com/redis/go-redis/v9 "$oldest_redis" -parallel 4 -skip Failovers ./stores/redisstore
