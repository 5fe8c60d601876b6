package cosid_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

const trades = `cosid:
  namespace: shop
  stores: { lease: { type: memory }, other: { type: memory } }
  slots: { store: lease, limit: 8, owner: shop-3 }
  generators:
    trade: { strategy: snowflake, codec: [ friendly: { zone: Asia/Shanghai } ] }
    event: { strategy: snowflake, unit: s, codec: [ date-prefix: { zone: UTC, delimiter: "-" }, short ] }
    trace: { strategy: wide-snowflake }
    order: { strategy: segment, store: other }
  codecs:
    short: [ { radix: { radix: 62, width: 11, pad-start: true } } ]
    time: [ friendly: { zone: UTC } ]
`

// open opens yaml, and closes it with the test.
func open(t *testing.T, yaml string) *cosid.Runtime {
	t.Helper()
	rt, err := cosid.Open(t.Context(), cosid.Options{Source: source(t, yaml), Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeRuntime(t, rt) })
	return rt
}

func closeRuntime(t *testing.T, rt *cosid.Runtime) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := rt.Close(ctx); err != nil {
		t.Error(err)
	}
}

func entry(t *testing.T, rt *cosid.Runtime, name string) *cosid.Entry {
	t.Helper()
	e, err := rt.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSnowflakesOfAConfigurationMakeIDsOfTheirLayout(t *testing.T) {
	began := time.Now().Add(-2 * time.Second)
	rt := open(t, trades)
	for _, name := range []string{"trade", "event"} {
		e := entry(t, rt, name)
		layout, err := cosid.As[generators.Layout](rt, name)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := e.NextN(t.Context(), 10_000)
		if err != nil || !slices.IsSorted(ids) || len(slices.Compact(ids)) != 10_000 {
			t.Errorf("%s: ids do not strictly increase: %v", name, err)
		}
		parts, err := layout.Decode(ids[0])
		if err != nil || parts.Slot != 0 || parts.Time.Before(began) || parts.Time.After(time.Now().Add(2*time.Second)) {
			t.Errorf("%s: the first id says %+v, %v", name, parts, err)
		}
		text, err := e.NextString(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		id, err := e.Codec().Decode(text)
		if err != nil || id <= ids[len(ids)-1] {
			t.Errorf("%s wrote %q, which is read as %d, %v", name, text, id, err)
		}
	}
	text, err := entry(t, rt, "trade").NextString(t.Context())
	if err != nil || !strings.Contains(text, "-0-") || len(text) < 21 {
		t.Errorf("friendly text %q, %v", text, err)
	}
	inTime, err := entry(t, rt, "event").WithCodec("time")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := inTime.NextString(t.Context()); err != nil || !strings.HasPrefix(text[14:], "-0-") {
		t.Errorf("event in time is %q, %v", text, err)
	}
	if _, err := entry(t, rt, "order").WithCodec("time"); err == nil {
		t.Error("a segment generator writes the time that its ids do not hold")
	}
}

func TestWideSnowflakesFillStringsOnly(t *testing.T) {
	rt := open(t, trades)
	filler := cosid.NewFiller(rt)
	type Span struct {
		ID    string `cosid:"trace"`
		Trade int64  `cosid:"trade"`
		Text  string `cosid:"trade,codec=time"`
	}
	spans := make([]Span, 3)
	if err := filler.Fill(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	for i, s := range spans {
		if len(s.ID) != 15 || s.Trade == 0 || s.Text == "" || i > 0 && s.ID <= spans[i-1].ID {
			t.Errorf("span %d is %+v", i, s)
		}
	}
	type Bad struct {
		ID int64 `cosid:"trace"`
	}
	if err := filler.Register(Bad{}); err == nil || !strings.Contains(err.Error(), "Bad.ID") || !strings.Contains(err.Error(), "makes texts") {
		t.Errorf("a number from texts: %v", err)
	}
	if _, err := entry(t, rt, "trace").Next(t.Context()); !errors.Is(err, runtime.ErrTextOnly) {
		t.Errorf("Next: %v", err)
	}
}

func TestASlotThatIsNotLeasedNeedsNoStoreAtAll(t *testing.T) {
	const yaml = `cosid:
  namespace: shop
  generators:
    trade: { strategy: snowflake, slot: { type: manual, id: 7, state-file: DIR/trade.slot } }
`
	s := source(t, yaml)
	last := int64(0)
	for range 3 { // each as a process that is started again
		rt, err := cosid.Open(t.Context(), cosid.Options{Source: s, Logger: quiet()})
		if err != nil {
			t.Fatal(err)
		}
		id, err := entry(t, rt, "trade").Next(t.Context())
		if err != nil || id <= last || id>>12&1023 != 7 {
			t.Errorf("id %d after %d, %v", id, last, err)
		}
		last = id
		closeRuntime(t, rt)
	}
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(s.Files[0]), "*.db")); err != nil || len(files) > 0 {
		t.Errorf("a database was made: %v, %v", files, err)
	}
	if _, err := os.Stat("data"); err == nil {
		t.Error("the embedded store was opened")
	}
}

// The report names every value of the slots and of the layout, and what set it.
func TestTheReportTellsOfSlotsAndLayouts(t *testing.T) {
	report := open(t, trades).Report().String()
	for _, want := range []string{
		"cosid.slots.limit", "cosid.slots.owner", "cosid.slots.tolerance", "cosid.generators.event.bits.sequence",
		"cosid.generators.trade.epoch", "2019-12-24T16:00:00Z",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	for line := range strings.Lines(report) {
		if strings.HasPrefix(line, "cosid.generators.trade.store") && !strings.Contains(line, "cosid.slots.store") {
			t.Errorf("the store of trade: %s", line)
		}
	}
}
