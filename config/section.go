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

// sectionDecoder turns the merged `cosid:` section into a Config.
type sectionDecoder struct {
	decoder
	registry *registry
	embedded map[string]any
	hostname func() (string, error)
	warnings []string
}

// sectionSettings are the keys of the section itself; those that hold named entries are decoded one by one.
type sectionSettings struct {
	// Enabled is false where the application runs without generators; looking one up then says so.
	Enabled bool `koanf:"enabled"`

	// Namespace is the first part of every key in the stores. Required: two applications that share one draw from the
	// same counters.
	Namespace string `koanf:"namespace" schema:"required,pattern=[A-Za-z0-9][A-Za-z0-9._-]{0,63}"`
}

// Validate checks the namespace.
func (s *sectionSettings) Validate() error {
	switch {
	case !s.Enabled:
		return nil
	case s.Namespace == "":
		return field.Errorf("namespace", stores.NameGrammar+", for instance the application's name",
			"a namespace is required: it is the first part of every key in the stores")
	case stores.CheckName(s.Namespace) != nil:
		return field.Errorf("namespace", stores.NameGrammar, "%q is not a name", s.Namespace)
	default:
		return nil
	}
}

func (d *sectionDecoder) decode(raw any) *Config {
	settings := sectionSettings{Enabled: true}
	values, _ := raw.(map[string]any)
	d.decodeSettings(root, raw, &settings, "stores", "slots", "generators", "codecs")
	if !settings.Enabled {
		// What a disabled section says of stores is nobody's concern: its variables may not even be set here.
		// Files that cannot be read stay mistakes.
		d.problems.list = slices.DeleteFunc(d.problems.list, func(p Problem) bool {
			return p.Path != "" || p.Origin.Variable != ""
		})
		return &Config{}
	}
	config := &Config{Enabled: true, Namespace: settings.Namespace}
	named := d.namedCodecs(values["codecs"])
	config.Codecs = named.all()
	declared := d.entries(root.key("generators"), values["generators"])
	config.Stores = d.stores(values["stores"], func() bool {
		return len(config.Codecs) == 0 && values["generators"] == nil || d.leaseNothing(declared)
	})
	leases := d.slotLeases(values["slots"], config.Stores)
	for _, e := range declared {
		if g, ok := d.generator(e, config.Stores, leases, named); ok {
			config.Generators = append(config.Generators, g)
		}
	}
	config.Slots = leases.finish(d.hostname)
	if len(config.Generators) == 0 && len(d.problems.list) == 0 {
		d.warnings = append(d.warnings, "cosid.generators declares no generator: every lookup will fail")
	}
	config.Warnings = d.warnings
	config.Settings = *d.settings
	return config
}

// entry is one named entry of stores, generators or codecs.
type entry struct {
	name string
	at   path
	raw  any
}

// entries lists the named entries below at, in order; names outside the grammar are reported and left out.
func (d *sectionDecoder) entries(at path, raw any) []entry {
	values, _ := d.asMap(at, raw)
	var list []entry
	for _, name := range sortedKeys(values) {
		e := entry{name: name, at: at.key(name), raw: values[name]}
		if stores.CheckName(name) != nil {
			d.problem(e.at, stores.NameGrammar, "%q is not a name", name)
			continue
		}
		list = append(list, e)
	}
	return list
}

// storeSettings are the keys of an entry of cosid.stores; its options are decoded by the type's factory.
type storeSettings struct {
	// Type is the kind of store. Required.
	Type string `koanf:"type" schema:"required"`

	// Timeout bounds each call to the server. More than 0.
	Timeout time.Duration `koanf:"timeout" schema:"above=0"`

	// Start says what becomes of a store that cannot be opened: eager stops the application, lazy lets it start without,
	// and opens the store in the background.
	Start string `koanf:"start" schema:"enum=eager|lazy"`

	// StartTimeout bounds the opening of the store. More than 0.
	StartTimeout time.Duration `koanf:"start-timeout" schema:"above=0"`
}

func defaultStoreSettings() storeSettings {
	return storeSettings{Timeout: time.Second, Start: startEager, StartTimeout: 10 * time.Second}
}

const (
	startEager = "eager"
	startLazy  = "lazy"
)

// Validate checks what does not depend on the type.
func (s *storeSettings) Validate() error {
	var mistakes []error
	if s.Timeout <= 0 {
		mistakes = append(mistakes, field.Errorf("timeout", "more than 0, such as 1s", "%v leaves no time for a call", s.Timeout))
	}
	if s.StartTimeout <= 0 {
		mistakes = append(mistakes, field.Errorf("start-timeout", "more than 0, such as 10s",
			"%v leaves no time to open the store", s.StartTimeout))
	}
	if s.Start != startEager && s.Start != startLazy {
		mistakes = append(mistakes, field.Errorf("start", startEager+", "+startLazy, "%q is not a way to start", s.Start))
	}
	return errors.Join(mistakes...)
}

// embeddedStoreName is the name of the store that is used where none is declared.
const embeddedStoreName = "embedded"

