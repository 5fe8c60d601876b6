package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/runtime"
)

const twoStores = `cosid:
  namespace: shop
  stores: { db: { type: memory }, other: { type: memory } }
  generators:
`

func TestEveryMistakeOfSlotsNamesItsPlaceAndWhatIsAccepted(t *testing.T) {
	const trade = valid + "    trade: { strategy: snowflake }\n"
	for _, c := range []struct{ name, yaml, report string }{
		{
			"an unknown key of the slots", trade + "  slots: { limt: 5 }\n",
			`cosid.yaml:6:12: cosid.slots.limt: no such key; accepted: limit, owner, store, tolerance, ttl; did you mean "limit"?`,
		},
		{
			"slots that are no map", trade + "  slots: db\n",
			`cosid.yaml:6:3: cosid.slots: "db" is not a map; accepted: a map of keys`,
		},
		{
			"a limit of nothing", trade + "  slots: { limit: 0 }\n",
			`cosid.yaml:6:12: cosid.slots.limit: 0 is out of bounds; accepted: 1 to 1048576`,
		},
		{
			"a ttl without unit", trade + "  slots: { ttl: 30 }\n",
			`cosid.yaml:6:12: cosid.slots.ttl: 30 has no unit: write 30s or 30ms; accepted: a number with a unit, such as 500ms, 1m30s, 1d or PT1S`,
		},
		{
			"a ttl of more than a day", trade + "  slots: { ttl: 2d }\n",
			`cosid.yaml:6:12: cosid.slots.ttl: 48h0m0s is out of bounds; accepted: 1ms to 24h in whole milliseconds, such as 30s`,
		},
		{
			"a ttl finer than a millisecond", trade + "  slots: { ttl: 1500us }\n",
			`cosid.yaml:6:12: cosid.slots.ttl: 1.5ms is out of bounds; accepted: 1ms to 24h in whole milliseconds, such as 30s`,
		},
		{
			"a negative tolerance", trade + "  slots: { tolerance: -1s }\n",
			`cosid.yaml:6:12: cosid.slots.tolerance: -1s is out of bounds; accepted: 0 to 365d in whole milliseconds, such as 1h`,
		},
		{
			"an owner with a separator", trade + "  slots: { owner: a|b }\n",
			`cosid.yaml:6:12: cosid.slots.owner: "a|b" is not an owner; accepted: [A-Za-z0-9][A-Za-z0-9._:@-]{0,254}`,
		},
		{
			"an unknown store of the slots", trade + "  slots: { store: bd }\n",
			`cosid.yaml:6:12: cosid.slots.store: no store named "bd"; accepted: db; did you mean "db"?`,
		},
		{
			"an empty store of the slots", trade + "  slots: { store: \"\" }\n",
			`cosid.yaml:6:12: cosid.slots.store: the store's name is empty; accepted: db`,
		},
		{
			"no store named with two declared", twoStores + "    trade: { strategy: snowflake }\n",
			`cosid.yaml:5:5: cosid.generators.trade.store: the store must be named, because several are declared; accepted: db, other`,
		},
		{
			"the slots' store does not serve other strategies",
			twoStores + "    trade: { strategy: snowflake }\n    order: { strategy: segment }\n  slots: { store: db }\n",
			`cosid.yaml:6:5: cosid.generators.order.store: the store must be named, because several are declared; accepted: db, other`,
		},
		{
			"a store of a slot that is not leased", valid + "    trade: { strategy: snowflake, store: db, slot: { type: manual, id: 7 } }\n",
			`cosid.yaml:5:35: cosid.generators.trade.store: the generator's slot is not leased, so that it uses no store; accepted: no store`,
		},
		{
			"a limit beyond the slot bits",
			valid + "    trade:\n      strategy: snowflake\n      bits: { timestamp: 41, slot: 4 }\n  slots: { limit: 17 }\n",
			`cosid.yaml:7:30: cosid.generators.trade.bits.slot: 4 slot bits hold 16 slots, and cosid.slots.limit is 17; accepted: more slot bits, or a limit of at most 16`,
		},
		{
			"a limit beyond the slot bits that nothing set", trade + "  slots: { limit: 1025 }\n",
			`cosid.yaml:5:5: cosid.generators.trade.bits.slot: 10 slot bits hold 1024 slots, and cosid.slots.limit is 1025; accepted: more slot bits, or a limit of at most 1024`,
		},
		{
			"two generators with different slot bits",
			trade + "    event: { strategy: snowflake, bits: { slot: 8 } }\n",
			`cosid.yaml:6:43: cosid.generators.event.bits.slot: 8 slot bits hold 256 slots, and those of generator "trade" hold 1024: they share one lease, and so one limit; accepted: the same slot bits in all generators, or cosid.slots.limit: 256`,
		},
		{
			"a manual slot beyond its bits",
			valid + "    trade: { strategy: snowflake, bits: { slot: 3 }, slot: { type: manual, id: 8 } }\n",
			`cosid.yaml:5:76: cosid.generators.trade.slot.id: 8 does not fit the slot's bits; accepted: 0 to 7, or more bits.slot`,
		},
		{
			"a manual slot without an id", valid + "    trade: { strategy: snowflake, slot: { type: manual } }\n",
			`cosid.yaml:5:35: cosid.generators.trade.slot.id: a slot of type manual needs an id; accepted: 0 to 1023`,
		},
		{
			"bits that are no number", valid + "    trade: { strategy: snowflake, bits: { slot: ten } }\n",
			`cosid.yaml:5:43: cosid.generators.trade.bits.slot: "ten" is not a whole number; accepted: a whole number`,
		},
		{
			"of bits that are no number their sum is not judged", valid + "    trade: { strategy: snowflake, bits: { timestamp: 60, slot: ten } }\n",
			`cosid.yaml:5:58: cosid.generators.trade.bits.slot: "ten" is not a whole number; accepted: a whole number`,
		},
		{
			"bits without a value", valid + "    trade: { strategy: snowflake, bits: }\n",
			`cosid.yaml:5:35: cosid.generators.trade.bits: the key has no value; accepted: a value, or no key at all`,
		},
		{
			"an unknown key of the bits", valid + "    trade: { strategy: snowflake, bits: { slots: 9 } }\n",
			`cosid.yaml:5:43: cosid.generators.trade.bits.slots: no such key; accepted: sequence, slot, timestamp; did you mean "slot"?`,
		},
		{
			"more bits than an id has", valid + "    trade: { strategy: snowflake, bits: { slot: 11 } }\n",
			`cosid.yaml:5:35: cosid.generators.trade.bits: 41 + 11 + 12 are 64 bits; accepted: at most 63 in all`,
		},
		{
			"more bits than JavaScript has", valid + "    trade: { strategy: snowflake, safe-js: true, bits: { slot: 10 } }\n",
			`cosid.yaml:5:50: cosid.generators.trade.bits: 41 + 10 + 9 are 60 bits; accepted: at most 53 in all with safe-js: true`,
		},
		{
			"an epoch in seconds", valid + "    trade: { strategy: snowflake, epoch: 1577203200 }\n",
			`cosid.yaml:5:35: cosid.generators.trade.epoch: 1577203200 milliseconds lie in 1970; were seconds meant? Write 1577203200000; accepted: a time such as 2019-12-24T16:00:00Z, or milliseconds since 1970`,
		},
		{
			"an epoch that is a date", valid + "    trade: { strategy: snowflake, epoch: 2019-12-24 }\n",
			`cosid.yaml:5:35: cosid.generators.trade.epoch: "2019-12-24" is not a time; accepted: a time such as 2019-12-24T16:00:00Z, or milliseconds since 1970`,
		},
		{
			"an epoch in the future", valid + "    trade: { strategy: snowflake, epoch: 2999-01-01T00:00:00Z }\n",
			`cosid.yaml:5:35: cosid.generators.trade.epoch: 2999-01-01T00:00:00Z lies in the future; accepted: a time in the past`,
		},
		{
			"timestamp bits that are used up",
			valid + "    trade: { strategy: snowflake, epoch: 1970-01-01T00:00:00Z, bits: { timestamp: 40 } }\n",
			`cosid.yaml:5:72: cosid.generators.trade.bits.timestamp: 40 bits since 1970-01-01T00:00:00Z ended at 2004-11-03 19:53:47.776 +0000 UTC; accepted: more bits, or a later epoch, for ids of a new kind`,
		},
		{
			"friendly of a segment", valid + "    order: { strategy: segment, codec: [ friendly: { zone: UTC } ] }\n",
			`cosid.yaml:5:42: cosid.generators.order.codec[0].friendly: writes the time that an id holds, as one of strategy snowflake does, and these ids hold none; accepted: parts for ids without one`,
		},
		{
			"friendly without a zone", valid + "    trade: { strategy: snowflake, codec: [ friendly ] }\n",
			`cosid.yaml:5:44: cosid.generators.trade.codec[0].zone: a time zone is required; accepted: an IANA name such as Asia/Shanghai, or UTC`,
		},
		{
			"friendly in a zone with summer time", valid + "    trade: { strategy: snowflake, codec: [ friendly: { zone: Europe/Berlin } ] }\n",
			`cosid.yaml:5:44: cosid.generators.trade.codec[0].friendly: the clocks of Europe/Berlin are set back on 2020-10-25: local times would stand for two ids; accepted: a zone without summer time, such as UTC or Asia/Shanghai`,
		},
		{
			"friendly beside a number", valid + "    trade: { strategy: snowflake, codec: [ friendly: { zone: UTC }, decimal ] }\n",
			`cosid.yaml:5:69: cosid.generators.trade.codec[1]: writes the number a second time, after list[0]; accepted: exactly one number part`,
		},
		{
			"a date-prefix without a zone", valid + "    trade: { strategy: snowflake, codec: [ date-prefix: {}, decimal ] }\n",
			`cosid.yaml:5:44: cosid.generators.trade.codec[0].date-prefix: writes a period, and these ids have none; accepted: date-prefix with a zone, such as { zone: Asia/Shanghai }, which writes the id's own date`,
		},
		{
			"a date-prefix with a zone for bills",
			valid + "    bill: { strategy: periodic-segment, zone: UTC, period: YEAR, codec: [ date-prefix: { zone: UTC }, decimal ] }\n",
			`cosid.yaml:5:75: cosid.generators.bill.codec[0].date-prefix: writes the time that an id holds, as one of strategy snowflake does, and these ids hold none; accepted: date-prefix without zone and pattern, or a period part: they write the id's period`,
		},
		{
			"a pattern that is none", valid + "    trade: { strategy: snowflake, codec: [ date-prefix: { zone: UTC, pattern: YYYY }, decimal ] }\n",
			`cosid.yaml:5:70: cosid.generators.trade.codec[0].date-prefix.pattern: "YYYY" in "YYYY" is no field of a date; accepted: yyyy, yy, MM, dd, HH, mm, ss and SSS, such as yyyyMMdd or yy/MM/dd`,
		},
		{
			"a named codec in a zone with summer time",
			trade + "  codecs: { time: [ friendly: { zone: Europe/Berlin } ] }\n",
			`cosid.yaml:6:21: cosid.codecs.time[0].friendly: the clocks of Europe/Berlin are set back on 2100-10-31: local times would stand for two ids; accepted: a zone without summer time, such as UTC or Asia/Shanghai`,
		},
		{
			"a codec of texts", valid + "    trace: { strategy: wide-snowflake, codec: decimal }\n",
			`cosid.yaml:5:40: cosid.generators.trace.codec: the strategy "wide-snowflake" makes texts, which no codec writes; accepted: no codec`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.yaml)
			report, ok := errors.AsType[*config.Error](err)
			if !ok {
				t.Fatalf("Load: %v, want a report", err)
			}
			got := make([]string, len(report.Problems))
			for i, p := range report.Problems {
				got[i] = p.String()
			}
			if all := strings.Join(got, "\n"); all != c.report {
				t.Errorf("got\n%s\nwant\n%s", all, c.report)
			}
		})
	}
}

