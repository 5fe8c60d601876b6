package gormplugin_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
)

// The first callers may come at once, while GORM still works out how the models relate.
func TestFirstCallersMayComeAtOnce(t *testing.T) {
	for range 20 {
		w := inFile().newWorld(t, &gorm.Config{DryRun: true})
		w.id.Before, w.no.Before = nil, nil
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				c := newCompany()
				var err error
				if i%2 == 0 {
					err = w.Create(&c).Error
				} else {
					o := order{Company: &c}
					err = w.Create(&o).Error
				}
				if err != nil || c.ID == 0 || c.Tags[1].ID == 0 || c.Orders[0].Items[0].Parts[1].ID == 0 || c.Photos[1].ID == 0 {
					t.Errorf("%+v: %v", c, err)
				}
			})
		}
		wg.Wait()
	}
}

func (d database) ThePluginIsInstalledOnce(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
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
func (d database) HooksSeeTheIDsAndCanFillWhatTheyAdd(t *testing.T) {
	w := d.newWorld(t, nil, &hooked{}, &hookedPart{})
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

func (d database) FillNeedsThePlugin(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
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
	err := gormplugin.Fill(w.DB, &user{})
	if err == nil || !strings.Contains(err.Error(), "db.Use(gormplugin.New(filler))") {
		t.Errorf("error %v", err)
	}
	var _ gorm.Plugin = gormplugin.New(tags.NewFiller(nil))
}
