package fxmodule_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/cosid-go/cosid/fxmodule"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

// scripted is a store type whose store starts and closes as a test says.
type scripted struct {
	memstore.Factory
	start func(context.Context) error
	close func() error
}

func (*scripted) Type() string { return "scripted" }

func (s *scripted) Build(spec stores.Spec, options any) (stores.Store, error) {
	inner, err := s.Factory.Build(spec, options)
	return &scriptedStore{RangeStore: inner.(stores.RangeStore), inner: inner, script: s}, err
}

type scriptedStore struct {
	stores.RangeStore
	inner  stores.Store
	script *scripted
}

func (s *scriptedStore) Start(ctx context.Context) error {
	return errors.Join(s.script.start(ctx), s.inner.Start(ctx))
}

func (s *scriptedStore) Close() error { return errors.Join(s.script.close(), s.inner.Close()) }

func well(context.Context) error { return nil }

func TestAStoreThatDoesNotOpenFailsTheStartAndIsClosed(t *testing.T) {
	broken, closes := errors.New("no route to host"), 0
	store := &scripted{
		start: func(context.Context) error { return broken },
		close: func() error { closes++; return nil },
	}
	app := fx.New(fx.NopLogger, fxmodule.Eager, values("scripted", segment), fxmodule.Stores(store))
	err := app.Start(t.Context())
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), `start store "db"`) || closes != 1 {
		t.Errorf("got %v, closed %d times", err, closes)
	}
	if err := app.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestWhatWasStartedIsClosedWhenALaterPartOfTheApplicationFails(t *testing.T) {
	broken, closes := errors.New("port in use"), 0
	store := &scripted{start: well, close: func() error { closes++; return nil }}
	app := fx.New(fx.NopLogger, fxmodule.Module, values("scripted", segment), fxmodule.Stores(store),
		fx.Invoke(func(lc fx.Lifecycle, rt *runtime.Runtime) {
			lc.Append(fx.StartHook(func(ctx context.Context) error {
				nextOrder(t, rt) // it is open by now
				return broken
			}))
		}))
	if err := app.Start(t.Context()); !errors.Is(err, broken) || closes != 1 {
		t.Errorf("got %v, closed %d times", err, closes)
	}
}

func TestAStoreThatDoesNotCloseCannotHoldUpTheStop(t *testing.T) {
	release := make(chan struct{})
	store := &scripted{start: well, close: func() error { <-release; return nil }}
	app := fx.New(fx.NopLogger, fxmodule.Eager, values("scripted", segment), fxmodule.Stores(store))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := app.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	close(release)
}
