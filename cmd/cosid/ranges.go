package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

func newRanges(t *cli.Tool) *cobra.Command {
	var store string
	cmd := &cobra.Command{
		Use:   "ranges [PREFIX]",
		Short: "Show the stored counters: key, next value, sealed",
		Long: `Ranges shows the keys that begin with PREFIX, by default those of the configuration's namespace, with the first id
that is not reserved yet. A sealed key gives no ids any more.`,
		Example: `  cosid ranges
  cosid ranges shop/bill/2026 --output json
  cosid ranges ""`,
		Args:              cli.AtMostArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := t.LoadConfig()
			if err != nil {
				return err
			}
			chosen, err := cli.Stores(cfg, store)
			if err != nil {
				return err
			}
			list := &rangeList{Prefix: stores.RangeKey(cfg.Namespace, ""), Ranges: []storedRange{}}
			if len(args) > 0 {
				list.Prefix = args[0]
			}
			list.Without, err = look(cmd.Context(), chosen, "lists its keys", func(name string, admin stores.RangeAdmin) error {
				return list.read(cmd.Context(), name, admin)
			})
			if err != nil && len(list.Ranges) == 0 {
				return err
			}
			return errors.Join(t.Show(list), err)
		},
	}
	t.StoreFlag(cmd, &store, "look only at the store `NAME`")
	return cmd
}

// rangeList are the stored counters.
type rangeList struct {
	Prefix string        `json:"prefix"`
	Ranges []storedRange `json:"ranges"`

	// Without are the stores that cannot list their keys.
	Without []string `json:"without,omitempty"`
}

type storedRange struct {
	Store  string `json:"store"`
	Key    string `json:"key"`
	Next   string `json:"next"`
	Sealed bool   `json:"sealed"`
}

// read appends the keys of one store in order, each once, with the last state that it showed.
func (l *rangeList) read(ctx context.Context, store string, admin stores.RangeAdmin) error {
	seen := map[string]stores.RangeRecord{}
	var failure error
	for record, err := range admin.Ranges(ctx, l.Prefix) {
		if err != nil {
			failure = err
			break
		}
		seen[record.Key] = record
	}
	before := len(l.Ranges)
	for _, record := range seen {
		l.Ranges = append(l.Ranges, storedRange{
			Store: store, Key: record.Key, Next: strconv.FormatInt(record.Next, 10), Sealed: record.Sealed,
		})
	}
	slices.SortFunc(l.Ranges[before:], func(a, b storedRange) int { return strings.Compare(a.Key, b.Key) })
	return failure
}

// Text writes one row a key.
func (l *rangeList) Text(p *cli.Page) {
	for _, store := range l.Without {
		p.Linef("Store %s does not list its keys.", store)
	}
	if len(l.Ranges) == 0 {
		p.Linef("No key begins with %q.", l.Prefix)
		return
	}
	var rows [][]cli.Cell
	for _, r := range l.Ranges {
		sealed := "no"
		if r.Sealed {
			sealed = "sealed"
		}
		rows = append(rows, []cli.Cell{cli.Left(r.Store), cli.Left(r.Key), cli.Right(r.Next), cli.Left(sealed)})
	}
	p.Table([]string{"STORE", "KEY", "NEXT", "SEALED"}, rows)
}
