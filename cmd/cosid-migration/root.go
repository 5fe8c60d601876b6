package main

import (
	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

func newRoot(t *cli.Tool) *cobra.Command {
	root := &cobra.Command{
		Use:   "cosid-migration",
		Short: "Move counters into cosid; seal and purge periods that are over",
		Long: `Cosid-migration changes what the stores of a configuration keep, which no running generator does: it gives a counter
its starting value, and seals and deletes the keys of periods that are over. Every command is a dry run, which shows what
would be done, until --yes is given. It reads the same configuration as the application and the tool cosid.

Exit codes: 0 fine; 1 something was refused or did not work; 2 the command line is wrong.`,
		Example: `  cosid-migration import --generator order --last 73021 --yes
  cosid-migration seal --before 20260101 --yes
  cosid-migration purge --before 20260101`,
	}
	root.AddCommand(newImport(t), newSeal(t), newPurge(t))
	return root
}

// yesFlag adds --yes, without which nothing is changed.
func yesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "do it, instead of showing what would be done")
}
