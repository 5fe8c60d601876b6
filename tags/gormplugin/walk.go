package gormplugin

import (
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/cosid-go/cosid/tags"
)

// walk gathers what is to be filled for one statement, in the rows given to GORM and in those behind them.
type walk struct {
	plugin *Plugin
	db     *gorm.DB
	batch  *tags.Batch
	drawn  []mapValue
}

// rows gathers from v: a struct of schema s, or pointers, slices and arrays of such.
func (w *walk) rows(s *schema.Schema, sel *selection, v reflect.Value) error {
	return w.each(s, v, false, func(m *model, row reflect.Value) error { return w.row(m, sel, row) })
}

// children does what rows does for v, an association, to which the rows of several parents may lead.
func (w *walk) children(s *schema.Schema, sel *selection, v reflect.Value) error {
	return w.each(s, v, true, func(m *model, row reflect.Value) error { return w.row(m, sel, row) })
}

// associations does what rows does, but for the rows behind v only.
func (w *walk) associations(s *schema.Schema, sel *selection, v reflect.Value) error {
	return w.each(s, v, false, func(m *model, row reflect.Value) error { return w.behind(m, sel, row) })
}

// each calls visit for the structs in v, once for each.
func (w *walk) each(
	s *schema.Schema, v reflect.Value, shared bool, visit func(*model, reflect.Value) error,
) error {
	m, err := w.plugin.model(w.db, s)
	if err != nil || m.isEmpty() {
		return err
	}
	return w.eachOf(m, v, shared, visit)
}

func (w *walk) eachOf(m *model, v reflect.Value, shared bool, visit func(*model, reflect.Value) error) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return w.eachOf(m, v.Elem(), true, visit)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := w.eachOf(m, v.Index(i), shared, visit); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if (shared || len(m.relations) > 0) && v.CanAddr() && !w.batch.Once(v) {
			return nil
		}
		return visit(m, v)
	}
	return nil
}

// row gathers the empty fields of one struct that its INSERT will carry, and those of the rows behind it.
func (w *walk) row(m *model, sel *selection, v reflect.Value) error {
	for _, c := range m.columns {
		if !sel.column(c.schema) {
			continue
		}
		if v.CanAddr() {
			w.batch.AddField(c.field, c.schema.ReflectValueOf(w.db.Statement.Context, v)) // allocates embedded pointers
			continue
		}
		place, ok := fieldOf(v, c.schema)
		if ok {
			_, ok = c.field.Value(place)
		}
		if !ok {
			return byValue(v)
		}
	}
	for _, f := range m.nested {
		place, ok := fieldOf(v, f)
		if ok && sel.column(f) && indirect(place).IsValid() {
			if !reachable(place) {
				return byValue(v)
			}
			if err := w.batch.Add(place); err != nil {
				return err
			}
		}
	}
	for _, sf := range m.hidden {
		place := v.FieldByIndex(sf.Index)
		if place.Kind() == reflect.Pointer && place.IsNil() {
			return fmt.Errorf("gormplugin: fill %s.%s: the embedded %s is nil and, being unexported, cannot be allocated "+
				"here; set it before", v.Type().Name(), sf.Name, sf.Type)
		}
		if !reachable(place) {
			return byValue(v)
		}
		if err := w.batch.Add(place); err != nil {
			return err
		}
	}
	return w.behind(m, sel, v)
}

// behind gathers from the associations of a row that GORM will save.
func (w *walk) behind(m *model, sel *selection, v reflect.Value) error {
	for _, rel := range m.relations {
		// A zero struct is no row to GORM, and must not become one by being filled.
		place, ok := fieldOf(v, rel.Field)
		if !ok || place.IsZero() || !sel.association(rel) {
			continue
		}
		if err := w.children(rel.FieldSchema, sel.behind(rel), place); err != nil {
			return err
		}
	}
	return nil
}

// fieldOf is the field f of the struct v, or false where it lies behind a nil embedded pointer.
func fieldOf(v reflect.Value, f *schema.Field) (reflect.Value, bool) {
	for _, index := range f.StructField.Index {
		if v = indirect(v); !v.IsValid() {
			return v, false
		}
		v = v.Field(fieldIndex(index))
	}
	return v, true
}

// reachable tells whether what v holds can be written.
func reachable(v reflect.Value) bool {
	return v.CanAddr() || v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice
}

func byValue(row reflect.Value) error {
	return fmt.Errorf("gormplugin: a %s by value cannot be filled; give a pointer to it: %w",
		row.Type(), gorm.ErrInvalidValue)
}
