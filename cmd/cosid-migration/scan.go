package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/stores"
)

// outcome is what became of a period's key.
type outcome string

const (
	wouldDelete outcome = "would be deleted"
	deleted     outcome = "deleted"
	gone        outcome = "already gone"
	wouldSeal   outcome = "would be sealed"
	sealed      outcome = "sealed now"
	wasSealed   outcome = "already sealed"
	kept        outcome = "kept: not sealed"
	notReached  outcome = "not reached"
)

// periodKey is the key of one period.
type periodKey struct {
	Store   string  `json:"store"`
	Key     string  `json:"key"`
	Next    string  `json:"next"`
	Sealed  bool    `json:"sealed"` // before the command
	Outcome outcome `json:"outcome"`

	at *site
}

func (s *site) periodKey(record stores.RangeRecord) *periodKey {
	return &periodKey{
		Store: s.config.Name, Key: record.Key, Next: strconv.FormatInt(record.Next, 10), Sealed: record.Sealed,
		Outcome: notReached, at: s,
	}
}

// leftover are keys of the namespace that the command leaves alone because they are of none of its series.
type leftover struct {
	Store string `json:"store"`
	Keys  string `json:"keys"` // what they begin with
	Count int    `json:"count"`
	Why   string `json:"why"`
}

// scan lists the keys of the series' periods before a line, in the order of generators and periods, and what it met
// besides. Nothing is a period's key but {namespace}/{generator}/{period} with a valid period of that generator.
func (s *site) scan(ctx context.Context, cfg *config.Config, prefix, before string) ([]*periodKey, []leftover, error) {
	found := map[string]*periodKey{} // a store may list a key twice
	strange := map[leftover]map[string]bool{}
	for record, err := range s.admin.Ranges(ctx, prefix) {
		if err != nil {
			return nil, nil, err
		}
		generator, period, hasPeriod := strings.Cut(strings.TrimPrefix(record.Key, stores.RangeKey(cfg.Namespace, "")), "/")
		why := s.stranger(cfg, generator, period, hasPeriod)
		switch {
		case why != "":
			group := leftover{Store: s.config.Name, Keys: stores.RangeKey(cfg.Namespace, generator), Why: why}
			if strange[group] == nil {
				strange[group] = map[string]bool{}
			}
			strange[group][record.Key] = true
		case hasPeriod && period < before:
			found[record.Key] = s.periodKey(record)
		}
	}
	var keys []*periodKey
	for _, key := range found {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b *periodKey) int { return strings.Compare(a.Key, b.Key) })
	var left []leftover
	for group, members := range strange {
		group.Count = len(members)
		left = append(left, group)
	}
	slices.SortFunc(left, func(a, b leftover) int { return cmp.Or(strings.Compare(a.Keys, b.Keys), strings.Compare(a.Why, b.Why)) })
	return keys, left, nil
}

// stranger says why a key of the namespace belongs to none of the series here; "" for one that does, and for the counter
// of a generator without periods.
func (s *site) stranger(cfg *config.Config, generator, period string, hasPeriod bool) string {
	i := slices.IndexFunc(cfg.Generators, func(g config.Generator) bool { return g.Name == generator })
	if i < 0 {
		return "the configuration has no such generator"
	}
	if elsewhere := cfg.Generators[i].Store; elsewhere != s.config.Name {
		return fmt.Sprintf("the configuration keeps this generator in store %q", elsewhere)
	}
	own := slices.IndexFunc(s.series, func(one series) bool { return one.generator == generator })
	switch {
	case own < 0 && hasPeriod:
		return "this generator is not of strategy " + periodic.Strategy
	case own >= 0 && !hasPeriod:
		return "this generator has periods, and the key has none"
	case own >= 0 && !s.series[own].valid(period):
		return fmt.Sprintf("not a %s", s.series[own].period)
	default:
		return ""
	}
}

// work is what a command does with the keys of periods: the result of purge and of seal.
type work struct {
	Before string       `json:"before,omitempty"`
	DryRun bool         `json:"dry_run"`
	Keys   []*periodKey `json:"keys"`
	Left   []leftover   `json:"left_alone"`

	verb string // what --yes does
}

// scan adds what all sites hold before the line.
func (w *work) scan(ctx context.Context, cfg *config.Config, all sites, generator string) error {
	prefix := stores.RangeKey(cfg.Namespace, "")
	if generator != "" {
		prefix = stores.PeriodKey(stores.RangeKey(cfg.Namespace, generator), "")
	}
	for _, s := range all {
		keys, left, err := s.scan(ctx, cfg, prefix, w.Before)
		if err != nil {
			return err
		}
		w.Keys, w.Left = append(w.Keys, keys...), append(w.Left, left...)
	}
	return nil
}

// run does one thing with each key, and stops at the first failure.
func (w *work) run(t *cli.Tool, do func(*periodKey) (outcome, error)) error {
	shown := newProgress(t, w.verb, len(w.Keys))
	defer shown.done()
	for i, key := range w.Keys {
		var err error
		if key.Outcome, err = do(key); err != nil {
			key.Outcome = notReached
			return err
		}
		shown.at(i + 1)
	}
	return nil
}

// count is the number of keys with an outcome.
func (w *work) count(o outcome) int {
	n := 0
	for _, key := range w.Keys {
		if key.Outcome == o {
			n++
		}
	}
	return n
}

// Text writes one row a key, what was left alone, and the sums.
func (w *work) Text(p *cli.Page) {
	if len(w.Keys) == 0 {
		p.Linef("No key of a period before %s is stored.", w.Before)
	} else {
		var rows [][]cli.Cell
		for _, key := range w.Keys {
			state := "no"
			if key.Sealed {
				state = "sealed"
			}
			rows = append(rows, []cli.Cell{
				cli.Left(key.Store), cli.Left(key.Key), cli.Right(key.Next), cli.Left(state), cli.Left(string(key.Outcome)),
			})
		}
		p.Table([]string{"STORE", "KEY", "NEXT", "SEALED", "OUTCOME"}, rows)
	}
	for _, left := range w.Left {
		p.Linef("Left alone: %d of %s in store %s: %s.", left.Count, left.Keys, left.Store, left.Why)
	}
	var sums []string
	for _, o := range []outcome{wouldDelete, deleted, gone, wouldSeal, sealed, wasSealed, kept, notReached} {
		if n := w.count(o); n > 0 {
			sums = append(sums, fmt.Sprintf("%d %s", n, o))
		}
	}
	if len(sums) > 0 {
		p.Linef("%s", strings.Join(sums, "; "))
	}
	if w.DryRun && w.count(wouldDelete)+w.count(wouldSeal) > 0 {
		p.Linef("This was a dry run, and nothing was changed: --yes %ss.", w.verb)
	}
}
