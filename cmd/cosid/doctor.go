package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/redact"
	"github.com/cosid-go/cosid/stores"
)

func newDoctor(t *cli.Tool) *cobra.Command {
	var store string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Examine every store: reach, durability, clock, tables, slots",
		Long: `Doctor opens every configured store, asks it what endangers uniqueness or service, compares its clock with this
machine's, and counts the leased slots. It creates and changes nothing. Each finding comes with its remedy; it exits
with 1 if there is one.`,
		Example: `  cosid doctor
  cosid doctor --store redis --output json`,
		Args: cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := t.LoadConfig()
			if err != nil {
				return err
			}
			chosen, err := cli.Stores(cfg, store)
			if err != nil {
				return err
			}
			d := examine(cmd.Context(), cfg, chosen, t.Now)
			d.Warnings = append(d.Warnings, cfg.Warnings...)
			if err := t.Show(d); err != nil {
				return err
			}
			if d.Findings > 0 {
				return cli.ErrFindings
			}
			return nil
		},
	}
	t.StoreFlag(cmd, &store, "examine only the store `NAME`")
	return cmd
}

// diagnosis is what doctor found.
type diagnosis struct {
	Stores   []checkup `json:"stores"`
	Warnings []string  `json:"warnings"`
	Findings int       `json:"findings"` // in all stores
}

// checkup is what was found of one store. What its type cannot tell is nil.
type checkup struct {
	Name         string     `json:"name"`
	Type         string     `json:"type"`
	Reached      bool       `json:"reached"`
	OpenedMillis float64    `json:"opened_ms,omitempty"`
	PingMillis   *float64   `json:"ping_ms"`
	Server       *string    `json:"server"`
	ClockMillis  *float64   `json:"clock_ahead_ms"` // of this machine's clock
	Slots        *slotUsage `json:"slots"`
	Findings     []finding  `json:"findings"`
}

type slotUsage struct {
	Namespace string `json:"namespace"`
	Limit     int64  `json:"limit"` // 0 where nobody has leased one
	Tolerance string `json:"tolerance,omitempty"`
	Live      int64  `json:"live"`
	Ahead     int64  `json:"ahead"` // free, but their windows lie beyond the tolerance
}

type finding struct {
	Problem string `json:"problem"`
	Remedy  string `json:"remedy"`
}

const (
	// tolerableSkew is how far a store's clock may be from this machine's.
	tolerableSkew = time.Second

	// crowded is the share of leased slots, in percent, that leaves little room for a rolling restart.
	crowded = 80
)

// examine looks at all chosen stores at once.
func examine(ctx context.Context, cfg *config.Config, chosen []config.Store, now func() time.Time) *diagnosis {
	d := &diagnosis{Stores: make([]checkup, len(chosen)), Warnings: []string{}}
	var examining sync.WaitGroup
	for i, s := range chosen {
		examining.Go(func() {
			d.Stores[i] = checkup{Name: s.Name, Type: s.Factory.Type(), Findings: []finding{}}
			d.Stores[i].examine(ctx, cfg, s, now)
		})
	}
	examining.Wait()
	for _, c := range d.Stores {
		d.Findings += len(c.Findings)
	}
	return d
}

func (c *checkup) examine(ctx context.Context, cfg *config.Config, s config.Store, now func() time.Time) {
	began := now()
	store, err := cli.OpenStore(ctx, s, true)
	switch {
	case errors.Is(err, cli.ErrAbsent):
		c.find(err, "start the application once, in the folder that its paths are relative to")
		return
	case err != nil:
		c.find(err, "mend what the message names: the address and credentials under cosid.stores."+s.Name+", the network, "+
			"the server; a missing table is made by the application's first start where auto-migrate allows it, or with: "+
			"cosid schema --ddl")
		return
	}
	defer func() { c.found("close", store.Close()) }()
	c.Reached, c.OpenedMillis = true, millis(now().Sub(began))
	c.ping(ctx, store, now)
	c.inspect(ctx, store, now)
	c.countSlots(ctx, store, cfg.Namespace)
	c.compareSlots(cfg)
}

func (c *checkup) find(err error, remedy string) {
	c.Findings = append(c.Findings, finding{Problem: cli.OneLine(err), Remedy: redact.Text(remedy)})
}

// found notes the failure of a call to a store that could be opened.
func (c *checkup) found(operation string, err error) bool {
	if err != nil {
		c.find(fmt.Errorf("%s: %w", operation, err), "see whether the server is alive and what its log says, and run doctor again")
	}
	return err != nil
}

func (c *checkup) ping(ctx context.Context, store stores.Store, now func() time.Time) {
	pinger, ok := store.(stores.Pinger)
	if !ok {
		return
	}
	began := now()
	if !c.found("ping", pinger.Ping(ctx)) {
		c.PingMillis = new(millis(now().Sub(began)))
	}
}

