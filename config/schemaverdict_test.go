package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/config"
)

func loadBuiltin(t *testing.T, yaml string) (*config.Config, error) {
	t.Helper()
	return config.Load(builtin(write(t, "cosid.yaml", yaml)))
}

// What each of these says is right; together they use every key.
var rightSections = []struct{ name, yaml string }{
	{"the least", "cosid:\n  namespace: shop\n"},
	{"nothing under the names", "cosid:\n  namespace: shop\n  stores:\n  generators:\n  codecs:\n"},
	{"another section beside it", "server: { port: 80 }\n" + order},
	{"several documents", "server: 1\n---\n" + order},
	{"switched off", "cosid:\n  enabled: false\n  stores: { db: { type: \"${UNSET}\" } }\n"},
	{"switched on by a variable", "cosid:\n  enabled: ${ON:true}\n  namespace: ${APP:shop}\n  stores: { db: { type: memory } }\n"},
	{"options without a value", "cosid:\n  namespace: shop\n  stores: { db: { type: memory, options: } }\n"},
	{
		"every key of a store",
		"cosid:\n  namespace: shop\n  stores:\n    db:\n      type: gorm\n      timeout: 1m30s\n      start: lazy\n      start-timeout: 20s\n" +
			"      options: { driver: sqlite, dsn: \"${FILE:a.db}\", table-prefix: ids_, auto-migrate: true }\n",
	},
	{
		"every key of a segment generator",
		valid + "    order: { strategy: segment, store: db, step: 10, initial-offset: 0, lookahead: 0, max-batch: 100, " +
			"reserve-timeout: PT2S, range-ttl: 1d, codec: decimal }\n",
	},
	{
		"every key of a periodic generator",
		valid + "    bill: { strategy: periodic-segment, store: db, period: YEAR_MONTH, zone: Etc/GMT+8, step: 1, " +
			"initial-offset: 1, lookahead: 1.5s, max-batch: 1000, reserve-timeout: 3s, range-ttl: 0, prewarm: 1h, " +
			"seal-after: 1d12h, codec: [ date-prefix, decimal ] }\n",
	},
	{
		"a placeholder for every kind of value",
		`cosid:
  namespace: ${APP:shop}
  stores:
    db:
      type: gorm
      timeout: ${SECONDS}s
      start: ${START:eager}
      options:
        driver: ${DRIVER:sqlite}
        dsn: ${FILE:a.db}
        table-prefix: ${APP:shop}_
        auto-migrate: ${MIGRATE:true}
  generators:
    bill:
      strategy: periodic-segment
      store: ${STORE:db}
      period: ${PERIOD:YEAR}
      zone: ${ZONE:UTC}
      step: 1${ZEROS:00}
      lookahead: ${L:${M:2}s}
      codec:
        - date-prefix
        - radix:
            radix: ${RADIX:16}
            width: ${WIDTH:16}
            pad-start: ${PAD:true}
            overflow: ${OVERFLOW:grow}
            alphabet: ${DIGITS:0123456789abcdef}
        - suffix: ${END:Z}
`,
	},
	{"a placeholder for a type", "cosid:\n  namespace: shop\n  stores:\n    db:\n      type: ${T:gorm}\n      options: { dsn: a.db }\n"},
	{
		"a placeholder for a strategy",
		valid + "    bill:\n      strategy: ${STRATEGY:periodic-segment}\n      period: YEAR\n      zone: UTC\n",
	},
	{"a placeholder for a codec", valid + "    order: { strategy: segment, codec: \"${CODEC:radix}\" }\n"},
	{
		"every key of the parts",
		valid + "    order: { strategy: segment, codec: [ prefix: \"A-\", radix: { radix: 16, width: 16, pad-start: true, " +
			"overflow: grow, alphabet: 0123456789abcdef }, suffix: Z ] }\n" +
			"    bill: { strategy: periodic-segment, period: YEAR, zone: UTC, codec: [ date-prefix: { delimiter: \"-\", " +
			"short-year: false }, decimal ] }\n" +
			"    item: { strategy: periodic-segment, period: YEAR, zone: UTC, codec: [ prefix: I, period: { delimiter: \"\", " +
			"short-year: true }, decimal: {} ] }\n",
	},
	{
		"a store on a server",
		"cosid:\n  namespace: shop\n  stores:\n    db:\n      type: gorm\n      options: { driver: mariadb, " +
			"dsn: \"u:${PASSWORD:x}@tcp(db:3306)/ids\", max-open-conns: 8, conn-max-lifetime: 10m }\n" +
			"  generators: { order: { strategy: segment } }\n",
	},
	{
		"every key of a store on Redis",
		"cosid:\n  namespace: shop\n  stores:\n    one:\n      type: redis\n      options: { uri: redis://h:6379, wait: 2, cluster: true, " +
			"sweep-batch: 32 }\n    two:\n      type: redis\n      options: { uri: redis://a:26379, wait: \"${WAIT:auto}\", " +
			"sentinel-master: m, sentinel-username: u, sentinel-password: p }\n" +
			"  generators: { order: { strategy: segment, store: one } }\n",
	},
	{"parts without settings", valid + "    order: { strategy: segment, codec: [ { prefix: \"${P:a}\" }, radix: ] }\n"},
	{
		"named codecs",
		valid + "    order: { strategy: segment, codec: short }\n    item: { strategy: segment, codec: [ prefix: I, short ] }\n" +
			"  codecs:\n    short: [ { radix: { radix: 62 } } ]\n    same: short\n",
	},
	{
		"every key of the slots",
		"cosid:\n  namespace: shop\n  stores: { db: { type: memory }, other: { type: memory } }\n" +
			"  slots: { store: db, limit: 16, ttl: 30s, tolerance: 1h, owner: shop-3.example.com:8080 }\n" +
			"  generators:\n    trade: { strategy: snowflake }\n    bill: { strategy: segment, store: other }\n",
	},
	{"slots without a value", valid + "    trade: { strategy: snowflake }\n  slots:\n"},
	{
		"every key of a snowflake generator",
		valid + "    trade: { strategy: snowflake, store: db, unit: s, epoch: 2024-01-01T00:00:00Z, safe-js: true, max-ahead: 2s, " +
			"bits: { timestamp: 31, slot: 6, sequence: 16 }, slot: { type: lease }, codec: [ friendly: { zone: Asia/Shanghai } ] }\n",
	},
	{
		"slots that are not leased",
		"cosid:\n  namespace: shop\n  generators:\n    trade: { strategy: snowflake, epoch: 1577203200000, " +
			"slot: { type: manual, id: 7, state-file: trade.slot } }\n    trace: { strategy: wide-snowflake, epoch: \"2024-01-01T00:00:00Z\", " +
			"radix: 36, max-ahead: 0, slot: { type: stateful-set } }\n",
	},
	{
		"a placeholder for every kind of value of a snowflake",
		valid + "    trade: { strategy: snowflake, unit: \"${UNIT:ms}\", epoch: \"${EPOCH:1577203200000}\", safe-js: \"${JS:false}\", " +
			"bits: { slot: \"${BITS:10}\" }, slot: { type: \"${SLOT:lease}\" } }\n  slots: { limit: \"${LIMIT:16}\", ttl: \"${TTL:10s}\", " +
			"owner: \"${OWNER:shop-3}\" }\n",
	},
	{
		"the date of snowflakes",
		valid + "    trade: { strategy: snowflake, codec: [ date-prefix: { zone: UTC, pattern: yyyy-MM, delimiter: / }, short ] }\n" +
			"  codecs: { short: [ { radix: { radix: 62 } } ], time: [ friendly: { zone: UTC } ] }\n",
	},
	{"anchors and merge keys", valid + "    order: &base { strategy: segment, step: 7 }\n    item: { <<: *base, step: 8 }\n"},
	{"a text that looks like a date", valid + "    order: { strategy: segment, codec: [ prefix: 2026-01-01, decimal ] }\n"},
}

