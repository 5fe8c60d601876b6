// Package tags fills struct fields that are tagged with the name of a generator:
//
//	type Bill struct {
//		ID int64  `cosid:"order"`            // a number
//		No string `cosid:"bill,codec=short"` // text, through the generator's codec or the one named here
//	}
//
// A field is filled only while it is empty: zero, a nil pointer, or a sql.Null that is not Valid. Nothing is drawn
// for others, so that filling twice is the same as filling once. An empty name, `cosid:""`, means the generator
// called default; `cosid:"-"` keeps filling away from a field and everything in it. Accepted are all integer
// types, string, named types of these, pointers to them, and database/sql's Null structs around them.
//
// Filling looks into embedded structs and, through exported fields, into structs, pointers, slices and arrays. A
// nil pointer is nothing to fill, except that an embedded one is allocated if a tagged field in it needs it. Maps
// and interfaces are left alone. Each struct is filled once, however many pointers lead to it.
//
// Sub-packages connect a Filler to database libraries.
package tags

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Filler fills tagged fields from the generators of one Source. What a type takes is worked out when the type is
// first seen, or by Register. It is safe for concurrent use, as long as no two calls fill the same value at once.
type Filler struct {
	source  Source
	plans   planCache
	feeds   sync.Map  // feedKey → *feed
	batches sync.Pool // of *Batch
}

// NewFiller returns a Filler that draws from source.
func NewFiller(source Source) *Filler { return &Filler{source: source} }

// Register works out now what the given types take, so that a bad tag is known before the first row is saved. It
// takes a value or a pointer of each type, for instance Register(Bill{}, &Order{}), and only looks at the type. The
// errors of all fields are joined, each naming its Type.Field.
func (f *Filler) Register(types ...any) error {
	var errs []error
	for i, value := range types {
		t := reflect.TypeOf(value)
		if t == nil {
			errs = append(errs, fmt.Errorf("cosid: register: argument %d is nil; give a value such as Bill{}", i+1))
			continue
		}
		if err := checkType(t); err != nil {
			errs = append(errs, fmt.Errorf("cosid: register: %w", err))
		} else if _, err := f.planOf(t); err != nil {
			errs = append(errs, untold(err, errs)...)
		}
	}
	return errors.Join(errs...)
}

// untold lists the errors that planOf joined, without those that are in told: types that hold each other share them.
func untold(joined error, told []error) []error {
	all, ok := joined.(interface{ Unwrap() []error })
	if !ok {
		return []error{joined}
	}
	var rest []error
	for _, err := range all.Unwrap() {
		if !slices.ContainsFunc(told, func(other error) bool { return other.Error() == err.Error() }) {
			rest = append(rest, err)
		}
	}
	return rest
}

// Fill fills the empty tagged fields of target: a pointer to a struct, a slice of structs or of pointers, a pointer
// to a slice or to an array, or a pointer to one of these. Nil elements are skipped. A struct or array by value
// cannot be filled and is refused.
//
// The ids of all rows are drawn at once, one draw a generator, and given out in the order of the rows and, within
// a row, of its fields. Every field is tried; the errors are joined, each naming its Type.Field once, however many
// rows it stands in. If a generator yields fewer ids than needed, the first rows get them.
func (f *Filler) Fill(ctx context.Context, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		if p, _ := f.plans.load(v.Type()); p != nil && p.elem.flat {
			return f.fillRow(ctx, p.elem, v.Elem()) // the usual case, made short
		}
	}
	return f.FillValue(ctx, v)
}

// FillAll fills several targets, with one draw a generator for all of them.
func (f *Filler) FillAll(ctx context.Context, targets ...any) error {
	b := f.newBatch()
	for _, target := range targets {
		b.note(b.Add(reflect.ValueOf(target)))
	}
	return b.fill(ctx)
}

// FillValue does for a reflect.Value what Fill does. It may also be an addressable struct or array.
func (f *Filler) FillValue(ctx context.Context, v reflect.Value) error {
	p, v, err := f.target(v)
	if p == nil || err != nil {
		return err
	}
	b := f.newBatch()
	b.shared = !p.apart()
	b.walk(p, v)
	return b.fill(ctx)
}

// fillRow fills a single struct of a flat plan. Numbers that come one by one need no batch.
func (f *Filler) fillRow(ctx context.Context, p *plan, row reflect.Value) error {
	var b *Batch
	for i := range p.steps {
		field, v := p.steps[i].field, row.Field(p.steps[i].index)
		if !field.form.isEmpty(v) {
			continue
		}
		var err error
		drawn := false
		if single := field.feed.single; single != nil && ctx.Err() == nil {
			var id int64
			if id, err = single.Next(ctx); err == nil {
				drawn, err = true, field.setNumber(v, id)
			}
			if err == nil {
				continue
			}
		}
		if b == nil {
			b = f.newBatch()
		}
		if err != nil {
			b.refuse(field, drawn, err)
		} else {
			b.AddField(field, v)
		}
	}
	if b == nil {
		return nil
	}
	return b.fill(ctx)
}

// target follows v to the struct, slice or array that is to be filled, and returns its plan, nil where there is
// nothing to fill in it.
func (f *Filler) target(v reflect.Value) (*plan, reflect.Value, error) {
	if !v.IsValid() {
		return nil, v, errors.New("cosid: fill: the target is nil; give a pointer to a struct, or a slice")
	}
	p, err := f.planOf(v.Type())
	if err != nil {
		return nil, v, err
	}
	if p == nil {
		if err := checkType(v.Type()); err != nil {
			return nil, v, fmt.Errorf("cosid: fill: %w", err)
		}
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, v, fmt.Errorf("cosid: fill: the target is a nil %s", v.Type())
		}
		v = v.Elem()
		if p != nil {
			p = p.elem
		}
	}
	if v.Kind() != reflect.Slice && !v.CanAddr() {
		return nil, v, fmt.Errorf("cosid: fill: a %s by value cannot be filled; give a pointer to it", v.Type())
	}
	return p, v, nil
}

// FillBatch calls collect to gather what is to be filled, and then fills it with one draw a generator. It is for
// those who connect the Filler to a library that knows better which fields to fill. If collect returns an error,
// nothing is drawn.
func (f *Filler) FillBatch(ctx context.Context, collect func(*Batch) error) error {
	b := f.newBatch()
	if err := collect(b); err != nil {
		b.release()
		return err
	}
	return b.fill(ctx)
}

// IsTagged tells whether filling a value of type t can ever write something. Its error is what Register says of t.
func (f *Filler) IsTagged(t reflect.Type) (bool, error) {
	p, err := f.planOf(t)
	return p != nil, err
}

// checkType refuses what cannot lead to the fields of a struct.
func checkType(t reflect.Type) error {
	inner := t
	for range maxNesting {
		switch inner.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			inner = inner.Elem()
		case reflect.Struct:
			return nil
		}
	}
	return fmt.Errorf("a %s holds no struct; give a pointer to a struct, or a slice of structs or of pointers", t)
}

// maxNesting is how many pointers, slices and arrays checkType looks through: types such as type P *P have no end.
const maxNesting = 16
