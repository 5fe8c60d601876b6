package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// haltAfter makes the test binary behave as the tool itself, with the store types `halting-gorm` and `halting-redis`,
// which delete so many keys and then wait to be killed.
const haltAfter = "COSID_TEST_HALT_AFTER"

// halfWay is what it writes to stdout just before the last deletion.
const halfWay = "half-way\n"

func runHalting(args []string) int {
	n, err := strconv.Atoi(os.Getenv(haltAfter))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return cli.ExitUsage
	}
	tool := &cli.Tool{
		Stdin: strings.NewReader(""), Stdout: os.Stdout, Stderr: os.Stderr,
		Options: cosid.Options{Stores: []stores.Factory{
			haltingFactory{gormstore.Factory{}, n}, haltingFactory{redisstore.Factory{}, n},
		}},
	}
	return tool.Run(context.Background(), newRoot(tool), args)
}

// haltingFactory wraps the stores of another factory.
type haltingFactory struct {
	stores.Factory
	after int
}

func (f haltingFactory) Type() string { return "halting-" + f.Factory.Type() }

func (f haltingFactory) Build(spec stores.Spec, options any) (stores.Store, error) {
	store, err := f.Factory.Build(spec, options)
	if err != nil {
		return nil, err
	}
	admin, ok := store.(stores.RangeAdmin)
	if !ok {
		return store, nil // the tool says so
	}
	return &halting{Store: store, RangeAdmin: admin, left: f.after}, nil
}

type halting struct {
	stores.Store
	stores.RangeAdmin
	left int
}

// DeleteRange is still on its way when the process is killed, if it is the last one.
func (h *halting) DeleteRange(ctx context.Context, key string, force bool) (bool, error) {
	h.left--
	if h.left > 0 {
		return h.RangeAdmin.DeleteRange(ctx, key, force)
	}
	os.Stdout.WriteString(halfWay)
	_, _ = h.RangeAdmin.DeleteRange(ctx, key, force)
	select {}
}
