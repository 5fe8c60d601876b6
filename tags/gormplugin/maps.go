package gormplugin

import (
	"fmt"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/cosid-go/cosid/tags"
)

// mapValue is a value that is drawn for a key of a map.
type mapValue struct {
	row   map[string]any
	key   string
	field *tags.Field
	value reflect.Value // of the field's type
}

// mapsIn returns the rows of a Create that takes maps. GORM knows these types and no others.
func mapsIn(dest any) []map[string]any {
	switch rows := dest.(type) {
	case map[string]any:
		return []map[string]any{rows}
	case *map[string]any:
		return []map[string]any{*rows}
	case []map[string]any:
		return rows
	case *[]map[string]any:
		return *rows
	}
	return nil
}

// maps gathers the tagged columns that rows lack. A key that is there, under the column's or the field's name, was
// set by the caller, whatever its value.
func (w *walk) maps(s *schema.Schema, sel *selection, rows []map[string]any) error {
	m, err := w.plugin.model(w.db, s)
	if err != nil || len(m.columns) == 0 {
		return err
	}
	for _, row := range rows {
		if row == nil {
			return fmt.Errorf("gormplugin: a nil map cannot be filled: %w", gorm.ErrInvalidValue)
		}
		given := make(map[*schema.Field]bool, len(row))
		for key := range row {
			given[s.LookUpField(key)] = true
		}
		for _, c := range m.columns {
			if c.schema.DBName == "" || given[c.schema] || !sel.column(c.schema) {
				continue
			}
			value := reflect.New(c.schema.FieldType).Elem()
			w.batch.AddField(c.field, value)
			w.drawn = append(w.drawn, mapValue{row, c.schema.DBName, c.field, value})
		}
	}
	return nil
}

// writeMaps puts what was drawn into the maps, as plain numbers and texts.
func (w *walk) writeMaps() {
	for _, d := range w.drawn {
		if v, ok := d.field.Value(d.value); ok {
			d.row[d.key] = v.Interface()
		}
	}
}

// given gathers from the belongs-to rows in the map of an update. GORM puts them into the model, and saves them, later.
func (w *walk) given(s *schema.Schema, sel *selection, update map[string]any) error {
	m, err := w.plugin.model(w.db, s)
	if err != nil {
		return err
	}
	for _, rel := range m.relations {
		v := reflect.ValueOf(update[rel.Name])
		if rel.Type != schema.BelongsTo || v.Kind() != reflect.Pointer || !sel.association(rel) ||
			structType(v.Type()) != rel.FieldSchema.ModelType {
			continue
		}
		if err := w.children(rel.FieldSchema, sel.behind(rel), v); err != nil {
			return err
		}
	}
	return nil
}
