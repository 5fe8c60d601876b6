package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/names"
	"github.com/cosid-go/cosid/stores"
)

// slotSettings are the keys of cosid.slots.
type slotSettings struct {
	// Store is the name of the store that leases the slots, for generators that name none.
	Store string `koanf:"store" schema:"pattern=[A-Za-z0-9][A-Za-z0-9._-]{0,63}"`

	// Limit is how many slots the namespace has: the most processes that run at once. Left out it is 1024, or as many
	// as the slot bits of the generators hold. The first process of a namespace fixes it.
	Limit *int64 `koanf:"limit" schema:"min=1,max=1048576"`

	// TTL is how long a lease lasts without a renewal, and so how long ids are made while the store cannot be reached.
	TTL time.Duration `koanf:"ttl" schema:"above=0"`

	// Tolerance is how far the time in ids may run ahead of the store's clock after that clock was set back. The first
	// process of a namespace fixes it.
	Tolerance time.Duration `koanf:"tolerance" schema:"min=0"`

	// Owner is the stable name by which a restarted process finds its slot again. Left out it is the host name.
	Owner *string `koanf:"owner" schema:"pattern=[A-Za-z0-9][A-Za-z0-9._:@-]{0,254}"`
}

func defaultSlotSettings() slotSettings {
	return slotSettings{TTL: 30 * time.Second, Tolerance: time.Hour}
}

// defaultSlotLimit is the limit where the slot bits of the generators hold as many.
const defaultSlotLimit = 1024

// Validate reports every mistake at once, each as a *field.Error.
func (s *slotSettings) Validate() error {
	var mistakes []error
	wrong := func(key, accepted, problem string, args ...any) {
		mistakes = append(mistakes, field.Errorf(key, accepted, problem, args...))
	}
	if s.Limit != nil && (*s.Limit < 1 || *s.Limit > stores.MaxSlots) {
		wrong("limit", fmt.Sprintf("1 to %d", stores.MaxSlots), "%d is out of bounds", *s.Limit)
	}
	if s.TTL < time.Millisecond || s.TTL > stores.MaxTTL || s.TTL%time.Millisecond != 0 {
		wrong("ttl", "1ms to 24h in whole milliseconds, such as 30s", "%v is out of bounds", s.TTL)
	}
	if s.Tolerance < 0 || s.Tolerance > stores.MaxTolerance || s.Tolerance%time.Millisecond != 0 {
		wrong("tolerance", "0 to 365d in whole milliseconds, such as 1h", "%v is out of bounds", s.Tolerance)
	}
	if s.Owner != nil && stores.CheckOwner(*s.Owner) != nil {
		wrong("owner", stores.OwnerGrammar, "%q is not an owner", *s.Owner)
	}
	return errors.Join(mistakes...)
}

// slotLeases gathers what cosid.slots and the generators that need a slot say of each other.
type slotLeases struct {
	slotSettings
	decoder  *sectionDecoder
	at       path
	written  bool
	broken   bool      // a mistake in the section was reported
	recorded []Setting // its own, kept until it is known whether anything needs a slot
	needed   bool
	holders  []slotHolder
}

// slotHolder is a generator that leases a slot.
type slotHolder struct {
	name string
	at   path // of the key that says the bits, or of the generator where none does
	bits int
}

// slotLeases decodes cosid.slots.
func (d *sectionDecoder) slotLeases(raw any, declared []Store) *slotLeases {
	l := &slotLeases{slotSettings: defaultSlotSettings(), decoder: d, at: root.key("slots"), written: raw != nil}
	before := len(d.problems.list)
	aside := decoder{origins: d.origins, problems: d.problems, settings: &l.recorded}
	aside.decodeSettings(l.at, raw, &l.slotSettings)
	known := storeNames(declared)
	if l.Store != "" && !slices.Contains(known, l.Store) {
		d.unknownStore(l.at.key("store"), l.Store, known)
	} else if values, _ := raw.(map[string]any); l.Store == "" && values["store"] != nil {
		if text, isText := plainText(values["store"]); isText && text == "" {
			d.problem(l.at.key("store"), names.List(known), "the store's name is empty")
		}
	}
	l.broken = len(d.problems.list) > before
	return l
}

