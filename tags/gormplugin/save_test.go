package gormplugin_test

import (
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Save with an id that has no row: GORM updates, then creates with SkipHooks (G16).
func TestSaveOfAPresetIDDrawsOnce(t *testing.T) {
	w := newWorld(t, nil, &user{})
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

func TestALoadedRowKeepsItsNumberWhenSaved(t *testing.T) {
	w := newWorld(t, nil, &user{})
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

func TestUpdatesGiveNoNumbers(t *testing.T) {
	w := newWorld(t, nil, &user{})
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

func TestFirstOrCreateThatFindsDrawsNothing(t *testing.T) {
	w := newWorld(t, nil, &user{})
	must(t, w.Create(&user{Name: "a"}))
	before := w.drawn()
	found := user{}
	must(t, w.Where(user{Name: "a"}).Assign(user{Age: 4}).FirstOrCreate(&found))
	if w.drawn() != before || found.ID != 1 {
		t.Errorf("drew %d, found %+v", w.drawn()-before, found)
	}
}

// G21: nothing is hidden, and nothing is stored under the id that was drawn.
func TestARowThatIsNotInsertedOnConflictShowsInRowsAffected(t *testing.T) {
	w := newWorld(t, nil, &user{})
	first := user{Name: "a"}
	must(t, w.Create(&first))
	again := user{Name: "a"}
	tx := w.Clauses(clause.OnConflict{DoNothing: true}).Create(&again)
	must(t, tx)
	if w.rows(t, &user{}) != 1 || w.id.Drawn() != 2 {
		t.Errorf("%d rows, drew %d", w.rows(t, &user{}), w.id.Drawn())
	}
	w.wantStored(t, &first)
	if tested(t).countsConflicts {
		return
	}
	if tx.RowsAffected != 0 || again.ID != 2 {
		t.Errorf("affected %d, struct %+v", tx.RowsAffected, again)
	}
}

// G33: a number that was given up stays given up.
func TestASoftDeletedRowsNumberIsNotGivenAgain(t *testing.T) {
	type bill struct {
		No        string `gorm:"primaryKey" cosid:"no"`
		DeletedAt gorm.DeletedAt
	}
	w := newWorld(t, nil, &bill{})
	a, b := bill{}, bill{}
	must(t, w.Create(&a))
	must(t, w.Delete(&a))
	must(t, w.Create(&b))
	if a.No != "N-1" || b.No != "N-2" {
		t.Errorf("%+v then %+v", a, b)
	}
}
