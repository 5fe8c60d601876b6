package architecture

import (
	"fmt"
	"slices"
	"strings"
)

// rule is one sentence of design section 2. Its check names each breach: the package, and the import or the
// declaration that is wrong.
type rule struct {
	name  string
	text  string
	check func(module) []string
}

var rules = []rule{
	{
		"place", "every package has its place in design section 2; a new one gets a row in layers",
		func(m module) []string {
			return each(m, func(p string) []string {
				if layerOf(p) == nil {
					return []string{p + " has no place"}
				}
				return nil
			})
		},
	},
	{
		"arrows", "imports go one way: contracts <- stores/*, generators/* <- config <- runtime, tags <- fxmodule " +
			"<- cosid <- examples, cmd",
		func(m module) []string {
			return direct(m, func(p, imported string) bool {
				from, to := layerOf(p), layerOf(imported)
				return from == nil || to == nil || matches(imported, p+"/internal/...") ||
					slices.Contains(from.mayImport, to.packages)
			})
		},
	},
	{
		"contracts", "the contracts (stores, generators, codecs, config/field) need nothing but the standard library " +
			"and each other",
		func(m module) []string {
			return direct(m, func(p, imported string) bool {
				return !matches(p, contracts...) || isStandard(imported) || isOwn(imported)
			})
		},
	},
	{
		"storetest", "stores/storetest needs nothing but the standard library and stores, so that any store can use it",
		func(m module) []string {
			return direct(m, func(p, imported string) bool {
				return p != "./stores/storetest" || isStandard(imported) || imported == "./stores"
			})
		},
	},
	{
		"koanf", "only config imports koanf and YAML",
		onlyImporters(configLibraries, "./config"),
	},
	{
		"gorm", "only tags/gormplugin, stores/gormstore and the front door import gorm",
		onlyImporters([]string{"gorm.io", "gorm.io/..."},
			"./tags/gormplugin", "./stores/gormstore", ".", "./examples/...", "./cmd/..."),
	},
	{
		"fx", "only fxmodule, metrics/metricsfx and the front door import fx",
		onlyImporters([]string{"go.uber.org/fx", "go.uber.org/fx/...", "go.uber.org/dig", "go.uber.org/dig/..."},
			"./fxmodule", "./metrics/metricsfx", ".", "./examples/...", "./cmd/..."),
	},
	{
		"metrics", "only metrics and the packages below it import Prometheus or OpenTelemetry, and nothing of the product " +
			"imports them: who wants no metrics links none",
		onlyImporters(monitoring, "./metrics", "./metrics/...", "./examples/..."),
	},
	{
		"cobra", "only the command-line tools import cobra",
		onlyImporters([]string{"github.com/spf13/..."}, "./cmd/..."),
	},
	{
		"drivers", "drivers are linked by the stores and reached from the front door; runtime, fxmodule and all " +
			"others link none, not even through another package",
		func(m module) []string {
			return each(m, func(p string) []string {
				if p != "./stores/storetest" &&
					matches(p, "./stores/...", ".", "./examples/...", "./cmd/...", "./internal/...") {
					return nil
				}
				return chain(m.path(p, func(name string) bool { return matches(name, drivers...) }))
			})
		},
	},
	{
		"test-only", "no package of the product depends on testing, a test suite or a test library",
		func(m module) []string {
			return each(m, func(p string) []string {
				if matches(p, "./stores/storetest", "./internal/...") {
					return nil
				}
				return chain(m.path(p, func(name string) bool { return matches(name, testOnly...) }))
			})
		},
	},
	{
		"examples", "examples import only what any user can import",
		func(m module) []string {
			return direct(m, func(p, imported string) bool {
				return !matches(p, "./examples/...") || !matches(imported, "./internal/...")
			})
		},
	},
	{"no-init", "nothing happens on import: no func init()", findInit},
	{
		"no-state", "no package keeps state: a package-level variable is a sentinel error, an fx option, an interface " +
			"assertion, or an unexported table that nobody writes to",
		findState,
	},
}

// layer is the packages that a pattern matches and no row above it does, and the layers that they may import.
// Besides those a package may import what is internal to it.
type layer struct {
	packages  string
	mayImport []string
}

