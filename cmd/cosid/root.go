package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

// run runs the tool with the arguments that follow its name, and returns its exit code.
func run(
	ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string,
) int {
	tool := &cli.Tool{Stdin: stdin, Stdout: stdout, Stderr: stderr, Environ: environ}
	return tool.Run(ctx, newRoot(tool), args)
}

func newRoot(t *cli.Tool) *cobra.Command {
	root := &cobra.Command{
		Use:   "cosid",
		Short: "Check a cosid configuration, look into its stores, draw and explain ids",
		Long: `Cosid works on the same configuration as the application: cosid.yaml or application.yaml here or in config/, the
file that COSID_CONFIG names, or each --config FILE; COSID_PROFILE and the other variables count too. A store whose
database or client the application hands over needs an address here, from another --config FILE or from a variable:
COSID_STORES_DB_OPTIONS_DSN for a store named db of type gorm.

Exit codes: 0 fine; 1 something is wrong or did not work; 2 the command line is wrong.
Colours appear on a terminal only, and not where NO_COLOR is set.`,
		Example: `  cosid validate
  cosid generate bill -n 3
  cosid doctor --config cosid.yaml --output json`,
	}
	root.AddCommand(
		newValidate(t), newGenerate(t), newExplain(t), newDoctor(t),
		newSlots(t), newRanges(t), newSchema(t), newBench(t),
	)
	return root
}
