package snowflake

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/cosid-go/cosid/config/field"
)

// Slot says where the machine slot comes from. One that no store leases is kept by a local state file instead, which must
// survive the process: it holds the end of the time window, so that a restart repeats nothing, whatever the clock says.
type Slot struct {
	// Type is lease, a slot leased from the store; manual, the one given by id; or stateful-set, the ordinal at the end of
	// the host name, as in shop-3, but not in ip-10-0-0-12, which is an address. Of the latter two, no two machines may have
	// the same. Default: lease.
	Type string `koanf:"type" schema:"enum=lease|manual|stateful-set"`

	// ID is the slot of type manual.
	ID *int64 `koanf:"id" schema:"min=0,max=1048575"`

	// StateFile keeps a slot that is not leased. Default: cosid-{namespace}-{slot}.slot in the working directory.
	StateFile string `koanf:"state-file"`
}

// The types of a slot.
const (
	leasedSlot      = "lease"
	manualSlot      = "manual"
	statefulSetSlot = "stateful-set"
)

func (s Slot) validate(maxSlot int64) error {
	var mistakes []error
	wrong := func(key, accepted, problem string, args ...any) {
		mistakes = append(mistakes, field.Errorf("slot."+key, accepted, problem, args...))
	}
	switch {
	case s.Type != leasedSlot && s.Type != manualSlot && s.Type != statefulSetSlot:
		wrong("type", "lease, manual, stateful-set", "%q is not a type of slot", s.Type)
	case s.Type == manualSlot && s.ID == nil:
		wrong("id", fmt.Sprintf("0 to %d", maxSlot), "a slot of type manual needs an id")
	case s.Type == manualSlot && (*s.ID < 0 || *s.ID > maxSlot):
		wrong("id", fmt.Sprintf("0 to %d, or more bits.slot", maxSlot), "%d does not fit the slot's bits", *s.ID)
	case s.Type != manualSlot && s.ID != nil:
		wrong("id", "no id, or type: manual", "a slot of type %s has no id of its own", s.Type)
	}
	if s.Type == leasedSlot && s.StateFile != "" {
		wrong("state-file", "no file, or type: manual", "a slot that the store leases needs no file")
	}
	return errors.Join(mistakes...)
}

// number is the slot of one that is not leased. hostname tells the name of this machine.
func (s Slot) number(maxSlot int64, hostname func() (string, error)) (int64, error) {
	if s.Type == manualSlot {
		return *s.ID, nil
	}
	name, err := hostname()
	if err != nil {
		return 0, fmt.Errorf("the host name, which slot type stateful-set needs: %w", err)
	}
	const accepted = "a host name that ends with an ordinal, such as shop-3; else manual or lease"
	if regexp.MustCompile(`^ip(-\d+){4}$`).MatchString(name) { // as clouds name machines; a pod on the host's network has it
		return 0, field.Errorf("slot.type", accepted, "the host name %q is an address, not a name with an ordinal: "+
			"machines of two networks can end with the same number", name)
	}
	found := regexp.MustCompile(`-(0|[1-9][0-9]{0,8})$`).FindStringSubmatch(name)
	if found == nil {
		return 0, field.Errorf("slot.type", accepted, "the host name %q has no ordinal", name)
	}
	ordinal, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil || ordinal > maxSlot {
		return 0, field.Errorf("bits.slot", "more bits, or fewer replicas",
			"the ordinal of host %q is not one of 0 to %d", name, maxSlot)
	}
	return ordinal, nil
}
