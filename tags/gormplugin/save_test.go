package gormplugin_test

import (
	"slices"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Save with an id that has no row: GORM updates, then creates with SkipHooks (G16).
func (d database) SaveOfAPresetIDDrawsOnce(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	u := user{ID: 7, Name: "a"}
	must(t, w.Save(&u))
	w.wantStored(t, &u)
	if u.ID != 7 || w.no.Drawn() != 1 || w.id.Drawn() != 0 {
		t.Errorf("%+v, drew %v and %v", u, w.id.Draws(), w.no.Draws())
	}
	must(t, w.Save(&u)) // G17
	if w.no.Drawn() != 1 {
		t.Error("saving again drew a number")
	}
	w.wantStored(t, &u)
}

func (d database) ALoadedRowKeepsItsNumberWhenSaved(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	users := names(2)
	must(t, w.Create(&users))
	var loaded []user
	must(t, w.Order("id").Find(&loaded))
	loaded[0].Age = 5
	before := w.drawn()
	must(t, w.Save(&loaded))
	must(t, w.Save(&loaded[1]))
	w.wantStored(t, pointers(loaded)...)
	if w.drawn() != before || loaded[0].No != users[0].No {
		t.Errorf("drew %d, rows %+v", w.drawn()-before, loaded)
	}
}

func (d database) UpdatesGiveNoNumbers(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	u := user{}
	must(t, w.Create(&u))
	before := w.drawn()
	must(t, w.Model(&u).Updates(user{Age: 3}))
	must(t, w.Model(&u).Updates(map[string]any{"age": 4}))
	must(t, w.Model(&user{}).Where("id = ?", u.ID).Update("age", 5))
	must(t, w.Model(&u).UpdateColumn("no", ""))
	must(t, w.Exec("UPDATE users SET age = 6"))
	empty := user{ID: u.ID}
	must(t, w.Save(&empty))
	if w.drawn() != before {
		t.Errorf("drew %d", w.drawn()-before)
	}
}

func (d database) FirstOrCreateThatFindsDrawsNothing(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	must(t, w.Create(&user{Name: "a"}))
	before := w.drawn()
	found := user{}
	must(t, w.Where(user{Name: "a"}).Assign(user{Age: 4}).FirstOrCreate(&found))
	if w.drawn() != before || found.ID != 1 {
		t.Errorf("drew %d, found %+v", w.drawn()-before, found)
	}
}

// G21: nothing is stored under the id that was drawn, and RowsAffected tells where GORM does not read keys back.
func (d database) ARowThatIsNotInsertedOnConflictShowsInRowsAffected(t *testing.T) {
	type bill struct {
		ID   int64  `gorm:"primaryKey;autoIncrement:false" cosid:"id"`
		Name string `gorm:"uniqueIndex"`
	}
	w := d.newWorld(t, nil, &bill{})
	nothing := clause.OnConflict{DoNothing: true}
	must(t, w.Create(&bill{Name: "a"}))
	again := bill{Name: "a"}
	tx := w.Clauses(nothing).Create(&again)
	must(t, tx)
	if tx.RowsAffected != 0 || again.ID != 2 {
		t.Errorf("affected %d, struct %+v", tx.RowsAffected, again)
	}
	tx = w.Clauses(nothing).Create(&[]bill{{Name: "a"}, {Name: "b"}, {Name: "a"}})
	must(t, tx)
	if tx.RowsAffected != 1 {
		t.Errorf("affected %d of three, one of which is new", tx.RowsAffected)
	}
	var stored []bill
	must(t, w.Order("id").Find(&stored))
	if want := []bill{{1, "a"}, {4, "b"}}; !slices.Equal(stored, want) || w.id.Drawn() != 5 {
		t.Errorf("stored %+v, want %+v; drew %d", stored, want, w.id.Drawn())
	}
}

// G21, with a key that could be the database's: what GORM makes of it differs, what is stored does not.
func (d database) ARowThatIsNotInsertedOnConflictLeavesNoTrace(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	first := user{Name: "a"}
	must(t, w.Create(&first))
	again := user{Name: "a"}
	tx := w.Clauses(clause.OnConflict{DoNothing: true}).Create(&again)
	must(t, tx)
	affected, id := int64(0), int64(2)
	if d.countsConflicts {
		affected, id = 1, first.ID
	}
	if tx.RowsAffected != affected || again.ID != id {
		t.Errorf("affected %d, struct %+v, want %d and the id %d", tx.RowsAffected, again, affected, id)
	}
	if w.rows(t, &user{}) != 1 || w.id.Drawn() != 2 {
		t.Errorf("%d rows, drew %d", w.rows(t, &user{}), w.id.Drawn())
	}
	w.wantStored(t, &first)
}

// A row that is updated on conflict keeps its id. It takes the number of the struct, which nobody else has.
func (d database) ARowThatIsUpdatedOnConflictKeepsItsID(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	must(t, w.Create(&user{Name: "a"}))
	for age := range 2 {
		again := user{Name: "a", Age: age}
		must(t, w.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name"}}, UpdateAll: true}).Create(&again))
	}
	var stored []user
	must(t, w.Find(&stored))
	if want := []user{{ID: 1, Name: "a", No: "N-3", Age: 1}}; !slices.Equal(stored, want) || w.id.Drawn() != 3 {
		t.Errorf("stored %+v, want %+v; drew %d", stored, want, w.id.Drawn())
	}
}

// A slice that GORM saves by an upsert (design: what was not loaded is overwritten as any other empty field).
func (d database) ASavedSliceDrawsForWhatWasNotLoadedOnly(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	users := names(2)
	must(t, w.Create(&users))
	saved := []user{users[0], {ID: users[1].ID, Name: "u1"}, {Name: "new"}}
	must(t, w.Save(&saved))
	w.wantStored(t, pointers(saved)...)
	if saved[0].No != "N-1" || saved[1].No != "N-3" || saved[2].No != "N-4" || saved[2].ID != 3 || w.id.Drawn() != 3 {
		t.Errorf("saved %+v, drew %v and %v", saved, w.id.Draws(), w.no.Draws())
	}
}

// G33: a number that was given up stays given up.
func (d database) ASoftDeletedRowsNumberIsNotGivenAgain(t *testing.T) {
	type bill struct {
		No        string `gorm:"primaryKey" cosid:"no"`
		DeletedAt gorm.DeletedAt
	}
	w := d.newWorld(t, nil, &bill{})
	a, b := bill{}, bill{}
	must(t, w.Create(&a))
	must(t, w.Delete(&a))
	must(t, w.Create(&b))
	if a.No != "N-1" || b.No != "N-2" {
		t.Errorf("%+v then %+v", a, b)
	}
}
