package tags

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/cosid-go/cosid/internal/tagrules"
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
	t, err := tagrules.Parse(text)
	if err != nil {
		return nil, err
	}
	form, ok := formOf(sf.Type)
	switch {
	case !sf.IsExported():
		return nil, tagrules.ErrUnexported
	case !ok:
		return nil, tagrules.TypeError(sf.Type.String())
	case !form.text && t.Codec != "":
		return nil, tagrules.CodecError(t.Codec, sf.Type.String())
	}
	feed, err := f.feed(feedKey{Tag: t, text: form.text})
	if err != nil {
		return nil, err
	}
	switch {
	case form.text:
	case feed.generator.TextOnly():
		return nil, tagrules.TextOnlyError(t.Name)
	case feed.generator.Grouped():
		return nil, tagrules.GroupedError(t.Name)
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
	if f.form.wrapped {
		v = f.form.open(v)
	}
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
	if f.form.wrapped {
		v = f.form.open(v)
	}
	v.SetString(text)
	return nil
}

// What is written must not look like an empty field: it would be drawn anew each time, so that a stored row and
// the struct that it came from went apart.
var (
	errZero      = errors.New("drew 0, which counts as empty; let the generator begin above it (initial-offset: 1)")
	errEmptyText = errors.New("drew an empty text, which counts as empty; let the codec write something")
)
