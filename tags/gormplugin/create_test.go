package gormplugin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

func names(n int) []user {
	users := make([]user, n)
	for i := range users {
		users[i].Name = fmt.Sprint("u", i)
	}
	return users
}

func pointers[T any](rows []T) []*T {
	out := make([]*T, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	return out
}

// Each way to create rows fills them in order, with one draw a generator, before the transaction begins: the world's
// generators need the only connection.
func TestEveryWayToCreateFillsItsRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		create func(db *gorm.DB) ([]*user, error)
		draws  []int
	}{
		{"Create", func(db *gorm.DB) ([]*user, error) {
			u := user{}
			return []*user{&u}, db.Create(&u).Error
		}, []int{1}},
		{"Create of a pointer to a pointer", func(db *gorm.DB) ([]*user, error) {
			u := &user{}
			return []*user{u}, db.Create(&u).Error
		}, []int{1}},
		{"Create of a pointer to a nil pointer", func(db *gorm.DB) ([]*user, error) {
			var u *user // GORM allocates it
			err := db.Create(&u).Error
			return []*user{u}, err
		}, []int{1}},
		{"Create of a slice", func(db *gorm.DB) ([]*user, error) {
			users := names(3)
			return pointers(users), db.Create(users).Error
		}, []int{3}},
		{"Create of a pointer to a slice", func(db *gorm.DB) ([]*user, error) {
			users := names(3)
			return pointers(users), db.Create(&users).Error
		}, []int{3}},
		{"Create of pointers", func(db *gorm.DB) ([]*user, error) {
			users := pointers(names(3))
			return users, db.Create(&users).Error
		}, []int{3}},
		{"Create of an array", func(db *gorm.DB) ([]*user, error) {
			users := [2]user{{Name: "a"}, {Name: "b"}}
			return pointers(users[:]), db.Create(&users).Error
		}, []int{2}},
		{"Create with preset rows between", func(db *gorm.DB) ([]*user, error) {
			users := names(3)
			users[1].ID, users[1].No = 77, "N-77"
			return pointers(users), db.Create(&users).Error
		}, []int{2}},
		{"Create of 1000 rows", func(db *gorm.DB) ([]*user, error) {
			users := names(1000)
			return pointers(users[:5]), db.Create(&users).Error
		}, []int{1000}},
		{"CreateInBatches, one batch", func(db *gorm.DB) ([]*user, error) {
			users := names(3)
			return pointers(users), db.CreateInBatches(&users, 3).Error
		}, []int{3}},
		{"CreateInBatches without a transaction around", func(db *gorm.DB) ([]*user, error) {
			users := names(5)
			db = db.Session(&gorm.Session{SkipDefaultTransaction: true})
			return pointers(users), db.CreateInBatches(users, 2).Error
		}, []int{2, 2, 1}},
		{"Save without an id", func(db *gorm.DB) ([]*user, error) { // G18
			u := user{}
			return []*user{&u}, db.Save(&u).Error
		}, []int{1}},
		{"Save of a slice", func(db *gorm.DB) ([]*user, error) {
			users := names(2)
			return pointers(users), db.Save(&users).Error
		}, []int{2}},
		{"FirstOrCreate", func(db *gorm.DB) ([]*user, error) {
			u := user{}
			return []*user{&u}, db.Where(user{Name: "new"}).FirstOrCreate(&u).Error
		}, []int{1}},
		{"OnConflict", func(db *gorm.DB) ([]*user, error) {
			u := user{}
			return []*user{&u}, db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&u).Error
		}, []int{1}},
		{"gorm.G", func(db *gorm.DB) ([]*user, error) {
			u := user{}
			return []*user{&u}, gorm.G[user](db).Create(context.Background(), &u)
		}, []int{1}},
		{"gorm.G in batches", func(db *gorm.DB) ([]*user, error) {
			users := names(2)
			return pointers(users), gorm.G[user](db).CreateInBatches(context.Background(), &users, 10)
		}, []int{2}},
		{"prepared statements", func(db *gorm.DB) ([]*user, error) {
			users := names(2)
			return pointers(users), db.Session(&gorm.Session{PrepareStmt: true}).Create(&users).Error
		}, []int{2}},
		{"CreateBatchSize", func(db *gorm.DB) ([]*user, error) {
			users := names(2)
			return pointers(users), db.Session(&gorm.Session{CreateBatchSize: 10}).Create(&users).Error
		}, []int{2}},
		{"SkipHooks", func(db *gorm.DB) ([]*user, error) { // G34: hooks are the models' methods; a row gets its number
			u := user{}
			return []*user{&u}, db.Session(&gorm.Session{SkipHooks: true}).Create(&u).Error
		}, []int{1}},
		{"a table named in the call", func(db *gorm.DB) ([]*user, error) {
			u := user{}
			return []*user{&u}, db.Table("users").Create(&u).Error
		}, []int{1}},
		{"a scope", func(db *gorm.DB) ([]*user, error) {
			u := user{}
			return []*user{&u}, db.Scopes(func(db *gorm.DB) *gorm.DB { return db.Omit("Age") }).Create(&u).Error
		}, []int{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil, &user{})
			users, err := c.create(w.DB)
			if err != nil {
				t.Fatal(err)
			}
			w.wantStored(t, users...)
			next := int64(1)
			for _, u := range users {
				if u.ID == 77 {
					continue
				}
				if u.ID != next || u.No != fmt.Sprint("N-", next) {
					t.Errorf("%+v should have the ids %d", u, next)
				}
				next++
			}
			if !slices.Equal(w.id.Draws(), c.draws) || !slices.Equal(w.no.Draws(), c.draws) {
				t.Errorf("draws of %v and %v, want %v", w.id.Draws(), w.no.Draws(), c.draws)
			}
		})
	}
}

