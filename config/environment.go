package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cosid-go/cosid/internal/names"
)

const variablePrefix = "COSID_"

// variables finds the keys that environment variables set: COSID_GENERATORS_BILL_STEP is the key step of the
// generator bill. Only entries that a file declares have variables: a name cannot be read out of a variable's, whose
// underscores may stand for anything.
type variables struct {
	places   map[string][]path // by the variable's name
	matched  map[string]path
	warnings []string
}

func newVariables(section any, env lookup, known *registry) *variables {
	// The word that decides which keys an entry has may come from a variable itself.
	word := func(at path, raw map[string]any, key string) string {
		if text, ok := env(variableName(at.key(key))); ok {
			return text
		}
		text, _ := plainText(raw[key])
		return text
	}
	v := &variables{places: map[string][]path{}, matched: map[string]path{}}
	v.addFields(root, &sectionSettings{})
	v.addFields(root.key("slots"), &slotSettings{})
	values, _ := section.(map[string]any)
	for name, raw := range namedMaps(values["stores"]) {
		at := root.key("stores").key(name)
		v.addFields(at, &storeSettings{})
		if factory, ok := known.stores[word(at, raw, "type")]; ok {
			v.addFields(at.key("options"), factory.NewOptions())
		}
	}
	for name, raw := range namedMaps(values["generators"]) {
		at := root.key("generators").key(name)
		v.addFields(at, &generatorSettings{})
		v.add(at.key("codec"))
		if factory, ok := known.strategies[word(at, raw, "strategy")]; ok {
			v.addFields(at, factory.NewSettings())
		}
	}
	return v
}

// namedMaps are the entries of a section that are maps themselves, or empty.
func namedMaps(raw any) map[string]map[string]any {
	values, _ := raw.(map[string]any)
	entries := make(map[string]map[string]any, len(values))
	for name, value := range values {
		entries[name], _ = value.(map[string]any)
	}
	return entries
}

func (v *variables) addFields(at path, settings any) {
	for _, f := range settingFields(reflect.ValueOf(settings).Elem()) {
		if !isNested(f.value) {
			v.add(at.key(f.key))
			continue
		}
		nested := f.value.Type()
		if nested.Kind() == reflect.Pointer {
			nested = nested.Elem()
		}
		v.addFields(at.key(f.key), reflect.New(nested).Interface())
	}
}

func (v *variables) add(at path) {
	name := variableName(at)
	if !slices.Contains(v.places[name], at) {
		v.places[name] = append(v.places[name], at)
	}
}

// variableName is COSID_GENERATORS_BILL_RANGE_TTL for generators.bill.range-ttl.
func variableName(at path) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isAlphanumeric(byte(r)) {
			return r
		}
		return '_'
	}, strings.ToUpper(string(at)))
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// resolveAll matches the variables that are set. One that is plainly meant for a store, a generator or the slots and
// names no key is a mistake; another one with the prefix may belong to somebody else, and is only warned of.
func (v *variables) resolveAll(environ []string) []Problem {
	var found []Problem
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || !strings.HasPrefix(name, variablePrefix) || name == "COSID_CONFIG" || name == "COSID_PROFILE" {
			continue
		}
		origin := Origin{Variable: name}
		switch places := v.places[name]; {
		case len(places) == 1:
			v.matched[name] = places[0]
		case len(places) > 1:
			found = append(found, Problem{Origin: origin, What: fmt.Sprintf("it could mean %s or %s", places[0], places[1])})
		case strings.HasPrefix(name, "COSID_STORES_"), strings.HasPrefix(name, "COSID_GENERATORS_"),
			strings.HasPrefix(name, "COSID_SLOTS_"):
			found = append(found, Problem{
				Origin: origin, What: "no key of a declared store or generator, nor of the slots, has this name",
				Accepted: "COSID_STORES_{NAME}_{KEY}, COSID_STORES_{NAME}_OPTIONS_{KEY}, COSID_GENERATORS_{NAME}_{KEY} " +
					"or COSID_SLOTS_{KEY}",
				Nearest: names.Nearest(name, sortedKeys(v.places)),
			})
		default:
			v.warnings = append(v.warnings, fmt.Sprintf("the environment variable %s sets no key of the configuration", name))
		}
	}
	return found
}
