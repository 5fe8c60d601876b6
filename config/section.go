package config

import (
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
	Enabled   bool   `koanf:"enabled"`
	Namespace string `koanf:"namespace"`
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
		d.problems.list = slices.DeleteFunc(d.problems.list, func(p Problem) bool { return p.Path != "" })
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
	Type    string        `koanf:"type"`
	Timeout time.Duration `koanf:"timeout"`
}

// Validate checks what does not depend on the type.
func (s *storeSettings) Validate() error {
	if s.Timeout <= 0 {
		return field.Errorf("timeout", "more than 0, such as 1s", "%v leaves no time for a call", s.Timeout)
	}
	return nil
}

const defaultStoreTimeout = time.Second

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
	settings := storeSettings{Timeout: defaultStoreTimeout}
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
	return Store{
		Name: e.name, Timeout: settings.Timeout, Options: options, Factory: factory, Origin: d.origin(e.at),
	}, true
}

// unknownWord reports a word that must be one of known and is missing or another.
func (d *sectionDecoder) unknownWord(at path, raw any, word, what string, known []string) {
	problem := Problem{Origin: d.origin(at), Path: at.String(), Accepted: names.List(known)}
	switch text, isText := raw.(string); {
	case raw == nil:
		problem.What = "the " + what + " is missing"
	case !isText && word == "":
		return // decoding has reported it
	default:
		problem.What = fmt.Sprintf("no %s named %q", what, text)
		if word != "" {
			problem.What = fmt.Sprintf("no %s named %q", what, word)
		}
		problem.Nearest = names.Nearest(word, known)
	}
	d.problems.add(problem)
}

// generatorSettings are the keys that every generator has; the others belong to its strategy, and `codec` is decoded
// once the strategy is known.
type generatorSettings struct {
	Strategy string `koanf:"strategy"`
	Store    string `koanf:"store"`
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
		Name: e.name, Store: storeName, Settings: factory.NewSettings(), Factory: factory, Origin: d.origin(e.at),
	}
	before := len(d.problems.list)
	d.decodeSettings(e.at, own, g.Settings, "strategy", "store", "codec")
	if grouped, ok := g.Settings.(generators.GroupedSettings); ok {
		if g.Period = grouped.IDPeriod(); g.Period == 0 || len(d.problems.list) > before {
			return Generator{}, false // the missing period is reported, and its codec cannot be judged
		}
	}
	d.codecOf(e.at.key("codec"), values["codec"], named, &g)
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
		if text, isText := raw.(string); isText && text == "" {
			d.problem(at.key("store"), names.List(known), "the store's name is empty")
		}
	case raw != nil:
		d.problems.add(Problem{
			Origin: d.origin(at.key("store")), Path: at.key("store").String(),
			What: fmt.Sprintf("no store named %q", name), Accepted: names.List(known), Nearest: names.Nearest(name, known),
		})
	case len(declared) == 1:
		return declared[0].Name
	case len(declared) > 1:
		d.problem(at.key("store"), names.List(known), "the store must be named, because several are declared")
	}
	return ""
}