// layers is design section 2 from the inside out.
var layers = []layer{
	{"./stores", nil},
	{"./config/field", nil},
	{"./generators", []string{"./stores", "./config/field"}},
	{"./codecs", []string{"./generators", "./stores", "./config/field"}},

	{"./internal/assembly", and(builtins, "./config", "./runtime", "./tags")}, // what both front doors do
	{"./internal/...", and(contracts, "./internal/...")},

	{"./stores/storetest", []string{"./stores"}},
	{"./stores/...", and(contracts, "./internal/...")},
	{"./generators/segment", and(contracts, "./internal/...")},
	{"./generators/periodic", and(contracts, "./internal/...", "./generators/segment")},
	{"./generators/snowflake", and(contracts, "./internal/...")},
	{"./generators/...", and(contracts, "./internal/...")},
	{"./codecs/...", and(contracts, "./internal/...")},

	{"./config", builtins},
	{"./runtime", and(builtins, "./config")},
	{"./tags", and(contracts, "./internal/...")},
	{"./tags/...", and(contracts, "./internal/...", "./tags")},
	{"./httpapi", and(contracts, "./internal/...", "./config", "./runtime")},
	{"./fxmodule", frontDoor},
	{"./metrics/metricsfx", and(contracts, "./runtime", "./fxmodule", "./metrics")},
	{"./metrics/otelmetrics", and(contracts, "./runtime")},
	{"./metrics", and(contracts, "./runtime")},
	{".", and(frontDoor, "./fxmodule")},
	{"./examples/...", and(frontDoor, "./fxmodule", "./httpapi", "./metrics", "./metrics/...", ".", "./examples/...")},
	{"./cmd/...", and(frontDoor, "./fxmodule", ".", "./cmd/...")},
}

var (
	contracts = []string{"./stores", "./generators", "./codecs", "./config/field"}
	builtins  = and(contracts, "./internal/...", "./stores/...", "./codecs/...",
		"./generators/segment", "./generators/periodic", "./generators/snowflake", "./generators/...")
	frontDoor = and(builtins, "./config", "./runtime", "./tags", "./tags/...", "./internal/assembly")
)

var configLibraries = []string{
	"github.com/knadh/koanf/...", "github.com/go-viper/mapstructure/...", "go.yaml.in/yaml/...", "gopkg.in/yaml.v2",
	"gopkg.in/yaml.v3", "github.com/goccy/go-yaml", "github.com/goccy/go-yaml/...", "sigs.k8s.io/yaml",
}

var monitoring = []string{"github.com/prometheus/...", "go.opentelemetry.io/..."}

var drivers = []string{
	"modernc.org/sqlite", "modernc.org/sqlite/...", "github.com/libtnb/sqlite", "github.com/libtnb/sqlite/...",
	"github.com/glebarez/...", "github.com/mattn/go-sqlite3", "github.com/ncruces/go-sqlite3/...",
	"github.com/jackc/pgx/...", "github.com/lib/pq", "github.com/go-sql-driver/mysql", "gorm.io/driver/...",
	"github.com/redis/...", "github.com/go-redis/...", "github.com/gomodule/redigo/...",
	"github.com/go-zookeeper/...", "go.etcd.io/...", "go.mongodb.org/...",
}

var testOnly = []string{
	"testing", "testing/...", "net/http/httptest", "./stores/storetest", "go.uber.org/goleak", "go.uber.org/goleak/...",
	"go.uber.org/fx/fxtest", "github.com/stretchr/testify/...", "github.com/alicebob/miniredis/...", "pgregory.net/rapid",
	"github.com/santhosh-tekuri/jsonschema/...",
}

// layerOf is the layer of a package, or nil for a package of somebody else or without a place.
func layerOf(name string) *layer {
	i := slices.IndexFunc(layers, func(l layer) bool { return matches(name, l.packages) })
	if i < 0 {
		return nil
	}
	return &layers[i]
}

// onlyImporters checks that nothing but the importers imports one of the libraries directly.
func onlyImporters(libraries []string, importers ...string) func(module) []string {
	return func(m module) []string {
		return direct(m, func(p, imported string) bool {
			return !matches(imported, libraries...) || matches(p, importers...)
		})
	}
}

// direct collects the imports of the module's packages that are not fine.
func direct(m module, fine func(p, imported string) bool) []string {
	return each(m, func(p string) []string {
		var broken []string
		for _, imported := range m.imports[p] {
			if !fine(p, imported) {
				broken = append(broken, fmt.Sprintf("%s imports %s", p, imported))
			}
		}
		return broken
	})
}

func each(m module, check func(p string) []string) []string {
	var broken []string
	for _, p := range m.packages() {
		broken = append(broken, check(p)...)
	}
	return broken
}

// chain writes a path of imports as one breach.
func chain(path []string) []string {
	if path == nil {
		return nil
	}
	return []string{strings.Join(path, " imports ")}
}

func and(list []string, more ...string) []string { return slices.Concat(list, more) }
