package config

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// sourceFile is a file that may hold a `cosid:` section.
type sourceFile struct {
	path     string
	shown    string // how reports name it
	required bool
	profile  string // that the file is read for
}

// baseNames are looked for in Options.Dir and then in its folder config.
var baseNames = []string{"cosid.yaml", "application.yaml"}

// files lists what to read, later over earlier; each file is followed by its profiles.
func (l *loader) files() []sourceFile {
	var base []sourceFile
	for _, name := range l.options.Files {
		base = append(base, l.file(name, true))
	}
	if len(base) == 0 && l.options.Koanf == nil {
		if name, ok := l.env("COSID_CONFIG"); ok && name != "" {
			base = append(base, l.file(name, true))
		}
	}
	if len(base) == 0 && l.options.Koanf == nil {
		for _, folder := range []string{"", "config"} {
			for _, name := range baseNames {
				base = append(base, l.file(filepath.Join(folder, name), false))
			}
		}
	}
	var all []sourceFile
	for _, file := range base {
		all = append(all, file)
		for _, profile := range l.profiles() {
			extension := filepath.Ext(file.shown)
			of := l.file(strings.TrimSuffix(file.shown, extension)+"-"+profile+extension, false)
			of.profile = profile
			all = append(all, of)
		}
	}
	return all
}

func (l *loader) file(name string, required bool) sourceFile {
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(l.options.Dir, name)
	}
	return sourceFile{path: full, shown: name, required: required}
}

// profiles are the words of COSID_PROFILE: prod, or prod,eu.
func (l *loader) profiles() []string {
	value, _ := l.env("COSID_PROFILE")
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

func shownNames(files []sourceFile) string {
	shown := make([]string, len(files))
	for i, file := range files {
		shown[i] = file.shown
	}
	return strings.Join(shown, ", ")
}

// plainFileError leaves out the operation and the path, which the report names already.
func plainFileError(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

func lookupIn(environ []string) lookup {
	values := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			values[name] = value
		}
	}
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

// twiceIn calls report for each place that a value from code sets in two spellings.
func twiceIn(at path, value any, report func(path)) {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Map {
		return
	}
	seen := map[string]bool{}
	for _, key := range v.MapKeys() {
		name := fmt.Sprint(key.Interface())
		if !at.holdsNames() {
			name = canonicalKey(name)
		}
		if seen[name] {
			report(at.key(name))
		}
		seen[name] = true
		twiceIn(at.key(name), v.MapIndex(key).Interface(), report)
	}
}

// canonicalValue brings a value from code into the form that the YAML parser makes: kebab-case keys, int64s, lists
// of any. It calls seen for each place.
func canonicalValue(at path, value any, seen func(path)) any {
	seen(at)
	v := reflect.ValueOf(value)
	switch {
	case v.Kind() == reflect.Map:
		result := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			name := fmt.Sprint(key.Interface())
			if !at.holdsNames() {
				name = canonicalKey(name)
			}
			result[name] = canonicalValue(at.key(name), v.MapIndex(key).Interface(), seen)
		}
		return result
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = canonicalValue(at.index(i), v.Index(i).Interface(), seen)
		}
		return list
	default:
		return plainValue(value)
	}
}

// plainValue widens numbers and named types to those that the YAML parser makes.
func plainValue(value any) any {
	switch value := value.(type) {
	case time.Duration:
		return value
	case time.Time: // as other YAML parsers read one
		return value.Format(time.RFC3339Nano)
	}
	v := reflect.ValueOf(value)
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint() && v.Uint() > math.MaxInt64:
		return outOfRange(strconv.FormatUint(v.Uint(), 10))
	case v.CanUint():
		return int64(v.Uint())
	case v.CanFloat():
		return v.Float()
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	default:
		return value
	}
}
