package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

// mostGenerated keeps one run's ids in memory.
const mostGenerated = 100_000

func newGenerate(t *cli.Tool) *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:   "generate NAME",
		Short: "Draw ids from a generator, as numbers and as text",
		Long: `Generate draws ids from a configured generator, as the application does: they are real, and nobody else gets them.
What the run has reserved beyond them is a gap. Only the generator's own store is opened.`,
		Example: `  cosid generate bill
  cosid generate order -n 10 --output json`,
		Args:              cli.Args("the NAME of a generator"),
		ValidArgsFunction: t.CompleteGenerator,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 || n > mostGenerated {
				return cli.Usagef("-n %d: 1 to %d ids can be drawn at once", n, mostGenerated)
			}
			cfg, err := t.LoadConfig()
			if err != nil {
				return err
			}
			g, err := cli.FindGenerator(cfg, args[0])
			if err != nil {
				return err
			}
			if err := checkDrawing(t, cfg, g); err != nil {
				return err
			}
			drawn := &generated{Generator: g.Name, IDs: []generatedID{}}
			err = t.Draw(cmd.Context(), cfg, g, generators.Hooks{}, func(e *runtime.Entry) error {
				return drawn.draw(cmd.Context(), e, n)
			})
			if len(drawn.IDs) > 0 {
				err = errors.Join(t.Show(drawn), err)
			}
			return err
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 1, "how many `IDS` to draw")
	return cmd
}

// checkDrawing refuses to draw where the ids could repeat those of the application, and warns where they are nobody's.
func checkDrawing(t *cli.Tool, cfg *config.Config, g config.Generator) error {
	if slots, ok := g.Settings.(generators.SlotSettings); ok && !slots.LeasesSlot() {
		return fmt.Errorf("generator %q takes its slot from the configuration, and the application may be making ids with "+
			"the same slot elsewhere: draw from it in the application", g.Name)
	}
	i := slices.IndexFunc(cfg.Stores, func(s config.Store) bool { return s.Name == g.Store })
	if i >= 0 && cfg.Stores[i].Factory.Type() == "memory" {
		t.Warnf("store %q lives in the memory of one process: the application draws the same ids", g.Store)
	}
	return nil
}

// generated are the ids of one run.
type generated struct {
	Generator string        `json:"generator"`
	IDs       []generatedID `json:"ids"`
}

type generatedID struct {
	Period string `json:"period,omitempty"`
	Number string `json:"number,omitempty"` // empty for a strategy that makes texts
	Text   string `json:"text"`
}

// draw appends n ids, or as many as there were before the error.
func (g *generated) draw(ctx context.Context, e *runtime.Entry, n int) error {
	switch {
	case e.Grouped():
		ids := make([]generators.GroupedID, n)
		got, err := e.FillGrouped(ctx, ids)
		for _, id := range ids[:got] {
			text, encoding := e.GroupedCodec().Encode(id)
			if encoding != nil {
				return errors.Join(encoding, err)
			}
			g.IDs = append(g.IDs, generatedID{Period: id.Period, Number: strconv.FormatInt(id.Value, 10), Text: text})
		}
		return err
	case e.Codec() == nil:
		texts := make([]string, n)
		got, err := e.FillStrings(ctx, texts)
		for _, text := range texts[:got] {
			g.IDs = append(g.IDs, generatedID{Text: text})
		}
		return err
	default:
		ids := make([]int64, n)
		got, err := e.Fill(ctx, ids)
		for _, id := range ids[:got] {
			text, encoding := e.Codec().Encode(id)
			if encoding != nil {
				return errors.Join(encoding, err)
			}
			g.IDs = append(g.IDs, generatedID{Number: strconv.FormatInt(id, 10), Text: text})
		}
		return err
	}
}

// Text writes one row an id.
func (g *generated) Text(p *cli.Page) {
	var rows [][]cli.Cell
	for _, id := range g.IDs {
		rows = append(rows, []cli.Cell{cli.Left(id.Period), cli.Right(id.Number), cli.Left(id.Text)})
	}
	p.Table([]string{"PERIOD", "NUMBER", "TEXT"}, rows)
}