func TestASnowflakeFindsItsStore(t *testing.T) {
	for _, c := range []struct{ name, yaml, store, from string }{
		{"its own", twoStores + "    trade: { strategy: snowflake, store: other }\n  slots: { store: db }\n", "other", "cosid.yaml:5:35"},
		{"that of the slots", twoStores + "    trade: { strategy: snowflake }\n  slots: { store: other }\n", "other", "cosid.slots.store"},
		{"the only one", valid + "    trade: { strategy: snowflake }\n", "db", "the only store there is"},
		{"that of the slots, for texts", twoStores + "    trade: { strategy: wide-snowflake }\n  slots: { store: other }\n", "other", "cosid.slots.store"},
		{"the embedded one", "cosid:\n  namespace: shop\n  generators:\n    trade: { strategy: snowflake }\n", "embedded", "the only store there is"},
		{"none for a slot that is not leased", twoStores + "    trade: { strategy: snowflake, slot: { type: manual, id: 7 } }\n  slots: { store: other }\n", "", ""},
	} {
		cfg := mustLoad(t, c.yaml)
		if got := generator(t, cfg, "trade").Store; got != c.store {
			t.Errorf("%s: store %q, want %q", c.name, got, c.store)
		}
		if _, from := settingOf(cfg, "cosid.generators.trade.store"); from != c.from {
			t.Errorf("%s: from %q, want %q", c.name, from, c.from)
		}
	}
}

