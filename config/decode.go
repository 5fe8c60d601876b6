package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/internal/names"
	"github.com/cosid-go/cosid/internal/redact"
)

// decoder puts plain values into typed settings and takes nothing for something else: no text for a number, no
// fraction for a whole number, no number for a duration. Every mistake is reported; decoding goes on.
type decoder struct {
	origins  map[path]Origin
	problems *problems
	settings *[]Setting // where values are noted; nil where they are not
}

// fromVariable is a value from an environment variable. It has no type of its own: the target decides.
type fromVariable string

// decodeSettings decodes raw, a map or nothing, over the struct that target points to, and validates the result.
// Keys named in others belong to the same map and are decoded elsewhere.
func (d *decoder) decodeSettings(at path, raw any, target any, others ...string) {
	values, ok := d.asMap(at, raw)
	if !ok {
		return
	}
	blamed := d.decodeStruct(at, values, reflect.ValueOf(target).Elem(), others)
	if validator, ok := target.(interface{ Validate() error }); ok {
		d.reportInvalid(at, values, blamed, validator.Validate())
	}
}

func (d *decoder) asMap(at path, raw any) (map[string]any, bool) {
	switch values := raw.(type) {
	case nil:
		return nil, true
	case map[string]any:
		return values, true
	case unresolved:
		return nil, false
	default:
		d.problem(at, "a map of keys", "%s is not a map", describe(raw))
		return nil, false
	}
}

// decodeStruct returns the keys that a mistake was reported of: what Validate says of their values is about defaults.
func (d *decoder) decodeStruct(at path, values map[string]any, target reflect.Value, others []string) (blamed map[string]bool) {
	blamed = map[string]bool{}
	known := slices.Clone(others)
	for _, f := range settingFields(target) {
		known = append(known, f.key)
		raw, written := values[f.key]
		if isNested(f.value) {
			for key, isMistake := range d.decodeNested(at.key(f.key), raw, written, f.value) {
				blamed[strings.Trim(f.key+"."+key, ".")] = isMistake
			}
			continue
		}
		if written {
			before := len(d.problems.list)
			d.decode(at.key(f.key), raw, f.value)
			_, reported := raw.(unresolved)
			blamed[f.key] = reported || len(d.problems.list) > before
		}
		d.record(at.key(f.key), f.value, written)
	}
	for key := range values {
		if !slices.Contains(known, key) {
			meant := d.reportUnknown(at.key(key), key, known)
			if _, written := values[meant]; meant != "" && !written {
				blamed[meant] = true
			}
		}
	}
	return blamed
}

// isNested tells whether a field holds settings of its own, as a struct or a pointer to one, under its key.
func isNested(value reflect.Value) bool {
	t := value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// decodeNested decodes settings that stand under a key of their own; a pointer is set only where they are written. It
// returns the keys that a mistake was reported of, "" for all of them.
func (d *decoder) decodeNested(at path, raw any, written bool, target reflect.Value) (blamed map[string]bool) {
	all := map[string]bool{"": true}
	switch {
	case written && raw == nil:
		d.noValue(at)
		return all
	case !written && target.Kind() == reflect.Pointer && target.IsNil():
		return nil
	}
	values, ok := d.asMap(at, raw)
	if !ok {
		return all
	}
	if target.Kind() == reflect.Pointer {
		if target.IsNil() {
			target.Set(reflect.New(target.Type().Elem()))
		}
		target = target.Elem()
	}
	return d.decodeStruct(at, values, target, nil) // with nothing written it notes the defaults
}

// reportUnknown returns the key that was probably meant, if any, which is therefore not missing.
func (d *decoder) reportUnknown(at path, key string, known []string) string {
	meant := names.Nearest(key, known)
	d.problems.add(Problem{
		Origin: d.origin(at), Path: at.String(), What: "no such key", Accepted: names.List(known), Nearest: meant,
	})
	return meant
}

// settingField is a field of a settings struct that a key names.
type settingField struct {
	key   string
	value reflect.Value
}

// settingFields lists the tagged fields of a struct, those of embedded structs among them.
func settingFields(target reflect.Value) []settingField {
	var fields []settingField
	for i := range target.NumField() {
		f := target.Type().Field(i)
		key := f.Tag.Get("koanf")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct && key == "":
			fields = append(fields, settingFields(target.Field(i))...)
		case f.IsExported() && key != "" && key != "-":
			fields = append(fields, settingField{key: key, value: target.Field(i)})
		}
	}
	return fields
}