// With SkipDefaultTransaction GORM has no callback that begins one; filling must still come first.
func TestFillingComesFirstWithoutADefaultTransaction(t *testing.T) {
	w := newWorld(t, &gorm.Config{SkipDefaultTransaction: true}, &user{})
	u := user{}
	must(t, w.Create(&u))
	w.wantStored(t, &u)
}

func TestRowsThatCannotBeFilledDrawNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		create func(db *gorm.DB) error
		want   error // nil for any
		drawn  int
	}{
		{"struct by value", func(db *gorm.DB) error { return db.Create(user{}).Error }, gorm.ErrInvalidValue, 0}, // G14
		{"array by value", func(db *gorm.DB) error { return db.Create([2]user{}).Error }, gorm.ErrInvalidValue, 0},
		{"empty slice", func(db *gorm.DB) error { return db.Create(&[]user{}).Error }, gorm.ErrEmptySlice, 0},
		{"nil element", func(db *gorm.DB) error { return db.Create([]*user{{}, nil, {Name: "x"}}).Error }, gorm.ErrInvalidData, 4},
		{"nil pointer", func(db *gorm.DB) error { return db.Create((*user)(nil)).Error }, nil, 0},
		{"number", func(db *gorm.DB) error { return db.Create(new(int)).Error }, nil, 0},
		{"interface", func(db *gorm.DB) error {
			var v any = &user{}
			return db.Create(&v).Error
		}, nil, 0},
		{"interfaces", func(db *gorm.DB) error { return db.Create([]any{&user{}}).Error }, nil, 0},
		{"model and interface", func(db *gorm.DB) error {
			var v any = &user{}
			return db.Model(&user{}).Create(&v).Error
		}, nil, 0},
		{"failed before", func(db *gorm.DB) error {
			db.AddError(tagstest.ErrExhausted)
			return db.Create(&user{}).Error
		}, tagstest.ErrExhausted, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil, &user{})
			err := c.create(w.Session(&gorm.Session{}))
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if w.drawn() > c.drawn || w.rows(t, &user{}) != 0 {
				t.Errorf("drew %d ids, made %d rows", w.drawn(), w.rows(t, &user{}))
			}
		})
	}
}

func TestAnUntaggedModelIsNotTouched(t *testing.T) {
	type plain struct {
		ID   int64
		Name string
	}
	w := newWorld(t, nil, &plain{})
	must(t, w.Create(&plain{Name: "a"}))
	must(t, w.Create(&[]plain{{}, {}}))
	if w.drawn() != 0 || w.rows(t, &plain{}) != 3 {
		t.Errorf("drew %d, rows %d", w.drawn(), w.rows(t, &plain{}))
	}
}

