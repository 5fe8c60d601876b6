package memstore_test

import (
	"errors"
	"testing"

	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

func build(t *testing.T, factory memstore.Factory) *memstore.Store {
	t.Helper()
	built, err := factory.Build(stores.Spec{Name: "mem"}, factory.NewOptions())
	if err != nil {
		t.Fatal(err)
	}
	store, ok := built.(*memstore.Store)
	if !ok {
		t.Fatalf("built a %T", built)
	}
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestFactoryBuildsStoresOfTheirOwn(t *testing.T) {
	a, b := build(t, memstore.Factory{}), build(t, memstore.Factory{})
	for _, store := range []*memstore.Store{a, b} {
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
			t.Errorf("reserve answered %v, %v; want it to start at 1", r, err)
		}
	}
}

func TestFactoryWithAServerBuildsItsClients(t *testing.T) {
	factory := memstore.Factory{Server: memstore.NewServer()}
	a, b := build(t, factory), build(t, factory)
	for i, store := range []*memstore.Store{a, b} {
		if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != int64(1+10*i) {
			t.Errorf("client %d: reserve answered %v, %v", i, r, err)
		}
	}
}

func TestFactoryRefusesForeignOptions(t *testing.T) {
	if store, err := (memstore.Factory{}).Build(stores.Spec{Name: "mem"}, nil); err == nil || store != nil {
		t.Errorf("build answered %v, %v", store, err)
	}
}

func TestStartOnceOnly(t *testing.T) {
	store := memstore.New()
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); err == nil {
		t.Error("a second Start succeeded")
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("start after Close answered %v, want ErrClosed", err)
	}
}
