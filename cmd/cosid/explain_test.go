package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
)

const explained = `cosid:
  namespace: shop
  stores: { db: { type: memory } }
  generators:
    bill:
      strategy: periodic-segment
      period: YEAR_MONTH_DAY
      zone: Asia/Shanghai
      codec: [ { prefix: "BIZ-" }, { period: { delimiter: "-" } }, { radix: { radix: 10, width: 6, pad-start: true } } ]
    order: { strategy: segment }
    trade: { strategy: snowflake }
    wide: { strategy: wide-snowflake }
  codecs:
    short: [ { radix: { radix: 62, width: 11, pad-start: true } } ]
`

func TestExplainTellsWhoCouldHaveWrittenAnID(t *testing.T) {
	tr := inFolder(t, explained)
	for name, args := range map[string][]string{
		"explain-bill":        {"BIZ-20261027-000042"},
		"explain-bill.json":   {"BIZ-20261027-000042", "--output", "json"},
		"explain-number":      {"295913926632165376"},
		"explain-number.json": {"295913926632165376", "--output", "json"},
		"explain-named-codec": {"0LrHucXALbs"},
		"explain-one":         {"028XOQD7HM874", "--generator", "trade"},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, tr.run(t, append([]string{"explain"}, args...)...).fine(t)) })
	}
}

func TestExplainSaysWhyNobodyCouldHaveWrittenAnID(t *testing.T) {
	tr := inFolder(t, explained)
	o := tr.run(t, "explain", "BIZ-20261027-42")
	if o.code != cli.ExitFailure || o.err != "cosid: no generator of this configuration could have written \"BIZ-20261027-42\"\n" {
		t.Errorf("exit code %d, %q", o.code, o.err)
	}
	golden(t, "explain-none", o.out)
}

func TestExplainKnowsThatIDsOfTheFutureWereNotWritten(t *testing.T) {
	tr := inFolder(t, explained)
	for text, generator := range map[string]string{"BIZ-20271027-000042": "bill", "9223372036854775807": "trade"} {
		o := tr.run(t, "explain", text, "--output", "json")
		var x explanation
		if err := json.Unmarshal([]byte(o.out), &x); err != nil {
			t.Fatal(err)
		}
		for _, r := range x.Readings {
			if r.Generator == generator {
				t.Errorf("%s: %+v", text, r)
			}
		}
		if !strings.Contains(o.out, "lies in the future") {
			t.Errorf("%s: printed\n%s", text, o.out)
		}
	}
}

func TestExplainTakesWideTextsApart(t *testing.T) {
	layout := snowflake.WideLayout{EpochMillis: generators.DefaultEpochMillis, Radix: 62}
	text, err := layout.Encode(ago(time.Hour)-generators.DefaultEpochMillis, 12345, 7)
	if err != nil {
		t.Fatal(err)
	}
	tr := inFolder(t, explained)
	var x explanation
	if err := json.Unmarshal([]byte(tr.run(t, "explain", text, "--output", "json").fine(t)), &x); err != nil {
		t.Fatal(err)
	}
	want := reading{
		Generator: "wide", Strategy: "wide-snowflake", Codec: noCodec, Text: text,
		Time: "2026-11-30T11:00:00.000Z", Slot: "12345", Sequence: "7",
	}
	if len(x.Readings) != 1 || x.Readings[0] != want {
		t.Errorf("%s is explained as %+v", text, x.Readings)
	}
}

func TestExplainReadsIDsOfAStatefulSetOnAnyHost(t *testing.T) {
	for _, generator := range []string{"order", "trade"} {
		out := ordinals(t).run(t, "explain", "295913926632165376", "--generator", generator).fine(t)
		if !strings.Contains(out, generator) {
			t.Errorf("printed\n%s", out)
		}
	}
}

// A text can hold what a terminal obeys.
func TestExplainPrintsNoControlCharacters(t *testing.T) {
	tr := inFolder(t, explained)
	if o := tr.run(t, "explain", "\x1b[31mBIZ"); strings.Contains(o.out+o.err, "\x1b") || o.code != cli.ExitFailure {
		t.Errorf("%+v", o)
	}
}

func TestExplainReadsWhatGenerateWrote(t *testing.T) {
	tr := withExample(t)
	var drawn generated
	if err := json.Unmarshal([]byte(tr.run(t, "generate", "order", "--output", "json").fine(t)), &drawn); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{drawn.IDs[0].Number, drawn.IDs[0].Text} {
		var x explanation
		if err := json.Unmarshal([]byte(tr.run(t, "explain", id, "--output", "json").fine(t)), &x); err != nil {
			t.Fatal(err)
		}
		if len(x.Readings) != 2 || x.Readings[1].Generator != "order" || x.Readings[1].Number != drawn.IDs[0].Number {
			t.Errorf("%s is explained as %+v", id, x.Readings)
		}
	}
}
