package runtime_test

import (
	"errors"
	"slices"
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

func TestATextGeneratorGivesTextsOnly(t *testing.T) {
	rt := newRuntime(t, &config.Config{
		Enabled:    true,
		Generators: []config.Generator{{Name: "trace", Factory: &textStrategy{fakeStrategy{failAt: 5}}, Text: true}},
		Codecs:     []config.Codec{{Name: "short", Parts: []codecs.Part{codecs.Decimal()}}},
	})
	trace, err := rt.Get("trace")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := trace.NextString(t.Context()); err != nil || text != "T1" {
		t.Errorf("NextString = %q, %v", text, err)
	}
	if texts, err := trace.NextStrings(t.Context(), 2); err != nil || !slices.Equal(texts, []string{"T2", "T3"}) {
		t.Errorf("NextStrings = %q, %v", texts, err)
	}
	// With an error, what was made is the caller's.
	if texts, err := trace.NextStrings(t.Context(), 2); !errors.Is(err, generators.ErrRangeUnavailable) || !slices.Equal(texts, []string{"T4"}) {
		t.Errorf("NextStrings = %q, %v", texts, err)
	}
	if texts, err := trace.NextStrings(t.Context(), -1); err == nil {
		t.Errorf("NextStrings(-1) = %q", texts)
	}
	_, errNext := trace.Next(t.Context())
	_, errFill := trace.Fill(t.Context(), make([]int64, 1))
	_, errN := trace.NextN(t.Context(), 1)
	for _, err := range []error{errNext, errFill, errN} {
		if !errors.Is(err, runtime.ErrTextOnly) || !strings.Contains(err.Error(), `"trace"`) || !strings.Contains(err.Error(), "use NextString") {
			t.Errorf("a number: %v", err)
		}
	}
	if _, err := trace.NextGrouped(t.Context()); !errors.Is(err, runtime.ErrNotGrouped) {
		t.Errorf("NextGrouped: %v", err)
	}
	if !trace.TextOnly() || trace.Grouped() || trace.Codec() != nil || trace.GroupedCodec() != nil {
		t.Error("trace does not look like a generator of texts")
	}
	if _, ok := trace.Layout(); ok {
		t.Error("texts have a layout")
	}
	if _, err := trace.WithCodec("short"); err == nil || !strings.Contains(err.Error(), "which no codec writes") {
		t.Errorf("WithCodec: %v", err)
	}
	if g, err := runtime.As[generators.TextGenerator](rt, "trace"); err != nil || g == nil {
		t.Errorf("As: %v", err)
	}
	_, err = runtime.As[codecs.Codec](rt, "trace")
	if err == nil || !strings.Contains(err.Error(), "it has *runtime_test.textStrategy, generators.TextGenerator)") {
		t.Errorf("As: %v", err)
	}
}

func TestIDsThatHoldATimeHaveALayout(t *testing.T) {
	layout := generators.DefaultLayout()
	trade := plain("trade", &fakeStrategy{})
	trade.Layout = &layout
	friendly, err := codecs.Friendly(codecs.FriendlySettings{Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	rt := newRuntime(t, &config.Config{
		Enabled: true, Generators: []config.Generator{plain("order", &fakeStrategy{}), trade},
		Codecs: []config.Codec{{Name: "time", Parts: []codecs.Part{friendly}}},
	})
	if got, err := runtime.As[generators.Layout](rt, "trade"); err != nil || got != layout {
		t.Errorf("As = %v, %v", got, err)
	}
	if got, err := runtime.As[generators.Layout](rt, "order"); err == nil {
		t.Errorf("order has the layout %v", got)
	}
	entry, err := rt.Get("trade")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := entry.Layout(); !ok || got != layout {
		t.Errorf("Layout = %v, %v", got, ok)
	}
	inTime, err := entry.WithCodec("time")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := inTime.NextString(t.Context()); err != nil || text != "20191224160000000-0-1" {
		t.Errorf("NextString = %q, %v", text, err)
	}
	order, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := order.WithCodec("time"); err == nil || !strings.Contains(err.Error(), "these ids hold none") {
		t.Errorf("WithCodec of plain numbers: %v", err)
	}
}

func TestAStrategyMustBuildWhatItsSettingsPromise(t *testing.T) {
	for _, g := range []config.Generator{
		{Name: "a", Factory: &textStrategy{}, Codec: codecs.Default()},
		{Name: "a", Factory: &fakeStrategy{}, Text: true},
		grouped("a", &fakeStrategy{}),
	} {
		rt, err := runtime.New(&config.Config{Enabled: true, Generators: []config.Generator{g}}, runtime.Options{})
		if err == nil || !strings.Contains(err.Error(), "which is no generator of the kind that its settings promise") {
			t.Errorf("%T: %v, %v", g.Factory, rt, err)
		}
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
