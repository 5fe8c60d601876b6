package gormplugin_test

import (
	"slices"
	"testing"

	"gorm.io/gorm"
)

func (d database) AnUntaggedModelIsNotTouched(t *testing.T) {
	type plain struct {
		ID   int64
		Name string
	}
	w := d.newWorld(t, nil, &plain{})
	must(t, w.Create(&plain{Name: "a"}))
	must(t, w.Create(&[]plain{{}, {}}))
	if w.drawn() != 0 || w.rows(t, &plain{}) != 3 {
		t.Errorf("drew %d, rows %d", w.drawn(), w.rows(t, &plain{}))
	}
}

// DryRun fills, so that the SQL it shows is complete.
func (d database) DryRunFills(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	u := user{}
	tx := w.Session(&gorm.Session{DryRun: true}).Create(&u)
	must(t, tx)
	if u.ID != 1 || u.No != "N-1" || !slices.Contains(tx.Statement.Vars, any("N-1")) || w.rows(t, &user{}) != 0 {
		t.Errorf("%+v, %v %v", u, tx.Statement.SQL.String(), tx.Statement.Vars)
	}
}

func (d database) NoIDIsDrawnForAColumnThatIsNotInserted(t *testing.T) {
	for _, c := range []struct {
		name   string
		db     func(db *gorm.DB) *gorm.DB
		id, no int
	}{
		{"Select others", func(db *gorm.DB) *gorm.DB { return db.Select("Name") }, 0, 0},
		{"Select one", func(db *gorm.DB) *gorm.DB { return db.Select("Name", "no") }, 0, 1},
		{"Select all", func(db *gorm.DB) *gorm.DB { return db.Select("*") }, 1, 1},
		{"Omit by field", func(db *gorm.DB) *gorm.DB { return db.Omit("ID") }, 0, 1},
		{"Omit by column", func(db *gorm.DB) *gorm.DB { return db.Omit("no") }, 1, 0},
		{"Select all but one", func(db *gorm.DB) *gorm.DB { return db.Select("*").Omit("No") }, 1, 0},
		{"Omit by table and column", func(db *gorm.DB) *gorm.DB { return db.Omit("users.no") }, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := d.newWorld(t, nil, &user{})
			users := names(2)
			must(t, c.db(w.DB).Create(&users))
			if w.id.Drawn() != 2*c.id || w.no.Drawn() != 2*c.no {
				t.Errorf("drew %d ids and %d numbers for 2 rows", w.id.Drawn(), w.no.Drawn())
			}
			var got []user
			must(t, w.Order("id").Find(&got))
			if !slices.Equal(got, users) {
				t.Errorf("rows %+v, structs %+v", got, users)
			}
		})
	}
}

func (d database) ReadOnlyAndShadowedColumnsAreNotFilled(t *testing.T) {
	type base struct {
		ID int64 `cosid:"id"`
	}
	type Base = base
	type model struct {
		Base   `gorm:"embedded"`
		ID     int64  `cosid:"id"` // this one has the column
		Shown  int64  `gorm:"->" cosid:"id"`
		Memory string `gorm:"-" cosid:"no"` // no column, but tagged
	}
	w := d.newWorld(t, nil, &model{})
	m := model{}
	must(t, w.Create(&m))
	if m.ID != 1 || m.Shown != 0 || m.Base.ID != 0 || m.Memory != "N-1" || w.id.Drawn() != 1 {
		t.Errorf("%+v, drew %d", m, w.id.Drawn())
	}
}
