package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/runtime"
)

func newExplain(t *cli.Tool) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "explain TEXT|ID",
		Short: "Tell which generators could have written an id, and what is in it",
		Long: `Explain reads an id with the codec of each generator and with every codec under cosid.codecs, and a number also as
a bare one. It shows what the id holds: period and value, or time, slot and sequence. No store is opened, so that it
does not tell whether the id was handed out. It exits with 1 if no generator could have written the id.`,
		Example: `  cosid explain BIZ-20261027-000042
  cosid explain 295913926632165376 --generator trade`,
		Args:              cli.Args("a TEXT or an ID"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := t.AnyReplica().LoadConfig()
			if err != nil {
				return err
			}
			if name != "" {
				g, err := cli.FindGenerator(cfg, name)
				if err != nil {
					return err
				}
				cfg = cli.Only(cfg, g)
			}
			found, err := explain(cfg, args[0], t.Now())
			if err != nil {
				return err
			}
			if len(found.Readings) > 0 || t.JSON() || len(found.Refusals) > 1 {
				if err := t.Show(found); err != nil {
					return err
				}
			}
			return found.verdict()
		},
	}
	t.GeneratorFlag(cmd, &name, "ask only the generator `NAME`")
	return cmd
}

// explanation is what an id may be.
type explanation struct {
	Input    string    `json:"input"`
	Readings []reading `json:"readings"`
	Refusals []refusal `json:"refusals"`
}

// reading is one way in which the id could have been written. Number is the text's number, and Text the number's text
// by the codec.
type reading struct {
	Generator string `json:"generator"`
	Strategy  string `json:"strategy"`
	Codec     string `json:"codec"`
	Period    string `json:"period,omitempty"`
	Number    string `json:"number,omitempty"`
	Text      string `json:"text,omitempty"`
	Time      string `json:"time,omitempty"`
	Slot      string `json:"slot,omitempty"`
	Sequence  string `json:"sequence,omitempty"`
}

// refusal says why a generator could not have written the id with a codec.
type refusal struct {
	Generator string `json:"generator"`
	Codec     string `json:"codec"`
	Reason    string `json:"reason"`
}

// The names of what is no entry of cosid.codecs.
const (
	ownCodec = "its own"
	noCodec  = "no codec"
)

// clockSlack is how far ahead of this machine's clock an id may lie.
const clockSlack = 48 * time.Hour

