package periodic

import (
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
)

// Calendar says where one period ends and the next begins. Both fields are required.
type Calendar struct {
	Period generators.Period
	Zone   *time.Location // not time.Local: replicas must agree
}

func (c Calendar) check() error {
	if c.Period.Width() == 0 {
		return field.Errorf("period", generators.PeriodNames, "%v is not a period", c.Period)
	}
	if c.Zone == nil || c.Zone == time.Local {
		return field.Errorf("zone", "a zone of an IANA name", "%v is not the same everywhere", c.Zone)
	}
	return nil
}

// at is the period that contains t.
func (c Calendar) at(t time.Time) interval {
	t = t.In(c.Zone)
	return interval{period: c.Period.Format(t), start: c.Period.Start(t), end: c.Period.Next(t)}
}

// after is the period that follows p.
func (c Calendar) after(p interval) interval { return c.at(p.end) }

// before is the period that p follows.
func (c Calendar) before(p interval) interval { return c.at(p.start.Add(-1)) }

// interval is one period: from start up to, not including, end.
type interval struct {
	period     string
	start, end time.Time
}
