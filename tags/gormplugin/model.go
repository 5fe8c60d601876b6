package gormplugin

import (
	"reflect"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/cosid-go/cosid/tags"
)

// model is what there is to fill in the rows of one schema. It is made once and never changed.
type model struct {
	columns   []column
	nested    []*schema.Field        // columns whose values hold tagged structs, for instance as JSON
	hidden    []reflect.StructField  // embedded structs that GORM does not look into
	relations []*schema.Relationship // to models with tagged fields
}

// column is a tagged field.
type column struct {
	field  *tags.Field
	schema *schema.Field
}

func (m *model) isEmpty() bool {
	return len(m.columns)+len(m.nested)+len(m.hidden)+len(m.relations) == 0
}

// model returns the model of s.
func (p *Plugin) model(db *gorm.DB, s *schema.Schema) (*model, error) {
	if m, ok := p.models.Load(s); ok {
		return m.(*model), nil
	}
	parse(db, s.ModelType) // waits for another goroutine that may still be parsing s, which we came to by a relation
	tagged, err := p.filler.IsTagged(s.ModelType)
	if err != nil {
		return nil, err
	}
	m := &model{}
	if tagged {
		if err := m.read(p.filler, s); err != nil {
			return nil, err
		}
	}
	p.models.Store(s, m)
	return m, nil
}

func (m *model) read(filler *tags.Filler, s *schema.Schema) error {
	for _, f := range s.Fields {
		if isLeftAlone(s.ModelType, f) {
			continue
		}
		owner := strings.Join(append([]string{s.Name}, f.BindNames[:len(f.BindNames)-1]...), ".")
		field, err := filler.Field(owner, f.StructField)
		if err != nil {
			return err
		}
		isColumn := f.DBName != "" && s.FieldsByDBName[f.DBName] == f // or another field has the column
		switch {
		case field != nil && (isColumn || f.DBName == ""):
			m.columns = append(m.columns, column{field, f})
		case field == nil && isColumn:
			tagged, err := filler.IsTagged(f.FieldType)
			if err != nil {
				return err
			}
			if tagged {
				m.nested = append(m.nested, f)
			}
		}
	}
	for i := range s.ModelType.NumField() {
		sf := s.ModelType.Field(i)
		if !sf.Anonymous || sf.IsExported() || sf.Tag.Get(tags.Key) == tags.Skip {
			continue
		}
		tagged, err := filler.IsTagged(sf.Type)
		if err != nil {
			return err
		}
		if tagged {
			m.hidden = append(m.hidden, sf)
		}
	}
	relations := &s.Relationships
	for _, kind := range [][]*schema.Relationship{
		relations.BelongsTo, relations.HasOne, relations.HasMany, relations.Many2Many,
	} {
		for _, rel := range kind {
			tagged, err := filler.IsTagged(rel.FieldSchema.ModelType)
			if err != nil {
				return err
			}
			if tagged && !isLeftAlone(s.ModelType, rel.Field) {
				m.relations = append(m.relations, rel)
			}
		}
	}
	return nil
}

// isLeftAlone tells whether f, or an embedded struct that it lies in, is tagged `cosid:"-"`.
func isLeftAlone(t reflect.Type, f *schema.Field) bool {
	for _, index := range f.StructField.Index {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		sf := t.Field(fieldIndex(index))
		if sf.Tag.Get(tags.Key) == tags.Skip {
			return true
		}
		t = sf.Type
	}
	return false
}

// fieldIndex undoes GORM's mark of embedded pointers, a negative index.
func fieldIndex(index int) int {
	if index < 0 {
		return -index - 1
	}
	return index
}