// settingOf finds what the report says of a path, "" for nothing.
func settingOf(cfg *config.Config, path string) (value, from string) {
	for _, s := range cfg.Settings {
		if s.Path == path {
			return s.Value, s.From
		}
	}
	return "", ""
}

func TestSlotsThatAreNotLeasedNeedNoStore(t *testing.T) {
	const head = "cosid:\n  namespace: shop\n  generators:\n"
	for name, c := range map[string]struct {
		yaml   string
		stores int
	}{
		"manual":         {"    trade: { strategy: snowflake, slot: { type: manual, id: 7 } }\n", 0},
		"ordinal":        {"    trade: { strategy: snowflake, slot: { type: stateful-set } }\n", 0},
		"texts":          {"    trade: { strategy: wide-snowflake, slot: { type: stateful-set } }\n", 0},
		"one is leased":  {"    a: { strategy: snowflake, slot: { type: manual, id: 7 } }\n    trade: { strategy: snowflake }\n", 1},
		"beside others":  {"    trade: { strategy: snowflake, slot: { type: manual, id: 7 } }\n    b: { strategy: segment }\n", 1},
		"with a codec":   {"    trade: { strategy: snowflake, slot: { type: manual, id: 7 }, codec: a }\n  codecs: { a: [ decimal ] }\n", 0},
		"from variables": {"    trade: { strategy: snowflake }\n", 0},
	} {
		var environ []string
		if name == "from variables" {
			environ = []string{"COSID_GENERATORS_TRADE_SLOT_TYPE=manual", "COSID_GENERATORS_TRADE_SLOT_ID=7"}
		}
		cfg := mustLoad(t, head+c.yaml, environ...)
		if len(cfg.Stores) != c.stores || len(cfg.Warnings) != c.stores {
			t.Errorf("%s: stores %v, warnings %q; want %d", name, cfg.Stores, cfg.Warnings, c.stores)
		}
	}
	o := options(write(t, "cosid.yaml", head+"    trade: { strategy: snowflake, slot: { type: manual, id: 7 } }\n"))
	o.Embedded = nil
	cfg, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if want := (generators.Slots{TTL: 30 * time.Second, Tolerance: time.Hour}); cfg.Slots != want {
		t.Errorf("slots %+v, want %+v", cfg.Slots, want)
	}
}

