package cosid

import (
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/internal/assembly"
)

// ConfigOptions is what package config takes to read the configuration that Open(ctx, o) would open, with every built-in
// type: for tools that check it, describe it (config.Load, config.Schema, config.ReadOutline) or open a part of it. Hooks
// and Logger do not matter. Each call makes new strategies.
func ConfigOptions(o Options) config.Options {
	return assembly.Options{
		Source:     o.Source,
		Stores:     o.stores(),
		Strategies: o.Strategies,
		Parts:      o.Parts,
		Embedded:   embeddedStore(),
	}.Config()
}
