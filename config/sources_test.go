package config_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/stores/memstore"
)

const order = valid + "    order: { strategy: segment, step: 7 }\n"

func TestLaterSourcesGoOverEarlierOnes(t *testing.T) {
	dir := write(t,
		"cosid.yaml", order,
		"application.yaml", "server: { port: 80 }\ncosid:\n  generators:\n    order: { step: 8, max-batch: 80 }\n",
		"config/cosid.yaml", "cosid:\n  generators:\n    order: { initial-offset: 9 }\n",
		"cosid-prod.yaml", "cosid:\n  generators:\n    order: { lookahead: 2s }\n",
	)
	o := options(dir, "COSID_PROFILE=prod", "COSID_GENERATORS_ORDER_RESERVE_TIMEOUT=7s", "COSID_GENERATORS_ORDER_RANGE_TTL=1s")
	o.Values = map[string]any{"generators": map[string]any{"order": map[string]any{"rangeTtl": time.Minute}}}
	cfg, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	got := segmentOf(t, cfg, "order").Policy
	if got.Step != 8 || got.MaxBatch != 80 || got.InitialOffset != 9 || got.Lookahead != 2*time.Second ||
		got.ReserveTimeout != 7*time.Second || got.RangeTTL != time.Minute {
		t.Errorf("merged to %+v", got)
	}
}

func TestAListIsReplacedWhole(t *testing.T) {
	dir := write(t,
		"cosid.yaml", valid+"    order: { strategy: segment, codec: [ prefix: A, radix: { radix: 10 } ] }\n",
		"cosid-prod.yaml", "cosid:\n  generators:\n    order: { codec: [ decimal ] }\n",
	)
	cfg, err := config.Load(options(dir, "COSID_PROFILE=prod"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := generator(t, cfg, "order").Codec.Encode(42); err != nil || text != "42" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestAMistakeNamesTheFileThatSetTheKey(t *testing.T) {
	dir := write(t,
		"cosid.yaml", order,
		"cosid-prod.yaml", "cosid:\n  generators:\n    order:\n      step: many\n",
	)
	_, err := config.Load(options(dir, "COSID_PROFILE=prod"))
	if err == nil || !strings.Contains(err.Error(), "cosid-prod.yaml:4:7: cosid.generators.order.step:") {
		t.Errorf("got %v", err)
	}
}

func TestANamedFileIsTheOnlyOneReadAndMustExist(t *testing.T) {
	dir := write(t, "cosid.yaml", order, "other.yaml", strings.Replace(order, "7", "8", 1))
	cfg, err := config.Load(options(dir, "COSID_CONFIG=other.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if step := segmentOf(t, cfg, "order").Step; step != 8 || len(cfg.Warnings) > 0 {
		t.Errorf("step %d, warnings %q", step, cfg.Warnings)
	}
	_, err = config.Load(options(dir, "COSID_CONFIG=missing.yaml"))
	if want := "cosid: 1 mistake in the configuration:\n  missing.yaml: cannot be read: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %v", err, want)
	}
	o := options(dir)
	o.Files = []string{"other.yaml"}
	if cfg, err = config.Load(o); err != nil || segmentOf(t, cfg, "order").Step != 8 {
		t.Errorf("got %v, %v", cfg, err)
	}
}

func TestDocumentsOfOneFileAreMergedAndTheRestLeftAlone(t *testing.T) {
	cfg := mustLoad(t, "# the application's own\nspring: { name: \"${UNSET}\", name2: ~ }\n"+order+
		"---\nother: 1\n---\ncosid:\n  generators:\n    order: { step: 9 }\n")
	if step := segmentOf(t, cfg, "order").Step; step != 9 {
		t.Errorf("step %d", step)
	}
}

func TestAnchorsAndMergeKeysWork(t *testing.T) {
	cfg := mustLoad(t, valid+`    order: &base { strategy: segment, step: 7, lookahead: 3s }
    item: { <<: *base, step: 8 }
    log: { <<: [ *base ] }
`)
	if s := segmentOf(t, cfg, "item"); s.Step != 8 || s.Lookahead != 3*time.Second {
		t.Errorf("item is %+v", s)
	}
	if s := segmentOf(t, cfg, "log"); s.Step != 7 {
		t.Errorf("log is %+v", s)
	}
}

func TestAliasesCannotBlowUp(t *testing.T) {
	bomb := "cosid:\n  a0: &a0 [x]\n"
	for i := 1; i < 12; i++ {
		previous := "*a" + string('a'+rune(i-1)) + ", "
		if i == 1 {
			previous = "*a0, "
		}
		bomb += "  a" + string('a'+rune(i)) + ": &a" + string('a'+rune(i)) + " [" + strings.Repeat(previous, 10) + "]\n"
	}
	if _, err := load(t, bomb); err == nil || !strings.Contains(err.Error(), "aliases expand to more than can be read") {
		t.Errorf("got %.300v", err)
	}
}

func TestKeysMayBeSpelledInSeveralWays(t *testing.T) {
	for _, key := range []string{"initial-offset", "initialOffset", "initial_offset", "INITIAL_OFFSET", "InitialOffset"} {
		cfg := mustLoad(t, valid+"    order: { strategy: segment, "+key+": 5 }\n")
		if got := segmentOf(t, cfg, "order").InitialOffset; got != 5 {
			t.Errorf("%s: %d", key, got)
		}
	}
	// Names are the user's own.
	cfg := mustLoad(t, valid+"    myOrder: { strategy: segment }\n    my-order: { strategy: segment }\n    my.order: { strategy: segment }\n")
	if len(cfg.Generators) != 3 {
		t.Errorf("got %v", cfg.Generators)
	}
}

func TestPlaceholders(t *testing.T) {
	for _, c := range []struct {
		value   string
		environ []string
		step    int64
	}{
		{"${STEP}", []string{"STEP=12"}, 12},
		{"${STEP:13}", nil, 13},
		{"${STEP:13}", []string{"STEP=14"}, 14},
		{"1${STEP:5}0", nil, 150},
		{"${A:${B:16}}", nil, 16},
		{"${A:${B:16}}", []string{"B=17"}, 17},
	} {
		cfg := mustLoad(t, valid+"    order:\n      strategy: segment\n      step: "+c.value+"\n", c.environ...)
		if got := segmentOf(t, cfg, "order").Step; got != c.step {
			t.Errorf("%s with %v: %d, want %d", c.value, c.environ, got, c.step)
		}
	}
	prefixOf := func(value string, environ ...string) string {
		cfg := mustLoad(t, valid+"    order: { strategy: segment, codec: [ prefix: \""+value+"\", decimal ] }\n", environ...)
		text, err := generator(t, cfg, "order").Codec.Encode(1)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(text, "1")
	}
	for _, c := range []struct{ value, environ, want string }{
		{"${P:redis://h:6379/0}", "", "redis://h:6379/0"},
		{"$${P}", "P=x", "${P}"},
		{"${P}", "P=${Q}", "${Q}"},
		{"${P}", "P=7", "7"}, // quoted: text stays text
		{"a$b", "", "a$b"},
	} {
		if got := prefixOf(c.value, c.environ); got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.value, c.environ, got, c.want)
		}
	}
}

