#!/usr/bin/env bash
# Runs the tests that meet GORM with the oldest GORM that is supported. go.mod cannot ask for it, since the SQLite
# dialect asks for a newer one (docs/decisions, number 12), so a copy of go.mod replaces the newer one.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

oldest=v1.31.0

cp go.mod go.sum "$work"
go mod edit -replace "gorm.io/gorm=gorm.io/gorm@$oldest" "$work/go.mod"
export GOFLAGS="$GOFLAGS -mod=mod -modfile=$work/go.mod"
say "GORM $(go list -m -f '{{.Replace.Version}}' gorm.io/gorm); go.mod has $(GOFLAGS='' go list -m -f '{{.Version}}' gorm.io/gorm)"
go test ./tags/... ./stores/gormstore/... .
