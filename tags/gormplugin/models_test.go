package gormplugin_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

// user is the plain model of most tests.
type user struct {
	ID   int64  `cosid:"id"`
	Name string `gorm:"uniqueIndex"`
	No   string `cosid:"no"`
	Age  int
}

type (
	company struct {
		ID      int64 `cosid:"id"`
		Name    string
		Address *address   `gorm:"polymorphic:Owner"` // has one, polymorphic
		Orders  []order    // has many
		Tags    []*label   `gorm:"many2many:company_labels"`
		Photos  []photo    `gorm:"polymorphic:Owner"`
		Country *country   // belongs to
		Region  region     // belongs to, by value
		Ignored []unstored `gorm:"-"`

		CountryID *int64
		RegionID  int64
	}
	address struct {
		ID        int64 `cosid:"id"`
		Street    string
		OwnerID   int64
		OwnerType string
	}
	order struct {
		ID        int64  `cosid:"id"`
		No        string `cosid:"no"`
		Note      string
		CompanyID int64
		Company   *company // leads back
		Items     []*item
	}
	item struct {
		ID      int64 `cosid:"id"`
		OrderID int64
		Parts   []part
	}
	part struct {
		ID     int64 `cosid:"id"`
		ItemID int64
	}
	label struct {
		ID      int64 `cosid:"id"`
		Name    string
		Maker   *country
		MakerID *int64
	}
	photo struct {
		ID        int64 `cosid:"id"`
		OwnerID   int64
		OwnerType string
	}
	country struct {
		ID   int64 `cosid:"id"`
		Name string
	}
	region struct {
		ID   int64 `cosid:"id"`
		Name string
	}
	unstored struct {
		ID int64 `cosid:"id"`
	}
)

// world is a database with one connection, and generators that need that connection for each draw: whoever draws
// inside a transaction waits for himself.
type world struct {
	*gorm.DB
	id, no *tagstest.Counter
	plugin *gormplugin.Plugin
	filler *tags.Filler
}

func (d database) newWorld(t *testing.T, config *gorm.Config, models ...any) *world {
	t.Helper()
	if config == nil {
		config = &gorm.Config{}
	}
	db := d.open(t, config)
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.AutoMigrate(models...); err != nil {
		t.Fatal(err)
	}
	w := &world{DB: db, id: tagstest.NewCounter(1), no: tagstest.NewCounter(1)}
	w.no.Prefix = "N-"
	w.id.Before = func(ctx context.Context) error { return ask(ctx, pool) }
	w.no.Before = w.id.Before
	w.filler = tags.NewFiller(tagstest.SourceOf(map[string]tags.Generator{"id": w.id, "no": w.no}))
	w.plugin = gormplugin.New(w.filler)
	if err := db.Use(w.plugin); err != nil {
		t.Fatal(err)
	}
	return w
}

// ask needs a connection, as a store does. It does not wait for one: only the caller can have it.
func ask(ctx context.Context, pool *sql.DB) error {
	if pool.Stats().InUse > 0 {
		return fmt.Errorf("%w: the connection is taken", generators.ErrRangeUnavailable)
	}
	_, err := pool.ExecContext(ctx, "SELECT 1")
	return err
}

// drawn is how many ids were drawn from both generators.
func (w *world) drawn() int { return w.id.Drawn() + w.no.Drawn() }

// rows counts the rows of a model's table.
func (w *world) rows(t *testing.T, model any) int64 {
	t.Helper()
	var n int64
	if err := w.Model(model).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

// wantStored checks that each user is in the database as it is in memory, with its fields filled.
func (w *world) wantStored(t *testing.T, users ...*user) {
	t.Helper()
	for _, u := range users {
		if u.ID == 0 || !strings.HasPrefix(u.No, "N-") {
			t.Errorf("not filled: %+v", u)
		}
		var got user
		if err := w.Session(&gorm.Session{NewDB: true}).Take(&got, "id = ?", u.ID).Error; err != nil || got != *u {
			t.Errorf("the row is %+v, the struct %+v: %v", got, u, err)
		}
	}
}

func must(t *testing.T, tx *gorm.DB) {
	t.Helper()
	if tx.Error != nil {
		t.Fatal(tx.Error)
	}
}