func TestSlotsHaveTheirDefaults(t *testing.T) {
	for _, c := range []struct {
		name, yaml  string
		limit       int64
		from, owner string
	}{
		{"ten bits", "    trade: { strategy: snowflake }\n", 1024, "default", "shop-3"},
		{"wide", "    trade: { strategy: wide-snowflake }\n", 1024, "default", "shop-3"},
		{"both", "    a: { strategy: snowflake }\n    trade: { strategy: wide-snowflake }\n", 1024, "default", "shop-3"},
		{"few bits", "    trade: { strategy: snowflake, bits: { slot: 5 } }\n", 32, "the 5 slot bits of trade", "shop-3"},
		{"no bits", "    trade: { strategy: snowflake, bits: { slot: 0 } }\n", 1, "the 0 slot bits of trade", "shop-3"},
		{"safe for JavaScript", "    trade: { strategy: snowflake, safe-js: true }\n", 8, "the 3 slot bits of trade", "shop-3"},
		{"written", "    trade: { strategy: snowflake, bits: { slot: 5 } }\n  slots: { limit: 9, owner: me }\n", 9, "cosid.yaml:6:12", "me"},
	} {
		cfg := mustLoad(t, valid+c.yaml)
		want := generators.Slots{Limit: c.limit, TTL: 30 * time.Second, Tolerance: time.Hour, Owner: c.owner}
		if cfg.Slots != want {
			t.Errorf("%s: slots %+v, want %+v", c.name, cfg.Slots, want)
		}
		if _, from := settingOf(cfg, "cosid.slots.limit"); from != c.from {
			t.Errorf("%s: the limit is from %q, want %q", c.name, from, c.from)
		}
	}
	if cfg := mustLoad(t, order); cfg.Slots != (generators.Slots{}) || len(cfg.Warnings) > 0 {
		t.Errorf("nothing needs a slot: %+v, %q", cfg.Slots, cfg.Warnings)
	}
	cfg := mustLoad(t, order+"  slots: { ttl: 5s }\n")
	if len(cfg.Warnings) != 1 || !strings.Contains(cfg.Warnings[0], "cosid.slots is used by no generator") {
		t.Errorf("slots that nothing uses: warnings %q", cfg.Warnings)
	}
}

