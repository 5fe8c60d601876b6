package main

import (
	"context"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

// Each is one line on stderr, and nothing on stdout.
func TestWhatGoesWrongIsOneClearLineWithItsExitCode(t *testing.T) {
	const usage, failure = cli.ExitUsage, cli.ExitFailure
	for _, c := range []struct {
		args string
		code int
		line string
	}{
		{"prune", usage, `there is no command "prune" (have completion, import, purge, seal); did you mean "purge"?`},
		{"purge", usage, "purge needs --before PERIOD; see cosid-migration purge --help"},
		{"purge --before", usage, "flag needs an argument: --before; see cosid-migration purge --help"},
		{"purge 20260101", usage, `purge does not take "20260101"; see cosid-migration purge --help`},
		{"purge --before 2026-01-01", usage, `--before "2026-01-01" is not a period, such as 2026, 202610 or 20261027`},
		{"purge --before 20260230", usage, `--before "20260230" is not a period, such as 2026, 202610 or 20261027`},
		{"purge --before 20260101 --sure", usage, "unknown flag: --sure; see cosid-migration purge --help"},
		{"seal", usage, "seal needs --before PERIOD, or --period PERIOD; see cosid-migration seal --help"},
		{"seal --before 2026 --period 2026", usage, "seal needs --before PERIOD, or --period PERIOD; see cosid-migration seal --help"},
		{"seal --period 2026", usage, "--period needs --generator NAME"},
		{"seal --period yesterday --generator bill", usage, `--period "yesterday" is not a period, such as 2026, 202610 or 20261027`},
		{"import --next 1", usage, "import needs --generator NAME; see cosid-migration import --help"},
		{"import --generator order", usage, "import takes its value from one of --next, --last, --dsn and --redis; see cosid-migration import --help"},
		{"import --generator order --next 1 --last 1", usage, "import takes its value from one of --next, --last, --dsn and --redis; see cosid-migration import --help"},
		{"import --generator order --next 1 --cosid", usage, "--driver, --query, --table, --column and --cosid belong to --dsn"},
		{"import --generator order --next 1 --redis-cluster", usage, "--redis-cluster belongs to --redis"},
		{"import --generator order --next 1 --cosid-name x", usage, "--cosid-name belongs to --cosid or --redis"},
		{"import --generator order --dsn x --cosid", usage, `--driver "": have mariadb, mysql, postgres, sqlite`},
		{"import --generator order --dsn x --driver sqlite", usage, "--dsn needs one of --query, --table with --column, and --cosid"},
		{"import --generator order --dsn x --driver sqlite --cosid --query x", usage, "--dsn needs one of --query, --table with --column, and --cosid"},
		{"import --generator order --dsn x --driver sqlite --table x", usage, "--table and --column belong together"},
		{"import --generator order --dsn x --driver sqlite --table x;y --column id", usage, "--table and --column take plain names, such as orders or shop.orders; use --query for others"},

		{"purge --before 202601", failure, `--before "202601" is not a period of generator "bill": its YEAR_MONTH_DAY is written like 20261130; choose one with --generator; ` +
			`--before "202601" is not a period of generator "early": its YEAR_MONTH_DAY is written like 20261201; choose one with --generator`},
		{"purge --before 2026 --generator order", failure, `generator "order" has no periods: its strategy is segment`},
		{"purge --before 20260101 --generator bil", failure, `unknown generator "bil" (have bill, early, order, trade); did you mean "bill"?`},
		{"purge --before 2026 --config none.yaml", failure, "no generator of the configuration has periods: none is of strategy periodic-segment"},
		{"purge --before 2026 --config off.yaml", failure, "cosid is disabled: the configuration says `enabled: false`"},
		{"purge --before 2026 --config nope.yaml", failure, "nope.yaml: cannot be read: no such file or directory"},
		{"import --generator order --dsn nope.db --driver sqlite --cosid", failure, "import from sqlite, table cosid, row shop.order: the SQLite file cannot be read: stat nope.db: no such file or directory"},
		{"import --generator order --dsn ${NOPE} --driver sqlite --cosid", failure, "import from sqlite, table cosid, row shop.order: --dsn: the environment variable NOPE is not set"},
	} {
		t.Run(c.args, func(t *testing.T) {
			tr := inShop(t, shop)
			write(t, "off.yaml", "cosid: { enabled: false }\n")
			write(t, "none.yaml", "cosid: { namespace: shop, stores: { db: { type: memory1 } }, generators: { order: { strategy: segment } } }\n")
			if out := tr.run(t, c.args).fails(t, c.code, c.line); out != "" {
				t.Errorf("printed\n%s", out)
			}
		})
	}
}

var commands = []string{"purge --before 20260101", "seal --before 20260101", "import --generator order --next 1"}

func TestWithoutAConfigurationEveryCommandSaysWhatIsMissing(t *testing.T) {
	for _, command := range commands {
		inShop(t, "").run(t, command).fails(t, cli.ExitFailure, "no configuration was found: none of cosid.yaml, application.yaml, "+
			"config/cosid.yaml, config/application.yaml has a `cosid:` section; accepted: such a file, or COSID_CONFIG naming another")
	}
}

// unreachable does not start.
type unreachable struct{ stores.Store }

func (unreachable) Start(context.Context) error { return errBroken }

func TestAnUnreachableStoreIsOneLineWithoutItsPassword(t *testing.T) {
	for _, command := range commands {
		tr := inShop(t, shop)
		tr.faulty = func(s stores.Store) stores.Store { return unreachable{s} }
		for _, flag := range []string{"", " --yes"} {
			out := tr.run(t, command+flag).fails(t, cli.ExitFailure, `open store "db": fake: redis://***@redis:6379 went away`)
			if out != "" {
				t.Errorf("printed\n%s", out)
			}
		}
	}
}

func TestAMissingSQLiteFileIsNotMade(t *testing.T) {
	tr := inShop(t, strings.ReplaceAll(shop, "{ type: memory1 }", "{ type: gorm, options: { driver: sqlite, dsn: data/cosid.db } }"))
	for _, command := range commands[:2] {
		tr.run(t, command+" --generator bill").fails(t, cli.ExitFailure,
			`open store "db": the SQLite file data/cosid.db does not exist yet: the application makes it when it first starts`)
	}
	if out := tr.run(t, commands[2]).fine(t); !strings.Contains(out, "before: none") {
		t.Errorf("printed\n%s", out)
	}
	if _, err := openSQLite("data/cosid.db"); err == nil {
		t.Error("the file was made")
	}
}

func TestHelpOfEveryCommandHasAnExample(t *testing.T) {
	tr := inShop(t, "")
	for _, command := range strings.Fields("import seal purge") {
		out := tr.run(t, command+" --help").fine(t)
		if !strings.Contains(out, "Examples:\n  cosid-migration "+command) {
			t.Errorf("%s has no example", command)
		}
		golden(t, "help-"+command, out)
	}
	golden(t, "help", tr.run(t, "").fine(t))
}

func TestCompletionKnowsTheConfiguredNames(t *testing.T) {
	tr := inShop(t, shop)
	for args, want := range map[string]string{
		"purge --generator ":             "bill early order trade",
		"import --driver ":               "sqlite postgres mysql mariadb",
		"import --config nope.yaml --ge": "--generator",
	} {
		r := tr.runArgs(t.Context(), append([]string{"__complete"}, strings.Split(args, " ")...)...)
		words, _, _ := strings.Cut(r.out, ":4")
		if !strings.HasPrefix(strings.Join(strings.Fields(words), " "), want) || r.code != cli.ExitFine {
			t.Errorf("%q is completed with %q, want %q", args, words, want)
		}
	}
}

func TestAnInterruptedCommandSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := inShop(t, shop).runArgs(ctx, "purge", "--before", "20260101")
	if r.code != cli.ExitFailure || !strings.HasSuffix(r.err, "(interrupted)\n") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("%+v", r)
	}
}
