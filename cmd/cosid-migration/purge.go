package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

func newPurge(t *cli.Tool) *cobra.Command {
	var p purge
	cmd := &cobra.Command{
		Use:   "purge --before PERIOD",
		Short: "Delete the keys of periods that are over",
		Long: `Purge deletes the keys of periods before PERIOD, of one generator or of all that have periods. A deleted period starts
over if anybody draws from it again, so choose one that no clock and no batch job can be in any more.

A period that is not sealed is kept, unless --force is given. The current period and later ones are never deleted, by the
generator's own time zone, and by the clock of this machine and of the store, whichever is behind. Keys of generators that
the configuration does not have are left alone and named. A purge that was broken off is simply run again.`,
		Example: `  cosid-migration purge --before 20260101
  cosid-migration purge --before 20260101 --generator bill --yes`,
		Args: cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd.Context(), t) },
	}
	cmd.Flags().StringVar(&p.before, "before", "", "delete the periods before this `PERIOD`: 2026, 202610 or 20261027")
	cmd.Flags().BoolVar(&p.force, "force", false, "delete also what is not sealed")
	t.GeneratorFlag(cmd, &p.generator, "delete only periods of the generator `NAME`")
	yesFlag(cmd, &p.yes)
	return cmd
}

// purge is one run of the command.
type purge struct {
	before, generator string
	force, yes        bool
}

func (p purge) run(ctx context.Context, t *cli.Tool) (err error) {
	if p.before == "" {
		return cli.Usagef("purge needs --before PERIOD; see cosid-migration purge --help")
	}
	if err := checkPeriodFlag("before", p.before); err != nil {
		return err
	}
	cfg, err := t.LoadConfig()
	if err != nil {
		return err
	}
	chosen, err := chooseSeries(cfg, p.generator)
	if err != nil {
		return err
	}
	all, err := openSites(ctx, t, cfg, chosen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.close()) }()
	if err := all.check(func(s series, now time.Time) error { return s.checkBefore(p.before, now) }); err != nil {
		return err
	}
	w := &work{Before: p.before, DryRun: !p.yes, Keys: []*periodKey{}, Left: []leftover{}, verb: "delete"}
	if err := w.scan(ctx, cfg, all, p.generator); err != nil {
		return err
	}
	failure := w.run(t, func(key *periodKey) (outcome, error) { return p.one(ctx, key) })
	return errors.Join(t.Show(w), failure, p.refusal(w))
}

// one deletes a key, or tells what it would do.
func (p purge) one(ctx context.Context, key *periodKey) (outcome, error) {
	switch {
	case !p.yes && !key.Sealed && !p.force:
		return kept, nil
	case !p.yes:
		return wouldDelete, nil
	}
	found, err := key.at.admin.DeleteRange(ctx, key.Key, p.force)
	switch {
	case errors.Is(err, stores.ErrNotSealed):
		return kept, nil
	case err != nil:
		return notReached, err
	case !found:
		return gone, nil
	default:
		return deleted, nil
	}
}

// refusal is the error of a purge that keeps periods because they are not sealed.
func (p purge) refusal(w *work) error {
	n := w.count(kept)
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%w, and kept: %d of %d; seal them first (cosid-migration seal --before %s), or delete them with --force",
		stores.ErrNotSealed, n, len(w.Keys), p.before)
}
