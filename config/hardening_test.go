package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/stores/memstore"
)

const oneOfEach = `cosid:
  namespace: shop
  stores:
    db: { type: memory }
  generators:
    order: { strategy: segment }
`

// loadFiles returns the text of the error, "<nil>" for none.
func loadFiles(t *testing.T, files map[string]string, environ ...string) (*config.Config, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := options(dir, environ...)
	o.Stores = append(o.Stores, rich{})
	o.Embedded = map[string]any{"type": "gorm", "options": map[string]any{"dsn": "data/cosid.db"}}
	cfg, err := config.Load(o)
	return cfg, fmt.Sprint(err)
}

func TestEmptyVariableForTypeStrategyStoreIsAMistakeAtItsVariable(t *testing.T) {
	for _, v := range []string{"COSID_STORES_DB_TYPE", "COSID_GENERATORS_ORDER_STRATEGY", "COSID_GENERATORS_ORDER_STORE"} {
		if _, err := loadFiles(t, map[string]string{"cosid.yaml": oneOfEach}, v+"="); !strings.Contains(err, "environment variable "+v+": ") {
			t.Errorf("%s: %s", v, err)
		}
	}
}

func TestAKeyWithoutValueInAProfileEmptiesNothing(t *testing.T) {
	for _, over := range []string{"cosid:\n", "cosid:\n  stores:\n#    db: …\n", "cosid:\n  generators:\n"} {
		cfg, err := loadFiles(t, map[string]string{"cosid.yaml": oneOfEach, "cosid-prod.yaml": over}, "COSID_PROFILE=prod")
		if cfg == nil || len(cfg.Stores) != 1 || cfg.Stores[0].Name != "db" || len(cfg.Generators) != 1 {
			t.Errorf("%q: %+v %s", over, cfg, err)
		}
	}
}

func TestAPlaceholderThatALaterSourceReplacesNeedsNoVariable(t *testing.T) {
	file := strings.Replace(oneOfEach, "shop", "${NS}", 1)
	if _, err := loadFiles(t, map[string]string{"cosid.yaml": file, "cosid-dev.yaml": "cosid: { namespace: dev }\n"}, "COSID_PROFILE=dev"); err != "<nil>" {
		t.Error(err)
	}
	if _, err := loadFiles(t, map[string]string{"cosid.yaml": file}, "COSID_NAMESPACE=dev"); err != "<nil>" {
		t.Error(err)
	}
	if _, err := loadFiles(t, map[string]string{"cosid.yaml": file}); !strings.Contains(err, "cosid.yaml:2:14: cosid.namespace: the environment variable NS") {
		t.Error(err)
	}
}

func TestAFileNamedConfigDoesNoHarm(t *testing.T) {
	if _, err := loadFiles(t, map[string]string{"cosid.yaml": oneOfEach, "config": "x"}); err != "<nil>" {
		t.Error(err)
	}
}

func TestAnUnknownKeyHidesNoMistakeOfTheKeyItResembles(t *testing.T) {
	_, err := loadFiles(t, map[string]string{"cosid.yaml": strings.Replace(oneOfEach, "segment", "segment, step: -5, setp: 3", 1)})
	if !strings.Contains(err, "order.step:") || !strings.Contains(err, "order.setp:") {
		t.Error(err)
	}
}

func TestTheDSNOfAServerIsNoFileName(t *testing.T) {
	for _, dsn := range []string{"user:pw@tcp(db:3306)/ids", "host=db user=u password=pw dbname=ids"} {
		if _, err := loadFiles(t, map[string]string{"cosid.yaml": strings.Replace(oneOfEach, "memory", "gorm, options: { dsn: \""+dsn+"\" }", 1)}); !strings.Contains(err, "the address of a server") {
			t.Errorf("%s: %s", dsn, err)
		}
	}
}

type (
	rich        struct{ memstore.Factory }
	richOptions struct {
		Password string        `koanf:"password"`
		Address  string        `koanf:"address"`
		Wait     textSetting   `koanf:"wait"`
		Pool     nestedSetting `koanf:"pool"`
	}
)

type nestedSetting struct {
	Size int `koanf:"size"`
}
type textSetting struct{ text string }

func (w *textSetting) UnmarshalText(b []byte) error { w.text = string(b); return nil }
func (w textSetting) String() string                { return w.text }
func (rich) Type() string                           { return "rich" }
func (rich) NewOptions() any                        { return &richOptions{Wait: textSetting{"auto"}, Pool: nestedSetting{4}} }

