// Command yaml-app is the main job of cosid in one small program: generators declared in cosid.yaml, built by fx,
// fill the rows that GORM creates. Run it twice: the second run goes on where the first one was.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"

	"go.uber.org/fx"
	"gorm.io/gorm"

	"github.com/cosid-go/cosid"
)

func main() {
	var o options
	flag.IntVar(&o.bills, "n", 9, "how many bills to create")
	flag.StringVar(&o.config, "config", "examples/yaml-app/cosid.yaml", "the YAML file with the cosid section")
	flag.StringVar(&o.dsn, "dsn", "data/app.db", "the application's own SQLite file")
	flag.BoolVar(&o.verbose, "v", false, "log what was configured")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	bills       int
	config, dsn string
	verbose     bool
}

// run wires the application, creates bills in every way that a program creates rows, and prints them.
func run(ctx context.Context, out io.Writer, o options) (err error) {
	if o.bills < 1 {
		return fmt.Errorf("-n %d: at least one bill is created", o.bills)
	}
	var (
		ids *cosid.Runtime
		db  *gorm.DB
	)
	app := fx.New(
		fx.NopLogger,
		fx.Supply(cosid.Source{Files: []string{o.config}}, newLogger(o.verbose)),
		fx.Provide(cosid.Module),
		cosid.Models(Order{}, Item{}, Bill{}), // a wrong tag is found now, not with the first row
		fx.Provide(func(lc fx.Lifecycle) (*gorm.DB, error) { return openDatabase(lc, o.dsn) }),
		fx.Invoke(cosid.UseGORM),
		fx.Populate(&ids, &db),
	)
	if err := app.Start(ctx); err != nil {
		return err
	}
	defer func() {
		if stopErr := app.Stop(context.WithoutCancel(ctx)); err == nil {
			err = stopErr
		}
	}()
	created, err := createBills(db.WithContext(ctx), o.bills)
	if err != nil {
		return err
	}
	return printBills(out, ids, created)
}

// newLogger is the application's logger, which cosid uses too.
func newLogger(verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}
