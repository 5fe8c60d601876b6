package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/config"
)

// valid is a section that the cases below spoil in one place each; the line after it is line 5.
const valid = `cosid:
  namespace: shop
  stores: { db: { type: memory } }
  generators:
`

func TestEveryMistakeNamesItsPlaceAndWhatIsAccepted(t *testing.T) {
	for _, c := range []struct{ name, yaml, report string }{
		{
			"unknown store type",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memroy }\n",
			`cosid.yaml:4:11: cosid.stores.db.type: no store type named "memroy"; accepted: gorm, memory; did you mean "memory"?`,
		},
		{
			"missing store type",
			"cosid:\n  namespace: shop\n  stores:\n    db: {}\n",
			`cosid.yaml:4:5: cosid.stores.db.type: the store type is missing; accepted: gorm, memory`,
		},
		{
			"unknown store",
			valid + "    order: { strategy: segment, store: bd }\n",
			`cosid.yaml:5:33: cosid.generators.order.store: no store named "bd"; accepted: db; did you mean "db"?`,
		},
		{
			"no store named with two declared",
			"cosid:\n  namespace: shop\n  stores: { db: { type: memory }, other: { type: memory } }\n  generators:\n    order: { strategy: segment }\n",
			`cosid.yaml:5:5: cosid.generators.order.store: the store must be named, because several are declared; accepted: db, other`,
		},
		{
			"unknown strategy",
			valid + "    order: { strategy: Segment }\n",
			`cosid.yaml:5:14: cosid.generators.order.strategy: no strategy named "Segment"; accepted: periodic-segment, segment; did you mean "segment"?`,
		},
		{
			"missing strategy",
			valid + "    order: { store: db }\n",
			`cosid.yaml:5:5: cosid.generators.order.strategy: the strategy is missing; accepted: periodic-segment, segment`,
		},
		{
			"unknown key of a generator",
			valid + "    order: { strategy: segment, setp: 5 }\n",
			`cosid.yaml:5:33: cosid.generators.order.setp: no such key; accepted: codec, initial-offset, lookahead, max-batch, range-ttl, reserve-timeout, step, store, strategy; did you mean "step"?`,
		},
		{
			"unknown key of the section",
			valid + "    order: { strategy: segment }\n  genrators: {}\n",
			`cosid.yaml:6:3: cosid.genrators: no such key; accepted: codecs, enabled, generators, namespace, stores; did you mean "generators"?`,
		},
		{
			"unknown key of a store",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memory, timeuot: 1s }\n",
			`cosid.yaml:4:25: cosid.stores.db.timeuot: no such key; accepted: options, timeout, type; did you mean "timeout"?`,
		},
		{
			"unknown option of a store",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: a.db, divrer: sqlite } }\n",
			`cosid.yaml:4:45: cosid.stores.db.options.divrer: no such key; accepted: auto-migrate, driver, dsn, table-prefix; did you mean "driver"?`,
		},
		{
			"unknown driver",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: a.db, driver: oracle } }\n",
			`cosid.yaml:4:45: cosid.stores.db.options.driver: "oracle" is not a known driver; accepted: sqlite`,
		},
		{
			"a generator twice",
			valid + "    order: { strategy: segment }\n    order: { strategy: segment }\n",
			`cosid.yaml:6:5: cosid.generators.order: the key stands here twice, first at line 5`,
		},
		{
			"one key in two spellings",
			valid + "    order: { strategy: segment, range-ttl: 1s, rangeTtl: 2s }\n",
			`cosid.yaml:5:48: cosid.generators.order.range-ttl: the key stands here twice, first at line 5`,
		},
		{
			"a duration without unit",
			valid + "    order: { strategy: segment, lookahead: 5 }\n",
			`cosid.yaml:5:33: cosid.generators.order.lookahead: 5 has no unit: write 5s or 5ms; accepted: a number with a unit, such as 500ms, 1m30s, 1d or PT1S`,
		},
		{
			"a duration that is none",
			valid + "    order: { strategy: segment, lookahead: soon }\n",
			`cosid.yaml:5:33: cosid.generators.order.lookahead: "soon" is not a duration; accepted: a number with a unit, such as 500ms, 1m30s, 1d or PT1S`,
		},
		{
			"text for a number",
			valid + "    order: { strategy: segment, step: \"7\" }\n",
			`cosid.yaml:5:33: cosid.generators.order.step: "7" is not a whole number; accepted: a whole number`,
		},
		{
			"a number with an exponent",
			valid + "    order: { strategy: segment, step: 1e3 }\n",
			`cosid.yaml:5:33: cosid.generators.order.step: 1000 is a number with a fraction; accepted: a whole number, written 1000`,
		},
		{
			"a number past int64",
			valid + "    order: { strategy: segment, step: 9223372036854775808 }\n",
			`cosid.yaml:5:33: cosid.generators.order.step: 9223372036854775808 is out of range; accepted: a whole number from -9223372036854775808 to 9223372036854775807`,
		},
		{
			"a number that reads as octal",
			valid + "    order: { strategy: segment, step: 0100 }\n",
			`cosid.yaml:5:39: cosid.generators.order.step: 0100 could be read as an octal number; accepted: the number without leading zeros, or 0o… for octal`,
		},
		{
			"a key without a value",
			valid + "    order: { strategy: segment, step: }\n",
			`cosid.yaml:5:33: cosid.generators.order.step: the key has no value; accepted: a value, or no key at all`,
		},
		{
			"a list for a map",
			valid + "    order: [ segment ]\n",
			`cosid.yaml:5:5: cosid.generators.order: a list is not a map; accepted: a map of keys`,
		},
		{
			"a namespace with a separator",
			"cosid:\n  namespace: shop/eu\n  stores: { db: { type: memory } }\n",
			`cosid.yaml:2:3: cosid.namespace: "shop/eu" is not a name; accepted: [A-Za-z0-9][A-Za-z0-9._-]{0,63}`,
		},
		{
			"a missing namespace",
			"cosid:\n  stores: { db: { type: memory } }\n",
			`cosid.yaml:1:1: cosid.namespace: a namespace is required: it is the first part of every key in the stores; accepted: [A-Za-z0-9][A-Za-z0-9._-]{0,63}, for instance the application's name`,
		},
		{
			"a generator's name outside the grammar",
			valid + "    order/eu: { strategy: segment }\n",
			`cosid.yaml:5:5: cosid.generators.order/eu: "order/eu" is not a name; accepted: [A-Za-z0-9][A-Za-z0-9._-]{0,63}`,
		},
		{
			"an unknown codec part",
			valid + "    order: { strategy: segment, codec: [ { raddix: { radix: 62 } } ] }\n",
			`cosid.yaml:5:44: cosid.generators.order.codec[0].raddix: no codec part or codec named "raddix"; accepted: date-prefix, decimal, period, prefix, radix, suffix; did you mean "radix"?`,
		},
		{
			"two parts in one entry",
			valid + "    order: { strategy: segment, codec: [ { radix: { radix: 62 }, prefix: a } ] }\n",
			`cosid.yaml:5:42: cosid.generators.order.codec[0]: the entry has 2 keys; accepted: one part an entry, each on a line of its own`,
		},
		{
			"a codec that names itself",
			valid + "    order: { strategy: segment }\n  codecs:\n    short: [ shorter ]\n    shorter: [ short ]\n",
			`cosid.yaml:8:16: cosid.codecs.shorter[0]: the codec "short" names itself; accepted: a list of parts`,
		},
		{
			"a codec named like a part",
			valid + "    order: { strategy: segment }\n  codecs:\n    radix: [ decimal ]\n",
			`cosid.yaml:7:5: cosid.codecs.radix: "radix" is the name of a codec part; accepted: another name`,
		},
		{
			"a placeholder without a value",
			valid + "    order: { strategy: segment, step: \"${STEP}\" }\n",
			`cosid.yaml:5:39: cosid.generators.order.step: the environment variable STEP of ${STEP} is not set; accepted: ${NAME} with NAME set, or ${NAME:default}`,
		},
		{
			"a tab",
			"cosid:\n  namespace: shop\n\tstores: {}\n",
			`cosid.yaml:3:1: not valid YAML: the line is indented with a tab; accepted: spaces`,
		},
		{
			"no section",
			"cosld:\n  namespace: shop\n",
			"no configuration was found: none of cosid.yaml, application.yaml, config/cosid.yaml, config/application.yaml has a `cosid:` section; accepted: such a file, or COSID_CONFIG naming another",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.yaml)
			if want := "cosid: 1 mistake in the configuration:\n  " + c.report; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// The words of these reports are their packages'; here it matters that they arrive with the right place.
