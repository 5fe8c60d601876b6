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

// checkColumns compares a table with what the store relies on. alter makes the statement that mends a column.
func checkColumns(table string, found []column, alter func(table, column string) string) error {
	texts := []string{"character varying", "varchar", "varbinary", "text"}
	flags := []string{"smallint", "integer", "int", "tinyint", "mediumint", "bigint"}
	for _, c := range found {
		var longest int64
		dataTypes := []string{"bigint"}
		switch c.name {
		case "range_key":
			dataTypes, longest = texts, longestKey
		case "owner", "last_owner":
			dataTypes, longest = texts, 255
		case "namespace", "incarnation":
			dataTypes, longest = texts, 64
		case "sealed":
			dataTypes = flags
		default:
			if !slices.Contains(numberColumns(), c.name) {
				continue // the application's own
			}
		}
		var problem string
		switch {
		case !slices.Contains(dataTypes, c.dataType):
			problem = fmt.Sprintf("is of type %s", c.dataType)
		case c.length > 0 && c.length < longest:
			problem = fmt.Sprintf("takes %d characters, and a value may have %d", c.length, longest)
		case longest > 0 && c.folds:
			problem = "has a collation that takes A and a for the same, and two names would become one"
		default:
			continue
		}
		return &defect{
			problem: fmt.Sprintf("column %s of table %s %s", c.name, table, problem),
			remedy:  "mend it with\n" + alter(table, c.name),
		}
	}
	return nil
}

// numberColumns are the columns of all tables that hold int64s.
func numberColumns() []string {
	return []string{
		"next_id", "slot_limit", "tolerance_millis", "fresh_from",
		"slot", "fence", "expires_at", "window_floor", "window_ceiling", "next_floor", "version",
	}
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