// G36: a caller who is gone waits for nothing.
func TestACancelledCallDrawsNothing(t *testing.T) {
	w := newWorld(t, nil, &user{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.WithContext(ctx).Create(&user{}).Error; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if w.drawn() != 0 || w.rows(t, &user{}) != 0 {
		t.Errorf("drew %d", w.drawn())
	}
}

// DryRun fills, so that the SQL it shows is complete.
func TestDryRunFills(t *testing.T) {
	w := newWorld(t, nil, &user{})
	u := user{}
	tx := w.Session(&gorm.Session{DryRun: true}).Create(&u)
	must(t, tx)
	if u.ID != 1 || u.No != "N-1" || !slices.Contains(tx.Statement.Vars, any("N-1")) || w.rows(t, &user{}) != 0 {
		t.Errorf("%+v, %v %v", u, tx.Statement.SQL.String(), tx.Statement.Vars)
	}
}

func TestNoIDIsDrawnForAColumnThatIsNotInserted(t *testing.T) {
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
			w := newWorld(t, nil, &user{})
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

func TestReadOnlyAndShadowedColumnsAreNotFilled(t *testing.T) {
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
	w := newWorld(t, nil, &model{})
	m := model{}
	must(t, w.Create(&m))
	if m.ID != 1 || m.Shown != 0 || m.Base.ID != 0 || m.Memory != "N-1" || w.id.Drawn() != 1 {
		t.Errorf("%+v, drew %d", m, w.id.Drawn())
	}
}

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
	if many[0]["id"] != int64(3) || many[1]["ID"] != int64(50) || many[2]["id"] != int64(4) || many[1]["no"] != "N-4" || many[2]["no"] != nil {
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

// Another struct than the model's is filled by its own tags, wherever the model has its fields.
func TestAnotherStructThanTheModelIsFilledByItsOwnTags(t *testing.T) {
	type dto struct {
		ID   int64 `cosid:"id"`
		Name string
		No   string // not tagged here
		Age  int
	}
	w := newWorld(t, nil, &user{})
	d := dto{Name: "a"}
	must(t, w.Model(&user{}).Create(&d))
	if d.ID != 1 || d.No != "" || w.no.Drawn() != 0 {
		t.Errorf("%+v", d)
	}

	type other struct { // GORM itself fails on a struct of another form
		Name string
		Key  int64 `gorm:"primaryKey" cosid:"id"`
	}
	o := other{Name: "kept"}
	func() {
		defer func() { _ = recover() }()
		_ = w.Model(&user{}).Create(&o)
	}()
	if o.Name != "kept" || o.Key != 2 {
		t.Errorf("%+v", o)
	}
}

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
	must(t, w.Find(&loaded))
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

// G21: nothing is hidden; RowsAffected tells that the id is nowhere.
func TestARowThatIsNotInsertedOnConflictShowsInRowsAffected(t *testing.T) {
	w := newWorld(t, nil, &user{})
	must(t, w.Create(&user{Name: "a"}))
	again := user{Name: "a"}
	tx := w.Clauses(clause.OnConflict{DoNothing: true}).Create(&again)
	must(t, tx)
	if tx.RowsAffected != 0 || again.ID != 2 || w.rows(t, &user{}) != 1 {
		t.Errorf("affected %d, struct %+v", tx.RowsAffected, again)
	}
}

// G40, G41: what filling says is the error of the call, and there is no row.
func TestAFillThatFailsKeepsTheRowOut(t *testing.T) {
	type small struct {
		ID int64 `cosid:"id"`
		N  int8  `cosid:"id"`
	}
	w := newWorld(t, nil, &small{}, &user{})
	w.id.Left, w.id.Err = 3, tagstest.ErrExhausted
	err := w.Create(&[]user{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}).Error
	if !errors.Is(err, tagstest.ErrExhausted) || err.Error() != `cosid: fill user.ID from "id" in 2 rows: range exhausted` {
		t.Errorf("error %v", err)
	}
	w = newWorld(t, nil, &small{})
	must(t, w.Create(&make([]small, 60)[0]))
	rows := make([]small, 80)
	err = w.Create(&rows).Error
	if err == nil || !strings.Contains(err.Error(), `small.N from "id" in 18 rows: `) || rows[79].N != 0 {
		t.Errorf("error %v, last row %+v", err, rows[79])
	}
	if n := w.rows(t, &small{}); n != 1 {
		t.Errorf("%d rows", n)
	}
}

func TestABadModelIsRefusedByName(t *testing.T) {
	type wrong struct {
		ID int64 `cosid:"nobody"`
	}
	type price struct {
		ID    int64   `cosid:"id"`
		Price float64 `cosid:"id"`
	}
	w := newWorld(t, nil, &wrong{}, &price{})
	for row, want := range map[any]string{
		&wrong{}: `cosid: wrong.ID: no generator named "nobody" (have id, no)`,
		&price{}: "cosid: price.Price: a float64 cannot hold an id",
	} {
		for range 2 {
			if err := w.Create(row).Error; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
	}
	if w.drawn() != 0 || w.rows(t, &wrong{}) != 0 {
		t.Errorf("drew %d", w.drawn())
	}
}

// G39: inside the caller's own transaction nothing can be done but to say why.
func TestAStoreThatWaitsForTheCallersTransactionIsExplained(t *testing.T) {
	w := newWorld(t, nil, &user{})
	err := w.Transaction(func(tx *gorm.DB) error { return tx.Create(&user{}).Error })
	if !errors.Is(err, generators.ErrRangeUnavailable) || !strings.Contains(err.Error(), "inside a transaction") ||
		!strings.Contains(err.Error(), `fill user.ID from "id"`) {
		t.Errorf("error %v", err)
	}
	if w.rows(t, &user{}) != 0 {
		t.Error("a row was made")
	}

	// What the explanation advises.
	users := names(5)
	if err := w.filler.Fill(t.Context(), users); err != nil {
		t.Fatal(err)
	}
	must(t, w.CreateInBatches(users, 2)) // a transaction around three batches
	w.wantStored(t, pointers(users)...)

	w.id.Before, w.no.Before = nil, nil // ids at hand
	u := user{Name: "x"}
	if err := w.Transaction(func(tx *gorm.DB) error { return tx.Create(&u).Error }); err != nil {
		t.Error(err)
	}
	w.wantStored(t, &u)
}

func TestARollbackLeavesAGapAndNoIDComesTwice(t *testing.T) {
	w := newWorld(t, nil, &user{})
	w.id.Before, w.no.Before = nil, nil
	_ = w.Transaction(func(tx *gorm.DB) error {
		must(t, tx.Create(&user{}))
		return errors.New("changed my mind")
	})
	u := user{}
	must(t, w.Create(&u))
	if u.ID != 2 || u.No != "N-2" {
		t.Errorf("%+v", u)
	}
}

func TestBatchesDrawOnceEach(t *testing.T) {
	w := newWorld(t, &gorm.Config{SkipDefaultTransaction: true}, &user{})
	users := names(1000)
	must(t, w.CreateInBatches(users, 200))
	if want := []int{200, 200, 200, 200, 200}; !slices.Equal(w.id.Draws(), want) {
		t.Errorf("draws of %v, want %v", w.id.Draws(), want)
	}
	if users[999].ID != 1000 || w.rows(t, &user{}) != 1000 {
		t.Errorf("last row %+v", users[999])
	}
}

func TestThePluginIsInstalledOnce(t *testing.T) {
	w := newWorld(t, nil, &user{})
	if err := w.Use(gormplugin.New(w.filler)); !errors.Is(err, gorm.ErrRegistered) {
		t.Errorf("error %v", err)
	}
	u := user{}
	must(t, w.Create(&u))
	if w.drawn() != 2 {
		t.Errorf("drew %d", w.drawn())
	}
}

// hooked has a hook of its own, which adds a child.
type hooked struct {
	ID    int64 `cosid:"id"`
	Seen  int64
	Parts []hookedPart
}

type hookedPart struct {
	ID       int64 `cosid:"id"`
	HookedID int64
}

func (h *hooked) BeforeCreate(tx *gorm.DB) error {
	h.Seen = h.ID
	h.Parts = append(h.Parts, hookedPart{})
	return gormplugin.Fill(tx, h)
}

// G10: a hook of the model finds the ids in place, and can fill what it adds.
func TestHooksSeeTheIDsAndCanFillWhatTheyAdd(t *testing.T) {
	w := newWorld(t, nil, &hooked{}, &hookedPart{})
	w.id.Before = nil // hooks run inside the transaction
	h := hooked{Parts: []hookedPart{{}}}
	must(t, w.Create(&h))
	if h.ID != 1 || h.Seen != 1 || h.Parts[0].ID != 2 || h.Parts[1].ID != 3 || h.Parts[1].HookedID != 1 {
		t.Errorf("%+v", h)
	}
	if w.rows(t, &hookedPart{}) != 2 || w.id.Drawn() != 3 {
		t.Errorf("rows %d, drew %d", w.rows(t, &hookedPart{}), w.id.Drawn())
	}
}

func TestFillNeedsThePlugin(t *testing.T) {
	w := newWorld(t, nil, &user{})
	u := user{}
	if err := gormplugin.Fill(w.DB, &u); err != nil || u.ID != 1 || u.No != "N-1" {
		t.Errorf("%+v: %v", u, err)
	}
	for _, bad := range []any{nil, 5, (*user)(nil), user{}} {
		if err := gormplugin.Fill(w.DB, bad); err == nil {
			t.Errorf("Fill(%T) was accepted", bad)
		}
	}
	delete(w.Plugins, w.plugin.Name())
	if err := gormplugin.Fill(w.DB, &user{}); err == nil || !strings.Contains(err.Error(), "db.Use(gormplugin.New(filler))") {
		t.Errorf("error %v", err)
	}
	var _ gorm.Plugin = gormplugin.New(tags.NewFiller(nil))
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