// add takes in a generator that needs a slot.
func (l *slotLeases) add(name string, at path, settings generators.SlotSettings) {
	l.needed = true
	if !settings.LeasesSlot() {
		return
	}
	if _, settable := settings.(generators.LayoutSettings); settable {
		at = at.key("bits").key("slot")
	}
	if bits := settings.IDSlotBits(); 0 <= bits && bits <= generators.MaxSlotBits { // others are reported already
		l.holders = append(l.holders, slotHolder{name: name, at: at, bits: bits})
	}
}

// finish checks the slot bits of all generators against the limit. The result is zero where nothing needs a slot, and
// has neither limit nor owner where none is leased.
func (l *slotLeases) finish(hostname func() (string, error)) generators.Slots {
	d := l.decoder
	if l.needed || l.written {
		*d.settings = append(*d.settings, l.recorded...)
	}
	switch {
	case !l.needed && l.written:
		d.warnings = append(d.warnings, "cosid.slots is used by no generator: none needs a slot")
		return generators.Slots{}
	case !l.needed:
		return generators.Slots{}
	case len(l.holders) == 0:
		return generators.Slots{TTL: l.TTL, Tolerance: l.Tolerance}
	}
	return generators.Slots{Limit: l.limit(), TTL: l.TTL, Tolerance: l.Tolerance, Owner: l.owner(hostname)}
}

// limit is the one that is written, if the slot bits of all generators hold it, else one that they all agree on.
func (l *slotLeases) limit() int64 {
	d := l.decoder
	if l.Limit != nil {
		for _, h := range l.holders {
			if !l.broken && h.slots() < *l.Limit {
				d.problem(h.at, fmt.Sprintf("more slot bits, or a limit of at most %d", h.slots()),
					"%d slot bits hold %d slots, and cosid.slots.limit is %d", h.bits, h.slots(), *l.Limit)
			}
		}
		return *l.Limit
	}
	most := slices.MaxFunc(l.holders, func(a, b slotHolder) int { return cmp.Compare(a.bits, b.bits) })
	least := slices.MinFunc(l.holders, func(a, b slotHolder) int { return cmp.Compare(a.bits, b.bits) })
	limit := min(least.slots(), defaultSlotLimit)
	if limit < min(most.slots(), defaultSlotLimit) {
		d.problem(least.at, fmt.Sprintf("the same slot bits in all generators, or cosid.slots.limit: %d", limit),
			"%d slot bits hold %d slots, and those of generator %q hold %d: they share one lease, and so one limit",
			least.bits, least.slots(), most.name, most.slots())
	}
	from := "default"
	if limit < defaultSlotLimit {
		from = fmt.Sprintf("the %d slot bits of %s", least.bits, least.name)
	}
	d.note(l.at.key("limit"), fmt.Sprint(limit), from)
	return limit
}

func (h slotHolder) slots() int64 { return 1 << h.bits }

// owner is the one that is written, or the host name as far as it fits.
func (l *slotLeases) owner(hostname func() (string, error)) string {
	if l.Owner != nil {
		return *l.Owner
	}
	d, at := l.decoder, l.at.key("owner")
	accepted := "an owner: " + stores.OwnerGrammar + ", such as the name of this replica"
	name, err := hostname()
	if err != nil {
		d.problem(at, accepted, "the host name, which is the default, cannot be read: %v", err)
		return ""
	}
	owner := ownerFrom(name)
	if stores.CheckOwner(owner) != nil {
		d.problem(at, accepted, "the host name, which is the default, is %q, and holds neither a letter nor a digit", name)
		return ""
	}
	d.note(at, owner, "the host name")
	return owner
}

// ownerFrom makes a host name fit stores.OwnerGrammar. Two that become one are no danger: they are two incarnations.
func ownerFrom(host string) string {
	const longest = 255
	owner := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < 0x80 && (isAlphanumeric(byte(r)) || strings.ContainsRune("._:@-", r)) {
			return r
		}
		return '-'
	}, host), "._:@-")
	return owner[:min(len(owner), longest)]
}