func TestSettingsLeaveNothingOutAndShowNoPassword(t *testing.T) {
	for _, options := range []string{"password: s3cret, wait: off", "address: \"host=h password = s3cret\"", "address: \"u:p@s3cret@tcp(h)/d\"", "address: \"h?sslpassword=s3cret\""} {
		cfg, err := loadFiles(t, map[string]string{"cosid.yaml": strings.Replace(oneOfEach, "memory", "rich, options: { "+options+" }", 1)})
		if cfg == nil {
			t.Fatal(err)
		}
		all := fmt.Sprint(cfg.Settings)
		if strings.Contains(all, "s3cret") {
			t.Errorf("%s: shows the password", options)
		}
		for _, path := range []string{"options.wait", "options.pool.size"} {
			if !strings.Contains(all, path) {
				t.Errorf("%s: no %s", options, path)
			}
		}
	}
	_, err := loadFiles(t, map[string]string{"cosid.yaml": strings.Replace(oneOfEach, "memory", "\"postgres://u:s3cret@h/d\"", 1)})
	if strings.Contains(err, "s3cret") {
		t.Error(err)
	}
}

func TestATabInABlockOfTextIsNotBlamed(t *testing.T) {
	_, err := loadFiles(t, map[string]string{"cosid.yaml": "script: |\n  a:\n  \tb\ncosid:\n  namespace: shop\n  stores: { db: { type: memory }\n  generators: {}\n"})
	if strings.Contains(err, "tab") || strings.Contains(err, "cosid.yaml:3:") {
		t.Error(err)
	}
}

func TestMergingALargeMapIsNotQuadratic(t *testing.T) {
	load := func(keys int) time.Duration {
		var b strings.Builder
		for i := range keys {
			fmt.Fprintf(&b, "  k%d: 1\n", i)
		}
		best := time.Hour
		for range 3 {
			began := time.Now()
			loadFiles(t, map[string]string{"cosid.yaml": "x: &a\n" + b.String() + "cosid:\n  <<: *a\n"})
			best = min(best, time.Since(began))
		}
		return best
	}
	if small, large := load(500), load(5000); large > 40*small {
		t.Errorf("5,000 keys took %.0f times as long as 500", float64(large)/float64(small))
	}
}

func TestCodecsThatNameEachOtherCannotBlowUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("cosid:\n  namespace: shop\n  codecs:\n    c0: [ prefix: a ]\n")
	for i := 1; i <= 22; i++ { // each one more doubles time and memory
		fmt.Fprintf(&b, "    c%d: [ c%d, c%d ]\n", i, i-1, i-1)
	}
	if _, err := loadFiles(t, map[string]string{"cosid.yaml": b.String()}); !strings.Contains(err, "more parts than can be read") {
		t.Error(err)
	}
}

func TestTwoSpellingsFromCodeAreAMistake(t *testing.T) {
	o := options(t.TempDir())
	o.Values = map[string]any{
		"namespace": "x", "stores": map[string]any{"db": map[string]any{"type": "memory"}},
		"generators": map[string]any{"order": map[string]any{"strategy": "segment", "initialOffset": 1000, "initial-offset": 5}},
	}
	for range 10 { // whatever the order of the map
		if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "values from code: cosid.generators.order.initial-offset: the key stands here in two spellings") {
			t.Fatalf("got %v", err)
		}
	}
}

func TestABooleanTagCoercesNothing(t *testing.T) {
	if cfg, err := loadFiles(t, map[string]string{"cosid.yaml": strings.Replace(oneOfEach, "cosid:", "cosid:\n  enabled: !!bool yes", 1)}); err == "<nil>" {
		t.Errorf("enabled: %v", cfg.Enabled)
	}
}

func TestADisabledSectionIgnoresItsVariables(t *testing.T) {
	if _, err := loadFiles(t, map[string]string{"cosid.yaml": "cosid: { enabled: false }\n"}, "COSID_STORES_REDIS_OPTIONS_URI=x"); err != "<nil>" {
		t.Error(err)
	}
}

func TestAProfileThatNoFileHasIsWarnedOf(t *testing.T) {
	cfg, err := loadFiles(t, map[string]string{"cosid.yaml": oneOfEach}, "COSID_PROFILE=prdo")
	if cfg == nil || !strings.Contains(fmt.Sprint(cfg.Warnings), "prdo") {
		t.Error(cfg, err)
	}
}

func TestTheOutlineReadsVariables(t *testing.T) {
	dir := t.TempDir()
	_ = os.WriteFile(filepath.Join(dir, "cosid.yaml"), []byte(oneOfEach), 0o600)
	o, err := config.ReadOutline(config.Options{Source: config.Source{Dir: dir, Environ: []string{"COSID_ENABLED=false"}}})
	if err != nil || o.Enabled {
		t.Errorf("%+v %v", o, err)
	}
}

func TestAPlaceholderIsTypedByItsKey(t *testing.T) {
	for _, step := range []string{"\"${STEP:5}\"", "'${STEP}'"} {
		if _, err := loadFiles(t, map[string]string{"cosid.yaml": strings.Replace(oneOfEach, "segment", "segment, step: "+step, 1)}, "STEP=7"); err != "<nil>" {
			t.Error(err)
		}
	}
	if _, err := loadFiles(t, map[string]string{"cosid.yaml": strings.Replace(oneOfEach, "{ type: memory }", "\n      type: rich\n      options:\n        password: ${PW}", 1)}, "PW=48151623"); err != "<nil>" {
		t.Error(err)
	}
}
