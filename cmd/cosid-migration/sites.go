package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/stores"
)

// site is an open store and the series that are kept there.
type site struct {
	config config.Store
	store  stores.Store
	admin  stores.RangeAdmin
	series []series

	// now is the earlier one of this machine's clock and the store's: a period is over only if it is by both.
	now time.Time
}

type sites []*site

// openSites opens the stores of the chosen series. The caller closes them.
func openSites(ctx context.Context, t *cli.Tool, cfg *config.Config, chosen []series) (sites, error) {
	var opened sites
	for _, configured := range cfg.Stores {
		here := slices.DeleteFunc(slices.Clone(chosen), func(s series) bool { return s.store != configured.Name })
		if len(here) == 0 {
			continue
		}
		s, err := openSite(ctx, configured, true)
		if err != nil {
			return nil, errors.Join(err, opened.close())
		}
		opened = append(opened, s)
		s.series = here
		if s.now, err = earlier(ctx, t.Now(), s.store); err != nil {
			return nil, errors.Join(err, opened.close())
		}
	}
	return opened, nil
}

// openSite opens one store, which must be able to change its keys on an operator's behalf. Where looking is true it
// creates nothing.
func openSite(ctx context.Context, configured config.Store, looking bool) (*site, error) {
	store, err := cli.OpenStore(ctx, configured, looking)
	if err != nil {
		return nil, err
	}
	admin, ok := store.(stores.RangeAdmin)
	if !ok {
		err := fmt.Errorf("store %q (type %s) gives operators no hand in its keys", configured.Name, configured.Factory.Type())
		return nil, errors.Join(err, store.Close())
	}
	return &site{config: configured, store: store, admin: admin}, nil
}

// earlier is now, or the time by the store's clock if that is behind.
func earlier(ctx context.Context, now time.Time, store stores.Store) (time.Time, error) {
	inspector, ok := store.(stores.Inspector)
	if !ok {
		return now, nil
	}
	seen, err := inspector.Inspect(ctx)
	if err != nil {
		return now, err
	}
	if !seen.Now.IsZero() && seen.Now.Before(now) {
		return seen.Now, nil
	}
	return now, nil
}

func (all sites) close() error {
	var failures []error
	for _, s := range all {
		failures = append(failures, s.store.Close())
	}
	return errors.Join(failures...)
}

// check joins what check says about every series, each at the time of its store.
func (all sites) check(check func(s series, now time.Time) error) error {
	var problems []error
	for _, at := range all {
		problems = append(problems, each(at.series, func(s series) error { return check(s, at.now) }))
	}
	return errors.Join(problems...)
}

// find is the stored state of one key, and whether there is one.
func (s *site) find(ctx context.Context, key string) (found stores.RangeRecord, exists bool, err error) {
	for record, err := range s.admin.Ranges(ctx, key) {
		if err != nil {
			return found, false, err
		}
		if record.Key == key {
			found, exists = record, true
		}
	}
	return found, exists, nil
}
