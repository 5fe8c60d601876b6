package gormplugin

import (
	"reflect"
	"slices"

	"gorm.io/gorm"
)

// mapKeys remembers the primary keys of maps while they are inserted. Where the database has no RETURNING, as MySQL,
// GORM overwrites them by those that an AUTO_INCREMENT would have given, counted on from the last one: ids of other
// rows.
type mapKeys struct {
	column string
	rows   []map[string]any
	keys   []any // nil where the map has its key under the field's name only
}

// mapKeysSetting is where the statement keeps its *mapKeys.
const mapKeysSetting = "cosid:map_keys"

// keepMapKeys is called before the INSERT, once the maps are filled.
func (p *Plugin) keepMapKeys(db *gorm.DB) {
	stmt := db.Statement
	rows := mapsIn(stmt.Dest)
	primary := stmt.Schema.PrioritizedPrimaryField
	if db.Error != nil || len(rows) == 0 || primary == nil {
		return
	}
	m, err := p.model(db, stmt.Schema)
	if err != nil || !slices.ContainsFunc(m.columns, func(c column) bool { return c.schema == primary }) {
		return
	}
	kept := &mapKeys{column: primary.DBName}
	for _, row := range rows {
		key, named := row[primary.DBName], row[primary.Name]
		if isGiven(key) || isGiven(named) { // else the database makes it, and GORM's is the best there is
			kept.rows, kept.keys = append(kept.rows, row), append(kept.keys, key)
		}
	}
	db.InstanceSet(mapKeysSetting, kept)
}

// restoreMapKeys is called after it.
func restoreMapKeys(db *gorm.DB) {
	if len(mapsIn(db.Statement.Dest)) == 0 {
		return
	}
	setting, _ := db.InstanceGet(mapKeysSetting)
	kept, ok := setting.(*mapKeys)
	if !ok {
		return
	}
	for i, row := range kept.rows {
		if key := kept.keys[i]; key != nil {
			row[kept.column] = key
		} else {
			delete(row, kept.column)
		}
	}
}

// isGiven tells whether the INSERT carries v as it is: for 0 and NULL a database makes a key.
func isGiven(v any) bool { return v != nil && !reflect.ValueOf(v).IsZero() }
