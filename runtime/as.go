package runtime

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
)

// As returns the part of the named generator that is a T: As[codecs.GroupedCodec](rt, "bill"). The parts are the
// generator itself (as generators.Generator, generators.GroupedGenerator or its concrete type) and its codec. The
// error lists what the name does have.
func As[T any](rt *Runtime, name string) (T, error) {
	var none T
	e, err := rt.Get(name)
	if err != nil {
		return none, err
	}
	for _, part := range []any{e.instance, e.codec, e.groupedCodec} {
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
	if e.grouped != nil {
		return append(parts, nameOf[generators.GroupedGenerator](), nameOf[codecs.GroupedCodec]())
	}
	return append(parts, nameOf[generators.Generator](), nameOf[codecs.Codec]())
}

func nameOf[T any]() string { return reflect.TypeFor[T]().String() }
