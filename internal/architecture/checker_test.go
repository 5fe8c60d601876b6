package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// whole is the layout of design section 2 as it is meant to be.
var whole = map[string][]string{
	"./stores":              {"context", "errors", "time"},
	"./config/field":        {"fmt"},
	"./generators":          {"./stores", "./config/field"},
	"./codecs":              {"./generators", "./config/field"},
	"./internal/backoff":    {"time"},
	"./internal/redistest":  {"testing", "github.com/redis/go-redis/v9"},
	"./stores/storetest":    {"./stores", "testing"},
	"./stores/memstore":     {"./stores"},
	"./stores/gormstore":    {"./stores", "./config/field", "gorm.io/gorm", "github.com/libtnb/sqlite"},
	"./stores/redisstore":   {"./stores", "./stores/redisstore/internal/lua", "github.com/redis/go-redis/v9"},
	"./generators/segment":  {"./generators", "./stores", "./internal/backoff"},
	"./generators/periodic": {"./generators", "./generators/segment", "./stores"},
	"./config":              {"./codecs", "./config/field", "github.com/knadh/koanf/v2", "go.yaml.in/yaml/v3"},
	"./runtime":             {"./config", "./codecs", "./generators", "./stores", "./stores/memstore", "runtime"},
	"./tags":                {"./generators", "reflect"},
	"./tags/gormplugin":     {"./tags", "gorm.io/gorm", "gorm.io/gorm/schema"},
	"./internal/assembly":   {"./codecs", "./config", "./generators/segment", "./runtime", "./tags"},
	"./fxmodule":            {"./internal/assembly", "./runtime", "./tags", "./tags/gormplugin", "go.uber.org/fx"},
	".":                     {"./fxmodule", "./runtime", "./stores/gormstore", "./stores/redisstore", "gorm.io/gorm"},
	"./examples/yaml-app":   {".", "./tags", "go.uber.org/fx", "gorm.io/gorm", "github.com/libtnb/sqlite"},
	"./cmd/cosid":           {".", "./cmd/internal/table"},
	"./cmd/internal/table":  {"text/tabwriter"},

	"./stores/redisstore/internal/lua": {"embed"},

	"gorm.io/gorm":             {"database/sql"},
	"github.com/libtnb/sqlite": {"modernc.org/sqlite", "gorm.io/gorm"},
	"database/sql":             {"context"},
}

func TestTheDesignsOwnLayoutBreaksNoRule(t *testing.T) {
	for _, r := range rules {
		if broken := r.check(module{imports: whole}); len(broken) > 0 {
			t.Errorf("rule %q: %q", r.name, broken)
		}
	}
}

