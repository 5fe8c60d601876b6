// Cosid is the operator's tool: it checks a configuration, looks into the stores that it names, and draws and explains
// ids.
//
//	go install github.com/cosid-go/cosid/cmd/cosid@latest
//	cosid validate
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
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
