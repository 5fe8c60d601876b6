package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/stores"
)

func newImport(t *cli.Tool) *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import --generator NAME (--next N | --last N | --driver D --dsn DSN … | --redis URI)",
		Short: "Set where a counter goes on: from a number, a SQL column, or CosId for Java",
		Long: `Import sets the next id of a generator's counter, to go on where another source of ids stopped. It never moves a counter
back. Stop the other source first: what it issues after the import repeats.

The value comes from one of
  --next N    the first id to be issued
  --last N    the greatest id that was issued: the next is N+1
  --dsn DSN   a database: the one number that --query asks for or the greatest of --column in --table, which count as the
              last id; or, with --cosid, the row of CosId for Java (2.x, 3.x, 4.x) in its table
  --redis URI the key of CosId for Java in Redis
CosId for Java keeps the last id it has reserved, under {namespace}.{generator}, or {namespace}.{generator}@{period} with
--period; --cosid-name gives another name. A DSN or URI of the form ${NAME} is read from that environment variable, so
that no password is on the command line.`,
		Example: `  cosid-migration import --generator order --last 73021
  cosid-migration import --generator bill --period 20261027 --next 43 --yes
  cosid-migration import --generator order --driver postgres --dsn '${SHOP_DSN}' --table orders --column id --yes
  cosid-migration import --generator order --driver mysql --dsn '${COSID_DSN}' --cosid --yes
  cosid-migration import --generator order --redis '${REDIS_URI}' --cosid-name shop.order_id --yes`,
		Args: cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return i.run(cmd.Context(), t) },
	}
	t.GeneratorFlag(cmd, &i.generator, "the generator `NAME` whose counter is set")
	cmd.Flags().StringVar(&i.period, "period", "", "the `PERIOD` whose counter is set, for a generator that has periods")
	i.source.addFlags(cmd)
	yesFlag(cmd, &i.yes)
	return cmd
}

// importing is one run of the command.
type importing struct {
	generator, period string
	source            source
	yes               bool
}

func (i importing) run(ctx context.Context, t *cli.Tool) error {
	if i.generator == "" {
		return cli.Usagef("import needs --generator NAME; see cosid-migration import --help")
	}
	if err := i.source.check(); err != nil {
		return err
	}
	cfg, err := t.LoadConfig()
	if err != nil {
		return err
	}
	g, err := cli.FindGenerator(cfg, i.generator)
	if err != nil {
		return err
	}
	key, err := i.key(t, cfg, g)
	if err != nil {
		return err
	}
	configured, err := cli.FindStore(cfg, g.Store)
	if err != nil {
		return err
	}
	next, err := i.source.read(ctx, t, javaName(cfg.Namespace, i.generator, i.period))
	if err != nil {
		return err
	}
	result := &imported{
		Store: g.Store, Key: key, Next: strconv.FormatInt(next, 10), Source: i.source.String(), DryRun: !i.yes,
	}
	if err := i.set(ctx, configured, next, result); err != nil {
		return explain(err, result)
	}
	return t.Show(result)
}

// key is the key of the counter.
func (i importing) key(t *cli.Tool, cfg *config.Config, g config.Generator) (string, error) {
	key := stores.RangeKey(cfg.Namespace, g.Name)
	s, periodic := seriesOf(g)
	switch {
	case g.Store == "" || g.Layout != nil || g.Text || g.Grouped() && !periodic:
		return "", fmt.Errorf("generator %q has no counter to set: its strategy is %s", g.Name, g.Factory.Strategy())
	case periodic && i.period == "":
		return "", fmt.Errorf("generator %q has a counter for each period: say which with --period, such as %s",
			g.Name, s.current(t.Now()))
	case periodic:
		return stores.PeriodKey(key, i.period), s.check("period", i.period, t.Now())
	case i.period != "":
		return "", fmt.Errorf("generator %q has no periods, so --period %s means nothing", g.Name, i.period)
	default:
		return key, nil
	}
}

// set raises the counter, or looks what would become of it.
func (i importing) set(ctx context.Context, configured config.Store, next int64, result *imported) (err error) {
	at, err := openSite(ctx, configured, !i.yes)
	if !i.yes && errors.Is(err, cli.ErrAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.store.Close()) }()
	before, exists, err := at.find(ctx, result.Key)
	if err != nil {
		return err
	}
	if exists {
		result.Stored = strconv.FormatInt(before.Next, 10)
	}
	switch {
	case i.yes:
		var now stores.RangeRecord
		now, err = at.admin.RaiseRange(ctx, result.Key, next)
		if errors.Is(err, stores.ErrWouldGoBack) {
			result.Stored = strconv.FormatInt(now.Next, 10)
		}
		return err
	case before.Sealed:
		return stores.ErrRangeSealed
	case before.Next > next:
		return stores.ErrWouldGoBack
	default:
		return nil
	}
}

// explain says what a refusal means for the one who asked.
func explain(err error, r *imported) error {
	switch {
	case errors.Is(err, stores.ErrWouldGoBack):
		return fmt.Errorf("%w: the next id of %s in store %q is %s already, and %s was asked for (%s): ids in between may have "+
			"been issued, so nothing was changed", stores.ErrWouldGoBack, r.Key, r.Store, r.Stored, r.Next, r.Source)
	case errors.Is(err, stores.ErrRangeSealed):
		return fmt.Errorf("%w: %s in store %q gives no ids any more, so nothing was changed",
			stores.ErrRangeSealed, r.Key, r.Store)
	default:
		return err
	}
}

// imported is the result of an import. Numbers are texts, since they may pass 2^53.
type imported struct {
	Store  string `json:"store"`
	Key    string `json:"key"`
	Stored string `json:"stored,omitempty"` // the next id before; empty for a counter that did not exist
	Next   string `json:"next"`
	Source string `json:"source"`
	DryRun bool   `json:"dry_run"`
}

// Text writes the counter before and after.
func (r *imported) Text(p *cli.Page) {
	stored, change := r.Stored, "is"
	if stored == "" {
		stored = "none, the counter is new"
	}
	if r.DryRun {
		change = "would be"
	}
	p.Linef("%s in store %s", p.Bold(r.Key), r.Store)
	p.Linef("  next id before: %s", stored)
	p.Linef("  next id now %s: %s (%s)", change, r.Next, r.Source)
	if r.DryRun {
		p.Linef("This was a dry run, and nothing was changed: --yes sets it.")
	}
}
