package gormplugin_test

import (
	"errors"
	"slices"
	"testing"

	"gorm.io/gorm"
)

func TestMapsAreFilled(t *testing.T) { // G5
	w := newWorld(t, nil, &user{})
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

func TestMapsAreFilledWithPlainValues(t *testing.T) {
	w := newWorld(t, nil, &kinds{})
	m := map[string]any{}
	must(t, w.Model(&kinds{}).Create(m))
	if m["pointer"] != int64(2) || m["null"] != int64(3) || m["named"] != billNo("N-1") {
		t.Errorf("map %#v", m)
	}
}
