package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen takes output, and says itself whether it is a terminal.
type screen struct {
	bytes.Buffer
	terminal bool
}

func (s *screen) IsTerminal() bool { return s.terminal }

// command is a tool with one command, `tool do`, which ends with err.
func command(err error) *cobra.Command {
	root := &cobra.Command{Use: "tool"}
	root.AddCommand(&cobra.Command{Use: "do", Args: cli.Args("a WORD"), RunE: func(*cobra.Command, []string) error { return err }})
	return root
}

func TestTheExitCodeAndTheLineFollowFromTheError(t *testing.T) {
	problem := func(what string) config.Problem { return config.Problem{What: what} }
	for _, c := range []struct {
		name string
		args string
		err  error
		code int
		line string
	}{
		{"nothing wrong", "do it", nil, cli.ExitFine, ""},
		{"findings", "do it", cli.ErrFindings, cli.ExitFailure, ""},
		{"a failure", "do it", errors.New("no"), cli.ExitFailure, "tool: no\n"},
		{"a failure that names the tool", "do it", errors.New("tool: no"), cli.ExitFailure, "tool: no\n"},
		{"several lines", "do it", errors.Join(errors.New("a\n\n\tb"), errors.Join(errors.New("c"), errors.New("d"))), cli.ExitFailure, "tool: a b; c; d\n"},
		{"lines within", "do it", fmt.Errorf("x: %w", errors.Join(errors.New("a"), errors.New("b"))), cli.ExitFailure, "tool: x: a b\n"},
		{"a secret", "do it", errors.New("dial redis://u:hunter2@h:1"), cli.ExitFailure, "tool: dial redis://***@h:1\n"},
		{"a wrong value", "do it", fmt.Errorf("x: %w", cli.Usagef("-n %d", 0)), cli.ExitUsage, "tool: x: -n 0\n"},
		{"a mistake", "do it", config.NewError([]config.Problem{problem("a")}), cli.ExitFailure, "tool: a\n"},
		{
			"mistakes", "do it", config.NewError([]config.Problem{problem("a"), {What: "b", Path: "x"}}), cli.ExitFailure,
			"tool: a (and 1 more mistake in the configuration; see them all with: cosid validate)\n",
		},
		{"a missing argument", "do", nil, cli.ExitUsage, "tool: do needs a WORD; see tool do --help\n"},
		{"an argument too many", "do it now", nil, cli.ExitUsage, "tool: do does not take \"now\"; see tool do --help\n"},
		{"an unknown command", "did", nil, cli.ExitUsage, "tool: there is no command \"did\" (have completion, do); did you mean \"do\"?\n"},
		{"an unknown flag", "do it --fast", nil, cli.ExitUsage, "tool: unknown flag: --fast; see tool do --help\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, err screen
			tool := &cli.Tool{Stdout: &out, Stderr: &err, Environ: []string{}}
			code := tool.Run(t.Context(), command(c.err), strings.Fields(c.args))
			if code != c.code || err.String() != c.line || out.Len() > 0 {
				t.Errorf("exit code %d, stderr %q, stdout %q; want %d and %q", code, err.String(), out.String(), c.code, c.line)
			}
		})
	}
}

// page is a Result made by a function.
type page func(*cli.Page)

func (f page) Text(p *cli.Page) { f(p) }

func TestTablesAlignTheirColumnsAndLeaveOutEmptyOnes(t *testing.T) {
	var out screen
	tool := &cli.Tool{Stdout: &out}
	err := tool.Show(page(func(p *cli.Page) {
		p.Table([]string{"NAME", "EMPTY", "COUNT", "NOTE"}, [][]cli.Cell{
			{cli.Left("größe"), cli.Left(""), cli.Right("7"), cli.Left("")},
			{cli.Left("x"), cli.Left(""), cli.Right("1234567"), cli.Left("y")},
		})
	}))
	want := "NAME     COUNT  NOTE\ngröße        7  -\nx      1234567  y\n"
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAResultThatCannotBeWrittenIsAnError(t *testing.T) {
	tool := &cli.Tool{Stdout: full{}}
	if err := tool.Show(page(func(p *cli.Page) { p.Linef("x") })); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
}

func TestProgressIsDrawnOnTerminalsAtMostTenTimesASecond(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		err := &screen{terminal: terminal}
		now := time.Unix(0, 0)
		tool := &cli.Tool{Stderr: err, Now: func() time.Time { return now }}
		p := tool.NewProgress()
		for i := range 1000 {
			p.Show(float64(i)/1000, "x")
			now = now.Add(time.Millisecond)
		}
		p.Show(1, "done")
		p.Done()
		switch got := err.String(); {
		case !terminal && got != "":
			t.Errorf("drawn without a terminal: %q", got)
		case terminal && (strings.Count(got, "%") != 11 || !strings.Contains(got, "[##############################] 100% done") ||
			!strings.HasSuffix(got, "\r\x1b[K")):
			t.Errorf("drawn %q", got)
		}
	}
}
