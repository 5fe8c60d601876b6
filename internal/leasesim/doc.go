// Package leasesim holds a simulation of the slot lease protocol (design section 6). It has tests only.
//
// Processes lease slots from one store over a network that delays, loses, doubles and reorders requests and answers,
// while the store's clock steps both ways and the processes stand still, crash and come back. Each process makes
// ids, going by an idea of the time that may be anything. After each step a ledger, which knows nothing of how the
// store works, checks the promises L1–L10 and, above all, that no id was made twice.
//
// In the simulation proper there is no real time, no goroutine and no sleep: a run is a function of its seed, and a
// failure names the seed that repeats it. Its processes follow the protocol in a few lines of their own. The real
// holders of package snowflake run under the same ledger, in the time of a synctest bubble.
//
//	COSID_SIM_SEED=17 go test ./internal/leasesim                the run of that seed
//	COSID_SIM_STEPS=100000000 go test ./internal/leasesim   more steps than the million of every day
//	COSID_SIM_SECONDS=600 go test ./internal/leasesim       more time for the real holders than 8 seconds
//	COSID_SIM_TRIALS=100 go test ./internal/leasesim        more runs of each broken protocol than 4
//
// The same ledger must catch each of the ways in which the store or the holder of a lease can be wrong (flaws), which
// shows that the simulation would notice.
package leasesim
