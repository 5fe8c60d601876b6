package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/stores"
)

func newSeal(t *cli.Tool) *cobra.Command {
	var s sealing
	cmd := &cobra.Command{
		Use:   "seal (--before PERIOD | --period PERIOD --generator NAME)",
		Short: "Seal periods that are over, so that nobody draws from them again",
		Long: `Seal ends periods for good: an instance whose clock lags gets an error instead of an id. With --before it seals every
stored period before PERIOD, of one generator or of all that have periods; with --period that one, which need not be
stored. The current period and later ones are never sealed, by the generator's own time zone, and by the clock of this
machine and of the store, whichever is behind. Sealing twice is fine. Generators with seal-after do it by themselves.`,
		Example: `  cosid-migration seal --before 20260101
  cosid-migration seal --period 20251231 --generator bill --yes`,
		Args: cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), t) },
	}
	cmd.Flags().StringVar(&s.before, "before", "", "seal the stored periods before this `PERIOD`: 2026, 202610 or 20261027")
	cmd.Flags().StringVar(&s.period, "period", "", "seal this `PERIOD`")
	t.GeneratorFlag(cmd, &s.generator, "seal only periods of the generator `NAME`")
	yesFlag(cmd, &s.yes)
	return cmd
}

// sealing is one run of the command.
type sealing struct {
	before, period, generator string
	yes                       bool
}

func (s sealing) check() error {
	switch {
	case (s.before == "") == (s.period == ""):
		return cli.Usagef("seal needs --before PERIOD, or --period PERIOD; see cosid-migration seal --help")
	case s.period != "" && s.generator == "":
		return cli.Usagef("--period needs --generator NAME")
	case s.period != "":
		return checkPeriodFlag("period", s.period)
	default:
		return checkPeriodFlag("before", s.before)
	}
}

func (s sealing) run(ctx context.Context, t *cli.Tool) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	cfg, err := t.LoadConfig()
	if err != nil {
		return err
	}
	chosen, err := chooseSeries(cfg, s.generator)
	if err != nil {
		return err
	}
	all, err := openSites(ctx, t, cfg, chosen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.close()) }()
	for _, at := range all {
		if _, ok := at.store.(stores.Sealer); !ok {
			return cannotSeal(at)
		}
	}
	w := &work{Before: s.before, DryRun: !s.yes, Keys: []*periodKey{}, Left: []leftover{}, verb: "seal"}
	if err := s.find(ctx, cfg, all, w); err != nil {
		return err
	}
	failure := w.run(t, func(key *periodKey) (outcome, error) { return s.one(ctx, key) })
	return errors.Join(t.Show(w), failure)
}

func cannotSeal(at *site) error {
	return fmt.Errorf("store %q (type %s) cannot seal keys", at.config.Name, at.config.Factory.Type())
}

// find adds the keys to be sealed.
func (s sealing) find(ctx context.Context, cfg *config.Config, all sites, w *work) error {
	if s.period == "" {
		if err := all.check(func(one series, now time.Time) error { return one.checkBefore(s.before, now) }); err != nil {
			return err
		}
		return w.scan(ctx, cfg, all, s.generator)
	}
	if err := all.check(func(one series, now time.Time) error { return one.checkEnded(s.period, now) }); err != nil {
		return err
	}
	for _, at := range all {
		key := stores.PeriodKey(stores.RangeKey(cfg.Namespace, s.generator), s.period)
		record, _, err := at.find(ctx, key)
		if err != nil {
			return err
		}
		record.Key = key
		w.Keys = append(w.Keys, at.periodKey(record))
	}
	return nil
}

// one seals a key, or tells what it would do.
func (s sealing) one(ctx context.Context, key *periodKey) (outcome, error) {
	switch {
	case key.Sealed:
		return wasSealed, nil
	case !s.yes:
		return wouldSeal, nil
	}
	done, err := key.at.store.(stores.Sealer).Seal(ctx, key.Key)
	switch {
	case err != nil:
		return notReached, err
	case !done:
		return notReached, cannotSeal(key.at)
	default:
		return sealed, nil
	}
}
