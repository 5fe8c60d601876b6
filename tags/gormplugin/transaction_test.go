package gormplugin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// With SkipDefaultTransaction GORM has no callback that begins one; filling must still come first.
func (d database) FillingComesFirstWithoutADefaultTransaction(t *testing.T) {
	w := d.newWorld(t, &gorm.Config{SkipDefaultTransaction: true}, &user{})
	u := user{}
	must(t, w.Create(&u))
	w.wantStored(t, &u)
}

// G39: inside the caller's own transaction nothing can be done but to say why.
func (d database) AStoreThatWaitsForTheCallersTransactionIsExplained(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
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

// An error that no waiting explains is told as it is.
func (d database) LastingErrorsAreNotBlamedOnTheTransaction(t *testing.T) {
	for _, lasting := range []error{
		generators.ErrRangeWentBack, stores.ErrRangeSealed, stores.ErrRangeExhausted, generators.ErrClosed,
	} {
		w := d.newWorld(t, nil, &user{})
		w.id.Before = func(context.Context) error { return fmt.Errorf("%w: %w", generators.ErrRangeUnavailable, lasting) }
		w.no.Before = nil
		err := w.Transaction(func(tx *gorm.DB) error { return tx.Create(&user{}).Error })
		if !errors.Is(err, lasting) || strings.Contains(err.Error(), "inside a transaction") {
			t.Errorf("%v: got %v", lasting, err)
		}
	}
}

func (d database) ARollbackLeavesAGapAndNoIDComesTwice(t *testing.T) {
	w := d.newWorld(t, nil, &user{})
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

func (d database) BatchesDrawOnceEach(t *testing.T) {
	w := d.newWorld(t, &gorm.Config{SkipDefaultTransaction: true}, &user{})
	users := names(1000)
	must(t, w.CreateInBatches(users, 200))
	if want := []int{200, 200, 200, 200, 200}; !slices.Equal(w.id.Draws(), want) {
		t.Errorf("draws of %v, want %v", w.id.Draws(), want)
	}
	if users[999].ID != 1000 || w.rows(t, &user{}) != 1000 {
		t.Errorf("last row %+v", users[999])
	}
}
