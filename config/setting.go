package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/cosid-go/cosid/internal/redact"
)

// Setting is one value that a configuration came to, and why.
type Setting struct {
	Entry string // what it belongs to: cosid.generators.bill, or cosid for the section itself
	Path  string // for instance cosid.generators.bill.step
	Value string // as it would be written; secrets are left out
	From  string // file:line:column, a variable, or what else set it; "default" where nothing did
}

// record notes the value that a field came to, unless it is one that merely stands for nothing.
func (d *decoder) record(at path, target reflect.Value, written bool) {
	if d.settings == nil {
		return
	}
	value := shown(target)
	if last := string(at[strings.LastIndex(string(at), pathSeparator)+1:]); value != "" && secretName.MatchString(last) {
		value = redact.Hidden
	}
	from := "default"
	if written {
		from = d.origin(at).String()
	} else if value == "" {
		return
	}
	d.note(at, value, from)
}

func (d *decoder) note(at path, value, from string) {
	*d.settings = append(*d.settings, Setting{Entry: at.entry().String(), Path: at.String(), Value: value, From: from})
}

// shown is a value as it would be written, "" for one that stands for nothing.
func shown(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		items := make([]string, v.Len())
		for i := range items {
			items[i] = shown(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return redact.Value(fmt.Sprint(v.Interface()))
}

// secretName finds the keys whose values are not shown at all.
var secretName = regexp.MustCompile(`(?i)(^|-)(password|passwd|passphrase|pwd|secret|token|key)$`)
