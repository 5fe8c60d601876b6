package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// closePatience bounds how long a tool waits for what it closes.
const closePatience = 5 * time.Second

// ErrAbsent means that what a store keeps its data in does not exist yet. It is matched with errors.Is.
var ErrAbsent = errors.New("does not exist yet")

// OpenStore builds and starts one store of a configuration, within its start-timeout. The caller closes it. Where looking
// is true nothing is created: a database without the store's tables is an error then, whatever auto-migrate says.
// What it would log is dropped: a tool says by itself what matters.
func OpenStore(ctx context.Context, s config.Store, looking bool) (stores.Store, error) {
	options, err := s.Options, error(nil)
	if looking {
		if options, err = withoutCreating(options); err != nil {
			return nil, fmt.Errorf("open store %q: %w", s.Name, err)
		}
	}
	store, err := s.Factory.Build(stores.Spec{Name: s.Name, Timeout: s.Timeout, Logger: slog.New(slog.DiscardHandler)}, options)
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", s.Name, err)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, s.Opening,
		fmt.Errorf("it did not open within start-timeout %v: %w", s.Opening, context.DeadlineExceeded))
	defer cancel()
	if err := store.Start(bounded); err != nil {
		if cause := context.Cause(bounded); cause != nil {
			err = fmt.Errorf("%w (%w)", cause, err)
		}
		return nil, errors.Join(fmt.Errorf("open store %q: %w", s.Name, err), store.Close())
	}
	return store, nil
}

// withoutCreating changes a store's options so that opening it makes neither files nor tables. A tool that looks must not:
// tables belong to whoever makes them.
func withoutCreating(options any) (any, error) {
	o, ok := options.(*gormstore.Options)
	if !ok || o.DSN == "" {
		return options, nil
	}
	file := strings.TrimPrefix(o.DSN, "file:")
	if (o.Driver == "" || o.Driver == "sqlite") && !strings.ContainsAny(file, "?#") {
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("the SQLite file %s %w: the application makes it when it first starts", file, ErrAbsent)
		}
	}
	look := *o
	look.AutoMigrate = new(false)
	return &look, nil
}

// Draw opens what one generator of cfg needs, calls draw with it and closes it again. Nothing else of cfg is opened. The
// warnings of cfg are written; what the generator would log is dropped, because its errors say it too.
func (t *Tool) Draw(
	ctx context.Context, cfg *config.Config, g config.Generator, hooks generators.Hooks, draw func(*runtime.Entry) error,
) (err error) {
	for _, w := range cfg.Warnings {
		t.Warnf("%s", w)
	}
	rt, err := runtime.New(Only(cfg, g), runtime.Options{Logger: slog.New(slog.DiscardHandler), Hooks: hooks})
	if err != nil {
		return err
	}
	if err := rt.Start(ctx); err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closePatience)
		defer cancel()
		err = errors.Join(err, rt.Close(closing))
	}()
	entry, err := rt.Get(g.Name)
	if err != nil {
		return err
	}
	return draw(entry)
}
