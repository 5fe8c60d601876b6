package gormplugin_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

func (d database) RowsThatCannotBeFilledDrawNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		create func(db *gorm.DB) error
		want   error // nil for any
		drawn  int
	}{
		{"struct by value", func(db *gorm.DB) error { return db.Create(user{}).Error }, gorm.ErrInvalidValue, 0}, // G14
		{"array by value", func(db *gorm.DB) error { return db.Create([2]user{}).Error }, gorm.ErrInvalidValue, 0},
		{"empty slice", func(db *gorm.DB) error { return db.Create(&[]user{}).Error }, gorm.ErrEmptySlice, 0},
		{"nil element", func(db *gorm.DB) error {
			return db.Create([]*user{{}, nil, {Name: "x"}}).Error
		}, gorm.ErrInvalidData, 4},
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
			w := d.newWorld(t, nil, &user{})
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

// G36: a caller who is gone waits for nothing.
func (d database) ACancelledCallDrawsNothing(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.WithContext(ctx).Create(&user{}).Error; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if w.drawn() != 0 || w.rows(t, &user{}) != 0 {
		t.Errorf("drew %d", w.drawn())
	}
}

// G40, G41: what filling says is the error of the call, and there is no row.
func (d database) AFillThatFailsKeepsTheRowOut(t *testing.T) {
	type small struct {
		ID int64 `cosid:"id"`
		N  int8  `cosid:"id"`
	}
	w := d.newWorld(t, nil, &small{}, &user{})
	w.id.Left, w.id.Err = 3, tagstest.ErrExhausted
	err := w.Create(&[]user{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}).Error
	want := `cosid: fill user.ID from "id" in 2 rows: range exhausted`
	if !errors.Is(err, tagstest.ErrExhausted) || err.Error() != want {
		t.Errorf("error %v", err)
	}
	w = d.newWorld(t, nil, &small{})
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

func (d database) ABadModelIsRefusedByName(t *testing.T) {
	type wrong struct {
		ID int64 `cosid:"nobody"`
	}
	type price struct {
		ID    int64   `cosid:"id"`
		Price float64 `cosid:"id"`
	}
	w := d.newWorld(t, nil, &wrong{}, &price{})
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
