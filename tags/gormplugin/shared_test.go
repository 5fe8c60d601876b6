package gormplugin_test

import (
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"
)

type (
	shop struct {
		ID   int64   `cosid:"id"`
		Tags []stamp `gorm:"many2many:shop_stamps"`
	}
	stamp struct {
		ID   int64 `cosid:"id"`
		Name string
	}
	keeper struct {
		ID    int64 `cosid:"id"`
		Pets  []pet
		First *pet `gorm:"foreignKey:KeeperID"`
	}
	pet struct {
		ID       int64 `cosid:"id"`
		KeeperID int64
	}
	head struct {
		ID int64 `cosid:"id"`
	}
	document struct {
		ID   int64 `gorm:"primaryKey;autoIncrement:false" cosid:"id"`
		Head head  `gorm:"serializer:json"`
	}
	endless []endless
)

// Rows that several parents share are drawn for once.
func (d database) RowsThatAreComeToInSeveralWaysAreFilledOnce(t *testing.T) {
	w := d.newWorld(t, nil, &shop{}, &stamp{}, &keeper{}, &pet{})
	stamps := []stamp{{Name: "x"}, {Name: "y"}}
	must(t, w.Create(&[]shop{{Tags: stamps}, {Tags: stamps}}))
	if w.id.Drawn() != 4 {
		t.Errorf("%d ids for two shops and two stamps", w.id.Drawn())
	}
	before := w.id.Drawn()
	k := keeper{Pets: make([]pet, 2)}
	k.First = &k.Pets[0]
	must(t, w.Create(&k))
	if n := w.id.Drawn() - before; n != 3 {
		t.Errorf("%d ids for a keeper and two pets", n)
	}
}

// An update may bring a row that is created with it, in its map.
func (d database) ABelongsToInTheMapOfAnUpdateIsFilledBeforeTheTransaction(t *testing.T) {
	w := d.newWorld(t, nil, family...)
	co := company{Name: "a"}
	must(t, w.Create(&co))
	c := &country{Name: "c"}
	must(t, w.Model(&co).Updates(map[string]any{"name": "b", "Country": c}))
	var stored company
	must(t, w.Preload("Country").Take(&stored, co.ID))
	if c.ID == 0 || stored.Country == nil || stored.Country.ID != c.ID {
		t.Errorf("%+v, stored %+v", c, stored.Country)
	}
}

func (d database) ATypeWithoutEndIsGORMsToRefuse(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
	done := make(chan error, 1)
	go func() { done <- w.Model(&user{}).Create(&endless{}).Error }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("it was created")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the plugin does not come to an end")
	}
}

func (d database) ANestedStructOfARowByValueIsAnInvalidValue(t *testing.T) {
	w := d.newWorld(t, nil, &document{})
	if err := w.Create(document{ID: 6}).Error; !errors.Is(err, gorm.ErrInvalidValue) || w.id.Drawn() != 0 {
		t.Errorf("%v, drew %d", err, w.id.Drawn())
	}
}