func TestTheSchemaAcceptsWhatLoadAccepts(t *testing.T) {
	v, all := newValidator(t), ""
	for _, c := range rightSections {
		all += c.yaml
		t.Run(c.name, func(t *testing.T) {
			if _, err := loadBuiltin(t, c.yaml); err != nil {
				t.Error(err)
			}
			if err := v.check(c.yaml); err != nil {
				t.Error(err)
			}
		})
	}
	var schema any
	if err := json.Unmarshal(builtinSchema(t), &schema); err != nil {
		t.Fatal(err)
	}
	eachObject(schema, func(object map[string]any) {
		properties, _ := object["properties"].(map[string]any)
		for key := range properties {
			if !strings.Contains(all, key+":") && !strings.Contains(all, key+" ]") {
				t.Errorf("no section above uses the key %s", key)
			}
		}
	})
}

func TestTheSchemaRefusesMistakes(t *testing.T) {
	section := func(rest string) string { return "cosid:\n  namespace: shop\n" + rest }
	segment := func(keys string) string { return valid + "    order: { strategy: segment, " + keys + " }\n" }
	periodic := func(keys string) string {
		return valid + "    bill: { strategy: periodic-segment, " + keys + " }\n"
	}
	v := newValidator(t)
	for _, c := range []struct{ name, yaml string }{
		{"no namespace", "cosid:\n  stores: { db: { type: memory } }\n"},
		{"a namespace with a separator", "cosid:\n  namespace: shop/eu\n"},
		{"an empty namespace", "cosid:\n  namespace: \"\"\n"},
		{"a namespace that is a number", "cosid:\n  namespace: 7\n"},
		{"a section without a value", "cosid:\n"},
		{"a section that is a list", "cosid: [ shop ]\n"},
		{"a switch that is no truth value", "cosid:\n  enabled: no way\n  namespace: shop\n"},
		{"unknown key of the section", section("  genrators: {}\n")},
		{"unknown key of a section that is switched off", "cosid:\n  enabled: ${ON:true}\n  namspace: shop\n"},

		{"unknown store type", section("  stores: { db: { type: memroy } }\n")},
		{"missing store type", section("  stores: { db: {} }\n")},
		{"a store without a value", section("  stores: { db: }\n")},
		{"unknown key of a store", section("  stores: { db: { type: memory, timeuot: 1s } }\n")},
		{"unknown option of a store", section("  stores: { db: { type: gorm, options: { dsn: a.db, divrer: sqlite } } }\n")},
		{"an option of another type of store", section("  stores: { db: { type: memory, options: { dsn: a.db } } }\n")},
		{"unknown driver", section("  stores: { db: { type: gorm, options: { dsn: a.db, driver: oracle } } }\n")},
		{"a table prefix with a quote", section("  stores: { db: { type: gorm, options: { dsn: a.db, table-prefix: \"a'b\" } } }\n")},
		{"a text for a switch", section("  stores: { db: { type: gorm, options: { dsn: a.db, auto-migrate: \"true\" } } }\n")},
		{"no time for a call", section("  stores: { db: { type: memory, timeout: 0 } }\n")},
		{"no time for a call, with a unit", section("  stores: { db: { type: memory, timeout: 0s } }\n")},
		{"a store's name outside the grammar", section("  stores: { a/b: { type: memory } }\n")},

		{"unknown strategy", valid + "    order: { strategy: Segment }\n"},
		{"missing strategy", valid + "    order: { store: db }\n"},
		{"a list for a generator", valid + "    order: [ segment ]\n"},
		{"a generator's name outside the grammar", valid + "    order/eu: { strategy: segment }\n"},
		{"unknown key of a generator", segment("setp: 5")},
		{"a key of another strategy", segment("prewarm: 1m")},
		{"a duration without unit", segment("lookahead: 5")},
		{"a duration that is none", segment("lookahead: soon")},
		{"a duration in weeks", segment("lookahead: 1w")},
		{"a negative duration", segment("lookahead: -1s")},
		{"a negative step", segment("step: -1")},
		{"no step", segment("step: 0")},
		{"text for a number", segment("step: \"7\"")},
		{"a fraction", segment("step: 1.5")},
		{"a number past int64", segment("step: 9223372036854775808")},
		{"a number past its bound", segment("initial-offset: 9223372036854775807")},
		{"a key without a value", segment("step: ")},
		{"a store that is a number", segment("store: 5")},

		{"missing zone", periodic("period: YEAR")},
		{"a zone that is no name", periodic("period: YEAR, zone: \"+08:00\"")},
		{"an empty zone", periodic("period: YEAR, zone: \"\"")},
		{"missing period", periodic("zone: UTC")},
		{"unknown period", periodic("zone: UTC, period: DAILY")},

		{"an unknown codec part", segment("codec: [ { raddix: { radix: 62 } } ]")},
		{"two parts in one entry", segment("codec: [ { radix: { radix: 62 }, prefix: a } ]")},
		{"an empty codec", segment("codec: []")},
		{"a codec that is a map", segment("codec: { radix: { radix: 62 } }")},
		{"a codec that is a number", segment("codec: 5")},
		{"a radix too large", segment("codec: [ { radix: { radix: 63 } } ]")},
		{"a width of nothing", segment("codec: [ { radix: { radix: 36, width: 0 } } ]")},
		{"an alphabet with a space", segment("codec: [ { radix: { radix: 2, alphabet: \"a \" } } ]")},
		{"an unknown overflow", segment("codec: [ { radix: { radix: 2, width: 9, pad-start: true, overflow: wrap } } ]")},
		{"unknown setting of a part", segment("codec: [ { radix: { radix: 36, padd: true } } ]")},
		{"a setting of a part without any", segment("codec: [ { decimal: { width: 5 } } ]")},
		{"a text for a part's settings", segment("codec: [ { decimal: \"5\" } ]")},
		{"a prefix without a text", segment("codec: [ prefix: , decimal ]")},
		{"a prefix with an empty text", segment("codec: [ prefix: \"\", decimal ]")},
		{"a prefix that is a word alone", segment("codec: [ prefix, decimal ]")},
		{"a prefix with settings", segment("codec: [ { prefix: { text: a } }, decimal ]")},
		{"slots that are text", valid + "    trade: { strategy: snowflake }\n  slots: db\n"},
		{"an unknown key of the slots", valid + "    trade: { strategy: snowflake }\n  slots: { limt: 5 }\n"},
		{"no slots", valid + "    trade: { strategy: snowflake }\n  slots: { limit: 0 }\n"},
		{"too many slots", valid + "    trade: { strategy: snowflake }\n  slots: { limit: 1048577 }\n"},
		{"a lease of no time", valid + "    trade: { strategy: snowflake }\n  slots: { ttl: 0 }\n"},
		{"an owner with a space", valid + "    trade: { strategy: snowflake }\n  slots: { owner: \"a b\" }\n"},
		{"an unknown unit", valid + "    trade: { strategy: snowflake, unit: h }\n"},
		{"bits that are a number", valid + "    trade: { strategy: snowflake, bits: 10 }\n"},
		{"an unknown key of the bits", valid + "    trade: { strategy: snowflake, bits: { machine: 10 } }\n"},
		{"too many bits of slot", valid + "    trade: { strategy: snowflake, bits: { slot: 21 } }\n"},
		{"an unknown type of slot", valid + "    trade: { strategy: snowflake, slot: { type: zookeeper } }\n"},
		{"friendly without a zone", valid + "    trade: { strategy: snowflake, codec: [ friendly ] }\n"},
		{"a pattern that is none", valid + "    trade: { strategy: snowflake, codec: [ date-prefix: { zone: UTC, pattern: YYYY }, decimal ] }\n"},
		{"a codec named like a part", valid + "    order: { strategy: segment }\n  codecs: { radix: [ decimal ] }\n"},
		{"a codec without a value", valid + "    order: { strategy: segment }\n  codecs: { short: }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := loadBuiltin(t, c.yaml); err == nil {
				t.Error("it is no mistake: Load accepts it")
			}
			if v.check(c.yaml) == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestTheSchemaKnowsOneSpellingOfAKey(t *testing.T) {
	v := newValidator(t)
	for _, key := range []string{"initialOffset", "initial_offset", "INITIAL_OFFSET"} {
		text := valid + "    order: { strategy: segment, " + key + ": 5 }\n"
		if _, err := loadBuiltin(t, text); err != nil {
			t.Error(err)
		}
		if v.check(text) == nil {
			t.Errorf("%s was accepted", key)
		}
	}
}

func TestTheSchemaHasTheWordsThatLoadNames(t *testing.T) {
	v := newValidator(t)
	for _, c := range []struct{ key, yaml string }{
		{"type", "cosid:\n  namespace: shop\n  stores: { db: { type: %s, options: {} } }\n"},
		{"start", "cosid:\n  namespace: shop\n  stores: { db: { type: memory, start: %s } }\n"},
		{"driver", "cosid:\n  namespace: shop\n  stores: { db: { type: gorm, options: { dsn: a.db, driver: %s } } }\n"},
		{"unit", valid + "    trade: { strategy: snowflake, unit: %s }\n"},
		{"type", valid + "    trade: { strategy: snowflake, slot: { type: %s } }\n"},
		{"strategy", valid + "    bill: { strategy: %s, period: YEAR, zone: UTC }\n"},
		{"period", valid + "    bill: { strategy: periodic-segment, zone: UTC, period: %s }\n"},
		{"overflow", valid + "    order: { strategy: segment, codec: [ { radix: { overflow: %s } } ] }\n"},
	} {
		_, err := loadBuiltin(t, fmt.Sprintf(c.yaml, "nonsense"))
		report, ok := errors.AsType[*config.Error](err)
		if !ok {
			t.Errorf("%s: %v", c.key, err)
			continue
		}
		for word := range strings.SplitSeq(report.Problems[0].Accepted, ", ") {
			if err := v.check(fmt.Sprintf(c.yaml, word)); err != nil && strings.Contains(err.Error(), "/"+c.key+"'") {
				t.Errorf("%s: %s is accepted, says Load: %v", c.key, word, err)
			}
		}
	}
}

// Each key gets each value, whether it makes sense or not, and the two judges must agree.
func TestSchemaAndLoadAgreeOnEveryValue(t *testing.T) {
	values := []string{
		"", "''", "~", "true", "false", "'true'", "[]", "[1]", "{}", "{ a: 1 }", "a/b", "${X:5}", "${X:5}s", "$${X}s",
		"1e3", "-1", "0", "1", "2", "5", "62", "63", "64", "65", "100", "1.5", "'7'", "0x10", "1_000",
		"1099511627776", "1099511627777", "9223372036854775806", "9223372036854775807", "9223372036854775808",
		"0s", "-1s", "+1s", "1s", "500ms", "1m30s", "1h", "22h", "1d", "1.5d", ".5d", "1d12h", "1d-1h", "1h1d", "1w", "d", "s", ".s",
		"1.s", "1 s", "1us", "1µs", "1e3s", "'0'", "'+0'", "P", "PT", "PT1S", "PT0.5S", "PT1H", "PT1M1S", "P1D", "P1DT1H", "P1DT",
		"P1Y", "PT-1S", "p1d", "1S",
		"db", "memory", "gorm", "sqlite", "segment", "periodic-segment", "radix", "prefix", "decimal", "word", "[ decimal ]",
		"YEAR", "YEAR_MONTH", "YEAR_MONTH_DAY", "DAILY", "UTC", "Asia/Shanghai", "error", "grow", "01", "0123456789", "a.db", "shop",
		"2026-01-01", "timeout", "options", "lookahead", "stores", "eager", "lazy", "Lazy",
	}
	v := newValidator(t)
	for _, c := range []struct {
		key, yaml string
		depends   bool     // on what stands elsewhere: only Load can refuse more
		different []string // the values that the two do not agree on
	}{
		{"the section", "cosid: %s\n", false, nil},
		{"a key of the section", "cosid:\n  namespace: shop\n  ? %s\n  : {}\n", false, nil},
		{"a store's name", "cosid:\n  namespace: shop\n  stores:\n    ? %s\n    : { type: memory }\n", false, nil},
		{"a store", "cosid:\n  namespace: shop\n  stores: { db: %s }\n", false, nil},
		{"a key of a store", "cosid:\n  namespace: shop\n  stores: { db: { type: memory, ? %s : 1s } }\n", false, nil},
		{"a generator's name", valid + "    ? %s\n    : { strategy: segment }\n", false, nil},
		{"a generator", valid + "    order: %s\n", false, nil},
		{"a key of a generator", valid + "    order: { strategy: segment, ? %s : 10s }\n", false, nil},
		{"a codec's name", "cosid:\n  namespace: shop\n  codecs: { ? %s : [ decimal ] }\n", false, nil},
		{"a named codec", "cosid:\n  namespace: shop\n  codecs: { short: %s }\n", true, nil},
		{"enabled", "cosid:\n  namespace: shop\n  stores: { db: { type: memory } }\n  enabled: %s\n", false, nil},
		{"namespace", "cosid:\n  namespace: %s\n", false, nil},
		{"stores", "cosid:\n  namespace: shop\n  stores: %s\n", false, nil},
		{"generators", "cosid:\n  namespace: shop\n  generators: %s\n", false, nil},
		{"codecs", "cosid:\n  namespace: shop\n  codecs: %s\n", false, nil},
		{"type", "cosid:\n  namespace: shop\n  stores: { db: { type: %s } }\n", false, []string{"gorm"}},
		{"timeout", "cosid:\n  namespace: shop\n  stores: { db: { type: memory, timeout: %s } }\n", false, nil},
		{"start", "cosid:\n  namespace: shop\n  stores: { db: { type: memory, start: %s } }\n", false, nil},
		{"start-timeout", "cosid:\n  namespace: shop\n  stores: { db: { type: memory, start-timeout: %s } }\n", false, nil},
		{"options of memory", "cosid:\n  namespace: shop\n  stores: { db: { type: memory, options: %s } }\n", false, nil},
		{"strategy", valid + "    order: { strategy: %s }\n", false, nil},
		{"store", valid + "    order: { strategy: segment, store: %s }\n", true, nil},
		{"step", valid + "    order: { strategy: segment, step: %s }\n", false, nil},
		{"initial-offset", valid + "    order: { strategy: segment, initial-offset: %s }\n", false, nil},
		{"max-batch", valid + "    order: { strategy: segment, step: 1, max-batch: %s }\n", false, nil},
		{"lookahead", valid + "    order: { strategy: segment, lookahead: %s }\n", false, nil},
		{"reserve-timeout", valid + "    order: { strategy: segment, reserve-timeout: %s }\n", false, nil},
		{"range-ttl", valid + "    order: { strategy: segment, range-ttl: %s }\n", false, nil},
		{"codec", valid + "    order: { strategy: segment, codec: %s }\n", true, nil},
		{"part", valid + "    order: { strategy: segment, codec: [ %s ] }\n", true, nil},
		{"part with settings", valid + "    order: { strategy: segment, codec: [ %s: {} ] }\n", false, nil},
		{"period", valid + "    bill: { strategy: periodic-segment, zone: UTC, period: %s }\n", false, nil},
		{"zone", valid + "    bill: { strategy: periodic-segment, period: YEAR, zone: %s }\n", true, nil},
		{"prewarm", valid + "    bill: { strategy: periodic-segment, period: YEAR, zone: UTC, prewarm: %s }\n", false, []string{"1d", "1.5d", "1d12h", "P1D", "P1DT1H"}},
		{"seal-after", valid + "    bill: { strategy: periodic-segment, period: YEAR, zone: UTC, seal-after: %s }\n", false, nil},
		{"radix", valid + "    order: { strategy: segment, codec: [ { radix: { radix: %s } } ] }\n", false, nil},
		{"width", valid + "    order: { strategy: segment, codec: [ { radix: { width: %s } } ] }\n", false, nil},
		{"pad-start", valid + "    order: { strategy: segment, codec: [ { radix: { width: 13, pad-start: %s } } ] }\n", false, nil},
		{"overflow", valid + "    order: { strategy: segment, codec: [ { radix: { width: 13, pad-start: true, overflow: %s } } ] }\n", false, []string{"''"}},
		{"alphabet", valid + "    order: { strategy: segment, codec: [ { radix: { radix: 2, alphabet: %s } } ] }\n", true, []string{"''"}},
		{"prefix", valid + "    order: { strategy: segment, codec: [ prefix: %s, decimal ] }\n", false, nil},
		{"decimal", valid + "    order: { strategy: segment, codec: [ decimal: %s ] }\n", false, nil},
		{"slots", valid + "    trade: { strategy: snowflake }\n  slots: %s\n", false, nil},
		{"store of the slots", valid + "    trade: { strategy: snowflake }\n  slots: { store: %s }\n", true, nil},
		{"limit", valid + "    trade: { strategy: snowflake, bits: { slot: 20, sequence: 2 } }\n  slots: { limit: %s }\n", false, nil},
		{"ttl", valid + "    trade: { strategy: snowflake, max-ahead: 0 }\n  slots: { ttl: %s }\n", true, nil},
		{"tolerance", valid + "    trade: { strategy: snowflake }\n  slots: { tolerance: %s }\n", true, nil},
		{"owner", valid + "    trade: { strategy: snowflake }\n  slots: { owner: %s }\n", false, nil},
		{"unit", valid + "    trade: { strategy: snowflake, unit: %s }\n", false, nil},
		{"epoch", valid + "    trade: { strategy: snowflake, epoch: %s }\n", true, nil},
		{"bits", valid + "    trade: { strategy: snowflake, bits: %s }\n", false, nil},
		{"timestamp", valid + "    trade: { strategy: snowflake, bits: { timestamp: %s, slot: 0, sequence: 0 } }\n", true, nil},
		{"slot bits", valid + "    trade: { strategy: snowflake, bits: { slot: %s, sequence: 2 } }\n", false, nil},
		{"sequence", valid + "    trade: { strategy: snowflake, bits: { slot: 0, sequence: %s } }\n", true, nil},
		{"safe-js", valid + "    trade: { strategy: snowflake, safe-js: %s }\n", false, nil},
		{"max-ahead", valid + "    trade: { strategy: snowflake, max-ahead: %s }\n", true, nil},
		{"slot", valid + "    trade: { strategy: snowflake, slot: %s }\n", false, nil},
		{"id", valid + "    trade: { strategy: snowflake, slot: { type: manual, id: %s } }\n", true, nil},
		{"radix of a wide snowflake", valid + "    trace: { strategy: wide-snowflake, radix: %s }\n", true, nil},
		{"friendly", valid + "    trade: { strategy: snowflake, codec: [ friendly: %s ] }\n", false, nil},
		{"zone of friendly", valid + "    trade: { strategy: snowflake, codec: [ friendly: { zone: %s } ] }\n", true, nil},
		{"zone of date-prefix", valid + "    trade: { strategy: snowflake, codec: [ date-prefix: { zone: %s }, decimal ] }\n", true, nil},
		{"pattern", valid + "    trade: { strategy: snowflake, codec: [ date-prefix: { zone: UTC, pattern: %s }, decimal ] }\n", true, nil},
		{"driver", "cosid:\n  namespace: shop\n  stores: { db: { type: gorm, options: { dsn: a.db, driver: %s } } }\n", false, []string{"''"}},
		{"dsn", "cosid:\n  namespace: shop\n  stores: { db: { type: gorm, options: { dsn: %s } } }\n", false, []string{"''"}},
		{"table-prefix", "cosid:\n  namespace: shop\n  stores: { db: { type: gorm, options: { dsn: a.db, table-prefix: %s } } }\n", false, nil},
		{"auto-migrate", "cosid:\n  namespace: shop\n  stores: { db: { type: gorm, options: { dsn: a.db, auto-migrate: %s } } }\n", false, nil},
	} {
		t.Run(c.key, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, value := range values {
				text := fmt.Sprintf(c.yaml, value)
				if err := os.WriteFile(filepath.Join(dir, "cosid.yaml"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				_, loadErr := config.Load(builtin(dir))
				schemaErr := v.check(text)
				switch {
				case (loadErr == nil) == (schemaErr == nil), slices.Contains(c.different, value):
				case loadErr == nil:
					t.Errorf("%q: only the schema refuses it: %v", value, schemaErr)
				case !c.depends && !hidden(value):
					t.Errorf("%q: only Load refuses it: %v", value, loadErr)
				}
			}
		})
	}
}

// hidden tells whether a value says something else to a reader of plain YAML than it says to Load: a placeholder, a
// number that begins with 0, or one with an exponent, which is a whole number in JSON.
func hidden(value string) bool {
	return strings.Contains(value, "${") || value == "1e3" ||
		len(value) > 1 && value[0] == '0' && '0' <= value[1] && value[1] <= '9'
}
