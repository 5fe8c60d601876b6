package generators

import (
	"strconv"
	"time"

	"github.com/cosid-go/cosid/config/field"
)

// Epoch is the time of tick 0 in settings, in milliseconds since the Unix epoch. A configuration writes it as RFC 3339
// text, 2019-12-24T16:00:00Z, or as that number.
type Epoch int64

const acceptedEpoch = "a time such as 2019-12-24T16:00:00Z, or milliseconds since 1970"

// leastEpochNumber is 1973 in milliseconds, and the year 5138 in seconds: a smaller number was meant as seconds.
const leastEpochNumber = 100_000_000_000

// UnmarshalText reads either form. Its error is a *field.Error without a key.
func (e *Epoch) UnmarshalText(text []byte) error {
	written := string(text)
	if millis, err := strconv.ParseInt(written, 10, 64); err == nil {
		switch {
		case millis > 0 && millis < leastEpochNumber:
			return field.Errorf("", acceptedEpoch, "%d milliseconds lie in %d; were seconds meant? Write %d",
				millis, time.UnixMilli(millis).UTC().Year(), millis*1000)
		case millis < 0 || millis > maxEpochMillis:
			return field.Errorf("", acceptedEpoch, "%d milliseconds do not lie from 1970 to 9999", millis)
		}
		*e = Epoch(millis)
		return nil
	}
	at, err := time.Parse(time.RFC3339, written)
	switch {
	case err != nil:
		return field.Errorf("", acceptedEpoch, "%q is not a time", written)
	case at.Nanosecond()%int(time.Millisecond) != 0:
		return field.Errorf("", acceptedEpoch, "%q is finer than a millisecond", written)
	case at.UnixMilli() < 0 || at.UnixMilli() > maxEpochMillis:
		return field.Errorf("", acceptedEpoch, "%q does not lie from 1970 to 9999", written)
	}
	*e = Epoch(at.UnixMilli())
	return nil
}

// String is the epoch as RFC 3339 text in UTC.
func (e Epoch) String() string { return time.UnixMilli(int64(e)).UTC().Format(time.RFC3339Nano) }

// MarshalText writes what String does.
func (e Epoch) MarshalText() ([]byte, error) { return []byte(e.String()), nil }
