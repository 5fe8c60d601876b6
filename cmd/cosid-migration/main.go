// Cosid-migration moves counters into cosid, and clears away the keys of periods that are over. It shows what it would
// do, and does it with --yes only.
//
//	go install github.com/cosid-go/cosid/cmd/cosid-migration@latest
//	cosid-migration purge --before 20260101
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	cli.QuietDrivers()
	tool := &cli.Tool{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	os.Exit(tool.Run(ctx, newRoot(tool), os.Args[1:]))
}
