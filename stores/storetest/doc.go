// Package storetest is the conformance suite of stores. A store that passes it keeps the promises that uniqueness
// rests on, S1 to S6 and those listed under them in the contract of stores.RangeStore.
//
// A store's own test tells the suite how to make clients of one server:
//
//	func TestRangeStore(t *testing.T) {
//		storetest.RunRangeStore(t, storetest.Harness{New: func() (storetest.Store, error) { … }})
//	}
//
// Each promise is a subtest of its own name, so that `go test -run 'RangeStore/S4'` checks one promise on one
// store. RangePromises returns the promises as values, for those who run them in another way.
package storetest
