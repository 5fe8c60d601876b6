package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/runtime"
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
			`cosid.yaml:5:14: cosid.generators.order.strategy: no strategy named "Segment"; accepted: periodic-segment, segment, snowflake, wide-snowflake; did you mean "segment"?`,
		},
		{
			"missing strategy",
			valid + "    order: { store: db }\n",
			`cosid.yaml:5:5: cosid.generators.order.strategy: the strategy is missing; accepted: periodic-segment, segment, snowflake, wide-snowflake`,
		},
		{
			"unknown key of a generator",
			valid + "    order: { strategy: segment, setp: 5 }\n",
			`cosid.yaml:5:33: cosid.generators.order.setp: no such key; accepted: codec, initial-offset, lookahead, max-batch, range-ttl, reserve-timeout, step, store, strategy; did you mean "step"?`,
		},
		{
			"unknown key of the section",
			valid + "    order: { strategy: segment }\n  genrators: {}\n",
			`cosid.yaml:6:3: cosid.genrators: no such key; accepted: codecs, enabled, generators, namespace, slots, stores; did you mean "generators"?`,
		},
		{
			"unknown key of a store",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memory, timeuot: 1s }\n",
			`cosid.yaml:4:25: cosid.stores.db.timeuot: no such key; accepted: options, start, start-timeout, timeout, type; did you mean "timeout"?`,
		},
		{
			"unknown option of a store",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: a.db, divrer: sqlite } }\n",
			`cosid.yaml:4:45: cosid.stores.db.options.divrer: no such key; accepted: auto-migrate, conn-max-lifetime, driver, dsn, max-open-conns, table-prefix; did you mean "driver"?`,
		},
		{
			"unknown driver",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: a.db, driver: oracle } }\n",
			`cosid.yaml:4:45: cosid.stores.db.options.driver: "oracle" is not a known driver; accepted: sqlite, postgres, mysql`,
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
			`cosid.yaml:5:44: cosid.generators.order.codec[0].raddix: no codec part or codec named "raddix"; accepted: date-prefix, decimal, friendly, period, prefix, radix, suffix; did you mean "radix"?`,
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
			"settings of a named codec",
			valid + "    order: { strategy: segment, codec: [ short: {} ] }\n  codecs: { short: [ decimal ] }\n",
			"cosid.yaml:5:42: cosid.generators.order.codec[0].short: the codec \"short\" takes no settings; accepted: the name alone: short",
		},
		{
			"a codec without a value",
			valid + "    order: { strategy: segment, codec: }\n",
			"cosid.yaml:5:33: cosid.generators.order.codec: the key has no value; accepted: a value, or no key at all",
		},
		{
			"a negative step",
			valid + "    order: { strategy: segment, step: -1 }\n",
			`cosid.yaml:5:33: cosid.generators.order.step: -1 is out of bounds; accepted: 1 to 2^40`,
		},
		{
			"a negative offset",
			valid + "    order: { strategy: segment, initial-offset: -1 }\n",
			`cosid.yaml:5:33: cosid.generators.order.initial-offset: -1 is out of bounds; accepted: 0 to 2^63-2`,
		},
		{
			"a batch smaller than a step",
			valid + "    order: { strategy: segment, step: 100, max-batch: 10 }\n",
			`cosid.yaml:5:44: cosid.generators.order.max-batch: 10 is less than step 100; accepted: a multiple of step, or left out`,
		},
		{
			"no time to wait",
			valid + "    order: { strategy: segment, reserve-timeout: 0 }\n",
			`cosid.yaml:5:33: cosid.generators.order.reserve-timeout: 0s is out of bounds; accepted: a duration such as 3s`,
		},
		{
			"a negative lookahead",
			valid + "    order: { strategy: segment, lookahead: -1s }\n",
			`cosid.yaml:5:33: cosid.generators.order.lookahead: -1s is out of bounds; accepted: a duration such as 1s, or 0 for no prefetch`,
		},
		{
			"a missing zone",
			valid + "    bill: { strategy: periodic-segment, period: YEAR }\n",
			`cosid.yaml:5:5: cosid.generators.bill.zone: a time zone is required; accepted: an IANA name such as Asia/Shanghai, or UTC`,
		},
		{
			"an unknown zone",
			valid + "    bill: { strategy: periodic-segment, period: YEAR, zone: Mars/Phobos }\n",
			`cosid.yaml:5:55: cosid.generators.bill.zone: "Mars/Phobos" is not a known time zone; accepted: an IANA name such as Asia/Shanghai, or UTC`,
		},
		{
			"the machine's zone",
			valid + "    bill: { strategy: periodic-segment, period: YEAR, zone: Local }\n",
			`cosid.yaml:5:55: cosid.generators.bill.zone: Local differs from machine to machine; accepted: an IANA name such as Asia/Shanghai, or UTC`,
		},
		{
			"a missing period",
			valid + "    bill: { strategy: periodic-segment, zone: UTC }\n",
			`cosid.yaml:5:5: cosid.generators.bill.period: a period is required; accepted: YEAR, YEAR_MONTH, YEAR_MONTH_DAY`,
		},
		{
			"an unknown period",
			valid + "    bill: { strategy: periodic-segment, zone: UTC, period: DAILY }\n",
			`cosid.yaml:5:52: cosid.generators.bill.period: "DAILY" is not a period; accepted: YEAR, YEAR_MONTH, YEAR_MONTH_DAY`,
		},
		{
			"a prewarm without unit",
			valid + "    bill: { strategy: periodic-segment, zone: UTC, period: YEAR, prewarm: 5 }\n",
			`cosid.yaml:5:66: cosid.generators.bill.prewarm: 5 has no unit: write 5s or 5ms; accepted: a number with a unit, such as 500ms, 1m30s, 1d or PT1S`,
		},
		{
			"a prewarm longer than a day",
			valid + "    bill: { strategy: periodic-segment, zone: UTC, period: YEAR, prewarm: 2d }\n",
			`cosid.yaml:5:66: cosid.generators.bill.prewarm: 48h0m0s is out of bounds; accepted: 0 to 22h, such as 1m`,
		},
		{
			"a negative seal-after",
			valid + "    bill: { strategy: periodic-segment, zone: UTC, period: YEAR, seal-after: -1h }\n",
			`cosid.yaml:5:66: cosid.generators.bill.seal-after: -1h0m0s is out of bounds; accepted: a duration such as 1d, or left out`,
		},
		{
			"a radix above 62",
			valid + "    order: { strategy: segment, codec: [ { radix: { radix: 63 } } ] }\n",
			`cosid.yaml:5:53: cosid.generators.order.codec[0].radix.radix: 63 is not a radix; accepted: 2 to 62`,
		},
		{
			"a radix below 2",
			valid + "    order: { strategy: segment, codec: [ { radix: { radix: 1 } } ] }\n",
			`cosid.yaml:5:53: cosid.generators.order.codec[0].radix.radix: 1 is not a radix; accepted: 2 to 62`,
		},
		{
			"a width of 0",
			valid + "    order: { strategy: segment, codec: [ { radix: { radix: 36, width: 0 } } ] }\n",
			`cosid.yaml:5:64: cosid.generators.order.codec[0].radix.width: 0 is not a width; accepted: 1 to 64, or none for any width`,
		},
		{
			"padding without a width",
			valid + "    order: { strategy: segment, codec: [ { radix: { radix: 36, pad-start: true } } ] }\n",
			`cosid.yaml:5:44: cosid.generators.order.codec[0].radix.width: missing, pad-start needs it; accepted: 1 to 64`,
		},
		{
			"an unknown overflow",
			valid + "    order: { strategy: segment, codec: [ { radix: { radix: 36, width: 3, pad-start: true, overflow: cut } } ] }\n",
			`cosid.yaml:5:91: cosid.generators.order.codec[0].radix.overflow: "cut" is not an answer to an overflow; accepted: error, grow`,
		},
		{
			"an alphabet with a digit twice",
			valid + "    order: { strategy: segment, codec: [ { radix: { radix: 3, alphabet: aba } } ] }\n",
			`cosid.yaml:5:63: cosid.generators.order.codec[0].radix.alphabet: "aba" holds 'a' twice; accepted: 3 distinct printable ASCII characters, the zero digit first`,
		},
		{
			"two numbers in a codec",
			valid + "    order: { strategy: segment, codec: [ decimal, decimal ] }\n",
			`cosid.yaml:5:51: cosid.generators.order.codec[1]: writes the number a second time, after list[0]; accepted: exactly one number part`,
		},
		{
			"no number in a codec",
			valid + "    order: { strategy: segment, codec: [ prefix: a ] }\n",
			`cosid.yaml:5:33: cosid.generators.order.codec: no part writes the number; accepted: exactly one number part, such as radix or decimal`,
		},
		{
			"an empty codec",
			valid + "    order: { strategy: segment, codec: [] }\n",
			`cosid.yaml:5:33: cosid.generators.order.codec: the list is empty; accepted: a list of parts, such as [ {radix: {radix: 62}} ], or the name of a codec under cosid.codecs`,
		},
		{
			"a number for a codec",
			valid + "    order: { strategy: segment, codec: 7 }\n",
			`cosid.yaml:5:33: cosid.generators.order.codec: 7 is not a codec; accepted: a list of parts, such as [ {radix: {radix: 62}} ], or the name of a codec under cosid.codecs`,
		},
		{
			"an unknown codec by name",
			valid + "    order: { strategy: segment, codec: shrt }\n",
			`cosid.yaml:5:33: cosid.generators.order.codec: no codec part or codec named "shrt"; accepted: date-prefix, decimal, friendly, period, prefix, radix, suffix`,
		},
		{
			"settings of a part that has none",
			valid + "    order: { strategy: segment, codec: [ { decimal: { width: 3 } } ] }\n",
			`cosid.yaml:5:55: cosid.generators.order.codec[0].decimal.width: no such key; accepted: nothing`,
		},
		{
			"text for a part that takes a map",
			valid + "    order: { strategy: segment, codec: [ { radix: \"62\" } ] }\n",
			`cosid.yaml:5:44: cosid.generators.order.codec[0].radix: "62" is not a map; accepted: a map of settings`,
		},
		{
			"a map for a part that takes text",
			valid + "    order: { strategy: segment, codec: [ { prefix: { text: a } }, decimal ] }\n",
			`cosid.yaml:5:44: cosid.generators.order.codec[0].prefix: a map is not text; accepted: a plain text`,
		},
		{
			"a prefix without a text",
			valid + "    order: { strategy: segment, codec: [ prefix: , decimal ] }\n",
			`cosid.yaml:5:42: cosid.generators.order.codec[0].prefix: the text is empty; accepted: a text of one or more characters`,
		},
		{
			"a period in plain ids",
			valid + "    order: { strategy: segment, codec: [ period: {}, decimal ] }\n",
			`cosid.yaml:5:42: cosid.generators.order.codec[0].period: writes a period, and these ids have none; accepted: parts for ids without a period`,
		},
		{
			"a date-prefix that is not first",
			valid + "    bill: { strategy: periodic-segment, zone: UTC, period: YEAR, codec: [ prefix: a, date-prefix: {}, decimal ] }\n",
			`cosid.yaml:5:86: cosid.generators.bill.codec[1].date-prefix: only the first part may be one; accepted: date-prefix in front, or a period part here`,
		},
		{
			"two periods in a codec",
			valid + "    bill: { strategy: periodic-segment, zone: UTC, period: YEAR, codec: [ date-prefix: {}, period: {}, decimal ] }\n",
			`cosid.yaml:5:92: cosid.generators.bill.codec[1].period: writes the period a second time, after list[0]; accepted: at most one period part`,
		},
		{
			"a named codec without a number",
			valid + "    order: { strategy: segment }\n  codecs: { short: [ prefix: a ] }\n",
			`cosid.yaml:6:13: cosid.codecs.short: no part writes the number; accepted: exactly one number part, such as radix or decimal`,
		},
		{
			"a store without a time-out",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memory, timeout: 0 }\n",
			`cosid.yaml:4:25: cosid.stores.db.timeout: 0s leaves no time for a call; accepted: more than 0, such as 1s`,
		},
		{
			"a store's time-out without unit",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memory, timeout: 1000 }\n",
			`cosid.yaml:4:25: cosid.stores.db.timeout: 1000 has no unit: write 1000s or 1000ms; accepted: a number with a unit, such as 500ms, 1m30s, 1d or PT1S`,
		},
		{
			"an unknown way to start",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memory, start: later }\n",
			`cosid.yaml:4:25: cosid.stores.db.start: "later" is not a way to start; accepted: eager, lazy`,
		},
		{
			"no time to open a store",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memory, start-timeout: -1s }\n",
			`cosid.yaml:4:25: cosid.stores.db.start-timeout: -1s leaves no time to open the store; accepted: more than 0, such as 10s`,
		},
		{
			"options of a store that has none",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: memory, options: { size: 1 } }\n",
			`cosid.yaml:4:36: cosid.stores.db.options.size: no such key; accepted: nothing`,
		},
		{
			"a database that is missing",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm }\n",
			`cosid.yaml:4:5: cosid.stores.db.options.dsn: missing, and no *gorm.DB was handed to the store; accepted: the database's address, such as data/cosid.db, or a *gorm.DB handed in`,
		},
		{
			"a database in memory",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: \":memory:\" } }\n",
			`cosid.yaml:4:34: cosid.stores.db.options.dsn: a database in memory ends with the process, and its ids would repeat; accepted: a file path such as data/cosid.db, or file:data/cosid.db?… with SQLite's URI parameters; for tests: type: memory`,
		},
		{
			"a server's address for a file",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: \"postgres://u:secret@h/db\" } }\n",
			`cosid.yaml:4:34: cosid.stores.db.options.dsn: this is the address of a server, not a SQLite file; accepted: a file path such as data/cosid.db, or file:data/cosid.db?… with SQLite's URI parameters`,
		},
		{
			"a table prefix that is none",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: a.db, table-prefix: \"a b\" } }\n",
			`cosid.yaml:4:45: cosid.stores.db.options.table-prefix: "a b" cannot begin a table's name; accepted: [A-Za-z_][A-Za-z0-9_]{0,31}`,
		},
		{
			"text for true or false",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, options: { dsn: a.db, auto-migrate: \"yes\" } }\n",
			`cosid.yaml:4:45: cosid.stores.db.options.auto-migrate: "yes" is not true or false; accepted: true or false`,
		},
		{
			"a number for a namespace",
			"cosid:\n  namespace: 7\n  stores: { db: { type: memory } }\n",
			`cosid.yaml:2:3: cosid.namespace: 7 is not text; accepted: text: put it in quotes, "7"`,
		},
		{
			"a list of generators",
			"cosid:\n  namespace: shop\n  stores: { db: { type: memory } }\n  generators: [ order ]\n",
			`cosid.yaml:4:3: cosid.generators: a list is not a map; accepted: a map of keys`,
		},
		{
			"text for the stores",
			"cosid:\n  namespace: shop\n  stores: db\n",
			`cosid.yaml:3:3: cosid.stores: "db" is not a map; accepted: a map of keys`,
		},
		{
			"a section that is no map",
			"cosid: 5\n",
			`cosid.yaml:1:1: cosid: 5 is not a map; accepted: a map of keys`,
		},
		{
			"a file that is a list",
			"- cosid\n",
			"cosid.yaml:1:1: the file is not a map of sections; accepted: a top-level key `cosid`",
		},
		{
			"the section twice",
			"cosid: { namespace: a }\ncosid: { namespace: b }\n",
			`cosid.yaml:2:1: cosid: the section stands in the document twice`,
		},
		{
			"a placeholder that is not closed",
			valid + "    order: { strategy: segment, codec: [ prefix: \"${A\", decimal ] }\n",
			`cosid.yaml:5:50: cosid.generators.order.codec[0].prefix: the placeholder ${A has no closing brace; accepted: ${NAME} with NAME set, or ${NAME:default}`,
		},
		{
			"a placeholder without a name",
			valid + "    order: { strategy: segment, codec: [ prefix: \"${}\", decimal ] }\n",
			`cosid.yaml:5:50: cosid.generators.order.codec[0].prefix: ${} names no variable; accepted: ${NAME} with NAME set, or ${NAME:default}`,
		},
		{
			"a tag of YAML",
			valid + "    order: { strategy: segment, step: !!binary aGk= }\n",
			`cosid.yaml:5:39: cosid.generators.order.step: the tag !!binary is not known; accepted: plain values without a tag`,
		},
		{
			"an anchor in itself",
			valid + "    order: &o { strategy: segment, codec: *o }\n",
			`cosid.yaml:5:12: cosid.generators.order.codec.codec: the anchor &o contains itself
cosid.yaml:5:36: cosid.generators.order.codec: a map is not a codec; accepted: a list of parts, such as [ {radix: {radix: 62}} ], or the name of a codec under cosid.codecs`,
		},
		{
			"a brace too many",
			valid + "    order: { strategy: segment }}\n",
			`cosid.yaml:4:1: not valid YAML: did not find expected key`,
		},
		{
			"a store that is not there",
			valid + "    order: { strategy: segment, store: DB }\n",
			`cosid.yaml:5:33: cosid.generators.order.store: no store named "DB"; accepted: db; did you mean "db"?`,
		},
		{
			"an empty store name",
			valid + "    order: { strategy: segment, store: \"\" }\n",
			`cosid.yaml:5:33: cosid.generators.order.store: the store's name is empty; accepted: db`,
		},
		{
			"a store's time-out above reserve-timeout",
			"cosid:\n  namespace: shop\n  stores: { db: { type: memory, timeout: 5s } }\n  generators:\n    order: { strategy: segment }\n    item: { strategy: segment, reserve-timeout: 4s }\n",
			`cosid.yaml:5:5: cosid.generators.order.reserve-timeout: 3s is shorter than the store's timeout; accepted: at least 5s
cosid.yaml:6:32: cosid.generators.item.reserve-timeout: 4s is shorter than the store's timeout; accepted: at least 5s`,
		},
		{
			"seal-after on a store that cannot seal",
			"cosid:\n  namespace: shop\n  stores: { db: { type: unsealable } }\n  generators:\n    bill: { strategy: periodic-segment, zone: UTC, period: YEAR, seal-after: 1d }\n",
			`cosid.yaml:5:66: cosid.generators.bill.seal-after: the store cannot seal keys; accepted: left out, or another store`,
		},
		{
			"no section",
			"cosld:\n  namespace: shop\n",
			"no configuration was found: none of cosid.yaml, application.yaml, config/cosid.yaml, config/application.yaml has a `cosid:` section; accepted: such a file, or COSID_CONFIG naming another",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(write(t, "cosid.yaml", c.yaml))
			if strings.Contains(c.yaml, unsealable{}.Type()) {
				o.Stores = append(o.Stores, unsealable{})
			}
			cfg, err := config.Load(o)
			if err == nil {
				_, err = runtime.New(cfg, runtime.Options{}) // some mistakes only show between built parts
			}
			report, ok := errors.AsType[*config.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			var lines []string
			for _, p := range report.Problems {
				lines = append(lines, p.String())
			}
			if got := strings.Join(lines, "\n"); got != c.report {
				t.Errorf("got\n%s\nwant\n%s", got, c.report)
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
		"cosid.namespace", "cosid.generators.bill.zone", "cosid.generators.bill.prewarm", "cosid.generators.order.strategy",
		"cosid.generators.order.store", "cosid.stores.db.timeout",
	}
	if strings.Join(places, " ") != strings.Join(want, " ") {
		t.Errorf("got %v\nwant %v\n%v", places, want, err)
	}
}

// A mistake hides no other one beside it, and is not told twice: a key that is nearly right is not also missing.
func TestMistakesOfOneEntryAreReportedTogether(t *testing.T) {
	for _, c := range []struct{ name, yaml, report string }{
		{
			"of a generator",
			valid + "    bill: { strategy: periodic-segment, zoen: UTC, period: DAILY, lookahead: 5, step: -1, codec: [ decimal, decimal ] }\n",
			"cosid.yaml:5:41: cosid.generators.bill.zoen: no such key; accepted: codec, initial-offset, lookahead, max-batch, period, " +
				"prewarm, range-ttl, reserve-timeout, seal-after, step, store, strategy, zone; did you mean \"zone\"?\n" +
				"cosid.yaml:5:52: cosid.generators.bill.period: \"DAILY\" is not a period; accepted: YEAR, YEAR_MONTH, YEAR_MONTH_DAY\n" +
				"cosid.yaml:5:67: cosid.generators.bill.lookahead: 5 has no unit: write 5s or 5ms; accepted: a number with a unit, such as 500ms, 1m30s, 1d or PT1S\n" +
				"cosid.yaml:5:81: cosid.generators.bill.step: -1 is out of bounds; accepted: 1 to 2^40\n" +
				"cosid.yaml:5:109: cosid.generators.bill.codec[1]: writes the number a second time, after list[0]; accepted: exactly one number part",
		},
		{
			"of a store",
			"cosid:\n  namespace: shop\n  stores:\n    db: { type: gorm, timeout: 0, start: later, options: { dsn: 7, driver: oracle, x: 1 } }\n",
			"cosid.yaml:4:23: cosid.stores.db.timeout: 0s leaves no time for a call; accepted: more than 0, such as 1s\n" +
				"cosid.yaml:4:35: cosid.stores.db.start: \"later\" is not a way to start; accepted: eager, lazy\n" +
				"cosid.yaml:4:60: cosid.stores.db.options.dsn: 7 is not text; accepted: text: put it in quotes, \"7\"\n" +
				"cosid.yaml:4:68: cosid.stores.db.options.driver: \"oracle\" is not a known driver; accepted: sqlite, postgres, mysql\n" +
				"cosid.yaml:4:84: cosid.stores.db.options.x: no such key; accepted: auto-migrate, conn-max-lifetime, driver, dsn, max-open-conns, table-prefix",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.yaml)
			report, ok := errors.AsType[*config.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			var lines []string
			for _, p := range report.Problems {
				lines = append(lines, p.String())
			}
			if got := strings.Join(lines, "\n"); got != c.report {
				t.Errorf("got\n%s\nwant\n%s", got, c.report)
			}
		})
	}
}

// undated is a strategy whose settings promise grouped ids and name no period.
type undated struct{ segment.Factory }

type undatedSettings struct{ segment.Settings }

func (*undatedSettings) IDPeriod() generators.Period { return 0 }

func (undated) Strategy() string { return "undated" }
func (undated) NewSettings() any {
	return &undatedSettings{segment.Settings{Policy: segment.DefaultPolicy()}}
}

func TestAStrategyThatNamesNoPeriodIsAMistake(t *testing.T) {
	o := options(write(t, "cosid.yaml", valid+"    bill: { strategy: undated }\n"))
	o.Strategies = append(o.Strategies, undated{})
	want := "cosid: 1 mistake in the configuration:\n  cosid.yaml:5:5: cosid.generators.bill: the strategy \"undated\" makes grouped ids, and its settings say no period"
	if _, err := config.Load(o); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestAKeyThatTwoFilesSetIsJudgedWhereTheLaterOneSetsIt(t *testing.T) {
	dir := write(t,
		"cosid.yaml", valid+"    order: { strategy: segment, step: -1 }\n",
		"application.yaml", "server: {}\ncosid:\n  generators:\n    order: { step: -2 }\n",
	)
	_, err := config.Load(options(dir))
	want := "cosid: 1 mistake in the configuration:\n  application.yaml:4:14: cosid.generators.order.step: -2 is out of bounds; accepted: 1 to 2^40"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	dir = write(t,
		"cosid.yaml", valid+"    order: { strategy: segment }\n",
		"application.yaml", "cosid:\n  generators: order\n",
	)
	_, err = config.Load(options(dir))
	want = "cosid: 1 mistake in the configuration:\n  application.yaml:2:3: cosid.generators: \"order\" is not a map; accepted: a map of keys"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestALongReportStaysReadable(t *testing.T) {
	yaml := valid
	for i := range 120 {
		yaml += fmt.Sprintf("    g%03d: { strategy: segmnt }\n", i)
	}
	_, err := load(t, yaml)
	report, ok := errors.AsType[*config.Error](err)
	if !ok || len(report.Problems) != 120 {
		t.Fatalf("got %v", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 52 || lines[0] != "cosid: 120 mistakes in the configuration:" || lines[51] != "  … and 70 more" {
		t.Errorf("got %d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
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
