// Package assembly puts a configuration and the built-in strategies and codec parts together to a Runtime and a
// Filler. The front door and the fx module both do it through here.
package assembly

import (
	"log/slog"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/periodic"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/tags"
)

// Options are what an application hands over, by either door.
type Options struct {
	Source     config.Source
	Stores     []stores.Factory
	Strategies []generators.Factory // besides the built-in ones
	Parts      []codecs.PartFactory // besides the built-in ones
	Embedded   map[string]any       // see config.Options
	Hooks      generators.Hooks
	Logger     *slog.Logger // nil is slog.Default()
}

// Strategies are the built-in ones. Each call makes new ones: the snowflake generators of one call share a slot.
func Strategies() []generators.Factory { return strategiesOn("") }

// strategiesOn are the built-in ones on a machine of that name; empty is what the system says.
func strategiesOn(hostname string) []generators.Factory {
	snowflakes := snowflake.NewFactory()
	if hostname != "" {
		snowflakes.Hostname = func() (string, error) { return hostname, nil }
	}
	return []generators.Factory{segment.Factory{}, periodic.Factory{}, snowflakes, snowflakes.Wide()}
}

// Config is what the configuration is read with. Each call makes new strategies.
func (o Options) Config() config.Options {
	return config.Options{
		Source:     o.Source,
		Stores:     o.Stores,
		Strategies: append(strategiesOn(o.Source.Hostname), o.Strategies...),
		Parts:      append(codecs.Builtin(), o.Parts...),
		Embedded:   o.Embedded,
	}
}

// Build reads the configuration and builds its Runtime, without I/O to any store.
func Build(o Options) (*runtime.Runtime, error) {
	cfg, err := config.Load(o.Config())
	if err != nil {
		return nil, err
	}
	return runtime.New(cfg, runtime.Options{Logger: o.Logger, Hooks: o.Hooks})
}

// NewFiller makes a Filler that draws from rt.
func NewFiller(rt *runtime.Runtime) *tags.Filler {
	return tags.NewFiller(func(generator, codec string) (tags.Generator, error) {
		entry, err := rt.Get(generator)
		if err != nil {
			return nil, err
		}
		if codec == "" {
			return entry, nil
		}
		return withCodec(entry, codec)
	})
}

// withCodec keeps a nil entry from becoming a Generator that is not nil.
func withCodec(entry *runtime.Entry, codec string) (tags.Generator, error) {
	view, err := entry.WithCodec(codec)
	if err != nil {
		return nil, err
	}
	return view, nil
}
