package tags

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// Field is one tagged field of a struct type: the generator it draws from, and how its type holds the result. It
// is immutable and safe for concurrent use.
type Field struct {
	name string // Bill.No
	feed *feed
	form form
}

// Value returns the number or text in v, a value of the field's type, without its pointer or its sql.Null. It is
// false where v is empty: zero, a nil pointer, or not Valid.
func (f *Field) Value(v reflect.Value) (reflect.Value, bool) {
	if f.form.isEmpty(v) {
		return reflect.Value{}, false
	}
	if f.form.pointer != nil {
		v = v.Elem()
	}
	if f.form.nullable {
		v = v.Field(0)
	}
	return v, true
}

// Field reads the tag of sf, a field of the struct type called owner, and looks its generator up. It returns nil
// where there is no tag, or it is `cosid:"-"`. sf.Index is not used.
func (f *Filler) Field(owner string, sf reflect.StructField) (*Field, error) {
	text, tagged := sf.Tag.Lookup(Key)
	if !tagged || text == Skip {
		return nil, nil
	}
	field, err := f.field(owner+"."+sf.Name, text, sf)
	if err != nil {
		return nil, fmt.Errorf("cosid: %s.%s: %w", owner, sf.Name, err)
	}
	return field, nil
}

func (f *Filler) field(name, text string, sf reflect.StructField) (*Field, error) {
	t, err := parseTag(text)
	if err != nil {
		return nil, err
	}
	form, ok := formOf(sf.Type)
	switch {
	case !sf.IsExported():
		return nil, errors.New("an unexported field cannot be filled; export it")
	case !ok:
		return nil, fmt.Errorf("a %s cannot hold an id; accepted is %s", sf.Type, acceptedTypes)
	case !form.text && t.codec != "":
		return nil, fmt.Errorf("codec=%s has no use on a %s; a codec writes text, into a string", t.codec, sf.Type)
	}
	feed, err := f.feed(feedKey{tag: t, text: form.text})
	if err != nil {
		return nil, err
	}
	if !form.text && feed.generator.Grouped() {
		return nil, fmt.Errorf("the numbers of generator %q repeat in each period; fill a string, which carries the period",
			t.name)
	}
	return &Field{name: name, feed: feed, form: form}, nil
}

// setNumber writes a drawn number to v, or says why it must not.
func (f *Field) setNumber(v reflect.Value, id int64) error {
	if id == 0 {
		return errZero
	}
	if id < 0 || id > f.form.max {
		return fmt.Errorf("%d does not fit %s", id, f.form.content)
	}
	v = f.form.open(v)
	if f.form.unsigned {
		v.SetUint(uint64(id))
	} else {
		v.SetInt(id)
	}
	return nil
}

// setText writes a drawn text to v, or says why it must not.
func (f *Field) setText(v reflect.Value, text string) error {
	if text == "" {
		return errEmptyText
	}
	f.form.open(v).SetString(text)
	return nil
}

// What is written must not look like an empty field: it would be drawn anew each time, so that a stored row and
// the struct that it came from went apart.
var (
	errZero      = errors.New("drew 0, which counts as an empty field; let the generator begin above it (initial-offset: 1)")
	errEmptyText = errors.New("drew an empty text, which counts as an empty field; let the codec write something")
)

// acceptedTypes is what a tag may stand on, for messages.
const acceptedTypes = "an integer or a string, a named type or a pointer of one, sql.NullInt64, sql.NullInt32, " +
	"sql.NullString or a sql.Null of one"

// feed is one way to draw: fields that share it are filled from one draw.
type feed struct {
	feedKey
	generator Generator
	single    oneByOne // the generator, where it draws numbers and has the method
}

type feedKey struct {
	tag
	text bool
}

// feed looks the generator of key up, once. A name that is not found may be known later.
func (f *Filler) feed(key feedKey) (*feed, error) {
	if found, ok := f.feeds.Load(key); ok {
		return found.(*feed), nil
	}
	generator, err := f.source(key.name, key.codec)
	if err != nil {
		return nil, err
	}
	made := &feed{feedKey: key, generator: generator}
	if !key.text {
		made.single, _ = generator.(oneByOne)
	}
	found, _ := f.feeds.LoadOrStore(key, made)
	return found.(*feed), nil
}

// form is how a type holds a number or a text.
type form struct {
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
	case f.pointer != nil:
		return v.IsNil()
	case f.nullable:
		return !v.Field(1).Bool()
	case f.text:
		return v.Len() == 0
	case f.unsigned:
		return v.Uint() == 0
	default:
		return v.Int() == 0
	}
}

// open makes v hold a value, and returns the place for it.
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
