package config

import (
	"encoding"
	"reflect"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/stores"
)

// codec is an entry of cosid.codecs, or the codec of a generator.
func (b *schemaBuilder) codec() *schemaNode {
	if _, done := b.defs["codec"]; done {
		return reference("codec")
	}
	parts := map[string]*schemaNode{}
	var needy []string // parts that cannot do without settings
	for _, name := range sortedKeys(b.registry.parts) {
		factory := b.registry.parts[name]
		parts[name] = b.define("part."+name, b.part(factory))
		if !standsAlone(factory) {
			needy = append(needy, name)
		}
	}
	// A word names a codec, which may be called anything, or a part that needs no settings.
	word := whole(stores.NameGrammar) + "|" + placeholderPattern
	var notAlone *schemaNode
	if len(needy) > 0 {
		notAlone = &schemaNode{Enum: needy}
	}
	part := b.define("part", &schemaNode{
		Description: "One part with its settings, or the name of a part or of a codec.",
		Type:        []string{"object", "string"},
		Properties:  parts, AdditionalProperties: false, MinProperties: 1, MaxProperties: 1,
		Pattern: word, Not: notAlone,
	})
	return b.define("codec", &schemaNode{
		Description: "How an id is written as text: a list of parts, or the name of a codec or of a part.",
		Type:        []string{"array", "string"},
		Items:       part, MinItems: 1,
		Pattern: word, Not: notAlone,
	})
}

// part is what stands behind a part's name: its settings, or its text where it reads one.
func (b *schemaBuilder) part(factory codecs.PartFactory) *schemaNode {
	target := factory.NewSettings()
	part := b.settings(target, nil)
	alone := standsAlone(factory)
	if alone {
		part.Type = []string{"object", "null"}
	}
	if text := b.textPart(reflect.TypeOf(target)); text != nil {
		if alone || len(part.Properties) > 0 {
			text = &schemaNode{AnyOf: []*schemaNode{text, part}}
		}
		part = text
	}
	part.Description = "The codec part " + factory.Name() + "."
	return part
}

// standsAlone tells whether a part needs no settings.
func standsAlone(factory codecs.PartFactory) bool {
	validator, ok := factory.NewSettings().(interface{ Validate() error })
	return !ok || validator.Validate() == nil
}

// textPart is the text that the settings of a codec part read, or nil if they read none. A tag on the field that
// holds it, which has no key, says more.
func (b *schemaBuilder) textPart(settings reflect.Type) *schemaNode {
	if !settings.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	var rule schemaRule
	if f, ok := fieldsByKey(settings.Elem())["-"]; ok {
		var err error
		if rule, err = parseSchemaRule(f.Tag.Get("schema")); err != nil {
			b.mistake("the schema tag of %s.%s: %w", f.owner, f.Name, err)
		}
	}
	return text(rule)
}
