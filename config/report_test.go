package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

var groupedID = generators.GroupedID{Period: "2026", Value: 42}

// comparable leaves out of a Config where its values came from.
func comparable(cfg *config.Config) string {
	var b strings.Builder
	fmt.Fprintln(&b, cfg.Enabled, cfg.Namespace, cfg.Slots, cfg.Warnings)
	for _, s := range cfg.Stores {
		fmt.Fprintf(&b, "%s %v %v %v %T\n", s.Name, s.Timeout, s.Opening, s.Lazy, s.Factory)
	}
	for _, g := range cfg.Generators {
		text := ""
		switch {
		case g.Text:
		case g.Grouped():
			text, _ = g.GroupedCodec.Encode(groupedID)
		default:
			text, _ = g.Codec.Encode(42)
		}
		fmt.Fprintf(&b, "%s %s %v %v %T %s\n", g.Name, g.Store, g.Period, g.Layout, g.Factory, text)
	}
	for _, s := range cfg.Settings { // those of stores and generators are among them
		fmt.Fprintln(&b, s.Entry, s.Path, s.Value)
	}
	return b.String()
}

func TestFileEnvironmentAndCodeGiveEqualConfigs(t *testing.T) {
	want := comparable(mustLoad(t, `cosid:
  namespace: shop
  stores:
    db: { type: gorm, timeout: 2s, options: { dsn: a.db, table-prefix: x_, auto-migrate: false } }
    memory: { type: memory, start: lazy, start-timeout: 1m }
  generators:
    order: { strategy: segment, store: memory, step: 7, lookahead: 1m30s, codec: short }
    bill: { strategy: periodic-segment, store: db, period: YEAR, zone: UTC, seal-after: 1d, prewarm: 0 }
  codecs:
    short: [ { radix: { radix: 10, width: 6, pad-start: true } } ]
`))
	variables := mustLoad(t, `cosid:
  namespace: other
  stores:
    db: { type: memory }
    memory: { type: memory }
  generators:
    order: { strategy: segment }
    bill: { strategy: periodic-segment }
  codecs:
    short: [ { radix: { radix: 10, width: 6, pad-start: true } } ]
`,
		"COSID_NAMESPACE=shop", "COSID_STORES_DB_TYPE=gorm", "COSID_STORES_DB_TIMEOUT=2s", "COSID_STORES_DB_OPTIONS_DSN=a.db",
		"COSID_STORES_DB_OPTIONS_TABLE_PREFIX=x_", "COSID_STORES_DB_OPTIONS_AUTO_MIGRATE=false",
		"COSID_STORES_MEMORY_START=lazy", "COSID_STORES_MEMORY_START_TIMEOUT=1m",
		"COSID_GENERATORS_ORDER_STORE=memory", "COSID_GENERATORS_ORDER_STEP=7", "COSID_GENERATORS_ORDER_LOOKAHEAD=PT1M30S",
		"COSID_GENERATORS_ORDER_CODEC=short",
		"COSID_GENERATORS_BILL_STORE=db", "COSID_GENERATORS_BILL_PERIOD=YEAR", "COSID_GENERATORS_BILL_ZONE=UTC",
		"COSID_GENERATORS_BILL_SEAL_AFTER=1d", "COSID_GENERATORS_BILL_PREWARM=0",
	)
	if got := comparable(variables); got != want {
		t.Errorf("from the environment\n%s\nfrom a file\n%s", got, want)
	}
	values := map[string]any{
		"namespace": "shop",
		"stores": map[string]map[string]any{
			"db": {"type": "gorm", "timeout": 2 * time.Second, "options": map[string]any{
				"dsn": "a.db", "tablePrefix": "x_", "autoMigrate": false,
			}},
			"memory": {"type": "memory", "start": "lazy", "startTimeout": time.Minute},
		},
		"generators": map[any]any{
			"order": map[string]any{"strategy": "segment", "store": "memory", "step": uint16(7), "lookahead": 90 * time.Second, "codec": "short"},
			"bill": map[string]any{
				"strategy": "periodic-segment", "store": "db", "period": "YEAR", "zone": "UTC", "sealAfter": "1d", "prewarm": 0,
			},
		},
		"codecs": map[string]any{"short": []any{map[string]any{"radix": map[string]any{"radix": 10, "width": 6, "padStart": true}}}},
	}
	o := options(t.TempDir())
	o.Values = values
	fromCode, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := comparable(fromCode); got != want {
		t.Errorf("from code\n%s\nfrom a file\n%s", got, want)
	}
	// A koanf that the application loaded, with whatever else is in it.
	loaded := koanf.New(".")
	if err := loaded.Load(confmap.Provider(map[string]any{"cosid": values, "server": map[string]any{"port": 80}}, ""), nil); err != nil {
		t.Fatal(err)
	}
	o = options(write(t, "cosid.yaml", "cosid: { nonsense: 1 }\n")) // the usual files are not looked for then
	o.Koanf = loaded
	fromKoanf, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := comparable(fromKoanf); got != want {
		t.Errorf("from a koanf\n%s\nfrom a file\n%s", got, want)
	}
}

