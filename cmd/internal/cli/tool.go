package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid"
)

// Tool is one run of a command-line tool: what surrounds it, and the flags that all commands have. The streams must
// be set.
type Tool struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Environ is the environment, as os.Environ returns it; nil is the process's own.
	Environ []string

	// Options are the types that a configuration may name besides the built-in ones. Their Source and Logger are the
	// tool's.
	Options cosid.Options

	// Now is the clock of this machine; nil is time.Now.
	Now func() time.Time

	files  []string // --config
	format format   // --output
	began  bool     // the command line was fine, and the command runs
}

// Run runs root with the arguments that follow the program's name, and returns the exit code: ExitFine, ExitFailure or
// ExitUsage. An error is one line on Stderr.
func (t *Tool) Run(ctx context.Context, root *cobra.Command, args []string) int {
	if t.Environ == nil {
		t.Environ = os.Environ()
	}
	if t.Now == nil {
		t.Now = time.Now
	}
	t.prepare(root)
	root.SetArgs(append([]string{}, args...)) // nil would mean the process's own
	root.SetIn(t.Stdin)
	root.SetOut(t.Stdout)
	root.SetErr(t.Stderr)
	err := root.ExecuteContext(ctx)
	if line := errorLine(root.Name(), err); line != "" {
		fmt.Fprintln(t.Stderr, t.errStyle().Bad(root.Name()+":"), line)
	}
	return exitCode(err, t.began)
}

// prepare adds what all commands have in common.
func (t *Tool) prepare(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = version()
	flags := root.PersistentFlags()
	flags.StringArrayVar(&t.files, "config", nil,
		"read this `FILE` instead of looking for the usual ones; repeat it for several, later over earlier")
	flags.Var(&t.format, "output", "how results are written: table, or json for programs")
	Complete(root, "output", formatNames())
	root.PersistentPreRun = func(*cobra.Command, []string) { t.began = true }
	root.Args = subcommand
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.SetHelpCommand(helpFor(root))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
}

// helpFor is the command help, which refuses words that are no commands.
func helpFor(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about any command",
		Example: "  " + root.Name() + " help " + root.Commands()[0].Name(),
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err == nil {
				err = subcommand(root, rest)
			}
			if err != nil {
				return usageError{err}
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
}

// Warnf writes one line to Stderr.
func (t *Tool) Warnf(format string, args ...any) {
	fmt.Fprintln(t.Stderr, t.errStyle().Warn("warning:"), fmt.Sprintf(format, args...))
}

// must reports a mistake of the tool itself, such as completing a flag that it does not have.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
