package config_test

import (
	"os"
	"path/filepath"
	"testing"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
	"github.com/cosid-go/cosid/stores/memstore"
)

// options know the built-in types and see neither the machine's files nor its environment.
func options(dir string, environ ...string) config.Options {
	return config.Options{
		Source:     config.Source{Dir: dir, Environ: append([]string{}, environ...), Hostname: "shop-3"},
		Stores:     []stores.Factory{gormstore.Factory{}, memstore.Factory{}},
		Strategies: strategies(),
		Parts:      codecs.Builtin(),
		Embedded:   map[string]any{"type": "memory"},
	}
}

func strategies() []generators.Factory {
	snowflakes := snowflake.NewFactory()
	return []generators.Factory{segment.Factory{}, periodic.Factory{}, snowflakes, snowflakes.Wide()}
}

// unsealable is a store type that reserves ranges and cannot seal.
type unsealable struct{ memstore.Factory }

func (unsealable) Type() string { return "unsealable" }

func (f unsealable) Build(spec stores.Spec, options any) (stores.Store, error) {
	store, err := f.Factory.Build(spec, options)
	if err != nil {
		return nil, err
	}
	return struct {
		stores.Store
		stores.RangeStore
	}{store, store.(stores.RangeStore)}, nil
}

// write puts files into a new folder: name, content, name, content …
func write(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, yaml string, environ ...string) (*config.Config, error) {
	t.Helper()
	return config.Load(options(write(t, "cosid.yaml", yaml), environ...))
}

func mustLoad(t *testing.T, yaml string, environ ...string) *config.Config {
	t.Helper()
	cfg, err := load(t, yaml, environ...)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func generator(t *testing.T, cfg *config.Config, name string) config.Generator {
	t.Helper()
	for _, g := range cfg.Generators {
		if g.Name == name {
			return g
		}
	}
	t.Fatalf("no generator %q in %v", name, cfg.Generators)
	return config.Generator{}
}

func segmentOf(t *testing.T, cfg *config.Config, name string) *segment.Settings {
	t.Helper()
	return generator(t, cfg, name).Settings.(*segment.Settings)
}