func TestTheHostNameIsMadeAnOwner(t *testing.T) {
	for host, want := range map[string]string{
		"shop-3":                 "shop-3",
		"web.example.com":        "web.example.com",
		"Bob's MacBook":          "Bob-s-MacBook",
		"-a_b":                   "a_b",
		"büro":                   "b-ro",
		strings.Repeat("x", 300): strings.Repeat("x", 255),
		"a|b\x00c":               "a-b-c",
		"10.0.0.1":               "10.0.0.1",
		"结点-7":                   "7",
		"结点":                     "",
		"...":                    "",
	} {
		o := options(write(t, "cosid.yaml", valid+"    trade: { strategy: snowflake }\n"))
		o.Hostname = host
		cfg, err := config.Load(o)
		if want == "" {
			const report = `cosid.yaml:1:1: cosid.slots.owner: the host name, which is the default, is "` // and so on
			if err == nil || !strings.Contains(err.Error(), report) || !strings.Contains(err.Error(), "accepted: an owner") {
				t.Errorf("%q: %v", host, err)
			}
			continue
		}
		if err != nil || cfg.Slots.Owner != want {
			t.Errorf("%q: %v, %v; want %q", host, cfg, err, want)
		}
	}
	// A name that is written needs no host.
	o := options(write(t, "cosid.yaml", valid+"    trade: { strategy: snowflake }\n  slots: { owner: me }\n"))
	o.Hostname = "结点"
	if cfg, err := config.Load(o); err != nil || cfg.Slots.Owner != "me" {
		t.Errorf("%v, %v", cfg, err)
	}
}

