package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/internal/names"
	"github.com/cosid-go/cosid/internal/redact"
)

// The exit codes.
const (
	ExitFine    = 0
	ExitFailure = 1 // something was found to be wrong, or did not work
	ExitUsage   = 2 // the command line is wrong, whatever the configuration says
)

// ErrFindings makes a command end with ExitFailure and no line on Stderr: what is wrong stands in its result.
var ErrFindings = errors.New("there are findings")

// usageError is a mistake of the command line.
type usageError struct{ error }

// Usagef makes the error of a command line that can never be right: ExitUsage.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func exitCode(err error, began bool) int {
	var usage usageError
	switch {
	case err == nil:
		return ExitFine
	case !began || errors.As(err, &usage):
		return ExitUsage // before the command runs there is only the command line to be wrong
	default:
		return ExitFailure
	}
}

// errorLine is err on one line, without the tool's name; "" where there is nothing to say.
func errorLine(tool string, err error) string {
	var report *config.Error
	switch {
	case err == nil || errors.Is(err, ErrFindings):
		return ""
	case errors.As(err, &report) && len(report.Problems) > 1:
		more := "1 more mistake"
		if n := len(report.Problems) - 1; n > 1 {
			more = fmt.Sprintf("%d more mistakes", n)
		}
		return fmt.Sprintf("%s (and %s in the configuration; see them all with: cosid validate)",
			line(report.Problems[0].String()), more)
	case errors.As(err, &report) && len(report.Problems) == 1:
		return line(report.Problems[0].String())
	case errors.Is(err, context.Canceled):
		return OneLine(err) + " (interrupted)"
	default:
		return strings.TrimPrefix(OneLine(err), tool+": ")
	}
}

// OneLine is the text of an error on one line: joined errors are parted by "; ". Whatever secret a driver let slip is taken
// out.
func OneLine(err error) string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return line(err.Error())
	}
	var lines []string
	for _, e := range joined.Unwrap() {
		lines = append(lines, OneLine(e))
	}
	return strings.Join(lines, "; ")
}

func line(text string) string { return redact.Text(strings.Join(strings.Fields(text), " ")) }

// Args demands exactly the named arguments: Args("NAME").
func Args(wanted ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(wanted):
			return fmt.Errorf("%s needs %s; see %s --help", cmd.Name(), wanted[len(args)], cmd.CommandPath())
		case len(args) > len(wanted):
			return fmt.Errorf("%s does not take %q; see %s --help", cmd.Name(), args[len(wanted)], cmd.CommandPath())
		default:
			return nil
		}
	}
}

// AtMostArgs allows up to n arguments.
func AtMostArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return fmt.Errorf("%s does not take %q; see %s --help", cmd.Name(), args[n], cmd.CommandPath())
		}
		return nil
	}
}

// subcommand refuses a word that is no command of root.
func subcommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	hint := ""
	if near := names.Nearest(args[0], known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("there is no command %q (have %s)%s", args[0], names.List(known), hint)
}

// version is that of the module that the tool was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
