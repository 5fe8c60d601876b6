// Package stores holds the contracts between id generators and the places that keep them unique: what a store
// promises (RangeStore, Sealer), how its keys are written, the errors it answers with, and how a store type
// is made known to a configuration (Factory).
//
// Each sub-package is one store. stores/storetest is the suite that every store passes.
package stores
