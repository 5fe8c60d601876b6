package memstore_test

import (
	"testing"

	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

func TestRangeStore(t *testing.T) {
	server := memstore.NewServer()
	storetest.RunRangeStore(t, storetest.Harness{
		New: func() (storetest.Store, error) { return server.Client(), nil },
		Lacks: map[storetest.Ability]string{
			storetest.Restarting: "the server ends with the process",
			storetest.Freezing:   "memory always answers",
		},
	})
}