func (c *checkup) inspect(ctx context.Context, store stores.Store, now func() time.Time) {
	inspector, ok := store.(stores.Inspector)
	if !ok {
		return
	}
	asked := now()
	seen, err := inspector.Inspect(ctx)
	answered := now()
	if c.found("inspect", err) {
		return
	}
	c.Server = &seen.Server
	for _, f := range seen.Findings {
		c.find(errors.New(f.Problem), f.Remedy)
	}
	if seen.Now.IsZero() {
		return
	}
	round := answered.Sub(asked)
	ahead := seen.Now.Sub(asked.Add(round / 2))
	c.ClockMillis = new(millis(ahead))
	if ahead.Abs() > tolerableSkew+round/2 {
		c.find(fmt.Errorf("the store's clock is %s this machine's: periods begin by this machine's clock and snowflake ids "+
			"carry the store's time, so that the two disagree", apart(ahead)),
			"let both machines synchronise with NTP (chronyc tracking, timedatectl)")
	}
}

// countSlots looks at the slots of the namespace.
func (c *checkup) countSlots(ctx context.Context, store stores.Store, namespace string) {
	admin, ok := store.(stores.SlotAdmin)
	if !ok {
		return
	}
	table, err := admin.Slots(ctx, namespace)
	if errors.Is(err, errors.ErrUnsupported) || c.found("read the slots of namespace "+namespace, err) {
		return
	}
	usage := slotUsage{Namespace: namespace, Limit: table.Limit}
	if table.Limit > 0 {
		usage.Tolerance = (time.Duration(table.ToleranceMillis) * time.Millisecond).String()
	}
	for _, row := range table.Rows {
		switch {
		case row.ExpiresAt > table.StoreNow:
			usage.Live++
		case row.NextFloor > table.StoreNow+table.ToleranceMillis:
			usage.Ahead++
		}
	}
	c.Slots = &usage
	if usage.Limit > 0 && usage.Live*100 >= usage.Limit*crowded {
		c.find(fmt.Errorf("of the %s of namespace %s %d are leased: soon a process will find none",
			counted(usage.Limit, "slot"), namespace, usage.Live),
			"stop processes that are not needed (cosid slots names them); the limit of a namespace is fixed by its first lease")
	}
	if usage.Ahead > 0 {
		c.find(fmt.Errorf("%s of namespace %s cannot be leased now: the time windows on them lie ahead of the store's clock, which "+
			"stepped back", counted(usage.Ahead, "slot"), namespace), "set the server's clock right, or wait until it has caught up")
	}
}

// compareSlots finds slot settings with which no process of this configuration gets a slot.
func (c *checkup) compareSlots(cfg *config.Config) {
	leases := slices.ContainsFunc(cfg.Generators, func(g config.Generator) bool {
		settings, ok := g.Settings.(generators.SlotSettings)
		return ok && settings.LeasesSlot() && g.Store == c.Name
	})
	if !leases || c.Slots == nil || c.Slots.Limit == 0 {
		return
	}
	if u, s := c.Slots, cfg.Slots; u.Limit != s.Limit || u.Tolerance != s.Tolerance.String() {
		c.find(fmt.Errorf("namespace %s was created with limit %d and tolerance %s for its slots, and the configuration says "+
			"%d and %v: no process with it gets a slot", u.Namespace, u.Limit, u.Tolerance, s.Limit, s.Tolerance),
			"write those into cosid.slots")
	}
}

// Text writes one block a store.
func (d *diagnosis) Text(p *cli.Page) {
	for _, w := range d.Warnings {
		p.Linef("%s %s", p.Warn("warning:"), w)
	}
	for _, c := range d.Stores {
		c.text(p)
	}
	if d.Findings == 0 {
		p.Linef("%s", p.Good("No findings."))
		return
	}
	p.Linef("%s", p.Bad(counted(d.Findings, "finding")+"."))
}

func (c *checkup) text(p *cli.Page) {
	p.Linef("%s", p.Bold(fmt.Sprintf("store %s (%s)", c.Name, c.Type)))
	if c.Reached {
		p.Linef("  opened  in %s; what it needs is there", ofMillis(c.OpenedMillis))
		p.Linef("  ping    %s", orNone(c.PingMillis, ofMillis))
		p.Linef("  server  %s", orNone(c.Server, func(s string) string { return s }))
		p.Linef("  clock   %s", orNone(c.ClockMillis, func(ms float64) string {
			return apart(duration(ms)) + " this machine's"
		}))
		p.Linef("  slots   %s", orNone(c.Slots, slotUsage.String))
	}
	for _, f := range c.Findings {
		p.Linef("  %s %s", p.Bad("finding:"), f.Problem)
		p.Linef("    remedy: %s", f.Remedy)
	}
}

// orNone shows what a store told, or that its type cannot tell.
func orNone[T any](value *T, show func(T) string) string {
	if value == nil {
		return "none: this type of store does not tell"
	}
	return show(*value)
}

// String is "3 of 1024 leased in namespace shop".
func (u slotUsage) String() string {
	if u.Limit == 0 {
		return "none was ever leased in namespace " + u.Namespace
	}
	return fmt.Sprintf("%d of %d leased in namespace %s", u.Live, u.Limit, u.Namespace)
}

// apart says how far ahead of another clock one is.
func apart(ahead time.Duration) string {
	if ahead < 0 {
		return short(-ahead) + " behind"
	}
	return short(ahead) + " ahead of"
}

func millis(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func ofMillis(ms float64) string { return short(duration(ms)) }