func TestAMistakeThatCameFromTheEnvironmentNamesTheVariable(t *testing.T) {
	_, err := load(t, valid+"    order:\n      strategy: segment\n      step: ${STEP}\n", "STEP=many")
	if err == nil || !strings.Contains(err.Error(), "environment variable STEP: cosid.generators.order.step: \"many\" is not a whole number") {
		t.Errorf("got %v", err)
	}
	_, err = load(t, order, "COSID_GENERATORS_ORDER_STEP=1e3")
	if err == nil || !strings.Contains(err.Error(), "environment variable COSID_GENERATORS_ORDER_STEP: cosid.generators.order.step: \"1e3\" is not a whole number") {
		t.Errorf("got %v", err)
	}
}

func TestVariablesSetKeysOfDeclaredEntries(t *testing.T) {
	cfg := mustLoad(t, strings.Replace(order, "order", "my-order.v2", 1),
		"COSID_NAMESPACE=warehouse", "COSID_STORES_DB_TIMEOUT=250ms", "COSID_GENERATORS_MY_ORDER_V2_INITIAL_OFFSET=9")
	if cfg.Namespace != "warehouse" || cfg.Stores[0].Timeout != 250*time.Millisecond || segmentOf(t, cfg, "my-order.v2").InitialOffset != 9 {
		t.Errorf("got %+v", cfg)
	}
	_, err := load(t, order, "COSID_GENERATORS_ORDER_SETP=9")
	if err == nil || !strings.Contains(err.Error(), `did you mean "COSID_GENERATORS_ORDER_STEP"?`) {
		t.Errorf("got %v", err)
	}
	_, err = load(t, valid+"    a-b: { strategy: segment }\n    a.b: { strategy: segment }\n", "COSID_GENERATORS_A_B_STEP=9")
	if err == nil || !strings.Contains(err.Error(), "it could mean ") {
		t.Errorf("got %v", err)
	}
	// A service that happens to be called cosid puts its own variables into every container.
	cfg = mustLoad(t, order, "COSID_SERVICE_HOST=10.0.0.1")
	if len(cfg.Warnings) != 1 || !strings.Contains(cfg.Warnings[0], "COSID_SERVICE_HOST") {
		t.Errorf("got warnings %q", cfg.Warnings)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "1m30s": 90 * time.Second, "1d": 24 * time.Hour, "1.5d": 36 * time.Hour,
		"1d12h": 36 * time.Hour, "PT1S": time.Second, "PT0.5S": time.Second / 2, "P1DT2H3M4S": 26*time.Hour + 3*time.Minute + 4*time.Second,
		"0": 0, "0s": 0,
	} {
		cfg := mustLoad(t, valid+"    order: { strategy: segment, lookahead: "+text+" }\n")
		if got := segmentOf(t, cfg, "order").Lookahead; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"1", "1000", "'1000'", "1w", "1 s", "P", "PT", "P1Y", "PT-1S", "1h1d", "d", "1d-1h", "1e3d", "infd", "nand", "999999999d", "P200000DT1S", "true", "[1s]"} {
		if cfg, err := load(t, valid+"    order: { strategy: segment, lookahead: "+text+" }\n"); err == nil {
			t.Errorf("%s: read as %v", text, segmentOf(t, cfg, "order").Lookahead)
		}
	}
}

