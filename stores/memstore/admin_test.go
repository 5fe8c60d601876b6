package memstore_test

import (
	"testing"

	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestAdmin(t *testing.T) {
	server := memstore.NewServer()
	storetest.RunAdmin(t, storetest.Harness{New: func() (storetest.Store, error) { return server.Client(), nil }})
}
