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
	d.decodeSettings(root, raw, &settings, "stores", "generators", "codecs")
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
	config.Stores = d.stores(values["stores"], len(config.Codecs) == 0 && values["generators"] == nil)
	for _, e := range d.entries(root.key("generators"), values["generators"]) {
		if g, ok := d.generator(e, config.Stores, named); ok {
			config.Generators = append(config.Generators, g)
		}
	}
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
func (d *sectionDecoder) stores(raw any, unneeded bool) []Store {
	declared := d.entries(root.key("stores"), raw)
	if values, isMap := raw.(map[string]any); (raw == nil || isMap) && len(values) == 0 && !unneeded {
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

	// Store is the name of the store that keeps the ids unique. Required where several are declared.
	Store string `koanf:"store" schema:"pattern=[A-Za-z0-9][A-Za-z0-9._-]{0,63}"`
}

func (d *sectionDecoder) generator(e entry, declared []Store, named *namedCodecs) (Generator, bool) {
	values, ok := d.asMap(e.at, e.raw)
	if !ok {
		return Generator{}, false
	}
	common, own := map[string]any{}, map[string]any{}
	for key, value := range values {
		switch key {
		case "strategy", "store":
			common[key] = value
		case "codec":
		default:
			own[key] = value
		}
	}
	var settings generatorSettings
	d.decodeSettings(e.at, common, &settings)
	storeName := d.storeOf(e.at, values["store"], settings.Store, declared)
	factory, ok := d.registry.strategies[settings.Strategy]
	if !ok {
		d.unknownWord(e.at.key("strategy"), values["strategy"], settings.Strategy, "strategy", sortedKeys(d.registry.strategies))
		return Generator{}, false
	}
	g := Generator{
		Name: e.name, Store: storeName, Settings: factory.NewSettings(), Factory: factory, Place: d.place(e.at, values),
	}
	before := len(d.problems.list)
	d.decodeSettings(e.at, own, g.Settings, "strategy", "store", "codec")
	if grouped, ok := g.Settings.(generators.GroupedSettings); ok {
		if g.Period = grouped.IDPeriod(); g.Period == 0 {
			if len(d.problems.list) == before {
				d.problem(e.at, "", "the strategy %q makes grouped ids, and its settings say no period", settings.Strategy)
			}
			g.Period = generators.YearMonthDay // its lack is reported; the codec can be judged by any
		}
	}
	if raw, written := values["codec"]; written && raw == nil {
		d.noValue(e.at.key("codec"))
	} else {
		d.codecOf(e.at.key("codec"), raw, named, &g)
	}
	return g, true
}

// storeOf says which store a generator uses. It depends on the section alone: a counter that moved to another store
// would start over.
func (d *sectionDecoder) storeOf(at path, raw any, name string, declared []Store) string {
	known := make([]string, len(declared))
	for i, s := range declared {
		known[i] = s.Name
		if s.Name == name {
			return name
		}
	}
	switch {
	case raw != nil && name == "":
		if text, isText := plainText(raw); isText && text == "" {
			d.problem(at.key("store"), names.List(known), "the store's name is empty")
		}
	case raw != nil:
		d.problems.add(Problem{
			Origin: d.origin(at.key("store")), Path: at.key("store").String(),
			What: "no store named " + describe(name), Accepted: names.List(known), Nearest: names.Nearest(name, known),
		})
	case len(declared) == 1:
		d.note(at.key("store"), declared[0].Name, "the only store there is")
		return declared[0].Name
	case len(declared) > 1:
		d.problem(at.key("store"), names.List(known), "the store must be named, because several are declared")
	}
	return ""
}
