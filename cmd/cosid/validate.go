package main

import (
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

func newValidate(t *cli.Tool) *cobra.Command {
	var settings bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Report every mistake of the configuration, or what it would run",
		Long: `Validate reads the configuration as the application does and reports every mistake at once, each with its place
and what would be right. No store is opened. It exits with 1 if there is a mistake, so that CI can run it.`,
		Example: `  cosid validate
  cosid validate --config cosid.yaml --config cosid-prod.yaml
  cosid validate --settings`,
		Args: cli.Args(),
		RunE: func(*cobra.Command, []string) error {
			found, err := validate(t.ConfigOptions(), t.AnyReplica().ConfigOptions(), t.Now())
			if err != nil {
				return err
			}
			if !settings {
				found.Settings = nil
			}
			if err := t.Show(found); err != nil {
				return err
			}
			if !found.Valid {
				return cli.ErrFindings
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&settings, "settings", false, "show every setting, its value and what set it, defaults included")
	return cmd
}

// validation is what a configuration comes to.
type validation struct {
	Valid      bool                 `json:"valid"`
	Mistakes   []mistake            `json:"mistakes"`
	Warnings   []string             `json:"warnings"`
	Enabled    bool                 `json:"enabled"`
	Namespace  string               `json:"namespace,omitempty"`
	Stores     []validatedStore     `json:"stores,omitempty"`
	Generators []validatedGenerator `json:"generators,omitempty"`
	Settings   []validatedSetting   `json:"settings,omitempty"`
}

type mistake struct {
	At         string `json:"at,omitempty"`
	Path       string `json:"path,omitempty"`
	Problem    string `json:"problem"`
	Accepted   string `json:"accepted,omitempty"`
	DidYouMean string `json:"did_you_mean,omitempty"`

	line string
}

type validatedStore struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Timeout string `json:"timeout"`
	Lazy    bool   `json:"lazy"`
}

type validatedGenerator struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	Store    string `json:"store,omitempty"`
	Example  string `json:"example,omitempty"`
}

type validatedSetting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// validate loads a configuration and builds, without I/O to a store, what it describes: some mistakes show only then.
func validate(options, replica config.Options, now time.Time) (*validation, error) {
	v := &validation{Mistakes: []mistake{}, Warnings: []string{}}
	cfg, err := config.Load(options)
	if err == nil {
		var built *config.Config
		if built, err = config.Load(replica); err == nil {
			_, err = runtime.New(built, runtime.Options{Logger: slog.New(slog.DiscardHandler)})
		}
	}
	var report *config.Error
	switch {
	case errors.As(err, &report):
		for _, p := range report.Problems {
			v.Mistakes = append(v.Mistakes, mistake{
				At: p.Origin.String(), Path: p.Path, Problem: p.What, Accepted: p.Accepted, DidYouMean: p.Nearest,
				line: p.String(),
			})
		}
		return v, nil
	case err != nil:
		return nil, err
	}
	v.Valid, v.Enabled, v.Namespace = true, cfg.Enabled, cfg.Namespace
	v.Warnings = append(v.Warnings, cfg.Warnings...)
	for _, s := range cfg.Stores {
		v.Stores = append(v.Stores, validatedStore{
			Name: s.Name, Type: s.Factory.Type(), Timeout: s.Timeout.String(), Lazy: s.Lazy,
		})
	}
	for _, g := range cfg.Generators {
		v.Generators = append(v.Generators, validatedGenerator{
			Name: g.Name, Strategy: g.Factory.Strategy(), Store: g.Store, Example: example(g, now),
		})
	}
	for _, s := range cfg.Settings {
		v.Settings = append(v.Settings, validatedSetting{Path: s.Path, Value: s.Value, From: s.From})
	}
	return v, nil
}

// example is what an early id of today looks like as text; "" where no codec writes it.
func example(g config.Generator, now time.Time) string {
	id := int64(1)
	if g.Layout != nil {
		id = g.Layout.Pack(g.Layout.TickAt(now.UnixMilli()), 0, 0)
	}
	text := ""
	switch {
	case g.GroupedCodec != nil:
		text, _ = g.GroupedCodec.Encode(generators.GroupedID{Period: g.Period.Format(now.UTC()), Value: 1})
	case g.Codec != nil:
		text, _ = g.Codec.Encode(id)
	}
	return text
}

// Text writes the mistakes, or the summary.
func (v *validation) Text(p *cli.Page) {
	for _, m := range v.Mistakes {
		p.Linef("%s %s", p.Bad("mistake:"), m.line)
	}
	for _, w := range v.Warnings {
		p.Linef("%s %s", p.Warn("warning:"), w)
	}
	switch {
	case !v.Valid:
		p.Linef("%s", p.Bad(counted(len(v.Mistakes), "mistake")))
		return
	case !v.Enabled:
		p.Linef("%s It says `enabled: false`: nothing would run.", p.Good("No mistakes."))
		return
	}
	p.Linef("%s The namespace is %s.", p.Good("No mistakes."), v.Namespace)
	var rows [][]cli.Cell
	for _, s := range v.Stores {
		start := "eager"
		if s.Lazy {
			start = "lazy"
		}
		rows = append(rows, []cli.Cell{cli.Left(s.Name), cli.Left(s.Type), cli.Right(s.Timeout), cli.Left(start)})
	}
	v.section(p, []string{"STORE", "TYPE", "TIMEOUT", "START"}, rows)
	rows = nil
	for _, g := range v.Generators {
		rows = append(rows, []cli.Cell{
			cli.Left(g.Name), cli.Left(g.Strategy), cli.Left(g.Store), cli.Left(g.Example),
		})
	}
	v.section(p, []string{"GENERATOR", "STRATEGY", "STORE", "AN ID AS TEXT"}, rows)
	rows = nil
	for _, s := range v.Settings {
		rows = append(rows, []cli.Cell{cli.Left(s.Path), cli.Left(s.Value), cli.Left(s.From)})
	}
	v.section(p, []string{"SETTING", "VALUE", "FROM"}, rows)
}

func (*validation) section(p *cli.Page, headline []string, rows [][]cli.Cell) {
	if len(rows) > 0 {
		p.Linef("")
		p.Table(headline, rows)
	}
}
