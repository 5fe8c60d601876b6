package gormplugin_test

import (
	"errors"
	"slices"
	"testing"

	"gorm.io/gorm"
)

func (d database) MapsAreFilled(t *testing.T) { // G5
	w := d.newWorld(t, nil, &user{})
	one := map[string]any{"name": "a"}
	must(t, w.Model(&user{}).Create(one))
	if one["id"] != int64(1) || one["no"] != "N-1" {
		t.Errorf("map %v", one)
	}
	pointed := map[string]any{"Name": "b"}
	must(t, w.Model(&user{}).Create(&pointed))
	many := []map[string]any{{"name": "c"}, {"name": "d", "ID": int64(50)}, {"name": "e", "no": nil}}
	must(t, w.Model(&user{}).Create(&many))
	if many[0]["id"] != int64(3) || many[1]["ID"] != int64(50) || many[2]["id"] != int64(4) ||
		many[1]["no"] != "N-4" || many[2]["no"] != nil {
		t.Errorf("maps %v", many)
	}
	if _, twice := many[1]["id"]; twice {
		t.Errorf("a key given by the field's name was filled again: %v", many[1])
	}
	var ids []int64
	must(t, w.Model(&user{}).Order("id").Pluck("id", &ids))
	if !slices.Equal(ids, []int64{1, 2, 3, 4, 50}) {
		t.Errorf("rows %v", ids)
	}
	left := map[string]any{"name": "f"}
	must(t, w.Model(&user{}).Omit("no").Create(left))
	if _, ok := left["no"]; ok || left["id"] == nil {
		t.Errorf("map %v", left)
	}
	before := w.drawn()
	must(t, w.Table("users").Create(map[string]any{"id": 60, "name": "g"})) // no schema: nothing is known
	for _, rows := range []any{map[string]any(nil), &[]map[string]any{{"name": "h"}, nil}} {
		if err := w.Model(&user{}).Create(rows).Error; !errors.Is(err, gorm.ErrInvalidValue) {
			t.Errorf("%v: error %v", rows, err)
		}
	}
	_ = w.Model(&user{}).Create(map[string]int{"age": 1}) // GORM does not take these
	if w.drawn() != before {
		t.Errorf("drew %d more", w.drawn()-before)
	}
}

// The maps keep the keys of their rows, whatever GORM believes the database to have made.
func (d database) MapsHoldTheKeysOfTheirRows(t *testing.T) {
	for name, rows := range map[string]func([]map[string]any) any{
		"a pointer to maps": func(rows []map[string]any) any { return &rows },
		"maps":              func(rows []map[string]any) any { return rows }, // GORM refuses where it reads keys back
	} {
		w := d.newWorld(t, nil, &user{})
		many := []map[string]any{{"name": "a", "id": int64(90)}, {"name": "b"}, {"name": "c", "ID": int64(70)}, {"name": "d"}}
		if err := w.Model(&user{}).Create(rows(many)).Error; err != nil {
			if name != "maps" || w.rows(t, &user{}) != 0 {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		for i, key := range []string{"id", "id", "ID", "id"} {
			var stored string
			must(t, w.Model(&user{}).Where("id = ?", many[i][key]).Pluck("name", &stored))
			if stored != many[i]["name"] {
				t.Errorf("%s: the row of %v is %q's", name, many[i], stored)
			}
		}
		if _, twice := many[2]["id"]; twice {
			t.Errorf("%s: two keys in %v", name, many[2])
		}
	}
}

func (d database) AMapWithoutAKeyIsGivenThatOfTheDatabase(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	row := map[string]any{"name": "a"}
	must(t, w.Model(&user{}).Omit("id").Create(&row))
	var id int64
	must(t, w.Model(&user{}).Pluck("id", &id))
	if row["id"] != id || w.id.Drawn() != 0 {
		t.Errorf("the row is %d, the map %v", id, row)
	}
}

func (d database) MapsAreFilledWithPlainValues(t *testing.T) {
	w := d.newWorld(t, nil, &kinds{})
	m := map[string]any{}
	must(t, w.Model(&kinds{}).Create(m))
	if m["pointer"] != int64(2) || m["null"] != int64(3) || m["named"] != billNo("N-1") {
		t.Errorf("map %#v", m)
	}
}
