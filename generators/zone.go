package generators

import (
	"time"
	_ "time/tzdata" // a zone must mean the same on a machine without a time zone database

	"github.com/cosid-go/cosid/config/field"
)

// LoadZone finds the time zone that settings name at their key `zone`. It knows the same zones on every machine, and
// refuses Local and an empty name. Its error is a *field.Error.
func LoadZone(name string) (*time.Location, error) {
	const accepted = "an IANA name such as Asia/Shanghai, or UTC"
	switch name {
	case "":
		return nil, field.Errorf("zone", accepted, "a time zone is required")
	case "Local":
		return nil, field.Errorf("zone", accepted, "Local differs from machine to machine")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, field.Errorf("zone", accepted, "%q is not a known time zone", name)
	}
	return zone, nil
}
