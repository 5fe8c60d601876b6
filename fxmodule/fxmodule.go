// Package fxmodule wires cosid into an fx application and links no database driver: the application adds the store
// types that it uses.
//
//	fx.New(
//		fxmodule.Module,
//		fxmodule.ConfigFile("cosid.yaml"),
//		fxmodule.Stores(gormstore.Factory{}),
//		fx.Invoke(func(rt *runtime.Runtime) { … }),
//	)
//
// Package cosid, the front door, does the same with every built-in store linked.
//
// As everything in fx, the Runtime is built only if something takes it. An application that takes neither the
// Runtime nor the Filler nor the GORM plugin never reads its configuration; Eager makes it do so.
package fxmodule

import (
	"errors"
	"log/slog"

	"go.uber.org/fx"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/assembly"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
)

// Module provides *runtime.Runtime, *tags.Filler and *gormplugin.Plugin, and ties the Runtime to the application's
// life cycle.
var Module = fx.Module("cosid", fx.Provide(New))

// Eager is Module for an application in which nothing takes the Runtime at start-up: the configuration is read and
// the stores are opened all the same.
var Eager = fx.Options(Module, fx.Invoke(func(*runtime.Runtime) {}))

// The value groups that types come in by; AsStore and its like put a constructor's result there.
const (
	storeGroup    = `group:"cosid.stores"`
	strategyGroup = `group:"cosid.strategies"`
	partGroup     = `group:"cosid.codecs"`
	modelGroup    = `group:"cosid.models"`
	hooksGroup    = `group:"cosid.hooks"`
)

// Params are what the container may hold for cosid. Everything but the life cycle is optional.
type Params struct {
	fx.In

	Lifecycle  fx.Lifecycle
	Source     config.Source        `optional:"true"`
	Logger     *slog.Logger         `optional:"true"`
	Hooks      generators.Hooks     `optional:"true"`
	Stores     []stores.Factory     `group:"cosid.stores"`
	Strategies []generators.Factory `group:"cosid.strategies"`
	Parts      []codecs.PartFactory `group:"cosid.codecs"`
	Models     []Model              `group:"cosid.models"`
	Watchers   []generators.Hooks   `group:"cosid.hooks"` // join Hooks, in no particular order
}

// Model is a type with tagged fields, by a value of it. Its tags are checked before the application starts.
type Model struct{ Value any }

// Result is what cosid puts into the container.
type Result struct {
	fx.Out

	Runtime *runtime.Runtime
	Filler  *tags.Filler
	Plugin  *gormplugin.Plugin
}

// Defaults are what a front door adds of its own.
type Defaults struct {
	Stores   []stores.Factory // the store types that it links
	Embedded map[string]any   // see config.Options
}

// New is the constructor behind Module.
func New(p Params) (Result, error) { return Provide(p, Defaults{}) }

// Provide reads the configuration, builds the Runtime and appends its Start and Close to the life cycle. It does no
// I/O to any store: that begins in OnStart.
func Provide(p Params, defaults Defaults) (Result, error) {
	rt, err := assembly.Build(assembly.Options{
		Source:     p.Source,
		Stores:     append(defaults.Stores, p.Stores...),
		Strategies: p.Strategies,
		Parts:      p.Parts,
		Embedded:   defaults.Embedded,
		Hooks:      generators.CombineHooks(append([]generators.Hooks{p.Hooks}, p.Watchers...)...),
		Logger:     p.Logger,
	})
	if err != nil {
		return Result{}, err
	}
	filler := assembly.NewFiller(rt)
	models := make([]any, len(p.Models))
	for i, model := range p.Models {
		models[i] = model.Value
	}
	// A disabled configuration has no generators to check against.
	if err := filler.Register(models...); err != nil && !errors.Is(err, runtime.ErrDisabled) {
		return Result{}, err
	}
	p.Lifecycle.Append(fx.StartStopHook(rt.Start, rt.Close))
	return Result{Runtime: rt, Filler: filler, Plugin: gormplugin.New(filler)}, nil
}

// ConfigFile makes the application read the named files, later over earlier, instead of looking for the usual ones.
func ConfigFile(names ...string) fx.Option { return fx.Supply(config.Source{Files: names}) }

// Stores adds store types, as ready values.
func Stores(factories ...stores.Factory) fx.Option {
	options := make([]fx.Option, len(factories))
	for i, factory := range factories {
		options[i] = fx.Provide(AsStore(func() stores.Factory { return factory }))
	}
	return fx.Options(options...)
}

// Models names types with tagged fields: Models(Bill{}, &Order{}). A tag that cannot be filled, or that names no
// generator, then keeps the application from starting, and not only the first row from being saved.
func Models(values ...any) fx.Option {
	options := make([]fx.Option, len(values))
	for i, value := range values {
		options[i] = fx.Provide(fx.Annotate(func() Model { return Model{value} }, fx.ResultTags(modelGroup)))
	}
	return fx.Options(options...)
}

// AsStore marks a constructor of a store type, so that it may have dependencies of its own:
// fx.Provide(fxmodule.AsStore(acmestore.NewFactory)).
func AsStore(constructor any) any {
	return fx.Annotate(constructor, fx.As(new(stores.Factory)), fx.ResultTags(storeGroup))
}

// AsStrategy marks a constructor of a generator strategy.
func AsStrategy(constructor any) any {
	return fx.Annotate(constructor, fx.As(new(generators.Factory)), fx.ResultTags(strategyGroup))
}

// AsCodecPart marks a constructor of a codec part.
func AsCodecPart(constructor any) any {
	return fx.Annotate(constructor, fx.As(new(codecs.PartFactory)), fx.ResultTags(partGroup))
}

// AsHooks marks a constructor of a generators.Hooks that joins the one that the application supplies, if any: for metrics,
// traces and the like, each from a package of its own.
func AsHooks(constructor any) any {
	return fx.Annotate(constructor, fx.ResultTags(hooksGroup))
}