func TestOneStoreIsTheDefaultAndNoneMeansTheEmbeddedOneWithAWarning(t *testing.T) {
	cfg := mustLoad(t, order)
	if g := generator(t, cfg, "order"); g.Store != "db" || len(cfg.Warnings) != 0 {
		t.Errorf("store %q, warnings %q", g.Store, cfg.Warnings)
	}
	cfg = mustLoad(t, "cosid:\n  namespace: shop\n  generators:\n    order: { strategy: segment }\n")
	if len(cfg.Stores) != 1 || generator(t, cfg, "order").Store != cfg.Stores[0].Name || len(cfg.Warnings) != 1 {
		t.Errorf("stores %+v, warnings %q", cfg.Stores, cfg.Warnings)
	}
	o := options(write(t, "cosid.yaml", "cosid:\n  namespace: shop\n  generators:\n    order: { strategy: segment }\n"))
	o.Embedded = nil
	if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "no store is declared") {
		t.Errorf("got %v", err)
	}
}

func TestADisabledSectionIsNotLookedInto(t *testing.T) {
	cfg := mustLoad(t, "cosid:\n  enabled: false\n  stores: { db: { type: \"${UNSET}\" } }\n")
	if !reflect.DeepEqual(cfg, &config.Config{}) {
		t.Errorf("got %+v", cfg)
	}
	if _, err := load(t, "cosid:\n  enabled: no way\n"); err == nil {
		t.Error("enabled: no way was read")
	}
}

