package snowflake

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Strategy is the word for numbers in a configuration, and WideStrategy the one for wide texts.
const (
	Strategy     = "snowflake"
	WideStrategy = "wide-snowflake"
)

// Factory makes the strategy `snowflake` known to a configuration. Its settings are *Settings. NewFactory makes one for
// each assembly of stores and generators: what it builds for one store and namespace shares a slot.
type Factory struct {
	// Clock is this machine's clock, for slots that no store leases. Default: time.Now. It is set before the first Build.
	Clock func() time.Time

	// Hostname tells this machine's name, for slots of type stateful-set. Default: os.Hostname. It is set before the
	// first Build.
	Hostname func() (string, error)

	stopwatch
	holders *holders
}

var _ generators.Factory = (*Factory)(nil)

// NewFactory returns a factory whose generators share slots with those of no other factory.
func NewFactory() *Factory {
	return &Factory{Clock: time.Now, Hostname: os.Hostname, stopwatch: stopwatch{time.Now()}, holders: &holders{}}
}

// Strategy implements generators.Factory.
func (f *Factory) Strategy() string { return Strategy }

// NewSettings implements generators.Factory: a *Settings with the defaults.
func (f *Factory) NewSettings() any { return new(DefaultSettings()) }

// Build implements generators.Factory. It makes a *Generator.
func (f *Factory) Build(spec generators.Spec, settings any) (generators.Instance, error) {
	s, ok := settings.(*Settings)
	if !ok {
		return nil, fmt.Errorf("snowflake: settings are a %T, not a *snowflake.Settings", settings)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	q, err := f.sequence(Strategy, spec, s.IDLayout(), s.Pace)
	if err != nil {
		return nil, err
	}
	return &Generator{sequence: q}, nil
}

// Wide is the factory of the strategy `wide-snowflake`. Its generators share slots with those of f.
func (f *Factory) Wide() generators.Factory { return wideFactory{f} }

// sequence makes the part that numbers and texts have in common.
func (f *Factory) sequence(strategy string, spec generators.Spec, l generators.Layout, p Pace) (*sequence, error) {
	if f.holders == nil {
		return nil, errors.New("snowflake: the factory is a zero value; NewFactory makes one")
	}
	h, err := f.holder(spec, l, p)
	if err != nil {
		return nil, err
	}
	if ttl := h.request.TTL; p.MaxAhead > ttl/3 {
		return nil, field.Errorf("max-ahead", fmt.Sprintf("0 to %v, a third of cosid.slots.ttl", ttl/3),
			"%v is too long for leases of %v", p.MaxAhead, ttl)
	}
	if err := f.holders.agree(h, strategy, spec.Name, l.SlotBits); err != nil {
		return nil, err
	}
	return newSequence(spec.Name, l, p.MaxAhead, h), nil
}

// holder finds or makes the holder that a generator shares.
func (f *Factory) holder(spec generators.Spec, l generators.Layout, p Pace) (*holder, error) {
	made := terms{
		timeout:   spec.StoreTimeout,
		hooks:     spec.Hooks,
		logger:    spec.Logger,
		stopwatch: f.stopwatch,
		request: stores.SlotRequest{
			Namespace: spec.Namespace,
			Owner:     spec.Slots.Owner,
			Limit:     spec.Slots.Limit,
			Tolerance: spec.Slots.Tolerance,
			TTL:       spec.Slots.TTL,
			Preferred: stores.NoSlot,
		},
	}
	if made.logger == nil {
		made.logger = slog.New(slog.DiscardHandler)
	}
	made.logger = made.logger.With("namespace", spec.Namespace)
	key := holderKey{namespace: spec.Namespace}
	if p.LeasesSlot() {
		store, ok := spec.Store.(stores.SlotLeaseStore)
		if !ok || !reflect.TypeOf(spec.Store).Comparable() {
			return nil, fmt.Errorf("snowflake: store %q cannot lease slots; choose one that can, or slot: {type: manual}",
				spec.StoreName)
		}
		if limit := spec.Slots.Limit; limit > l.MaxSlot()+1 {
			return nil, field.Errorf("bits.slot", fmt.Sprintf("more bits, or a cosid.slots.limit of at most %d", l.MaxSlot()+1),
				"%d bits do not hold the slots of limit %d", l.SlotBits, limit)
		}
		made.store, key.store = store, store
	} else {
		slot, err := p.Slot.number(l.MaxSlot(), f.Hostname)
		if err != nil {
			return nil, err
		}
		key.slot = slot
		if key.file, err = stateFile(p.Slot.StateFile, spec.Namespace, slot); err != nil {
			return nil, err
		}
		made.localize(slot)
		made.store = &localStore{file: key.file, namespace: spec.Namespace, slot: slot, clock: f.Clock, logger: made.logger}
		made.timeout = 0
	}
	if err := check(made.request); err != nil {
		return nil, fmt.Errorf("snowflake: cosid.slots: %w", err)
	}
	return f.holders.find(key, made), nil
}

func check(request stores.SlotRequest) error {
	request.Incarnation = "none"
	return stores.CheckSlotRequest(request)
}

// The ttl and tolerance of local slots, where cosid.slots has none.
const (
	defaultTTL       = 30 * time.Second
	defaultTolerance = time.Hour
)

// localize makes the terms those for a slot that a file keeps.
func (t *terms) localize(slot int64) {
	r := &t.request
	r.Limit, r.Preferred = slot+1, slot
	if r.Owner == "" {
		r.Owner = "local"
	}
	if r.TTL == 0 { // there is no cosid.slots, whose tolerance may well be 0
		r.TTL = defaultTTL
		r.Tolerance = cmp.Or(r.Tolerance, defaultTolerance)
	}
}

// stateFile is the path of a local slot's file, absolute, so that one file has one name.
func stateFile(written, namespace string, slot int64) (string, error) {
	if written == "" {
		written = fmt.Sprintf("cosid-%s-%d.slot", namespace, slot)
	}
	path, err := filepath.Abs(written)
	if err != nil {
		return "", errors.Join(field.Errorf("slot.state-file", "an absolute path", "%q cannot be found", written), err)
	}
	return path, nil
}
