package gormplugin_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
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
func (d database) EveryWayToCreateFillsItsRows(t *testing.T) {
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
			w := d.newWorld(t, nil, &user{})
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

// Another struct than the model's is filled by its own tags, wherever the model has its fields.
func (d database) AnotherStructThanTheModelIsFilledByItsOwnTags(t *testing.T) {
	type dto struct {
		ID   int64 `cosid:"id"`
		Name string
		No   string // not tagged here
		Age  int
	}
	w := d.newWorld(t, nil, &user{})
	row := dto{Name: "a"}
	must(t, w.Model(&user{}).Create(&row))
	if row.ID != 1 || row.No != "" || w.no.Drawn() != 0 {
		t.Errorf("%+v", row)
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