func TestEveryRuleNamesItsBreach(t *testing.T) {
	tests := []struct {
		rule     string
		pkg      string
		imported string
		want     string
	}{
		{"place", "./helpers", "fmt", "./helpers has no place"},
		{"place", "./stores2", "fmt", "./stores2 has no place"},

		{"arrows", "./stores", "./config/field", "./stores imports ./config/field"},
		{"arrows", "./stores", "./stores/memstore", "./stores imports ./stores/memstore"},
		{"arrows", "./stores", "./internal/backoff", "./stores imports ./internal/backoff"},
		{"arrows", "./config/field", "./stores", "./config/field imports ./stores"},
		{"arrows", "./generators", "./codecs", "./generators imports ./codecs"},
		{"arrows", "./generators", "./config", "./generators imports ./config"},
		{"arrows", "./codecs", "./config", "./codecs imports ./config"},
		{"arrows", "./codecs", "./generators/segment", "./codecs imports ./generators/segment"},
		{"arrows", "./stores/memstore", "./stores/gormstore", "./stores/memstore imports ./stores/gormstore"},
		{"arrows", "./stores/memstore", "./config", "./stores/memstore imports ./config"},
		{"arrows", "./generators/segment", "./generators/periodic", "./generators/segment imports ./generators/periodic"},
		{"arrows", "./generators/segment", "./stores/memstore", "./generators/segment imports ./stores/memstore"},
		{"arrows", "./generators/periodic", "./runtime", "./generators/periodic imports ./runtime"},
		{"arrows", "./internal/backoff", "./generators/segment", "./internal/backoff imports ./generators/segment"},
		{"arrows", "./stores/memstore", "./internal/assembly", "./stores/memstore imports ./internal/assembly"},
		{"arrows", "./runtime", "./internal/assembly", "./runtime imports ./internal/assembly"},
		{"arrows", "./internal/backoff", "./internal/assembly", "./internal/backoff imports ./internal/assembly"},
		{"arrows", "./internal/assembly", "./fxmodule", "./internal/assembly imports ./fxmodule"},
		{"arrows", "./stores/memstore", "./stores/redisstore/internal/lua", "./stores/memstore imports ./stores/redis"},
		{"arrows", "./runtime", "./stores/storetest", "./runtime imports ./stores/storetest"},
		{"arrows", "./config", "./runtime", "./config imports ./runtime"},
		{"arrows", "./config", "./tags", "./config imports ./tags"},
		{"arrows", "./runtime", "./tags", "./runtime imports ./tags"},
		{"arrows", "./runtime", "./fxmodule", "./runtime imports ./fxmodule"},
		{"arrows", "./tags", "./runtime", "./tags imports ./runtime"},
		{"arrows", "./tags", "./config", "./tags imports ./config"},
		{"arrows", "./tags/gormplugin", "./runtime", "./tags/gormplugin imports ./runtime"},
		{"arrows", "./tags", "./tags/gormplugin", "./tags imports ./tags/gormplugin"},
		{"arrows", "./fxmodule", ".", "./fxmodule imports ."},
		{"arrows", ".", "./examples/yaml-app", ". imports ./examples/yaml-app"},
		{"arrows", ".", "./cmd/cosid", ". imports ./cmd/cosid"},
		{"arrows", "./examples/yaml-app", "./cmd/cosid", "./examples/yaml-app imports ./cmd/cosid"},
		{"arrows", ".", "./metrics", ". imports ./metrics"},
		{"arrows", "./fxmodule", "./metrics/metricsfx", "./fxmodule imports ./metrics/metricsfx"},
		{"arrows", "./runtime", "./httpapi", "./runtime imports ./httpapi"},
		{"arrows", "./metrics", "./metrics/metricsfx", "./metrics imports ./metrics/metricsfx"},

		{"contracts", "./stores", "gorm.io/gorm", "./stores imports gorm.io/gorm"},
		{"contracts", "./codecs", "example.org/radix", "./codecs imports example.org/radix"},

		{"storetest", "./stores/storetest", "github.com/stretchr/testify/assert", "imports github.com/stretchr/testify"},
		{"storetest", "./stores/storetest", "./stores/memstore", "./stores/storetest imports ./stores/memstore"},
		{"storetest", "./stores/storetest", "./generators", "./stores/storetest imports ./generators"},

		{"koanf", "./runtime", "github.com/knadh/koanf/v2", "./runtime imports github.com/knadh/koanf/v2"},
		{"koanf", "./stores/gormstore", "go.yaml.in/yaml/v3", "./stores/gormstore imports go.yaml.in/yaml/v3"},

		{"gorm", "./tags", "gorm.io/gorm", "./tags imports gorm.io/gorm"},
		{"gorm", "./fxmodule", "gorm.io/gorm", "./fxmodule imports gorm.io/gorm"},
		{"gorm", "./stores/memstore", "gorm.io/gorm/clause", "./stores/memstore imports gorm.io/gorm/clause"},

		{"fx", "./runtime", "go.uber.org/fx", "./runtime imports go.uber.org/fx"},
		{"fx", "./tags/gormplugin", "go.uber.org/fx", "./tags/gormplugin imports go.uber.org/fx"},

		{"metrics", ".", "github.com/prometheus/client_golang/prometheus", ". imports github.com/prometheus/client_golang"},
		{"metrics", "./httpapi", "go.opentelemetry.io/otel/metric", "./httpapi imports go.opentelemetry.io/otel/metric"},

		{"drivers", "./runtime", "github.com/redis/go-redis/v9", "./runtime imports github.com/redis/go-redis/v9"},
		{
			"drivers", "./runtime", "./stores/gormstore",
			"./runtime imports ./stores/gormstore imports github.com/libtnb/sqlite",
		},
		{
			"drivers", "./config", "./stores/gormstore",
			"./runtime imports ./config imports ./stores/gormstore imports github.com/libtnb/sqlite",
		},
		{"drivers", "./tags/gormplugin", "gorm.io/driver/mysql", "./tags/gormplugin imports gorm.io/driver/mysql"},
		{"drivers", "./generators/segment", "github.com/jackc/pgx/v5/pgxpool", "imports github.com/jackc/pgx/v5/pgxpool"},
		{"drivers", "./fxmodule", "./internal/redistest", "imports ./internal/redistest imports github.com/redis/go-redis"},

		{"test-only", "./tags", "testing", "./tags imports testing"},
		{"test-only", "./stores/memstore", "testing/synctest", "./stores/memstore imports testing/synctest"},
		{"test-only", "./runtime", "./stores/storetest", "./runtime imports ./stores/storetest"},
		{"test-only", ".", "./internal/redistest", ". imports ./internal/redistest imports testing"},
		{"test-only", "gorm.io/gorm", "testing", "./tags/gormplugin imports gorm.io/gorm imports testing"},

		{"examples", "./examples/yaml-app", "./internal/backoff", "./examples/yaml-app imports ./internal/backoff"},
	}
	for _, tt := range tests {
		t.Run(tt.rule+" "+tt.pkg+" "+tt.imported, func(t *testing.T) {
			m := module{imports: map[string][]string{}}
			for name, imports := range whole {
				m.imports[name] = slices.Clone(imports)
			}
			m.imports[tt.pkg] = append(m.imports[tt.pkg], tt.imported)
			wantBreach(t, tt.rule, m, tt.want)
		})
	}
}

