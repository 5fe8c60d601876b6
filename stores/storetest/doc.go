// Package storetest is the conformance suite of stores. A store that passes it keeps the promises that uniqueness
// rests on: S1 to S6 of stores.RangeStore, L1 to L10 of stores.SlotLeaseStore, and those listed under them in the
// contracts.
//
// A store's own tests tell the suite how to make clients of one server:
//
//	func TestRangeStore(t *testing.T) {
//		storetest.RunRangeStore(t, storetest.Harness{New: func() (storetest.Store, error) { … }})
//	}
//
//	func TestSlotLeaseStore(t *testing.T) {
//		storetest.RunSlotLeaseStore(t, storetest.SlotHarness{New: func() (storetest.SlotStore, error) { … }})
//	}
//
// Each promise is a subtest of its own name, so that `go test -run 'RangeStore/S4'` checks one promise on one
// store. RangePromises and SlotPromises return the promises as values, for those who run them in another way.
package storetest
