package snowflake_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

// A store with `start: lazy` is opened in the background, after the generators have started.
func TestAGeneratorWaitsInTheBackgroundForAStoreThatIsNotOpenYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		store := memstore.NewServer().Client()
		p.spec.Store = store
		trade := p.start("trade", nil)
		began := time.Now()
		_, err := trade.Next(t.Context())
		if !errors.Is(err, generators.ErrLeaseExpired) || !errors.Is(err, stores.ErrClosed) ||
			!strings.Contains(err.Error(), "no slot is leased yet") || time.Since(began) != 0 {
			t.Errorf("before the store is open: %v after %v", err, time.Since(began))
		}
		if state := trade.LeaseStats(); state.State != generators.LeaseNone || state.Err == nil {
			t.Errorf("before the store is open: %+v", state)
		}
		time.Sleep(time.Minute)
		if err := store.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		mustNext(t, trade)
		mustClose(t, trade)
	})
}

func TestAStoreWhoseClockLiesBeforeTheEpochIsToldOfOnceItIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memstore.NewServer()
		server.MoveClock(-48 * time.Hour)
		store := server.Client()
		p := newProcess(t, memstore.NewServer(), "host")
		p.spec.Store = store
		trade := p.start("trade", nil)
		if err := store.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if _, err := trade.Next(t.Context()); !errors.Is(err, generators.ErrLeaseExpired) ||
			!strings.Contains(err.Error(), "the epoch") {
			t.Errorf("got %v", err)
		}
		if s := trade.LeaseStats(); s.State != generators.LeaseExpired || s.Remaining != 0 || s.Err == nil ||
			!strings.Contains(s.Err.Error(), "the epoch") {
			t.Errorf("the stats tell %+v", s)
		}
		mustClose(t, trade)
	})
}

func TestCloseEndsTheWaitForAStoreThatIsNotOpenYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, memstore.NewServer(), "host")
		p.spec.Store = memstore.NewServer().Client()
		trade := p.start("trade", nil)
		mustClose(t, trade)
		if _, err := trade.Next(t.Context()); !errors.Is(err, generators.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}
