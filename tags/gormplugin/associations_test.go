package gormplugin_test

import (
	"errors"
	"slices"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

var family = []any{&country{}, &region{}, &company{}, &address{}, &order{}, &item{}, &part{}, &label{}, &photo{}}

func newCompany() company {
	return company{
		Address: &address{Street: "s"},
		Orders: []order{
			{Note: "first", Items: []*item{{Parts: []part{{}, {}}}, {}}},
			{Note: "second"},
		},
		Tags:    []*label{{Name: "x"}, {Name: "y"}},
		Photos:  []photo{{}, {}},
		Country: &country{Name: "c"},
		Region:  region{Name: "r"},
		Ignored: []unstored{{}},
	}
}

// G1, G29: all kinds of associations, three levels deep, single and in a batch. Nothing is drawn inside the
// transaction, where the only connection is taken.
func (d database) AssociationsAreFilledBeforeTheTransactionBegins(t *testing.T) {
	for _, n := range []int{1, 3} {
		w := d.newWorld(t, nil, family...)
		companies := make([]company, n)
		for i := range companies {
			companies[i] = newCompany()
		}
		must(t, w.Create(&companies))
		if got := w.id.Draws(); !slices.Equal(got, []int{14 * n}) {
			t.Errorf("%d companies: draws of %v, want one", n, got)
		}
		seen := map[int64]bool{}
		for _, c := range companies {
			ids := []int64{
				c.ID, c.Address.ID, c.Tags[0].ID, c.Tags[1].ID, c.Photos[0].ID, c.Photos[1].ID, c.Country.ID, c.Region.ID,
			}
			if c.Address.OwnerID != c.ID || c.Photos[1].OwnerID != c.ID || *c.CountryID != c.Country.ID ||
				c.RegionID != c.Region.ID {
				t.Errorf("foreign keys of %+v", c)
			}
			for _, o := range c.Orders {
				ids = append(ids, o.ID)
				if o.CompanyID != c.ID || o.No == "" {
					t.Errorf("order %+v of company %d", o, c.ID)
				}
				for _, i := range o.Items {
					ids = append(ids, i.ID)
					if i.OrderID != o.ID {
						t.Errorf("item %+v of order %d", i, o.ID)
					}
					for _, p := range i.Parts {
						ids = append(ids, p.ID)
						if p.ItemID != i.ID {
							t.Errorf("part %+v of item %d", p, i.ID)
						}
					}
				}
			}
			for _, id := range ids {
				if id == 0 || seen[id] {
					t.Errorf("id %d is empty or came twice", id)
				}
				seen[id] = true
			}
			if c.Ignored[0].ID != 0 {
				t.Error("what is not stored was filled")
			}
			var stored company
			must(t, w.Preload("Orders.Items.Parts").Preload(clause.Associations).Take(&stored, c.ID))
			if len(stored.Orders) != 2 || len(stored.Tags) != 2 ||
				len(stored.Orders[0].Items)+len(stored.Orders[1].Items) != 2 ||
				stored.Address.ID != c.Address.ID || stored.Country.ID != c.Country.ID {
				t.Errorf("stored %+v", stored)
			}
		}
	}
}

func (d database) AssociationsThatAreNotSavedAreNotFilled(t *testing.T) {
	for _, c := range []struct {
		name string
		db   func(db *gorm.DB) *gorm.DB
		ids  int
	}{
		{"all", func(db *gorm.DB) *gorm.DB { return db }, 14},
		{"no associations", func(db *gorm.DB) *gorm.DB { return db.Omit(clause.Associations) }, 1},
		{"without orders", func(db *gorm.DB) *gorm.DB { return db.Omit("Orders") }, 8},
		{"without items", func(db *gorm.DB) *gorm.DB { return db.Omit("Orders.Items") }, 10},
		{"without parts", func(db *gorm.DB) *gorm.DB { return db.Omit("Orders.Items.Parts") }, 12},
		{"without the ids of orders", func(db *gorm.DB) *gorm.DB { return db.Omit("Orders.Items", "Orders.ID") }, 8},
		{"only the name", func(db *gorm.DB) *gorm.DB { return db.Select("Name") }, 0},
		{"id and orders", func(db *gorm.DB) *gorm.DB { return db.Select("ID", "Orders") }, 3},
		{"id, orders and items", func(db *gorm.DB) *gorm.DB {
			return db.Select("ID", "Orders", "Orders.ID", "Orders.CompanyID", "Orders.Items")
		}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := d.newWorld(t, nil, family...)
			co := newCompany()
			must(t, c.db(w.DB).Create(&co))
			if got := w.id.Drawn(); got != c.ids || len(w.id.Draws()) > 1 {
				t.Errorf("%d ids in draws of %v, want %d", got, w.id.Draws(), c.ids)
			}
		})
	}
	w := d.newWorld(t, nil, family...)
	w.id.Before = nil
	co := company{Tags: []*label{{ID: 90}, {Maker: &country{}}}}
	must(t, w.Create(&label{ID: 90}))
	must(t, w.Omit("Tags.*").Create(&co))
	if co.Tags[1].ID != 0 || co.Tags[1].Maker.ID != 0 {
		t.Errorf("rows of join tables only, but %+v", co.Tags[1])
	}
}

