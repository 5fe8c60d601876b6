package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

func TestSlotsShowsWhoHoldsWhich(t *testing.T) {
	tr := inFolder(t, twoStores)
	tr.options = fakes(healthy())
	golden(t, "slots", tr.run(t, "slots").fine(t))
	golden(t, "slots.json", tr.run(t, "slots", "--output", "json").fine(t))
	if out := tr.run(t, "slots", "--store", "redis", "--namespace", "other").fine(t); out != "No slot was ever leased in namespace other.\n" {
		t.Errorf("printed %q", out)
	}
}

func TestRangesShowsTheCountersOfTheNamespace(t *testing.T) {
	tr := inFolder(t, twoStores)
	tr.options = fakes(healthy())
	golden(t, "ranges", tr.run(t, "ranges").fine(t))
	golden(t, "ranges.json", tr.run(t, "ranges", "shop/bill/", "--output", "json").fine(t))
	golden(t, "ranges-all", tr.run(t, "ranges", "").fine(t))
	if out := tr.run(t, "ranges", "nobody/", "--store", "redis").fine(t); out != "No key begins with \"nobody/\".\n" {
		t.Errorf("printed %q", out)
	}
}

func TestRangesShowsWhatItReadBeforeAnError(t *testing.T) {
	s := healthy()
	s.broken = errors.New("fake: list ranges: connection reset")
	tr := inFolder(t, twoStores)
	tr.options = fakes(s)
	o := tr.run(t, "ranges")
	if o.code != cli.ExitFailure || strings.Count(o.out, "shop/") != 3 || o.err != "cosid: fake: list ranges: connection reset\n" {
		t.Errorf("%+v", o)
	}
}

// The first lines of slots.golden and ranges.golden say it of one store among several.
func TestAStoreWithoutTheAbilityIsSaidToHaveNone(t *testing.T) {
	tr := inFolder(t, twoStores)
	tr.options = fakes(healthy())
	for command, line := range map[string]string{
		"slots":  "cosid: no store leases slots: simple (type bare)\n",
		"ranges": "cosid: no store lists its keys: simple (type bare)\n",
	} {
		if o := tr.run(t, command, "--store", "simple"); o.code != cli.ExitFailure || o.err != line || o.out != "" {
			t.Errorf("%s: %+v", command, o)
		}
	}
}