// explain tries every generator of cfg with every codec that fits it.
func explain(cfg *config.Config, input string, now time.Time) (*explanation, error) {
	rt, err := runtime.New(cfg, runtime.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	x := &explanation{Input: input, Readings: []reading{}, Refusals: []refusal{}}
	number, parsing := strconv.ParseInt(input, 10, 64)
	isNumber := parsing == nil && strconv.FormatInt(number, 10) == input
	for _, g := range cfg.Generators {
		entry, err := rt.Get(g.Name)
		if err != nil {
			return nil, err
		}
		if isNumber && entry.Codec() != nil {
			x.add(g, entry, noCodec, generators.GroupedID{Value: number}, nil, now)
		}
		if wide, err := runtime.As[*snowflake.WideGenerator](rt, g.Name); err == nil {
			x.addWide(g, wide.Layout(), now)
			continue
		}
		id, err := decode(entry, input)
		x.add(g, entry, ownCodec, id, err, now)
		for _, c := range cfg.Codecs {
			if view, err := entry.WithCodec(c.Name); err == nil {
				id, err := decode(view, input)
				x.add(g, view, c.Name, id, err, now)
			}
		}
	}
	return x, nil
}

// errNoDecoder is what a generator without a codec answers.
var errNoDecoder = errors.New("the strategy's texts cannot be taken apart")

func decode(e *runtime.Entry, text string) (generators.GroupedID, error) {
	switch {
	case e.Grouped():
		return e.GroupedCodec().Decode(text)
	case e.Codec() != nil:
		id, err := e.Codec().Decode(text)
		return generators.GroupedID{Value: id}, err
	default:
		return generators.GroupedID{}, errNoDecoder
	}
}

// add notes a reading of id, or why it is none.
func (x *explanation) add(
	g config.Generator, e *runtime.Entry, codec string, id generators.GroupedID, err error, now time.Time,
) {
	r := reading{
		Generator: g.Name, Strategy: g.Factory.Strategy(), Codec: codec,
		Period: id.Period, Number: strconv.FormatInt(id.Value, 10),
	}
	if err == nil {
		err = r.takeApart(g, id, now)
	}
	if err == nil {
		r.Text, err = encode(e, id)
	}
	if err != nil {
		x.Refusals = append(x.Refusals, refusal{Generator: g.Name, Codec: codec, Reason: err.Error()})
		return
	}
	x.Readings = append(x.Readings, r)
}

// addWide notes the reading of a text that no codec wrote.
func (x *explanation) addWide(g config.Generator, l snowflake.WideLayout, now time.Time) {
	r := reading{Generator: g.Name, Strategy: g.Factory.Strategy(), Codec: noCodec, Text: x.Input}
	parts, err := l.Decode(x.Input)
	if err == nil {
		err = r.show(parts, now.Add(clockSlack))
	}
	if err != nil {
		x.Refusals = append(x.Refusals, refusal{Generator: g.Name, Codec: noCodec, Reason: err.Error()})
		return
	}
	x.Readings = append(x.Readings, r)
}

func encode(e *runtime.Entry, id generators.GroupedID) (string, error) {
	if e.Grouped() {
		return e.GroupedCodec().Encode(id)
	}
	return e.Codec().Encode(id.Value)
}

// takeApart fills in what the number holds. Ids of the future were written by nobody.
func (r *reading) takeApart(g config.Generator, id generators.GroupedID, now time.Time) error {
	latest := now.Add(clockSlack)
	if g.Grouped() {
		if begins, err := g.Period.Parse(id.Period, time.UTC); err == nil && begins.After(latest) {
			return fmt.Errorf("its period %s lies in the future", id.Period)
		}
		return nil
	}
	if g.Layout == nil {
		return nil
	}
	parts, err := g.Layout.Decode(id.Value)
	if err != nil {
		return err
	}
	return r.show(parts, latest)
}

// show fills in the parts of a snowflake.
func (r *reading) show(parts generators.Parts, latest time.Time) error {
	if parts.Time.After(latest) {
		return fmt.Errorf("its time %s lies in the future", moment(parts.Time.UnixMilli()))
	}
	r.Time = moment(parts.Time.UnixMilli())
	r.Slot, r.Sequence = strconv.FormatInt(parts.Slot, 10), strconv.FormatInt(parts.Sequence, 10)
	return nil
}

// verdict is an error where nobody could have written the id.
func (x *explanation) verdict() error {
	switch {
	case len(x.Readings) > 0:
		return nil
	case len(x.Refusals) == 1:
		return fmt.Errorf("generator %q did not write %q: %s", x.Refusals[0].Generator, x.Input, x.Refusals[0].Reason)
	default:
		return fmt.Errorf("no generator of this configuration could have written %q", x.Input)
	}
}

// Text writes the readings, or why there are none.
func (x *explanation) Text(p *cli.Page) {
	var rows [][]cli.Cell
	if len(x.Readings) == 0 {
		for _, r := range x.Refusals {
			rows = append(rows, []cli.Cell{cli.Left(r.Generator), cli.Left(r.Codec), cli.Left(r.Reason)})
		}
		p.Table([]string{"GENERATOR", "CODEC", "WHY NOT"}, rows)
		return
	}
	for _, r := range x.Readings {
		rows = append(rows, []cli.Cell{
			cli.Left(r.Generator), cli.Left(r.Strategy), cli.Left(r.Codec), cli.Left(r.Period), cli.Right(r.Number),
			cli.Left(r.Text), cli.Left(r.Time), cli.Right(r.Slot), cli.Right(r.Sequence),
		})
	}
	p.Table([]string{"GENERATOR", "STRATEGY", "CODEC", "PERIOD", "NUMBER", "TEXT", "TIME", "SLOT", "SEQUENCE"}, rows)
}
