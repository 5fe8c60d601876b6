package gormstore

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

func (o *Options) slotTable() string { return o.home + slotTable(o.TablePrefix) }

func (o *Options) namespaceTable() string { return o.home + namespaceTable(o.TablePrefix) }

func slotTable(prefix string) string { return prefix + "slot" }

func namespaceTable(prefix string) string { return prefix + "slot_namespace" }

// slotDefinitions defines the two tables of slot leases, with a dialect's types. Its indexes find the free slots, the
// expired ones and those of an owner; index is how the dialect makes one together with its table.
func slotDefinitions(prefix string, typeOf func(column string) string, index, tail string) []definition {
	create := func(table, key string, columns []string, indexes ...string) definition {
		var lines []string
		for _, column := range columns {
			lines = append(lines, "\t"+column+" "+strings.TrimSuffix(typeOf(column), " not null")+" not null")
		}
		lines = append(lines, "\tprimary key ("+key+")")
		for _, columns := range indexes {
			lines = append(lines, "\t"+index+" ("+columns+")")
		}
		return definition{table, "create table if not exists " + table + " (\n" + strings.Join(lines, ",\n") + "\n)" + tail}
	}
	return []definition{
		create(namespaceTable(prefix), "namespace", namespaceTableColumns()),
		create(slotTable(prefix), "namespace, slot", slotTableColumns(),
			"namespace, next_floor, slot", "namespace, expires_at, slot",
			"namespace, owner, next_floor, slot", "namespace, last_owner, next_floor, slot"),
	}
}

func namespaceTableColumns() []string {
	return []string{"namespace", "slot_limit", "tolerance_millis", "fresh_from"}
}

func slotTableColumns() []string {
	return append([]string{"namespace"}, strings.Split(slotColumns, ", ")...)
}

// callSlots is call for slot leases, whose tables are checked before the first one, unless Start has done it.
func (s *Store) callSlots(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return s.call(ctx, func(tx *gorm.DB) error {
		if !s.slotsChecked.Load() {
			if err := s.checkSlotTables(tx); err != nil {
				return err
			}
			s.slotsChecked.Store(true)
		}
		return fn(tx)
	})
}

// checkSlotTables tells what keeps the tables of slot leases from being used.
func (s *Store) checkSlotTables(tx *gorm.DB) error {
	definitions := s.dialect.schema(s.options.TablePrefix)[1:]
	var absent []definition
	for _, d := range definitions {
		err := s.reading(tx, "look for table "+d.table, func() error {
			found, err := s.dialect.hasTable(tx, d.table)
			if err == nil && !found {
				absent = append(absent, d)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(absent) > 0 {
		return missing(absent...)
	}
	for _, d := range definitions {
		err := s.reading(tx, "check table "+d.table, func() error { return s.checkSlotTable(tx, d) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) checkSlotTable(tx *gorm.DB, d definition) error {
	key, columns := "namespace, slot", slotTableColumns()
	if d.table == namespaceTable(s.options.TablePrefix) {
		key, columns = "namespace", namespaceTableColumns()
	}
	if err := s.dialect.checkSlots(tx, d.table, key, columns); err != nil {
		return err
	}
	_, err := s.dialect.doubts(tx, d.table, s.handedIn == nil)
	return err
}

// noChange updates nothing, and needs the columns and the right.
func noChange(tx *gorm.DB, table string, columns []string) error {
	var same []string
	for _, column := range columns {
		same = append(same, column+" = "+column)
	}
	return tx.Exec(`update ` + table + ` set ` + strings.Join(same, ", ") + ` where 1 = 0`).Error
}

// missing is the error of tables that are not there.
func missing(definitions ...definition) error {
	var tables, statements []string
	for _, d := range definitions {
		tables, statements = append(tables, d.table), append(statements, d.create)
	}
	problem, it := fmt.Sprintf("table %s is missing", tables[0]), "it"
	if len(tables) > 1 {
		problem, it = fmt.Sprintf("tables %s are missing", strings.Join(tables, " and ")), "them"
	}
	return &defect{
		problem: problem,
		remedy:  "set auto-migrate: true, or create " + it + " with\n" + strings.Join(statements, ";\n"),
	}
}
