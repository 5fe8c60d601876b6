package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
)

// look opens each chosen store in turn, without creating anything, and calls see with those that have the ability A. It
// returns the others. What fails at one store does not keep it from the next. Where no store has the ability, that is the
// error; what says what none of them does.
func look[A any](
	ctx context.Context, chosen []config.Store, what string, see func(name string, admin A) error,
) (without []string, err error) {
	var failures []error
	for _, s := range chosen {
		store, err := cli.OpenStore(ctx, s, true)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if admin, ok := store.(A); ok {
			failures = append(failures, see(s.Name, admin))
		} else {
			without = append(without, fmt.Sprintf("%s (type %s)", s.Name, s.Factory.Type()))
		}
		failures = append(failures, store.Close())
	}
	if len(without) > 0 && len(without) == len(chosen) {
		failures = append(failures, fmt.Errorf("no store %s: %s", what, strings.Join(without, ", ")))
	}
	return without, errors.Join(failures...)
}