func TestMistakesOfSettingsArePlacedAtTheirKeys(t *testing.T) {
	for _, c := range []struct{ name, yaml, place string }{
		{"step", valid + "    order: { strategy: segment, step: -1 }\n", "cosid.yaml:5:33: cosid.generators.order.step: "},
		{"missing zone", valid + "    bill: { strategy: periodic-segment, period: YEAR }\n", "cosid.yaml:5:5: cosid.generators.bill.zone: "},
		{"unknown zone", valid + "    bill: { strategy: periodic-segment, period: YEAR, zone: Mars/Phobos }\n", "cosid.yaml:5:55: cosid.generators.bill.zone: "},
		{"missing period", valid + "    bill: { strategy: periodic-segment, zone: UTC }\n", "cosid.yaml:5:5: cosid.generators.bill.period: "},
		{"unknown period", valid + "    bill: { strategy: periodic-segment, zone: UTC, period: DAILY }\n", "cosid.yaml:5:52: cosid.generators.bill.period: "},
		{"radix", valid + "    order: { strategy: segment, codec: [ { radix: { radix: 63 } } ] }\n", "cosid.yaml:5:53: cosid.generators.order.codec[0].radix.radix: "},
		{"width", valid + "    order: { strategy: segment, codec: [ { radix: { radix: 36, width: 0 } } ] }\n", "cosid.yaml:5:64: cosid.generators.order.codec[0].radix.width: "},
		{"two value parts", valid + "    order: { strategy: segment, codec: [ decimal, decimal ] }\n", "cosid.yaml:5:51: cosid.generators.order.codec[1]: "},
		{"no value part", valid + "    order: { strategy: segment, codec: [ prefix: a ] }\n", "cosid.yaml:5:33: cosid.generators.order.codec: "},
		{"a period in plain ids", valid + "    order: { strategy: segment, codec: [ period: {}, decimal ] }\n", "cosid.yaml:5:42: cosid.generators.order.codec[0].period: "},
		{"a prefix without a text", valid + "    order: { strategy: segment, codec: [ prefix: , decimal ] }\n", "cosid.yaml:5:42: cosid.generators.order.codec[0].prefix: "},
		{"an unused codec", valid + "    order: { strategy: segment }\n  codecs: { short: [ prefix: a ] }\n", "cosid.yaml:6:13: cosid.codecs.short: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.yaml)
			if want := "cosid: 1 mistake in the configuration:\n  " + c.place; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s…", err, want)
			}
		})
	}
}