func TestVariablesReachKeysWithinKeys(t *testing.T) {
	const yaml = valid + "    trade: { strategy: snowflake }\n"
	want := comparable(mustLoad(t, strings.Replace(yaml, "snowflake", "snowflake, unit: s, epoch: 2024-01-01T00:00:00Z, "+
		"safe-js: true, max-ahead: 2s, bits: { timestamp: 31, slot: 6, sequence: 16 }", 1)+
		"  slots: { limit: 16, ttl: 10s, tolerance: 1m, owner: me, store: db }\n"))
	got := mustLoad(t, yaml,
		"COSID_GENERATORS_TRADE_UNIT=s", "COSID_GENERATORS_TRADE_EPOCH=1704067200000", "COSID_GENERATORS_TRADE_SAFE_JS=true",
		"COSID_GENERATORS_TRADE_MAX_AHEAD=PT2S", "COSID_GENERATORS_TRADE_BITS_TIMESTAMP=31",
		"COSID_GENERATORS_TRADE_BITS_SLOT=6", "COSID_GENERATORS_TRADE_BITS_SEQUENCE=16",
		"COSID_SLOTS_LIMIT=16", "COSID_SLOTS_TTL=10s", "COSID_SLOTS_TOLERANCE=1m", "COSID_SLOTS_OWNER=me", "COSID_SLOTS_STORE=db",
	)
	if comparable(got) != want {
		t.Errorf("from the environment\n%s\nfrom a file\n%s", comparable(got), want)
	}
	o := options(t.TempDir())
	o.Values = map[string]any{
		"namespace": "shop", "stores": map[string]any{"db": map[string]any{"type": "memory"}},
		"slots": map[string]any{"limit": 16, "ttl": 10 * time.Second, "tolerance": "1m", "owner": "me", "store": "db"},
		"generators": map[string]any{"trade": map[string]any{
			"strategy": "snowflake", "unit": "s", "epoch": time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "safeJs": true,
			"maxAhead": 2 * time.Second, "bits": map[string]int{"timestamp": 31, "slot": 6, "sequence": 16},
		}},
	}
	fromCode, err := config.Load(o)
	if err != nil || comparable(fromCode) != want {
		t.Errorf("from code: %v\n%s\nfrom a file\n%s", err, comparable(fromCode), want)
	}
	_, err = load(t, yaml, "COSID_SLOTS_LIMT=16")
	if err == nil || !strings.Contains(err.Error(), `did you mean "COSID_SLOTS_LIMIT"?`) {
		t.Errorf("a variable of no key: %v", err)
	}
	_, err = load(t, yaml, "COSID_GENERATORS_TRADE_BITS_SLOT=many")
	if err == nil || !strings.Contains(err.Error(), `environment variable COSID_GENERATORS_TRADE_BITS_SLOT: cosid.generators.trade.bits.slot: "many"`) {
		t.Errorf("a variable that is no number: %v", err)
	}
}

