package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/stores"
)

// SchemaDescriber says in a sentence or two what a field of a settings struct means, or nothing.
type SchemaDescriber func(owner reflect.Type, goName string) string

// Schema returns a JSON Schema (draft 2020-12) of a file with a `cosid:` section, for editors and other tools; its
// address is id. It is made from the structs that Load decodes into: the types, strategies and codec parts are those
// of options, whose Source and Embedded do not matter. Besides `koanf`, a field of a settings struct may have a tag
// `schema` (see schemaRule) for what its type does not tell.
//
// What the schema refuses is a mistake for Load too, with two exceptions: keys and words have one spelling in it, and
// it takes the file for the whole of the configuration. What it accepts Load may still refuse, where one key depends
// on another.
//
// An error means that a settings struct has a tag that cannot be read, or a field that cannot be decoded.
func Schema(id string, options Options, describe SchemaDescriber) ([]byte, error) {
	known, err := newRegistry(options)
	if err != nil {
		return nil, err
	}
	if describe == nil {
		describe = func(reflect.Type, string) string { return "" }
	}
	b := &schemaBuilder{registry: known, describe: describe, defs: map[string]*schemaNode{}}
	b.defs["placeholder"] = &schemaNode{
		Description: "The value of an environment variable: ${NAME}, or ${NAME:default}.",
		Type:        "string", Pattern: placeholderPattern,
	}
	top := &schemaNode{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		ID:     id,
		Title:  "Configuration of cosid",
		Description: "A YAML file with a `cosid:` section; its other sections are left alone. Keys are accepted in " +
			"kebab-case only, although the program reads padStart and pad_start as pad-start too. The file is taken " +
			"for the whole configuration: one that only changes keys of another, as the file of a profile does, " +
			"lacks what is required here.",
		Type:       "object",
		Properties: map[string]*schemaNode{string(root): b.section()},
		Defs:       b.defs,
	}
	if err := errors.Join(b.mistakes...); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(top); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// schemaBuilder collects the parts of one schema.
type schemaBuilder struct {
	registry *registry
	describe SchemaDescriber
	defs     map[string]*schemaNode
	mistakes []error
}

// sectionDescriptions are those of the keys that no factory brings.
var sectionDescriptions = map[string]string{
	"enabled":    "false switches everything off: the application starts, and every lookup of a generator fails.",
	"namespace":  "The first part of every key in the stores, for instance the application's name.",
	"stores":     "Where ids are kept, by name. Without any, ids are kept in an embedded database.",
	"generators": "What makes ids, by the name that the application asks for.",
	"codecs":     "Lists of parts that generators and other codecs may name.",
	"type":       "What kind of store it is.",
	"timeout":    "The bound of each call to the store. More than 0.",
	"start":      "When the store is opened: at the start of the application, or at its first use.",
	"options":    "What the type of store needs to know.",
	"strategy":   "How ids are made.",
	"store":      "The name of the store; needed where several are declared.",
	"codec":      "How an id is written as text: a list of parts, or the name of a codec or of a part.",
}

func (b *schemaBuilder) section() *schemaNode {
	section := b.settings(&sectionSettings{Enabled: true}, map[string]schemaRule{
		"namespace": {pattern: stores.NameGrammar},
	})
	section.Description = "Named stores, generators and codecs."
	section.Properties["stores"] = named("stores", b.store())
	section.Properties["codecs"] = named("codecs", b.codec())
	section.Properties["codecs"].PropertyNames.Not = &schemaNode{Enum: sortedKeys(b.registry.parts)}
	section.Properties["generators"] = named("generators", b.generator())
	section.If = &schemaNode{Properties: map[string]*schemaNode{"enabled": {Const: true}}}
	section.Then = &schemaNode{Required: []string{"namespace"}}
	return section
}

// named is a map from names to entries. A key without a value is an empty one.
func named(key string, entry *schemaNode) *schemaNode {
	return &schemaNode{
		Description:          sectionDescriptions[key],
		Type:                 []string{"object", "null"},
		PropertyNames:        &schemaNode{Pattern: whole(stores.NameGrammar)},
		AdditionalProperties: entry,
	}
}

// store is an entry of cosid.stores. Which options it may have depends on its type.
func (b *schemaBuilder) store() *schemaNode {
	types := sortedKeys(b.registry.stores)
	store := b.settings(&storeSettings{Timeout: defaultStoreTimeout}, map[string]schemaRule{
		"type": {enum: types, required: true}, "timeout": {above: new(int64)},
	})
	store.Properties["options"] = &schemaNode{
		Description: sectionDescriptions["options"], Type: []string{"object", "null"},
	}
	for _, name := range types {
		options := b.settings(b.registry.stores[name].NewOptions(), nil)
		options.Description = "Options of a store of type " + name + "."
		then := &schemaNode{Properties: map[string]*schemaNode{"options": b.define("options."+name, options)}}
		if len(options.Required) > 0 {
			then.Required = []string{"options"}
		} else {
			options.Type = []string{"object", "null"}
		}
		store.AllOf = append(store.AllOf, when("type", name, then))
	}
	return b.define("store", store)
}

// generator is an entry of cosid.generators. The keys besides those of every generator depend on its strategy, so that
// the object is closed only there.
func (b *schemaBuilder) generator() *schemaNode {
	strategies := sortedKeys(b.registry.strategies)
	generator := b.settings(&generatorSettings{}, map[string]schemaRule{
		"strategy": {enum: strategies, required: true}, "store": {pattern: stores.NameGrammar},
	})
	generator.Properties["codec"] = b.codec()
	generator.AdditionalProperties = nil
	for _, name := range strategies {
		own := b.settings(b.registry.strategies[name].NewSettings(), nil)
		own.Description = "Keys of a generator with the strategy " + name + "."
		for common := range generator.Properties {
			own.Properties[common] = &schemaNode{}
		}
		generator.AllOf = append(generator.AllOf, when("strategy", name, b.define("strategy."+name, own)))
	}
	return b.define("generator", generator)
}

// when demands then of an object whose key has the value. A placeholder in the value's place meets no such condition.
func when(key, value string, then *schemaNode) *schemaNode {
	return &schemaNode{
		If: &schemaNode{
			Properties: map[string]*schemaNode{key: {Const: value}},
			Required:   []string{key},
		},
		Then: then,
	}
}

// codec is an entry of cosid.codecs, or the codec of a generator.
func (b *schemaBuilder) codec() *schemaNode {
	if _, done := b.defs["codec"]; done {
		return reference("codec")
	}
	parts, alone := map[string]*schemaNode{}, sortedKeys(b.registry.parts)
	for _, name := range sortedKeys(b.registry.parts) {
		factory := b.registry.parts[name]
		parts[name] = b.define("part."+name, b.part(factory))
		if !standsAlone(factory) {
			alone = slices.DeleteFunc(alone, func(s string) bool { return s == name })
		}
	}
	// One word names a codec, which may be called anything, or a part that needs no settings.
	pattern := whole(stores.NameGrammar) + "|" + placeholderPattern
	var not *schemaNode
	if needy := slices.DeleteFunc(sortedKeys(parts), func(s string) bool { return slices.Contains(alone, s) }); len(needy) > 0 {
		not = &schemaNode{Enum: needy}
	}
	part := b.define("part", &schemaNode{
		Description: "One part with its settings, or the name of a part or of a codec.",
		Type:        []string{"object", "string"},
		Pattern:     pattern, Not: not,
		Properties: parts, AdditionalProperties: false, MinProperties: 1, MaxProperties: 1,
	})
	return b.define("codec", &schemaNode{
		Description: sectionDescriptions["codec"],
		Type:        []string{"array", "string"},
		Pattern:     pattern, Not: not,
		Items: part, MinItems: 1,
	})
}

// part is what stands behind a part's name: its settings, or its text where it reads one.
func (b *schemaBuilder) part(factory codecs.PartFactory) *schemaNode {
	target := factory.NewSettings()
	settings := b.settings(target, nil)
	text := b.textPart(reflect.TypeOf(target))
	switch {
	case text != nil && len(settings.Properties) == 0:
		settings = text
	case text != nil:
		settings = &schemaNode{AnyOf: []*schemaNode{text, settings}}
	case standsAlone(factory):
		settings.Type = []string{"object", "null"}
	}
	settings.Description = "The codec part " + factory.Name() + "."
	return settings
}

// standsAlone tells whether a part needs no settings.
func standsAlone(factory codecs.PartFactory) bool {
	validator, ok := factory.NewSettings().(interface{ Validate() error })
	return !ok || validator.Validate() == nil
}

// define puts a node among the schema's definitions and returns a reference to it.
func (b *schemaBuilder) define(name string, node *schemaNode) *schemaNode {
	b.defs[name] = node
	return reference(name)
}