func (d *decoder) decode(at path, raw any, target reflect.Value) {
	switch raw.(type) {
	case unresolved:
		return
	case nil:
		d.noValue(at)
		return
	}
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	if text, ok := target.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.decodeText(at, raw, text)
		return
	}
	if target.Type() == reflect.TypeFor[time.Duration]() {
		d.decodeDuration(at, raw, target)
		return
	}
	switch target.Kind() {
	case reflect.String:
		d.decodeString(at, raw, target)
	case reflect.Bool:
		d.decodeBool(at, raw, target)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		d.decodeWhole(at, raw, target)
	case reflect.Struct:
		if values, ok := d.asMap(at, raw); ok {
			d.decodeStruct(at, values, target, nil)
		}
	case reflect.Slice:
		d.decodeList(at, raw, target)
	default:
		d.problem(at, "", "the setting's Go type %s cannot be read from a configuration", target.Type())
	}
}

func (d *decoder) noValue(at path) {
	d.problem(at, "a value, or no key at all", "the key has no value")
}

// decodeText serves types that read themselves. They get a number as it is written, so that `wait: auto` and
// `wait: 2` are one setting.
func (d *decoder) decodeText(at path, raw any, target encoding.TextUnmarshaler) {
	var text string
	switch value := raw.(type) {
	case string:
		text = value
	case fromVariable:
		text = string(value)
	case int64:
		text = strconv.FormatInt(value, 10)
	case bool:
		text = strconv.FormatBool(value)
	default:
		d.problem(at, "plain text", "%s is not text", describe(raw))
		return
	}
	if err := target.UnmarshalText([]byte(text)); err != nil {
		if mistake, ok := errors.AsType[*field.Error](err); ok {
			d.problem(at, mistake.Accepted, "%s", mistake.Problem)
			return
		}
		d.problem(at, "", "%s", err)
	}
}

func (d *decoder) decodeDuration(at path, raw any, target reflect.Value) {
	switch value := raw.(type) {
	case time.Duration:
		target.SetInt(int64(value))
		return
	case string, fromVariable:
		if duration, err := parseDuration(fmt.Sprint(value)); err == nil {
			target.SetInt(int64(duration))
			return
		}
		d.problem(at, acceptedDuration, "%s is not a duration", describe(raw))
	case int64:
		if value == 0 {
			target.SetInt(0)
			return
		}
		d.problem(at, acceptedDuration, "%d has no unit: write %ds or %dms", value, value, value)
	default:
		d.problem(at, acceptedDuration, "%s is not a duration", describe(raw))
	}
}

func (d *decoder) decodeString(at path, raw any, target reflect.Value) {
	switch value := raw.(type) {
	case string:
		target.SetString(value)
	case fromVariable:
		target.SetString(string(value))
	case map[string]any, []any:
		d.problem(at, "text", "%s is not text", describe(raw))
	default:
		d.problem(at, fmt.Sprintf("text: put it in quotes, \"%v\"", raw), "%s is not text", describe(raw))
	}
}

func (d *decoder) decodeBool(at path, raw any, target reflect.Value) {
	switch value := raw.(type) {
	case bool:
		target.SetBool(value)
		return
	case fromVariable:
		if value == "true" || value == "false" {
			target.SetBool(value == "true")
			return
		}
	}
	d.problem(at, "true or false", "%s is not true or false", describe(raw))
}