func TestTheReportHasEveryBitAndEverySlotSetting(t *testing.T) {
	cfg := mustLoad(t, valid+"    trade: { strategy: snowflake, bits: { slot: 9 }, slot: { type: lease } }\n  slots: { ttl: 10s }\n")
	for path, want := range map[string][2]string{
		"cosid.generators.trade.bits.timestamp": {"41", "default"},
		"cosid.generators.trade.bits.slot":      {"9", "cosid.yaml:5:43"},
		"cosid.generators.trade.bits.sequence":  {"12", "default"},
		"cosid.generators.trade.slot.type":      {"lease", "cosid.yaml:5:62"},
		"cosid.generators.trade.epoch":          {"2019-12-24T16:00:00Z", "default"},
		"cosid.slots.ttl":                       {"10s", "cosid.yaml:6:12"},
		"cosid.slots.tolerance":                 {"1h0m0s", "default"},
		"cosid.slots.limit":                     {"512", "the 9 slot bits of trade"},
		"cosid.slots.owner":                     {"shop-3", "the host name"},
	} {
		if value, from := settingOf(cfg, path); value != want[0] || from != want[1] {
			t.Errorf("%s is %q from %q, want %q", path, value, from, want)
		}
	}
	entries := map[string]int{}
	for i, s := range cfg.Settings {
		entries[s.Path]++
		if entries[s.Path] > 1 {
			t.Errorf("%s stands there twice", s.Path)
		}
		if strings.HasPrefix(s.Path, "cosid.slots.") && s.Entry != "cosid.slots" {
			t.Errorf("setting %d, %s, belongs to %s", i, s.Path, s.Entry)
		}
	}
}

// Mistakes that only building shows are told at their keys too, also at keys within keys.
func TestMistakesOfBuildingNameKeysWithinKeys(t *testing.T) {
	const event = valid + "    event: { strategy: snowflake }\n    trade:\n      strategy: snowflake\n"
	for _, c := range []struct{ name, trade, want string }{
		{
			"written", "      bits:\n        slot: 11\n        sequence: 11\n",
			`cosid.yaml:9:9: cosid.generators.trade.bits.slot: 11 bits of slot differ from the 10 of generator "event"`,
		},
		{
			"written around it", "      safe-js: true\n      bits: { sequence: 8 }\n  slots: { limit: 8 }\n",
			`cosid.yaml:9:7: cosid.generators.trade.bits.slot: 3 bits of slot differ from the 10 of generator "event"`,
		},
		{
			"not written", "      safe-js: true\n  slots: { limit: 8 }\n",
			`cosid.yaml:6:5: cosid.generators.trade.bits.slot: 3 bits of slot differ from the 10 of generator "event"`,
		},
	} {
		_, err := runtime.New(mustLoad(t, event+c.trade), runtime.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestCodecsOfSnowflakesKnowTheLayout(t *testing.T) {
	cfg := mustLoad(t, valid+`    trade: { strategy: snowflake, codec: [ friendly: { zone: Asia/Shanghai } ] }
    event: { strategy: snowflake, unit: s, bits: { slot: 10 }, codec: [ date-prefix: { zone: UTC, delimiter: "-" }, short ] }
    plain: { strategy: snowflake }
  codecs:
    short: [ { radix: { radix: 62, width: 11, pad-start: true } } ]
    time: [ prefix: T, friendly: { zone: UTC } ]
`)
	for name, want := range map[string]string{
		"trade": "20220320133617924-5-0", "event": "20220301-0LrHucXALbs", "plain": "028XOQD7HM874",
	} {
		g := generator(t, cfg, name)
		text, err := g.Codec.Encode(295913926632165376)
		if err != nil || text != want || g.Layout == nil {
			t.Errorf("%s writes %q, %v; want %q", name, text, err, want)
		}
	}
	i := slices.IndexFunc(cfg.Codecs, func(c config.Codec) bool { return c.Name == "time" })
	made, err := generator(t, cfg, "trade").WithParts(cfg.Codecs[i].Parts)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := made.Codec.Encode(0); err != nil || text != "T20191224160000000-0-0" {
		t.Errorf("with another codec trade writes %q, %v", text, err)
	}
	if _, err := generator(t, mustLoad(t, order), "order").WithParts(cfg.Codecs[i].Parts); err == nil {
		t.Error("a segment generator takes a friendly codec")
	} else if mistake, ok := errors.AsType[*codecs.ListError](err); !ok || mistake.Index != 1 {
		t.Errorf("got %v", err)
	}
}
