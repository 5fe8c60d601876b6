// Package memstore keeps ranges and slot leases in the memory of the process: for tests, and for programs of one
// process whose ids need not survive it. Every other use needs a store that outlives the process, because a counter
// that starts over repeats its ids.
//
// A Server holds the counters and slots, a Store is one client of it. New makes both at once:
//
//	store := memstore.New()
//	if err := store.Start(ctx); err != nil { ... }
//
// Several clients of one server behave as the replicas of a service do:
//
//	server := memstore.NewServer()
//	a, b := server.Client(), server.Client()
//
// The server's clock, by which slots are leased, is the host's, or one of a test's own, and a test can step it:
//
//	server := &memstore.Server{Clock: clock.Now}
//	server.MoveClock(-time.Hour)
package memstore
