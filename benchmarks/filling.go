package main

import (
	"context"

	"github.com/cosid-go/cosid"
)

type (
	numbered struct {
		ID   int64 `cosid:"order"`
		Name string
	}
	billed struct {
		ID   int64  `cosid:"order"`
		No   string `cosid:"bill"`
		Name string
	}
)

// fillingCases fill structs of a type that was seen before, so that what is timed is not the making of its plan.
func fillingCases(ctx context.Context, order *cosid.Entry, filler *cosid.Filler) ([]*benchCase, error) {
	if err := filler.Register(numbered{}, billed{}); err != nil {
		return nil, err
	}
	return []*benchCase{
		{name: "runtime entry's Next into the field", ids: 1, loop: func(n int) {
			var row numbered
			for range n {
				row.ID, _ = order.Next(ctx)
			}
			numberSink.Store(row.ID)
		}},
		{name: "Fill, a number", ids: 1, loop: func(n int) {
			var row numbered
			for range n {
				row.ID = 0
				_ = filler.Fill(ctx, &row)
			}
			numberSink.Store(row.ID)
		}},
		{name: "Fill, a number and a text", ids: 1, loop: func(n int) {
			var row billed
			for range n {
				row.ID, row.No = 0, ""
				_ = filler.Fill(ctx, &row)
			}
			textSink.Store(int64(len(row.No)))
		}},
		{name: "Fill, nothing empty", ids: 1, loop: func(n int) {
			row := numbered{ID: 1}
			for range n {
				_ = filler.Fill(ctx, &row)
			}
			numberSink.Store(row.ID)
		}},
		{name: "Fill, a number in each of 1000 rows", ids: 1000, loop: func(n int) {
			rows := make([]numbered, 1000)
			for range n {
				clear(rows)
				_ = filler.Fill(ctx, rows)
			}
			numberSink.Store(rows[0].ID)
		}},
	}, nil
}
