package config_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/config"
)

func TestTheOutlineHasTheNamesOfAConfigurationThatCannotBeLoaded(t *testing.T) {
	dir := write(t, "cosid.yaml", `
cosid:
  namespace: ${NAMESPACE}
  stores:
    db: { type: acme, options: { dsn: "${DSN}", port: 0100 } }
  generators:
    order: { strategy: segment, step: many }
    bill: { strategy: periodic-segment }
    event: { strategy: acme }
    span: { strategy: wide-snowflake, slot: 7 }
    trace: ${TRACE}
    later: { strategy: "${STRATEGY:periodic-segment}" }
  codecs:
    short: [ { acme: 5 } ]
    none:
`, "cosid-prod.yaml", `
cosid:
  generators: { audit: { strategy: segment } }
`)
	if _, err := config.Load(options(dir)); err == nil {
		t.Fatal("the configuration loads, so it shows nothing")
	}
	got, err := config.ReadOutline(options(dir, "COSID_PROFILE=prod", "COSID_STORES_NONE_TYPE=x"))
	if err != nil {
		t.Fatal(err)
	}
	want := &config.Outline{
		Enabled: true,
		Generators: []config.OutlineGenerator{
			{Name: "audit"},
			{Name: "bill", Grouped: true},
			{Name: "event"},
			{Name: "later", Grouped: true},
			{Name: "order"},
			{Name: "span", Text: true},
			{Name: "trace"},
		},
		Codecs: []string{"none", "short"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("ReadOutline() = %+v, want %+v", got, want)
	}
}

func TestTheOutlineTellsThatTheSectionIsDisabled(t *testing.T) {
	dir := write(t, "cosid.yaml", "cosid: { enabled: false }\n")
	if got, err := config.ReadOutline(options(dir)); err != nil || got.Enabled {
		t.Errorf("ReadOutline() = %+v, %v", got, err)
	}
}

func TestTheOutlineIsRefusedWhereNamesCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct{ yaml, want string }{
		"not YAML":                 {"cosid: [", "not valid YAML"},
		"a broken second document": {"cosid: { namespace: shop }\n---\ncosid: [", "not valid YAML"},
		"no section":               {"server: {}", "no configuration was found"},
		"a section that is text":   {"cosid: shop", "cosid.yaml:1:1: cosid: "},
		"no map of generators":     {"cosid:\n  generators: [ order ]", "cosid.yaml:2:3: cosid.generators: a list is not a map"},
		"generators elsewhere":     {"cosid:\n  generators: ${GENERATORS}", "cosid.yaml:2:15: cosid.generators: the environment"},
		"codecs elsewhere":         {"cosid:\n  codecs: ${CODECS}", "cosid.codecs: the environment variable CODECS"},
		"generators twice":         {"cosid:\n  generators: {}\n  Generators: {}", "cosid.generators: the key stands here twice"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.ReadOutline(options(write(t, "cosid.yaml", c.yaml)))
			report, ok := errors.AsType[*config.Error](err)
			if !ok || len(report.Problems) != 1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("ReadOutline() = %+v, %v; want one problem with %q", got, err, c.want)
			}
		})
	}
}