func TestNamedCodecsAreCompiledForTheIdsThatUseThem(t *testing.T) {
	cfg := mustLoad(t, valid+`    order: { strategy: segment, codec: short }
    item: { strategy: segment, codec: [ prefix: "I-", short ] }
    bill: { strategy: periodic-segment, period: YEAR, zone: UTC, codec: [ { date-prefix: { delimiter: "-" } }, short ] }
  codecs:
    short: [ { radix: { radix: 62, width: 11, pad-start: true } } ]
`)
	if text, err := generator(t, cfg, "order").Codec.Encode(295913926632165376); err != nil || text != "0LrHucXALbs" {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := generator(t, cfg, "item").Codec.Encode(295913926632165376); err != nil || text != "I-0LrHucXALbs" {
		t.Errorf("got %q, %v", text, err)
	}
	if id, err := generator(t, cfg, "bill").GroupedCodec.Decode("2026-0LrHucXALbs"); err != nil || id.Value != 295913926632165376 {
		t.Errorf("got %v, %v", id, err)
	}
}

func TestValuesFromCodeAreCheckedAsStrictly(t *testing.T) {
	o := options(t.TempDir())
	o.Values = map[string]any{
		"namespace": "shop",
		"stores":    map[string]any{"db": map[string]any{"type": "memory"}},
		"generators": map[string]any{"order": map[string]any{
			"strategy": "segment", "step": int32(5), "lookahead": 2 * time.Second, "codec": []map[string]any{{"prefix": "A"}, {"decimal": nil}},
		}},
	}
	cfg, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if s := segmentOf(t, cfg, "order"); s.Step != 5 || s.Lookahead != 2*time.Second {
		t.Errorf("got %+v", s)
	}
	o.Values["generators"].(map[string]any)["order"].(map[string]any)["step"] = "5"
	if _, err = config.Load(o); err == nil || !strings.Contains(err.Error(), `values from code: cosid.generators.order.step: "5" is not a whole number`) {
		t.Errorf("got %v", err)
	}
}

// kinds is a store type with an option of every kind.
type kinds struct{ memstore.Factory }

type kindOptions struct {
	Small int8      `koanf:"small"`
	Byte  uint8     `koanf:"byte"`
	Flag  bool      `koanf:"flag"`
	Maybe *int32    `koanf:"maybe"`
	Names []string  `koanf:"names"`
	Inner kindInner `koanf:"inner"`
	Float float64   `koanf:"float"`
}

type kindInner struct {
	Wait time.Duration `koanf:"wait"`
}

func (kinds) Type() string    { return "kinds" }
func (kinds) NewOptions() any { return &kindOptions{} }

func TestOptionsOfEveryKindAreReadExactlyOrRefused(t *testing.T) {
	load := func(text, variable string) (*kindOptions, error) {
		o := options(write(t, "cosid.yaml", "cosid:\n  namespace: shop\n  stores: { db: { type: kinds, options: { "+text+" } } }\n"), variable)
		o.Stores = append(o.Stores, kinds{})
		cfg, err := config.Load(o)
		if err != nil {
			return nil, err
		}
		return cfg.Stores[0].Options.(*kindOptions), nil
	}
	got, err := load("small: -128, byte: 255, flag: true, maybe: 7, names: [a, b], inner: { wait: 2s }", "")
	if err != nil || got.Small != -128 || got.Byte != 255 || !got.Flag || *got.Maybe != 7 || len(got.Names) != 2 || got.Inner.Wait != 2*time.Second {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = load("flag: false", "COSID_STORES_DB_OPTIONS_FLAG=true"); err != nil || !got.Flag || got.Maybe != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"small: 128":          "cosid.stores.db.options.small: 128 is out of range; accepted: a whole number that fits int8",
		"byte: 256":           "cosid.stores.db.options.byte: 256 is out of range; accepted: a whole number that fits uint8",
		"byte: -1":            "cosid.stores.db.options.byte: -1 is out of range",
		"flag: 1":             "cosid.stores.db.options.flag: 1 is not true or false",
		"flag: yes":           `cosid.stores.db.options.flag: "yes" is not true or false`,
		"maybe: 1.5":          "cosid.stores.db.options.maybe: 1.5 is not a whole number",
		"names: a":            `cosid.stores.db.options.names: "a" is not a list`,
		"names: [a, 1]":       "cosid.stores.db.options.names[1]: 1 is not text",
		"inner: { wiat: 1s }": `cosid.stores.db.options.inner.wiat: no such key; accepted: wait; did you mean "wait"?`,
		"inner: 1s":           `cosid.stores.db.options.inner: "1s" is not a map`,
		"float: 1.5":          "cosid.stores.db.options.float: the setting's Go type float64 cannot be read from a configuration",
		"hidden: 1":           "cosid.stores.db.options.hidden: no such key",
	} {
		if got, err := load(text, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v\nwant %s", text, got, err, want)
		}
	}
	if _, err := load("", "COSID_STORES_DB_OPTIONS_FLAG=on"); err == nil || !strings.Contains(err.Error(), `"on" is not true or false`) {
		t.Errorf("got %v", err)
	}
}

func FuzzLoadNeverPanics(f *testing.F) {
	f.Add(order, "STEP=1")
	f.Add(valid+"    bill: { strategy: periodic-segment, period: YEAR, zone: UTC, codec: [ { date-prefix: {} }, decimal ] }\n", "COSID_GENERATORS_BILL_STEP=3")
	f.Add(valid+"    trade: { strategy: snowflake, bits: { slot: 5 }, slot: { type: manual, id: 7 }, epoch: 1 }\n  slots: { ttl: 1s }\n",
		"COSID_GENERATORS_TRADE_BITS_TIMESTAMP=70")
	f.Add(valid+"    trade: { strategy: snowflake, codec: [ date-prefix: { zone: UTC, pattern: yyyy }, friendly: { zone: UTC } ] }\n",
		"COSID_SLOTS_LIMIT=0")
	f.Add("cosid: &a { <<: *a, stores: *a }", "COSID_PROFILE=a")
	f.Add("cosid:\n  ? [a]\n  : b\n--- !!set {a, b}\n...\n", "")
	f.Fuzz(func(t *testing.T, yaml, environ string) {
		dir := write(t, "cosid.yaml", yaml)
		cfg, err := config.Load(options(dir, strings.Split(environ, "\n")...))
		if (cfg == nil) == (err == nil) {
			t.Errorf("Load = %v, %v", cfg, err)
		}
		if err != nil {
			_ = err.Error()
		}
	})
}