func TestEveryRuleNamesItsBreachInSource(t *testing.T) {
	tests := []struct {
		rule   string
		source string
		want   string // empty where the source is fine
	}{
		{"no-init", `func init() { println() }`, "./runtime declares init at made-up.go:2"},
		{"no-init", `type t struct{}; func (t) init() {}`, ""},
		{"no-init", `func initialise() {}`, ""},

		{"no-state", `import "errors"; var ErrClosed = errors.New("closed")`, ""},
		{"no-state", `import "fmt"; var ErrClosed = fmt.Errorf("closed")`, ""},
		{"no-state", `import "./stores"; var ErrClosed = stores.ErrClosed`, ""},
		{"no-state", `import "./stores"; var Closed = stores.Closed`, "Closed is exported"},
		{"no-state", `type t struct{}; var _ any = (*t)(nil)`, ""},
		{"no-state", `var names = map[int]string{1: "one"}; func f() { names := []string{}; names[0] = "" }`, ""},
		{"no-state", `import "regexp"; var grammar = regexp.MustCompile("a")`, ""},
		{"no-state", `import "sync"; var table = sync.OnceValue(func() []int { return make([]int, 8) })`, ""},
		{"no-state", `import "go.uber.org/fx"; var Module = fx.Options()`, ""},
		{"no-state", `var table [4]int; func f() { i := table[1]; i++; _ = i }`, ""},

		{"no-state", `var Names = map[int]string{}`, "Names is exported"},
		{"no-state", `var names = map[int]string{}; func f() { names[1] = "one" }`, "names is written to"},
		{"no-state", `var names = map[int]string{}; func f() { delete(names, 1) }`, "names is written to"},
		{"no-state", `var count int; func f() { count++ }`, "count is written to"},
		{"no-state", `var last, next string; func f() { last, _ = "a", 1 }`, "last is written to"},
		{"no-state", `var best struct{ n []int }; func f() { (best.n)[0] += 2 }`, "best is written to"},
		{"no-state", `var i int; func f() { for i = range 3 {} }`, "i is written to"},
		{"no-state", `var b [4]byte; func f() { copy(b[1:], "a") }`, "b is written to"},
		{"no-state", `var count int; func f() *int { return &count }`, "its address is taken"},
		{"no-state", `import "sync"; var mu sync.Mutex`, "mu holds sync.Mutex"},
		{"no-state", `import s "sync"; var pool = s.Pool{}`, "pool holds s.Pool"},
		{"no-state", `import "sync/atomic"; var n atomic.Int64`, "n holds atomic.Int64"},
		{"no-state", `var events chan int`, "events holds a channel"},
		{"no-state", `var names = make(map[string]int)`, "names holds make(…)"},
		{"no-state", `var options = &struct{ n int }{1}`, "options holds a pointer to a new value"},
	}
	for _, tt := range tests {
		t.Run(tt.rule+" "+tt.source, func(t *testing.T) {
			fset := token.NewFileSet()
			source := "package runtime;\n" + tt.source
			file, err := parser.ParseFile(fset, "made-up.go", source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			m := module{
				imports: map[string][]string{"./runtime": nil},
				files:   map[string][]*ast.File{"./runtime": {file}},
				fset:    fset,
			}
			wantBreach(t, tt.rule, m, tt.want)
		})
	}
}

// wantBreach checks that a rule finds want in m, or nothing where want is empty.
func wantBreach(t *testing.T, name string, m module, want string) {
	t.Helper()
	i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name })
	if i < 0 {
		t.Fatalf("no rule %q", name)
	}
	broken := rules[i].check(m)
	if want == "" && len(broken) > 0 {
		t.Errorf("rule %q found %q in what is fine", name, broken)
	}
	if want != "" && !slices.ContainsFunc(broken, func(s string) bool { return strings.Contains(s, want) }) {
		t.Errorf("rule %q found %q, want a breach with %q", name, broken, want)
	}
}