func (d *decoder) decodeWhole(at path, raw any, target reflect.Value) {
	var number int64
	switch value := raw.(type) {
	case int64:
		number = value
	case fromVariable:
		parsed, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			d.problem(at, "a whole number", "%s is not a whole number", describe(raw))
			return
		}
		number = parsed
	case float64:
		if whole := int64(value); value == float64(whole) && -1<<53 < whole && whole < 1<<53 {
			d.problem(at, fmt.Sprintf("a whole number, written %d", whole), "%s is a number with a fraction", describe(raw))
			return
		}
		d.problem(at, "a whole number", "%s is not a whole number", describe(raw))
		return
	case outOfRange:
		d.problem(at, accepted64, "%s is out of range", string(value))
		return
	default:
		d.problem(at, "a whole number", "%s is not a whole number", describe(raw))
		return
	}
	signed := target.CanInt()
	if signed && target.OverflowInt(number) || !signed && (number < 0 || target.OverflowUint(uint64(number))) {
		d.problem(at, fmt.Sprintf("a whole number that fits %s", target.Kind()), "%d is out of range", number)
		return
	}
	if signed {
		target.SetInt(number)
		return
	}
	target.SetUint(uint64(number))
}

const accepted64 = "a whole number from -9223372036854775808 to 9223372036854775807"

func (d *decoder) decodeList(at path, raw any, target reflect.Value) {
	items, ok := raw.([]any)
	if !ok {
		d.problem(at, "a list", "%s is not a list", describe(raw))
		return
	}
	list := reflect.MakeSlice(target.Type(), len(items), len(items))
	for i, item := range items {
		d.decode(at.index(i), item, list.Index(i))
	}
	target.Set(list)
}

// reportInvalid gives each mistake that a Validate found the place of its key, or of the settings as a whole.
// Of blamed keys enough is said, and so of what lies in them or around them.
func (d *decoder) reportInvalid(at path, values map[string]any, blamed map[string]bool, err error) {
	for _, mistake := range flatten(err) {
		inField, ok := errors.AsType[*field.Error](mistake)
		if !ok {
			d.problem(at, "", "%s", mistake)
			continue
		}
		if isBlamed(blamed, inField.Key) {
			continue
		}
		if inField.Key == "" {
			d.problem(at, inField.Accepted, "%s", inField.Problem)
			continue
		}
		problem := Problem{
			Origin: d.origin(at), Path: at.keys(inField.Key).String(), What: inField.Problem, Accepted: inField.Accepted,
		}
		first, _, _ := strings.Cut(inField.Key, ".")
		if _, written := values[first]; written {
			problem.Origin = d.origin(at.keys(inField.Key))
		}
		d.problems.add(problem)
	}
}

// isBlamed tells whether key, one that it lies in, or one that lies in it is among blamed.
func isBlamed(blamed map[string]bool, key string) bool {
	for other, isMistake := range blamed {
		if isMistake && (other == key || strings.HasPrefix(other, key+".") || strings.HasPrefix(key, other+".")) {
			return true
		}
	}
	return false
}

// flatten lists the errors that errors.Join joined, however deeply.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

func (d *decoder) problem(at path, accepted, what string, args ...any) {
	d.problems.add(Problem{
		Origin: d.origin(at), Path: at.String(), What: fmt.Sprintf(what, args...), Accepted: accepted,
	})
}

// origin is where at was set, or the nearest place above it that was.
func (d *decoder) origin(at path) Origin {
	for {
		if origin, ok := d.origins[at]; ok {
			return origin
		}
		cut := strings.LastIndex(string(at), pathSeparator)
		if cut < 0 {
			return Origin{Source: "the configuration"}
		}
		at = at[:cut]
	}
}

// plainText is a value that is text, whatever set it.
func plainText(raw any) (string, bool) {
	switch value := raw.(type) {
	case string:
		return value, true
	case fromVariable:
		return string(value), true
	default:
		return "", false
	}
}

// describe shows a value as it was written, short enough for a report.
func describe(raw any) string {
	switch value := raw.(type) {
	case string:
		return shortened(strconv.Quote(redact.Value(value)))
	case fromVariable:
		return shortened(strconv.Quote(redact.Value(string(value))))
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case nil:
		return "nothing"
	default:
		return shortened(fmt.Sprint(value))
	}
}

func shortened(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
