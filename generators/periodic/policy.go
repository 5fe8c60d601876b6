package periodic

import (
	"errors"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators/segment"
)

// longestPrewarm is less than any day, also the one of 23 hours.
const longestPrewarm = 22 * time.Hour

// Policy is how each period's ids are reserved, and what happens around a period's two ends (design section 5). Start
// from DefaultPolicy.
type Policy struct {
	segment.Policy

	// Prewarm is how long before a period's end the first call reserves the next period's first range. 0 = not: the
	// first callers of the new period wait for the store. A generator without calls in that time reserves nothing.
	Prewarm time.Duration `koanf:"prewarm" schema:"min=0"`

	// SealAfter is how long after a period's end its key is sealed, so that an instance whose clock lags gets
	// stores.ErrRangeSealed. It must be longer than clocks differ; a day or more is advised. 0 = never.
	SealAfter time.Duration `koanf:"seal-after" schema:"min=0"`
}

// DefaultPolicy is segment.DefaultPolicy with a prewarm of 1m, and no sealing.
func DefaultPolicy() Policy {
	return Policy{Policy: segment.DefaultPolicy(), Prewarm: time.Minute}
}

// Validate reports every mistake at once, each as a *field.Error.
func (p Policy) Validate() error {
	mistakes := []error{p.Policy.Validate()}
	if p.Prewarm < 0 || p.Prewarm > longestPrewarm {
		mistakes = append(mistakes, field.Errorf("prewarm", "0 to 22h, such as 1m", "%v is out of bounds", p.Prewarm))
	}
	if p.SealAfter < 0 {
		mistakes = append(mistakes, field.Errorf("seal-after", "a duration such as 1d, or left out",
			"%v is out of bounds", p.SealAfter))
	}
	return errors.Join(mistakes...)
}
