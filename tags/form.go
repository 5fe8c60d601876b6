package tags

import (
	"math"
	"reflect"
)

// form is how a type holds a number or a text.
type form struct {
	wrapped  bool         // a pointer, or nullable, or both
	pointer  reflect.Type // what to allocate where the type is a pointer, else nil
	nullable bool         // one of database/sql's Null structs: the value, then Valid
	content  reflect.Type // the type of the value itself
	text     bool
	unsigned bool
	max      int64 // the greatest number that fits
}

// formOf tells how t holds an id, or false where it cannot.
func formOf(t reflect.Type) (form, bool) {
	var f form
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
		f.pointer = t
	}
	if t.Kind() == reflect.Struct && t.PkgPath() == "database/sql" && t.NumField() == 2 && t.Field(1).Name == "Valid" {
		t = t.Field(0).Type
		f.nullable = true
	}
	f.content = t
	f.wrapped = f.pointer != nil || f.nullable
	switch kind := t.Kind(); {
	case kind == reflect.String:
		f.text = true
	case kind >= reflect.Int && kind <= reflect.Int64:
		f.max = math.MaxInt64 >> (64 - t.Bits())
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		f.unsigned = true
		f.max = math.MaxInt64
		if t.Bits() < 64 {
			f.max = 1<<t.Bits() - 1
		}
	default:
		return form{}, false
	}
	return f, true
}

// isEmpty tells whether v waits to be filled: it is zero, a nil pointer, or not Valid. A pointer to zero and a
// Valid zero were put there by somebody.
func (f *form) isEmpty(v reflect.Value) bool {
	switch {
	case f.wrapped:
		return f.isNull(v)
	case f.text:
		return v.Len() == 0
	case f.unsigned:
		return v.Uint() == 0
	default:
		return v.Int() == 0
	}
}

// isNull is isEmpty for wrapped types.
func (f *form) isNull(v reflect.Value) bool {
	if f.pointer != nil {
		return v.IsNil()
	}
	return !v.Field(1).Bool()
}

// open makes v, of a wrapped type, hold a value, and returns the place for it.
func (f *form) open(v reflect.Value) reflect.Value {
	if f.pointer != nil {
		v.Set(reflect.New(f.pointer))
		v = v.Elem()
	}
	if f.nullable {
		v.Field(1).SetBool(true)
		v = v.Field(0)
	}
	return v
}
