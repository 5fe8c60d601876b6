package config

import (
	"fmt"
	"strconv"
	"strings"
)

// schemaRule is what the tag `schema` of a settings field tells Schema, because the field's type does not:
//
//	schema:"required"           the key must be written
//	schema:"min=1,max=64"       bounds, of a number, of a text's length, and min=0 of a duration
//	schema:"above=0"            more than, of a number, and 0 of a duration
//	schema:"enum=error|grow"    the words that a text may be
//	schema:"pattern=[a-z]{1,8}" what all of a text must match; it comes last, for it may hold commas
//
// It repeats what the settings' Validate checks, which stays the only judge when a configuration is loaded.
type schemaRule struct {
	required        bool
	min, above, max *int64
	enum            []string
	pattern         string
}

func parseSchemaRule(tag string) (schemaRule, error) {
	var rule schemaRule
	for tag != "" {
		if pattern, last := strings.CutPrefix(tag, "pattern="); last {
			rule.pattern = pattern
			break
		}
		var word string
		word, tag, _ = strings.Cut(tag, ",")
		if err := rule.read(word); err != nil {
			return schemaRule{}, err
		}
	}
	return rule, nil
}

func (r *schemaRule) read(word string) error {
	name, value, _ := strings.Cut(word, "=")
	bounds := map[string]**int64{"min": &r.min, "above": &r.above, "max": &r.max}
	switch bound, isBound := bounds[name]; {
	case word == "required":
		r.required = true
	case name == "enum" && value != "":
		r.enum = strings.Split(value, "|")
	case isBound:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("%q has no whole number", word)
		}
		*bound = &n
	default:
		return fmt.Errorf("%q is not a rule; accepted: required, min=, max=, above=, enum=, pattern=", word)
	}
	return nil
}

// add takes over what more says of bounds and words.
func (r *schemaRule) add(more schemaRule) {
	if more.above != nil {
		r.above = more.above
	}
	if more.enum != nil {
		r.enum = more.enum
	}
}
