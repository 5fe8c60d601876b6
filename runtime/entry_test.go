package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

func entries(t *testing.T) (*runtime.Runtime, *runtime.Entry, *runtime.Entry) {
	t.Helper()
	decimal, err := codecs.New([]codecs.Part{codecs.Prefix("N"), codecs.Decimal()})
	if err != nil {
		t.Fatal(err)
	}
	order := plain("order", &fakeStrategy{})
	order.Codec = decimal
	rt := newRuntime(t, &config.Config{
		Enabled:    true,
		Generators: []config.Generator{grouped("bill", &groupedStrategy{}), order},
		Codecs: []config.Codec{
			{Name: "short", Parts: []codecs.Part{codecs.Prefix("S"), codecs.Decimal()}},
		},
	})
	bill, err := rt.Get("bill")
	if err != nil {
		t.Fatal(err)
	}
	orders, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	return rt, bill, orders
}

func TestAPlainGeneratorGivesNumbersAndTexts(t *testing.T) {
	_, _, order := entries(t)
	if id, err := order.Next(t.Context()); err != nil || id != 1 {
		t.Errorf("Next = %d, %v", id, err)
	}
	if text, err := order.NextString(t.Context()); err != nil || text != "N2" {
		t.Errorf("NextString = %q, %v", text, err)
	}
	if ids, err := order.NextN(t.Context(), 3); err != nil || len(ids) != 3 || ids[0] != 3 || ids[2] != 5 {
		t.Errorf("NextN = %v, %v", ids, err)
	}
	if ids, err := order.NextN(t.Context(), -1); err == nil {
		t.Errorf("NextN(-1) = %v", ids)
	}
	texts := make([]string, 2)
	if n, err := order.FillStrings(t.Context(), texts); err != nil || n != 2 || texts[0] != "N6" || texts[1] != "N7" {
		t.Errorf("FillStrings = %d %q, %v", n, texts, err)
	}
	if _, err := order.NextGrouped(t.Context()); !errors.Is(err, runtime.ErrNotGrouped) || !strings.Contains(err.Error(), `"order"`) {
		t.Errorf("NextGrouped: %v", err)
	}
	if _, err := order.FillGrouped(t.Context(), nil); !errors.Is(err, runtime.ErrNotGrouped) {
		t.Errorf("FillGrouped: %v", err)
	}
	if order.Grouped() || order.Codec() == nil || order.GroupedCodec() != nil {
		t.Error("order looks grouped")
	}
}

func TestAGroupedGeneratorGivesNoBareNumbers(t *testing.T) {
	_, bill, _ := entries(t)
	if id, err := bill.NextGrouped(t.Context()); err != nil || id != (generators.GroupedID{Period: "2026", Value: 1}) {
		t.Errorf("NextGrouped = %v, %v", id, err)
	}
	if text, err := bill.NextString(t.Context()); err != nil || text != "2026-2" {
		t.Errorf("NextString = %q, %v", text, err)
	}
	texts := make([]string, 2)
	if n, err := bill.FillStrings(t.Context(), texts); err != nil || n != 2 || texts[1] != "2026-4" {
		t.Errorf("FillStrings = %d %q, %v", n, texts, err)
	}
	if _, err := bill.Next(t.Context()); !errors.Is(err, runtime.ErrGrouped) || !strings.Contains(err.Error(), `"bill"`) {
		t.Errorf("Next: %v", err)
	}
	if _, err := bill.NextN(t.Context(), 2); !errors.Is(err, runtime.ErrGrouped) {
		t.Errorf("NextN: %v", err)
	}
	if !bill.Grouped() || bill.Codec() != nil || bill.GroupedCodec() == nil {
		t.Error("bill does not look grouped")
	}
}

func TestABatchThatFailsHalfWayKeepsWhatItGot(t *testing.T) {
	rt := newRuntime(t, &config.Config{
		Enabled: true, Generators: []config.Generator{plain("order", &fakeStrategy{failAt: 3})},
	})
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 4)
	if n, err := order.FillStrings(t.Context(), texts); n != 2 || texts[1] == "" || !errors.Is(err, generators.ErrRangeUnavailable) {
		t.Errorf("FillStrings = %d %q, %v", n, texts, err)
	}
}

func TestATextThatDoesNotFitIsAnErrorAndNotCut(t *testing.T) {
	one, err := codecs.Radix(codecs.RadixSettings{Radix: 10, Width: new(1), PadStart: true})
	if err != nil {
		t.Fatal(err)
	}
	codec, err := codecs.New([]codecs.Part{one})
	if err != nil {
		t.Fatal(err)
	}
	g := plain("order", &fakeStrategy{last: 8})
	g.Codec = codec
	rt := newRuntime(t, &config.Config{Enabled: true, Generators: []config.Generator{g}})
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 3)
	if n, err := order.FillStrings(t.Context(), texts); n != 1 || texts[0] != "9" || !errors.Is(err, codecs.ErrCodecOverflow) {
		t.Errorf("FillStrings = %d %q, %v", n, texts, err)
	}
}

func TestWithCodecWritesTheSameIdsInAnotherWay(t *testing.T) {
	_, bill, order := entries(t)
	short, err := order.WithCodec("short")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := short.NextString(t.Context()); err != nil || text != "S1" {
		t.Errorf("short: %q, %v", text, err)
	}
	if text, err := order.NextString(t.Context()); err != nil || text != "N2" {
		t.Errorf("own: %q, %v", text, err)
	}
	if _, err := order.WithCodec("shrt"); err == nil || !strings.Contains(err.Error(), "have short") {
		t.Errorf("got %v", err)
	}
	// It writes no period, so it can only write bills.
	unreadable, err := bill.WithCodec("short")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unreadable.GroupedCodec().Decode("S1"); !errors.Is(err, codecs.ErrNotDecodable) {
		t.Errorf("got %v", err)
	}
}

func TestAsListsWhatTheNameHas(t *testing.T) {
	rt, _, _ := entries(t)
	if g, err := runtime.As[generators.Generator](rt, "order"); err != nil || g == nil {
		t.Errorf("got %v", err)
	}
	if c, err := runtime.As[codecs.GroupedCodec](rt, "bill"); err != nil || c == nil {
		t.Errorf("got %v", err)
	}
	_, err := runtime.As[codecs.GroupedCodec](rt, "order")
	if want := `cosid: generator "order" has no codecs.GroupedCodec (it has *runtime_test.fakeStrategy, generators.Generator, codecs.Codec)`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := runtime.As[codecs.Codec](rt, "nothing"); !errors.Is(err, runtime.ErrUnknownGenerator) {
		t.Errorf("got %v", err)
	}
}
