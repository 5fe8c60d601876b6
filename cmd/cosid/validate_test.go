package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

func TestValidateSumsUpAConfigurationWithoutMistakes(t *testing.T) {
	tr := withExample(t)
	golden(t, "validate", tr.run(t, "validate").fine(t))
	golden(t, "validate.json", tr.run(t, "validate", "--output", "json").fine(t))
}

func TestValidateShowsWhatSetEachSetting(t *testing.T) {
	tr := withExample(t)
	tr.environ = append(tr.environ, "COSID_GENERATORS_ORDER_STEP=500")
	out := strings.Join(strings.Fields(tr.run(t, "validate", "--settings").fine(t)), " ")
	for _, line := range []string{
		"cosid.namespace shop cosid.yaml:5:3",
		"cosid.generators.order.step 500 environment variable COSID_GENERATORS_ORDER_STEP",
		"cosid.generators.item.step 100 default",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
}

const spoiled = `cosid:
  namespace: shop
  stores: { db: { type: memory } }
  generators:
    bill: { strategy: periodic-segment, period: YEAR, zone: Asia/Shanghia }
    order: { strategy: segment, setp: 5 }
    item: { strategy: segment, lookahead: 5, store: bd }
`

func TestValidateReportsEveryMistake(t *testing.T) {
	tr := inFolder(t, spoiled)
	o := tr.run(t, "validate")
	if o.code != cli.ExitFailure || o.err != "" {
		t.Errorf("exit code %d, stderr %q", o.code, o.err)
	}
	golden(t, "mistakes", o.out)
	o = tr.run(t, "validate", "--output", "json")
	if o.code != cli.ExitFailure || o.err != "" {
		t.Errorf("exit code %d, stderr %q", o.code, o.err)
	}
	golden(t, "mistakes.json", o.out)
}

func TestValidateReportsMoreMistakesThanAnErrorShows(t *testing.T) {
	yaml := "cosid:\n  namespace: shop\n  stores: { db: { type: memory } }\n  generators:\n"
	for range 80 {
		yaml += "    g" + strings.Repeat("x", strings.Count(yaml, "\n")) + ": { strategy: segment, step: 0 }\n"
	}
	o := inFolder(t, yaml).run(t, "validate")
	if n := strings.Count(o.out, ".step: "); n != 80-20 { // names end at 64 characters
		t.Errorf("%d mistakes are reported", n)
	}
}

func TestValidateReportsMistakesThatOnlyBuildingShows(t *testing.T) {
	tr := inFolder(t, `cosid:
  namespace: shop
  stores: { db: { type: memory, timeout: 9s } }
  generators: { order: { strategy: segment, reserve-timeout: 2s } }
`)
	if o := tr.run(t, "validate"); o.code != cli.ExitFailure || !strings.Contains(o.out, "reserve-timeout") {
		t.Errorf("exit code %d\n%s%s", o.code, o.out, o.err)
	}
}

// ordinals is a configuration whose slots come from the host name, on a host that has no ordinal.
func ordinals(t *testing.T) *trial {
	t.Helper()
	tr := inFolder(t, `cosid:
  namespace: shop
  stores: { db: { type: memory } }
  generators:
    order: { strategy: segment }
    trade: { strategy: snowflake, slot: { type: stateful-set } }
    wide: { strategy: wide-snowflake, slot: { type: stateful-set } }
    leased: { strategy: snowflake }
`)
	tr.options.Source.Hostname = "laptop"
	return tr
}

func TestValidatePassesSlotsOfAStatefulSetOnAnyHost(t *testing.T) {
	tr := ordinals(t)
	tr.run(t, "validate").fine(t)
	out := strings.Join(strings.Fields(tr.run(t, "validate", "--settings").fine(t)), " ")
	if !strings.Contains(out, "cosid.slots.owner laptop the host name") {
		t.Errorf("it shows another host:\n%s", out)
	}
}

func TestValidateShowsWarningsAndPasses(t *testing.T) {
	out := inFolder(t, "cosid:\n  namespace: shop\n  generators: { order: { strategy: segment } }\n").run(t, "validate").fine(t)
	if !strings.HasPrefix(out, "warning: cosid.stores declares no store: ids are kept in the embedded one") {
		t.Errorf("printed\n%s", out)
	}
}

func TestAStoreThatTheApplicationHandsOverGetsItsAddressFromAVariable(t *testing.T) {
	tr := inFolder(t, `cosid:
  namespace: shop
  stores: { db: { type: gorm } }
  generators: { order: { strategy: segment } }
`)
	if o := tr.run(t, "validate"); o.code != cli.ExitFailure || !strings.Contains(o.out, "cosid.stores.db.options.dsn") {
		t.Errorf("%+v", o)
	}
	tr.environ = append(tr.environ, "COSID_STORES_DB_OPTIONS_DSN=ids.db")
	tr.run(t, "validate").fine(t)
	tr.run(t, "generate", "order").fine(t)
}

func TestValidateOfADisabledSectionSaysSo(t *testing.T) {
	tr := inFolder(t, "cosid: { enabled: false }\n")
	golden(t, "disabled", tr.run(t, "validate").fine(t))
	var v validation
	if err := json.Unmarshal([]byte(tr.run(t, "validate", "--output", "json").fine(t)), &v); err != nil || !v.Valid || v.Enabled {
		t.Errorf("%+v, %v", v, err)
	}
}
