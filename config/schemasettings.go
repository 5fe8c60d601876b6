package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// settings is the object that decodeSettings reads into the struct that target points to, which holds the defaults.
// What more says of a key goes over the field's tag.
func (b *schemaBuilder) settings(target any, more map[string]schemaRule) *schemaNode {
	value := reflect.ValueOf(target).Elem()
	object := &schemaNode{
		Type: "object", Properties: map[string]*schemaNode{}, AdditionalProperties: false,
	}
	if value.Kind() != reflect.Struct {
		b.mistake("settings of type %s are not a struct", value.Type())
		return object
	}
	tagged := fieldsByKey(value.Type())
	for _, f := range settingFields(value) {
		field := tagged[f.key]
		rule, err := parseSchemaRule(field.Tag.Get("schema"))
		if err != nil {
			b.mistake("the schema tag of %s.%s: %w", field.owner, field.Name, err)
			continue
		}
		rule.add(more[f.key])
		node, err := b.value(f.value, rule)
		if err != nil {
			b.mistake("%s.%s: %w", field.owner, field.Name, err)
			continue
		}
		node.Description = b.describe(field.owner, field.Name)
		node.Default = defaultOf(f.value)
		object.Properties[f.key] = node
		if rule.required {
			object.Required = append(object.Required, f.key)
		}
	}
	slices.Sort(object.Required)
	return object
}

func (b *schemaBuilder) mistake(format string, args ...any) {
	b.mistakes = append(b.mistakes, fmt.Errorf("config: schema: "+format, args...))
}

// ownedField is a field together with the struct that declares it.
type ownedField struct {
	reflect.StructField
	owner reflect.Type
}

// fieldsByKey finds what settingFields leaves out: tags, and the structs that fields come from.
func fieldsByKey(t reflect.Type) map[string]ownedField {
	fields := map[string]ownedField{}
	for _, f := range reflect.VisibleFields(t) {
		owner := t
		for _, i := range f.Index[:len(f.Index)-1] {
			owner = owner.Field(i).Type
		}
		if key := f.Tag.Get("koanf"); key != "" {
			fields[key] = ownedField{StructField: f, owner: owner}
		}
	}
	return fields
}

var errNoSchema = errors.New("its type cannot be read from a configuration")

// value is what decode reads into target.
func (b *schemaBuilder) value(target reflect.Value, rule schemaRule) (*schemaNode, error) {
	t := target.Type()
	if t.Kind() == reflect.Pointer {
		return b.value(reflect.New(t.Elem()).Elem(), rule)
	}
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return orPlaceholder(&schemaNode{
			Type: []string{"string", "integer", "boolean"}, Enum: rule.enum, Pattern: whole(rule.pattern),
			Minimum: rule.min, Maximum: rule.max,
		}), nil
	case t == reflect.TypeFor[time.Duration]():
		return b.duration(rule)
	}
	switch t.Kind() {
	case reflect.String:
		return text(rule), nil
	case reflect.Bool:
		return orPlaceholder(&schemaNode{Type: "boolean"}), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return orPlaceholder(wholeNumber(t, rule)), nil
	case reflect.Struct:
		return b.settings(target.Addr().Interface(), nil), nil
	case reflect.Slice:
		item, err := b.value(reflect.New(t.Elem()).Elem(), rule)
		return &schemaNode{Type: "array", Items: item}, err
	default:
		return nil, errNoSchema
	}
}

func text(rule schemaRule) *schemaNode {
	node := &schemaNode{
		Type: "string", Enum: rule.enum, Pattern: whole(rule.pattern), MinLength: rule.min, MaxLength: rule.max,
	}
	if len(rule.enum) == 0 && rule.pattern == "" && rule.max == nil {
		return node // a placeholder is a text like others
	}
	return orPlaceholder(node)
}