func TestAKoanfWithoutTheSectionIsAMistake(t *testing.T) {
	o := options(t.TempDir())
	o.Koanf = koanf.New(".")
	if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "no configuration was found") {
		t.Errorf("got %v", err)
	}
	o.Koanf = koanf.New(".")
	if err := o.Koanf.Load(confmap.Provider(map[string]any{"cosid.namespace": 7}, "."), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "the application's koanf: cosid.namespace: 7 is not text") {
		t.Errorf("got %v", err)
	}
}

func TestSettingsSayWhatSetThem(t *testing.T) {
	cfg := mustLoad(t, valid+"    order: { strategy: segment, step: \"${STEP}\", codec: [ prefix: A, decimal ] }\n",
		"COSID_GENERATORS_ORDER_STEP=7", "COSID_GENERATORS_ORDER_LOOKAHEAD=2s", "STEP=x")
	var lines []string
	for _, s := range cfg.Settings {
		lines = append(lines, strings.Join([]string{s.Path, s.Value, s.From}, " | "))
	}
	got := strings.Join(lines, "\n")
	for _, want := range []string{
		"cosid.namespace | shop | cosid.yaml:2:3",
		"cosid.stores.db.type | memory | cosid.yaml:3:19",
		"cosid.stores.db.timeout | 1s | default",
		"cosid.generators.order.store | db | the only store there is",
		"cosid.generators.order.step | 7 | environment variable COSID_GENERATORS_ORDER_STEP",
		"cosid.generators.order.lookahead | 2s | environment variable COSID_GENERATORS_ORDER_LOOKAHEAD",
		"cosid.generators.order.reserve-timeout | 3s | default",
		"cosid.generators.order.codec | prefix \"A\", decimal | cosid.yaml:5:50",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
}

// secrets is a store type whose address may hold a password.
type secrets struct{ kinds }

type secretOptions struct {
	URI  string `koanf:"uri"`
	Port int    `koanf:"port"`
}

func (secrets) Type() string    { return "secrets" }
func (secrets) NewOptions() any { return &secretOptions{} }

func TestNoReportShowsAPassword(t *testing.T) {
	for _, address := range []string{
		"redis://user:s3cret@h:6379/0", "postgres://user:s3cret@h/db", "user:s3cret@tcp(h:3306)/db", "user:a s3cret/@tcp(h:3306)/db", "rediss://:s3cret@h",
		"host=h user=u password=s3cret dbname=d", "host=h password='s3cret' x=y", "sqlserver://h?password=s3cret&x=1",
	} {
		for _, key := range []string{"uri", "port"} { // taken, and refused because it is no number
			o := options(write(t, "cosid.yaml", "cosid:\n  namespace: shop\n  stores: { db: { type: secrets, options: { "+key+": \""+address+"\" } } }\n"))
			o.Stores = append(o.Stores, secrets{})
			cfg, err := config.Load(o)
			shown := fmt.Sprint(err)
			if err == nil {
				rt, err := runtime.New(cfg, runtime.Options{})
				if rt != nil {
					shown += rt.Report().String()
				}
				shown += fmt.Sprint(err)
			}
			if strings.Contains(shown, "s3cret") || !strings.Contains(shown, "h") {
				t.Errorf("%s: %s shows\n%s", key, address, shown)
			}
		}
	}
}

// TestLargeFilesAreReadInReasonableTime holds that ten times the generators take about ten times the time.
func TestLargeFilesAreReadInReasonableTime(t *testing.T) {
	load := func(generators int) time.Duration {
		var yaml strings.Builder
		yaml.WriteString(valid)
		for i := range generators {
			fmt.Fprintf(&yaml, "    g%05d: { strategy: segment, step: %d, codec: [ prefix: \"G-\", { radix: { radix: 36, width: 13, pad-start: true } } ] }\n", i, i+1)
		}
		o := options(write(t, "cosid.yaml", yaml.String()))
		best := time.Hour
		for range 3 {
			began := time.Now()
			cfg, err := config.Load(o)
			if err != nil {
				t.Fatal(err)
			}
			rt, err := runtime.New(cfg, runtime.Options{})
			if err != nil || len(rt.Names()) != generators {
				t.Fatal(err)
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	small, large := load(1_000), load(10_000)
	t.Logf("1,000 generators: %v, 10,000 generators: %v", small, large)
	if large > 40*small {
		t.Errorf("10,000 generators took %.0f times as long as 1,000", float64(large)/float64(small))
	}
}
