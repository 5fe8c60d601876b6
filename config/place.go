package config

import (
	"errors"
	"strings"

	"github.com/cosid-go/cosid/config/field"
)

// Place is where an entry of the section was written, key by key. The zero Place knows nothing.
type Place struct {
	at     path
	origin Origin
	keys   map[string]Origin // of the keys that were written; bits.slot for one within bits
}

// place is the Place of the entry at, whose written keys are those of values.
func (d *decoder) place(at path, values map[string]any) Place {
	p := Place{at: at, origin: d.origin(at), keys: make(map[string]Origin, len(values))}
	p.add(d, "", values)
	return p
}

// add notes where the keys below a dotted prefix were written.
func (p Place) add(d *decoder, prefix string, values map[string]any) {
	for key, value := range values {
		p.keys[prefix+key] = d.origin(p.at.keys(prefix + key))
		if nested, isMap := value.(map[string]any); isMap {
			p.add(d, prefix+key+".", nested)
		}
	}
}

// originOf is where key was written, or the nearest place around it that was.
func (p Place) originOf(key string) Origin {
	for key != "" {
		if origin, written := p.keys[key]; written {
			return origin
		}
		key = key[:max(strings.LastIndex(key, "."), 0)]
	}
	return p.origin
}

// Origin is where the entry begins.
func (p Place) Origin() Origin { return p.origin }

// Problems turns an error that came up while the entry was built into mistakes at their places: each field.Error in
// it at its key, or all of it at the entry.
func (p Place) Problems(err error) []Problem {
	var problems []Problem
	for _, mistake := range fieldErrors(err) {
		problem := Problem{
			Origin: p.originOf(mistake.Key), Path: p.at.keys(mistake.Key).String(), What: mistake.Problem,
			Accepted: mistake.Accepted, Err: err,
		}
		if mistake.Key == "" {
			problem.Path = p.at.String()
		}
		problems = append(problems, problem)
	}
	if len(problems) == 0 {
		problems = append(problems, Problem{Origin: p.origin, Path: p.at.String(), What: err.Error(), Err: err})
	}
	return problems
}

// fieldErrors lists the field.Errors that err wraps or joins, at any depth.
func fieldErrors(err error) []*field.Error {
	if mistake, ok := err.(*field.Error); ok {
		return []*field.Error{mistake}
	}
	var found []*field.Error
	switch wrapper := err.(type) {
	case interface{ Unwrap() []error }:
		for _, e := range wrapper.Unwrap() {
			found = append(found, fieldErrors(e)...)
		}
	case interface{ Unwrap() error }:
		found = fieldErrors(errors.Unwrap(err))
	}
	return found
}