func TestAllMistakesAreReportedAtOnceInTheirOrder(t *testing.T) {
	_, err := load(t, `cosid:
  namespace: a/b
  generators:
    bill: { strategy: periodic-segment, period: YEAR_MONTH_DAY, prewarm: 5 }
    order: { strategy: segmnt, store: nowhere }
  stores:
    db: { type: memory, timeout: 0 }
`)
	report, ok := errors.AsType[*config.Error](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	var places []string
	for _, p := range report.Problems {
		places = append(places, p.Path)
	}
	want := []string{
		"cosid.namespace", "cosid.generators.bill.prewarm", "cosid.generators.order.strategy",
		"cosid.generators.order.store", "cosid.stores.db.timeout",
	}
	if strings.Join(places, " ") != strings.Join(want, " ") {
		t.Errorf("got %v\nwant %v\n%v", places, want, err)
	}
}

func TestTwoFactoriesOfOneTypeAreRefused(t *testing.T) {
	o := options(write(t, "cosid.yaml", valid))
	o.Stores = append(o.Stores, o.Stores[1])
	if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), `store type "memory" is registered twice`) {
		t.Errorf("got %v", err)
	}
	o = options(write(t, "cosid.yaml", valid))
	o.Strategies = append(o.Strategies, o.Strategies[0])
	if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), `strategy "segment" is registered twice`) {
		t.Errorf("got %v", err)
	}
	o = options(write(t, "cosid.yaml", valid))
	o.Parts = append(o.Parts, o.Parts[0])
	if _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "is registered twice") {
		t.Errorf("got %v", err)
	}
}
