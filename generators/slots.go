package generators

import "time"

// Slots says how the process leases a machine slot for the generators that need one: what stands at cosid.slots. All
// generators of one store and namespace share one lease.
type Slots struct {
	// Limit is how many slots the namespace has: the most processes that run at once. At least 1; the first process
	// of a namespace fixes it.
	Limit int64

	// TTL is how long a lease lasts without a renewal, and so how long ids are made while the store cannot be reached.
	TTL time.Duration

	// Tolerance is how far the ids' time may run ahead of the store's clock after that clock stepped back. The first
	// process of a namespace fixes it.
	Tolerance time.Duration

	// Owner is the stable name by which a restarted process finds its slot again.
	Owner string
}
