package segment

import (
	"errors"
	"math"
	"time"

	"github.com/cosid-go/cosid/config/field"
)

// maxSize bounds the ids of one reservation. It is far above any use, and far below where sums could overflow.
const maxSize = 1 << 40

// Policy says how many ids a generator keeps at hand, and how long its callers wait (design section 4). Start from
// DefaultPolicy: several zero values have a meaning of their own.
type Policy struct {
	// Step is the smallest reservation, and what every reservation is a multiple of. At least 1.
	Step int64 `koanf:"step" schema:"min=1,max=1099511627776"`

	// InitialOffset is the first id of a key that the store does not know yet. Not negative.
	InitialOffset int64 `koanf:"initial-offset" schema:"min=0,max=9223372036854775806"`

	// Lookahead is how long the ids at hand should last: reservations are as large as the ids issued in this
	// time, and the next one starts when no more than that are left. 0 = reserve only when no id is left.
	Lookahead time.Duration `koanf:"lookahead" schema:"min=0"`

	// MaxBatch is the largest reservation, rounded down to a multiple of Step. 0 = the larger of 1000 steps and 2^20.
	MaxBatch int64 `koanf:"max-batch" schema:"min=0,max=1099511627776"`

	// ReserveTimeout is how long a caller that found no id waits for the store, counted from its first wait. More
	// than 0, and no less than the time-out of the store's own calls.
	ReserveTimeout time.Duration `koanf:"reserve-timeout" schema:"above=0"`

	// RangeTTL is the age at which a range is dropped, used up or not, so that the ids of several instances
	// follow the order of time to that accuracy. It costs a look at the clock for each id. 0 = never.
	RangeTTL time.Duration `koanf:"range-ttl" schema:"min=0"`
}

// DefaultPolicy is step 100 from offset 1, a lookahead of 1s, a reserve-timeout of 3s and no range-ttl.
func DefaultPolicy() Policy {
	return Policy{Step: 100, InitialOffset: 1, Lookahead: time.Second, ReserveTimeout: 3 * time.Second}
}

// Validate reports every mistake at once, each as a *field.Error.
func (p Policy) Validate() error {
	var mistakes []error
	refuse := func(key, accepted string, value any) {
		mistakes = append(mistakes, field.Errorf(key, accepted, "%v is out of bounds", value))
	}
	if p.Step < 1 || p.Step > maxSize {
		refuse("step", "1 to 2^40", p.Step)
	}
	if p.InitialOffset < 0 || p.InitialOffset == math.MaxInt64 {
		refuse("initial-offset", "0 to 2^63-2", p.InitialOffset)
	}
	if p.Lookahead < 0 {
		refuse("lookahead", "a duration such as 1s, or 0 for no prefetch", p.Lookahead)
	}
	switch {
	case p.MaxBatch < 0 || p.MaxBatch > maxSize:
		refuse("max-batch", "1 to 2^40, or left out", p.MaxBatch)
	case p.MaxBatch != 0 && p.MaxBatch < p.Step:
		mistakes = append(mistakes, field.Errorf("max-batch", "a multiple of step, or left out",
			"%d is less than step %d", p.MaxBatch, p.Step))
	}
	if p.ReserveTimeout <= 0 {
		refuse("reserve-timeout", "a duration such as 3s", p.ReserveTimeout)
	}
	if p.RangeTTL < 0 {
		refuse("range-ttl", "a duration such as 10s, or left out", p.RangeTTL)
	}
	return errors.Join(mistakes...)
}

// maxBatch is MaxBatch with its default filled in, a multiple of Step.
func (p Policy) maxBatch() int64 {
	limit := p.MaxBatch
	if limit == 0 {
		limit = max(1000*p.Step, 1<<20)
	}
	return limit - limit%p.Step
}

// size is how many ids to reserve where so many are wanted.
func (p Policy) size(wanted float64) int64 {
	limit := p.maxBatch()
	if wanted >= float64(limit) {
		return limit
	}
	steps := (int64(math.Ceil(wanted)) + p.Step - 1) / p.Step
	return max(steps, 1) * p.Step
}
