# `make` lists the targets.

.DEFAULT_GOAL := help
.PHONY: help check test race stress fuzz bench lint fmt example vuln tidy

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: ## everything that a change must pass: scripts/test.sh
	scripts/test.sh

test: ## all tests, quickly
	CGO_ENABLED=0 go test ./...

race: ## all tests, under the race detector
	scripts/test.sh race

stress: ## the long proofs at full size: kills, failovers, endurance, simulation, a larger model
	COSID_STRESS_IDS=1000000 go test -timeout 60m -run UnderLoad ./generators/segment
	COSID_STRESS_SECONDS=60 go test -timeout 60m ./generators/snowflake
	COSID_STRESS_KILLS=20 COSID_STRESS_FAILOVERS=10 COSID_STRESS_CYCLES=10000 go test -timeout 60m ./stores/redisstore
	COSID_STRESS_KILLS=10 COSID_STRESS_CYCLES=10000 go test -timeout 60m ./stores/gormstore
	COSID_STRESS_BILLS=5000 go test -timeout 60m ./examples/yaml-app
	COSID_SIM_STEPS=100000000 go test -timeout 60m ./internal/leasesim
	COSID_STRESS_ENDURANCE=2m go test -timeout 60m -run Endure -v ./internal/endurance
	MODEL_FULL=1 scripts/model.sh

fuzz: ## every fuzz target for FUZZ_SECONDS (default 30)
	FUZZ_SECONDS=$${FUZZ_SECONDS:-30} FUZZ_BUDGET=$${FUZZ_BUDGET:-3600} scripts/test.sh fuzz

bench: ## time the hot paths beside bare atomics and other libraries, in one table
	go -C benchmarks run .

lint: ## format, go vet, staticcheck and 32-bit builds
	scripts/test.sh format vet lint cross

fmt: ## rewrite the sources in gofumpt's format
	go tool -modfile=tools/go.mod gofumpt -w .

example: ## run the example
	go run ./examples/yaml-app

vuln: ## look for known vulnerabilities in what is called
	scripts/vulncheck.sh

tidy: ## bring every go.mod up to date
	find . -name go.mod -not -path './.*' -execdir go mod tidy ';'
