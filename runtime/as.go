package runtime

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
)

// As returns the part of the named generator that is a T: As[codecs.GroupedCodec](rt, "bill"). The parts are the
// generator itself (as generators.Generator, generators.GroupedGenerator, generators.TextGenerator or its concrete
// type), its codec, and the generators.Layout of ids that hold a time. The error lists what the name does have.
func As[T any](rt *Runtime, name string) (T, error) {
	var none T
	e, err := rt.Get(name)
	if err != nil {
		return none, err
	}
	parts := []any{e.instance, e.config.Codec, e.config.GroupedCodec}
	if e.config.Layout != nil {
		parts = append(parts, *e.config.Layout)
	}
	for _, part := range parts {
		if typed, ok := part.(T); ok {
			return typed, nil
		}
	}
	return none, fmt.Errorf("cosid: generator %q has no %s (it has %s)",
		name, reflect.TypeFor[T](), strings.Join(e.partNames(), ", "))
}

// partNames are the types that As finds in the entry.
func (e *Entry) partNames() []string {
	parts := []string{fmt.Sprintf("%T", e.instance)}
	switch {
	case e.texts != nil:
		return append(parts, nameOf[generators.TextGenerator]())
	case e.grouped != nil:
		return append(parts, nameOf[generators.GroupedGenerator](), nameOf[codecs.GroupedCodec]())
	}
	parts = append(parts, nameOf[generators.Generator](), nameOf[codecs.Codec]())
	if e.config.Layout != nil {
		parts = append(parts, nameOf[generators.Layout]())
	}
	return parts
}

func nameOf[T any]() string { return reflect.TypeFor[T]().String() }
