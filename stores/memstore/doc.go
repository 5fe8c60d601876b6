// Package memstore keeps ranges in the memory of the process: for tests, and for programs of one process whose
// ids need not survive it. Every other use needs a store that outlives the process, because a counter that
// starts over repeats its ids.
//
// A Server holds the counters, a Store is one client of it. New makes both at once:
//
//	store := memstore.New()
//	if err := store.Start(ctx); err != nil { ... }
//
// Several clients of one server behave as the replicas of a service do:
//
//	server := memstore.NewServer()
//	a, b := server.Client(), server.Client()
package memstore