func wholeNumber(t reflect.Type, rule schemaRule) *schemaNode {
	node := &schemaNode{Type: "integer", Minimum: rule.min, ExclusiveMinimum: rule.above, Maximum: rule.max}
	unsigned := t.Kind() >= reflect.Uint
	if node.Minimum == nil && node.ExclusiveMinimum == nil {
		switch {
		case unsigned:
			node.Minimum = new(int64)
		case t.Kind() != reflect.Int && t.Bits() < 64:
			node.Minimum = new(int64(-1) << (t.Bits() - 1))
		}
	}
	if node.Maximum == nil && t.Kind() != reflect.Int && t.Kind() != reflect.Uint && t.Bits() < 64 {
		bits := t.Bits()
		if !unsigned {
			bits--
		}
		node.Maximum = new(int64(1)<<bits - 1)
	}
	return node
}

// duration refers to one of three definitions: JSON Schema cannot compare durations, but it can tell their signs.
func (b *schemaBuilder) duration(rule schemaRule) (*schemaNode, error) {
	zero := func(bound *int64) bool { return bound == nil || *bound == 0 }
	switch {
	case !zero(rule.min) || !zero(rule.above) || rule.max != nil:
		return nil, errors.New("a duration's schema has no bound but min=0 or above=0")
	case rule.min == nil && rule.above == nil:
		return b.durationNamed("signed-duration", "-"), nil
	}
	duration := b.durationNamed("duration", "")
	if rule.above == nil {
		return duration, nil
	}
	duration.Type, duration.Pattern = "string", "[1-9]|"+placeholderPattern
	return b.define("duration-above-zero", duration), nil
}

func (b *schemaBuilder) durationNamed(name, minus string) *schemaNode {
	return b.define(name, &schemaNode{
		Description: "A number with a unit, such as 500ms, 1m30s, 1d or PT1S.",
		AnyOf: []*schemaNode{
			{Type: "string", Pattern: durationPattern(minus)}, {Const: 0}, reference("placeholder"),
		},
	})
}

// defaultOf is a field's default as a configuration would write it, or nil where it is no value of its own.
func defaultOf(value reflect.Value) any {
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return nil
		}
		value = value.Elem()
	}
	switch v := value.Interface().(type) {
	case time.Duration:
		return durationText(v)
	case encoding.TextMarshaler:
		if text, err := v.MarshalText(); err == nil && len(text) > 0 {
			return string(text)
		}
		return nil
	}
	switch {
	case value.Kind() == reflect.String && value.String() != "":
		return value.String()
	case value.Kind() == reflect.Bool:
		return value.Bool()
	case value.CanInt():
		return value.Int()
	case value.CanUint():
		return value.Uint()
	default:
		return nil
	}
}

// durationText is a duration without the units that count nothing: 1m and not 1m0s.
func durationText(d time.Duration) any {
	if d == 0 {
		return 0
	}
	text := d.String()
	for _, empty := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, empty) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// The patterns are anchored where they must match all of a text, and mean the same to Go and to ECMAScript, which JSON
// Schema asks for.

const placeholderPattern = `\$\{[^ ${}:]+(:.*)?\}`

func whole(pattern string) string {
	if pattern == "" {
		return ""
	}
	return "^(?:" + pattern + ")$"
}

// durationPattern is what parseDuration reads. Minus is "-" where a duration may be negative.
func durationPattern(minus string) string {
	const (
		number  = `([0-9]+(\.[0-9]*)?|\.[0-9]+)`
		clock   = `(` + number + `(ns|us|µs|μs|ms|s|m|h))`
		seconds = `[0-9]+(\.[0-9]+)?S`
		isoTime = `T([0-9]+H([0-9]+M)?(` + seconds + `)?|[0-9]+M(` + seconds + `)?|` + seconds + `)`
		iso     = `P([0-9]+D(` + isoTime + `)?|` + isoTime + `)`
	)
	sign := `[+` + minus + `]?`
	return whole(sign + `0|` + sign + number + `d` + clock + `*|` + sign + clock + `+|` + iso)
}