// stores decodes cosid.stores. Where it declares none, and something needs one, the embedded store stands in.
func (d *sectionDecoder) stores(raw any, unneeded func() bool) []Store {
	declared := d.entries(root.key("stores"), raw)
	if values, isMap := raw.(map[string]any); (raw == nil || isMap) && len(values) == 0 && !unneeded() {
		if d.embedded == nil {
			d.problem(root.key("stores"), "an entry such as: db: { type: "+strings.Join(sortedKeys(d.registry.stores), " | ")+" }",
				"no store is declared")
			return nil
		}
		at := root.key("stores").key(embeddedStoreName)
		d.origins[at] = Origin{Source: "the embedded default"}
		value := canonicalValue(at, d.embedded, func(p path) { d.origins[p] = d.origins[at] })
		declared = []entry{{name: embeddedStoreName, at: at, raw: value}}
		d.warnings = append(d.warnings, fmt.Sprintf("cosid.stores declares no store: ids are kept in the embedded one, %s, "+
			"which replicas on other machines do not share", written(value)))
	}
	var list []Store
	for _, e := range declared {
		if s, ok := d.store(e); ok {
			list = append(list, s)
		}
	}
	return list
}

// written shows a value as it would stand in YAML, on one line.
func written(value any) string {
	values, ok := value.(map[string]any)
	if !ok {
		return fmt.Sprint(value)
	}
	parts := make([]string, 0, len(values))
	for _, key := range sortedKeys(values) {
		parts = append(parts, key+": "+written(values[key]))
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

func (d *sectionDecoder) store(e entry) (Store, bool) {
	settings := defaultStoreSettings()
	values, _ := e.raw.(map[string]any)
	d.decodeSettings(e.at, e.raw, &settings, "options")
	known := sortedKeys(d.registry.stores)
	factory, ok := d.registry.stores[settings.Type]
	if !ok {
		d.unknownWord(e.at.key("type"), values["type"], settings.Type, "store type", known)
		// The name is still there to be referred to, so that generators are not blamed for it.
		return Store{Name: e.name}, true
	}
	options := factory.NewOptions()
	d.decodeSettings(e.at.key("options"), values["options"], options)
	ownValues, _ := values["options"].(map[string]any)
	return Store{
		Name: e.name, Timeout: settings.Timeout, Opening: settings.StartTimeout, Lazy: settings.Start == startLazy,
		Options: options, Factory: factory, Place: d.place(e.at, values), Within: d.place(e.at.key("options"), ownValues),
	}, true
}

// unknownWord reports a word that must be one of known and is missing or another.
func (d *sectionDecoder) unknownWord(at path, raw any, word, what string, known []string) {
	problem := Problem{Origin: d.origin(at), Path: at.String(), Accepted: names.List(known)}
	switch text, isText := plainText(raw); {
	case raw == nil:
		problem.What = "the " + what + " is missing"
	case !isText && word == "":
		return // decoding has reported it
	default:
		problem.What = fmt.Sprintf("no %s named %s", what, describe(cmp.Or(word, text)))
		problem.Nearest = names.Nearest(word, known)
	}
	d.problems.add(problem)
}

// generatorSettings are the keys that every generator has; the others belong to its strategy, and `codec` is decoded
// once the strategy is known.
type generatorSettings struct {
	// Strategy is how ids are made. Required.
	Strategy string `koanf:"strategy" schema:"required"`

	// Store is the name of the store that keeps the ids unique. Required where several are declared, unless the slots
	// of the section name one for the generator.
	Store string `koanf:"store" schema:"pattern=[A-Za-z0-9][A-Za-z0-9._-]{0,63}"`
}

func (d *sectionDecoder) generator(
	e entry, declared []Store, leases *slotLeases, named *namedCodecs,
) (Generator, bool) {
	values, ok := d.asMap(e.at, e.raw)
	if !ok {
		return Generator{}, false
	}
	common, own := splitGenerator(values)
	var settings generatorSettings
	d.decodeSettings(e.at, common, &settings)
	factory, ok := d.registry.strategies[settings.Strategy]
	if !ok {
		d.storeOf(e.at, values["store"], settings.Store, declared)
		d.unknownWord(e.at.key("strategy"), values["strategy"], settings.Strategy, "strategy", sortedKeys(d.registry.strategies))
		return Generator{}, false
	}
	g := Generator{Name: e.name, Settings: factory.NewSettings(), Factory: factory, Place: d.place(e.at, values)}
	before, first := len(d.problems.list), len(*d.settings)
	d.decodeSettings(e.at, own, g.Settings, generatorKeys...)
	d.kindOf(e.at, &g, len(d.problems.list) > before)
	if g.Layout != nil {
		d.noteBits(e.at.key("bits"), *g.Layout, (*d.settings)[first:])
	}
	g.Store = d.storeFor(e, values["store"], settings.Store, g.Settings, declared, leases)
	raw, written := values["codec"]
	switch {
	case written && raw == nil:
		d.noValue(e.at.key("codec"))
	case g.Text && written:
		d.problem(e.at.key("codec"), "no codec", "the strategy %q makes texts, which no codec writes", settings.Strategy)
	case !g.Text:
		d.codecOf(e.at.key("codec"), raw, named, &g)
	}
	return g, true
}

// generatorKeys are the keys that every generator has.
var generatorKeys = []string{"strategy", "store", "codec"}

// splitGenerator parts the keys of generatorSettings from those of the strategy.
func splitGenerator(values map[string]any) (common, own map[string]any) {
	common, own = map[string]any{}, map[string]any{}
	for key, value := range values {
		switch {
		case key == "codec":
		case slices.Contains(generatorKeys, key):
			common[key] = value
		default:
			own[key] = value
		}
	}
	return common, own
}

// kindOf notes what the ids are like, as the settings say. Where mistakes in them are reported, and they do not say it,
// something usual stands in, by which the codec can be judged.
func (d *sectionDecoder) kindOf(at path, g *Generator, reported bool) {
	_, g.Text = g.Settings.(generators.TextSettings)
	if grouped, ok := g.Settings.(generators.GroupedSettings); ok {
		if g.Period = grouped.IDPeriod(); g.Period == 0 {
			if !reported {
				d.problem(at, "", "the strategy %q makes grouped ids, and its settings say no period", g.Factory.Strategy())
			}
			g.Period = generators.YearMonthDay
		}
	}
	if timed, ok := g.Settings.(generators.LayoutSettings); ok {
		layout := timed.IDLayout()
		if err := layout.Validate(); err != nil {
			if !reported {
				d.reportInvalid(at, nil, nil, err)
			}
			layout = generators.DefaultLayout()
		}
		g.Layout = &layout
	}
}

// noteBits notes the widths that are not among the settings that the generator recorded.
func (d *sectionDecoder) noteBits(at path, layout generators.Layout, recorded []Setting) {
	for _, part := range []struct {
		key  string
		bits int
	}{{"timestamp", layout.TimestampBits}, {"slot", layout.SlotBits}, {"sequence", layout.SequenceBits}} {
		place := at.key(part.key)
		if !slices.ContainsFunc(recorded, func(s Setting) bool { return s.Path == place.String() }) {
			d.note(place, fmt.Sprint(part.bits), "default")
		}
	}
}

// leaseNothing tells whether the section has generators, and all of them get their machine slot without a store.
func (d *sectionDecoder) leaseNothing(declared []entry) bool {
	for _, e := range declared {
		settings, ok := d.registry.settingsOf(e.raw).(generators.SlotSettings)
		if !ok {
			return false
		}
		values, _ := e.raw.(map[string]any)
		_, own := splitGenerator(values)
		aside := decoder{origins: d.origins, problems: &problems{}} // whose mistakes are found again
		if aside.decodeSettings(e.at, own, settings, generatorKeys...); settings.LeasesSlot() {
			return false
		}
	}
	return len(declared) > 0
}

// storeFor says which store the generator uses: none where its machine slot comes from elsewhere.
func (d *sectionDecoder) storeFor(
	e entry, raw any, name string, settings any, declared []Store, leases *slotLeases,
) string {
	slot, needsSlot := settings.(generators.SlotSettings)
	if needsSlot {
		leases.add(e.name, e.at, slot)
	}
	switch {
	case needsSlot && !slot.LeasesSlot():
		if raw != nil {
			d.problem(e.at.key("store"), "no store", "the generator's slot is not leased, so that it uses no store")
		}
		return ""
	case needsSlot && raw == nil && leases.Store != "":
		d.note(e.at.key("store"), leases.Store, "cosid.slots.store")
		return leases.Store
	}
	return d.storeOf(e.at, raw, name, declared)
}

// storeOf says which store a generator uses. It depends on the section alone: a counter that moved to another store
// would start over.
func (d *sectionDecoder) storeOf(at path, raw any, name string, declared []Store) string {
	known := storeNames(declared)
	switch {
	case slices.Contains(known, name):
		return name
	case raw != nil && name == "":
		if text, isText := plainText(raw); isText && text == "" {
			d.problem(at.key("store"), names.List(known), "the store's name is empty")
		}
	case raw != nil:
		d.unknownStore(at.key("store"), name, known)
	case len(declared) == 1:
		d.note(at.key("store"), declared[0].Name, "the only store there is")
		return declared[0].Name
	case len(declared) > 1:
		d.problem(at.key("store"), names.List(known), "the store must be named, because several are declared")
	}
	return ""
}

func (d *sectionDecoder) unknownStore(at path, name string, known []string) {
	d.problems.add(Problem{
		Origin: d.origin(at), Path: at.String(),
		What: "no store named " + describe(name), Accepted: names.List(known), Nearest: names.Nearest(name, known),
	})
}

func storeNames(declared []Store) []string {
	known := make([]string, len(declared))
	for i, s := range declared {
		known[i] = s.Name
	}
	return known
}
