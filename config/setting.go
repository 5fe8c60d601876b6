package config

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
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
		value = hidden
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
	return redact(fmt.Sprint(v.Interface()))
}

// The passwords of database addresses that are no URLs: user:password@tcp(host), and password=… among other keys.
var (
	passwordBeforeAt = regexp.MustCompile(`^([^:/@\s]+):\S+@`)
	passwordKey      = regexp.MustCompile(`(?i)(pass|password|passwd|passphrase|pwd|secret|token|key)\s*=\s*('(?:[^'\\]|\\.)*'|"[^"]*"|[^\s&;]*)`)
	secretName       = regexp.MustCompile(`(?i)(^|-)(password|passwd|passphrase|pwd|secret|token|key)$`)
)

const hidden = "***"

// redact hides what looks like a password, so that a report can be shown to anybody.
func redact(text string) string {
	if address, err := url.Parse(text); err == nil && address.Host != "" && address.User != nil {
		if _, secret := address.User.Password(); secret {
			credentials := text[strings.Index(text, "://")+3 : strings.LastIndex(text, "@")]
			user, _, _ := strings.Cut(credentials, ":")
			text = strings.Replace(text, credentials, user+":"+hidden, 1)
		}
	}
	text = passwordBeforeAt.ReplaceAllString(text, "$1:"+hidden+"@")
	return passwordKey.ReplaceAllString(text, "$1="+hidden)
}
