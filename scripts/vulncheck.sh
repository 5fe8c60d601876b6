#!/usr/bin/env bash
# Looks for known vulnerabilities in what the product calls. It fails on those in modules, which a new requirement
# in go.mod can remove, and only shows those in the standard library, which a newer Go removes.
#
# The database is vuln.go.dev, or where that cannot be reached the module golang.org/x/vulndb, from which an index
# is built (a download of 70 MB and about a minute).

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

database=https://vuln.go.dev
if ! curl --silent --fail --max-time 5 --output /dev/null "$database/index/db.json"; then
	say "$database cannot be reached, building the database from golang.org/x/vulndb"
	printf 'module vulncheck\n\ngo 1.26.0\n' >"$work/go.mod"
	version=$(go -C "$work" list -m -f '{{.Version}}' golang.org/x/vulndb@latest)
	folder=$(go -C "$work" mod download -json "golang.org/x/vulndb@$version" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
	go run "golang.org/x/vulndb/cmd/indexdb@$version" -vulns "$folder/data/osv" -out "$work/db"
	database=file://$work/db
fi

# Exit status 3 means that there are findings.
status=0
tool govulncheck -db "$database" ./... >"$work/findings" || status=$?
grep -Ev "^ +#([2-9]|[0-9]{2,}): " "$work/findings" || true # one trace of each is enough
if [[ $status != 0 && $status != 3 ]]; then exit "$status"; fi
if grep -q '^ *Module: ' "$work/findings"; then
	say "vulnerable modules are called: raise them in go.mod"
	exit 1
fi
