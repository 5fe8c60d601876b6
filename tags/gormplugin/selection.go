package gormplugin

import (
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"
)

// selection is what Select and Omit leave of a model; nil is everything that may be created.
type selection struct {
	names      map[string]bool // columns by their name in the database, associations by that of their field
	restricted bool            // what is not in names is left out
}

// selected is the selection of stmt, as seen by s.
func selected(stmt *gorm.Statement, s *schema.Schema, create bool) *selection {
	if create && len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		return nil
	}
	return newSelection(&gorm.Statement{Schema: s, Table: stmt.Table, Selects: stmt.Selects, Omits: stmt.Omits}, create)
}

func newSelection(stmt *gorm.Statement, create bool) *selection {
	names, restricted := stmt.SelectAndOmitColumns(create, !create)
	return &selection{names, restricted}
}

// column tells whether an INSERT will carry f. What is no column is not subject to selection.
func (s *selection) column(f *schema.Field) bool {
	if f.DBName == "" {
		return true
	}
	return s.has(f.DBName, f)
}

// association tells whether the rows behind rel will be saved.
func (s *selection) association(rel *schema.Relationship) bool {
	if !s.has(rel.Name, rel.Field) {
		return false
	}
	if rel.Type != schema.Many2Many || s == nil {
		return true
	}
	rows, named := s.names[rel.Name+".*"] // Omit("Tags.*") saves the rows of the join table only
	return rows || !named
}

func (s *selection) has(name string, f *schema.Field) bool {
	if s == nil {
		return f.Creatable
	}
	if chosen, named := s.names[name]; named {
		return chosen
	}
	return !s.restricted
}

// behind is the selection for the rows behind rel, by the rules of GORM's saveAssociations.
func (s *selection) behind(rel *schema.Relationship) *selection {
	if s == nil {
		return nil
	}
	stmt := &gorm.Statement{Schema: rel.FieldSchema, Table: rel.FieldSchema.Table}
	for name, chosen := range s.names {
		inner, ok := strings.CutPrefix(name, rel.Name+".")
		switch {
		case !ok || inner == "":
		case chosen:
			stmt.Selects = append(stmt.Selects, inner)
		default:
			stmt.Omits = append(stmt.Omits, inner)
		}
	}
	if s.restricted && len(stmt.Selects) == 0 && len(stmt.Omits) == 0 {
		stmt.Omits = []string{clause.Associations}
	}
	return selected(stmt, rel.FieldSchema, true)
}