// GORM saves no belongs-to struct that is zero. Filling it would make it a row.
func (d database) AZeroStructIsNotMadeARow(t *testing.T) {
	w := d.newWorld(t, nil, family...)
	co := company{}
	must(t, w.Create(&co))
	if co.Region.ID != 0 || w.rows(t, &region{}) != 0 || w.id.Drawn() != 1 {
		t.Errorf("%+v, drew %d", co, w.id.Drawn())
	}
}

// G6, G7: what is stored already keeps its id.
func (d database) StoredChildrenKeepTheirIDs(t *testing.T) {
	w := d.newWorld(t, nil, family...)
	x := label{Name: "x"}
	c := country{Name: "c"}
	must(t, w.Create(&x))
	must(t, w.Create(&c))
	before := w.id.Drawn()
	co := company{Tags: []*label{&x}, Country: &c}
	must(t, w.Create(&co))
	if x.ID != 1 || c.ID != 2 || *co.CountryID != 2 || w.id.Drawn() != before+1 {
		t.Errorf("%+v %+v, drew %d", x, c, w.id.Drawn()-before)
	}
	y := label{Name: "y"}
	if err := w.Model(&co).Association("Tags").Append(&y, &x); err != nil {
		t.Fatal(err)
	}
	if y.ID == 0 || x.ID != 1 || w.id.Drawn() != before+2 || w.rows(t, &label{}) != 2 {
		t.Errorf("%+v %+v, drew %d", x, y, w.id.Drawn()-before)
	}
}

// Updates create associations too, and begin a transaction of their own.
func (d database) AssociationsCreatedByUpdatesAreFilledBeforeTheirTransaction(t *testing.T) {
	w := d.newWorld(t, nil, family...)
	co := company{Name: "a"}
	must(t, w.Create(&co))
	one := order{Note: "appended"}
	err := errors.Join(
		w.Model(&co).Association("Orders").Append(&one, &order{Note: "by pointer"}),
		w.Model(&co).Association("Address").Append(&address{Street: "s"}),
		w.Model(&co).Association("Country").Replace(&country{Name: "c"}),
		w.Model(&co).Association("Orders").Append(map[string]any{"note": "a map"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	if one.ID == 0 || one.No == "" || one.CompanyID != co.ID || co.Address.ID == 0 || co.Country.ID == 0 {
		t.Errorf("%+v %+v", one, co)
	}
	co.Orders = append(co.Orders, order{Note: "saved", Items: []*item{{}}})
	must(t, w.Save(&co))
	last := co.Orders[len(co.Orders)-1]
	if last.ID == 0 || last.Items[0].ID == 0 || last.Items[0].OrderID != last.ID {
		t.Errorf("%+v", last)
	}
	co.Photos = []photo{{}}
	must(t, w.Model(&co).Updates(map[string]any{"name": "b"}))
	if co.Photos[0].ID == 0 || co.Photos[0].OwnerID != co.ID {
		t.Errorf("%+v", co.Photos)
	}
	before := w.drawn()
	co.Photos = append(co.Photos, photo{})
	must(t, w.Model(&co).Select("Name").Updates(company{Name: "c"}))
	if w.drawn() != before || co.Photos[1].ID != 0 {
		t.Errorf("a photo that is not saved was filled: %+v", co.Photos)
	}
	if n := w.rows(t, &order{}); n != 4 {
		t.Errorf("%d orders", n)
	}
}

func (d database) CyclesBetweenRowsComeToAnEnd(t *testing.T) {
	w := d.newWorld(t, nil, family...)
	co := company{Orders: make([]order, 2)}
	co.Orders[0].Company, co.Orders[1].Company = &co, &co
	must(t, w.Create(&co))
	if w.id.Drawn() != 3 || w.rows(t, &company{}) != 1 || co.Orders[1].CompanyID != co.ID {
		t.Errorf("drew %d, %+v", w.id.Drawn(), co)
	}
	shared := &country{Name: "c"}
	before := w.id.Drawn()
	must(t, w.Create(&[]company{{Country: shared}, {Country: shared}}))
	if w.id.Drawn() != before+3 || w.rows(t, &country{}) != 1 {
		t.Errorf("drew %d for two rows with one country", w.id.Drawn()-before)
	}
}

// membership is a join table with a key of its own.
type (
	member struct {
		ID    int64   `cosid:"id"`
		Clubs []*club `gorm:"many2many:memberships"`
	}
	club struct {
		ID int64 `cosid:"id"`
	}
	membership struct {
		ID       int64 `gorm:"primaryKey" cosid:"id"`
		MemberID int64
		ClubID   int64
	}
)

// GORM makes the rows of join tables by itself, inside the transaction.
func (d database) RowsOfJoinTablesAreFilledFromIDsAtHand(t *testing.T) {
	w := d.newWorld(t, nil)
	if err := w.SetupJoinTable(&member{}, "Clubs", &membership{}); err != nil {
		t.Fatal(err)
	}
	if err := w.AutoMigrate(&member{}, &club{}, &membership{}); err != nil {
		t.Fatal(err)
	}
	w.id.Before = nil
	must(t, w.Create(&member{Clubs: []*club{{}, {}}}))
	var ids []int64
	must(t, w.Model(&membership{}).Order("id").Pluck("id", &ids))
	if !slices.Equal(ids, []int64{4, 5}) {
		t.Errorf("ids %v", ids)
	}
}
