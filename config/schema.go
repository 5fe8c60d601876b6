package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/cosid-go/cosid/stores"
)

// SchemaDescriber says in a sentence or two what a field of a settings struct means, or nothing.
type SchemaDescriber func(owner reflect.Type, goName string) string

// Schema returns a JSON Schema (draft 2020-12) of a file with a `cosid:` section, for editors and other tools; its
// address is id. It is made from the structs that Load decodes into: the types, strategies and codec parts are those
// of options, whose Source and Embedded do not matter. Besides `koanf`, a field of a settings struct may have a tag
// `schema` (see schemaRule) for what its type does not tell.
//
// What the schema refuses is a mistake for Load too, except that a key and a word have one spelling in it, that a key
// which is written must say something, and that the file is taken for the whole configuration. What the schema accepts
// Load may still refuse, where one key depends on another.
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

func (b *schemaBuilder) section() *schemaNode {
	section := b.settings(&sectionSettings{Enabled: true}, nil)
	section.Description = "Named stores, generators and codecs, and the machine slots."
	section.Properties["stores"] = named("Where ids are kept. Without any: in an embedded database.", b.store())
	slots := defaultSlotSettings()
	section.Properties["slots"] = b.settings(&slots, nil)
	section.Properties["slots"].Description = "How a process leases the machine slot of its snowflake generators."
	section.Properties["slots"].Type = []string{"object", "null"}
	section.Properties["codecs"] = named("Lists of parts, for generators and other codecs to name.", b.codec())
	section.Properties["codecs"].PropertyNames.Not = &schemaNode{Enum: sortedKeys(b.registry.parts)}
	section.Properties["generators"] = named("What makes ids, under the name that the application asks for.", b.generator())
	// Nothing is required of a section that is switched off.
	section.If = &schemaNode{Properties: map[string]*schemaNode{"enabled": {Const: true}}}
	section.Then, section.Required = &schemaNode{Required: section.Required}, nil
	return section
}

// named is a map from names to entries. A key without a value is an empty one.
func named(description string, entry *schemaNode) *schemaNode {
	return &schemaNode{
		Description:          description,
		Type:                 []string{"object", "null"},
		PropertyNames:        &schemaNode{Pattern: whole(stores.NameGrammar)},
		AdditionalProperties: entry,
	}
}

// store is an entry of cosid.stores. Which options it may have depends on its type.
func (b *schemaBuilder) store() *schemaNode {
	types := sortedKeys(b.registry.stores)
	defaults := defaultStoreSettings()
	store := b.settings(&defaults, map[string]schemaRule{
		"type": {enum: types},
	})
	store.Properties["options"] = &schemaNode{
		Description: "What the type of store needs to know.", Type: []string{"object", "null"},
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
	generator := b.settings(&generatorSettings{}, map[string]schemaRule{"strategy": {enum: strategies}})
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

// define puts a node among the schema's definitions and returns a reference to it.
func (b *schemaBuilder) define(name string, node *schemaNode) *schemaNode {
	b.defs[name] = node
	return reference(name)
}
