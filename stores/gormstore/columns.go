package gormstore

import (
	"database/sql"
	"fmt"
	"slices"
)

// column is what the catalogue of a server says about a column.
type column struct {
	name     string
	dataType string
	length   int64 // of a text, in characters; 0 = it has no limit
	folds    bool  // it takes different texts for the same
}

// longestKey is how long a key can be: three parts of 64 characters, and what separates them.
const longestKey = 3*64 + 2

// checkColumns compares a range table with what reserves rely on. alter makes the statement that mends a column.
func checkColumns(table string, found []column, alter func(table, column string) string) error {
	for _, want := range []struct {
		name      string
		dataTypes []string
	}{
		{"range_key", []string{"character varying", "varchar", "varbinary", "text"}},
		{"next_id", []string{"bigint"}},
		{"sealed", []string{"smallint", "integer", "int", "tinyint", "mediumint", "bigint"}},
	} {
		i := slices.IndexFunc(found, func(c column) bool { return c.name == want.name })
		if i < 0 {
			continue // a statement that uses it says so
		}
		var problem string
		switch c := found[i]; {
		case !slices.Contains(want.dataTypes, c.dataType):
			problem = fmt.Sprintf("is of type %s", c.dataType)
		case c.name == "range_key" && c.length > 0 && c.length < longestKey:
			problem = fmt.Sprintf("takes %d characters, and a key may have %d", c.length, longestKey)
		case c.name == "range_key" && c.folds:
			problem = "has a collation that takes A and a for the same, and two keys would become one"
		default:
			continue
		}
		return fmt.Errorf("column %s of table %s %s; mend it with\n%s", want.name, table, problem, alter(table, want.name))
	}
	return nil
}

// scanColumns reads rows of name, type, length and folds, and closes them.
func scanColumns(rows *sql.Rows) ([]column, error) {
	defer rows.Close()
	var columns []column
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.dataType, &c.length, &c.folds); err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return columns, rows.Err()
}
