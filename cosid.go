// Package cosid gives every replica of a service unique ids without a network call per id.
//
// A `cosid:` section in the application's YAML names stores, generators and codecs. Module builds them in an fx
// application, Open without fx; both give a Runtime, from which ids are drawn by name, and a Filler, which fills
// struct fields tagged `cosid:"bill"` before they are persisted:
//
//	fx.New(fx.Provide(cosid.Module), fx.Invoke(cosid.UseGORM), …)
//
// This package is the front door with every built-in store linked. An application that must not link drivers it does
// not use takes package fxmodule instead and adds its stores.
package cosid

import (
	"context"
	"log/slog"

	"github.com/redis/go-redis/v9"
	"go.uber.org/fx"
	"gorm.io/gorm"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/fxmodule"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/assembly"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/redisstore"
	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
)

// Names that an application needs, so that it can do with this one import.
type (
	// Runtime holds the named generators.
	Runtime = runtime.Runtime
	// Entry is one named generator with its codec.
	Entry = runtime.Entry
	// GroupedID is a number that is unique within its period.
	GroupedID = generators.GroupedID
	// Filler fills tagged struct fields.
	Filler = tags.Filler
	// GORMPlugin fills tagged fields of the rows that GORM creates.
	GORMPlugin = gormplugin.Plugin
	// Source says where a configuration comes from; an fx application supplies it as a value.
	Source = config.Source
	// Hooks are called when something happens to a generator.
	Hooks = generators.Hooks
	// ConfigError is the report of all mistakes of a configuration.
	ConfigError = config.Error
)

// Errors that an application may want to tell apart, for matching with errors.Is.
var (
	ErrRangeUnavailable = generators.ErrRangeUnavailable
	ErrRangeWentBack    = generators.ErrRangeWentBack
	ErrRangeExhausted   = stores.ErrRangeExhausted
	ErrRangeSealed      = stores.ErrRangeSealed
	ErrOutcomeUnknown   = stores.ErrOutcomeUnknown

	ErrNoFreeSlot         = stores.ErrNoFreeSlot
	ErrLeaseLost          = stores.ErrLeaseLost
	ErrSlotSettings       = stores.ErrSlotSettings
	ErrLeaseExpired       = generators.ErrLeaseExpired
	ErrTimestampExhausted = generators.ErrTimestampExhausted

	ErrUnknownGenerator = runtime.ErrUnknownGenerator
	ErrDisabled         = runtime.ErrDisabled
)

// Params are what the fx container may hold for Module. Everything but the life cycle is optional.
type Params struct {
	fx.In

	Common fxmodule.Params

	// DB serves stores of type gorm that name no dsn. It is never closed.
	DB *gorm.DB `optional:"true"`

	Redis RedisClients
}

// Module is a constructor: fx.Provide(cosid.Module) gives *Runtime, *Filler and *GORMPlugin, and ties the Runtime to
// the application's life cycle. As everything in fx it runs only if something takes one of them; fx.Invoke(UseGORM)
// does.
func Module(p Params) (fxmodule.Result, error) {
	return fxmodule.Provide(p.Common, fxmodule.Defaults{Stores: builtinStores(p.DB, p.Redis.factory()), Embedded: embeddedStore()})
}

// UseGORM installs the plugin: fx.Invoke(cosid.UseGORM) makes the container's *gorm.DB fill tagged fields.
func UseGORM(db *gorm.DB, plugin *GORMPlugin) error { return db.Use(plugin) }

// Models names types with tagged fields, so that a tag that cannot be filled keeps the application from starting:
// cosid.Models(Bill{}, &Order{}) beside fx.Provide(cosid.Module). Without fx, Filler.Register does it.
func Models(values ...any) fx.Option { return fxmodule.Models(values...) }

// Options are what Open takes. The zero value reads the usual files.
type Options struct {
	Source Source
	Logger *slog.Logger // nil is slog.Default()
	Hooks  Hooks

	// DB serves stores of type gorm that name no dsn. It is never closed.
	DB *gorm.DB

	// Redis serves stores of type redis that name no uri. It is never closed.
	Redis redis.UniversalClient

	// Stores, Strategies and Parts are types besides the built-in ones.
	Stores     []stores.Factory
	Strategies []generators.Factory
	Parts      []codecs.PartFactory
}

// Open reads the configuration, opens its stores and starts its generators, without fx. ctx bounds Open only. The
// caller closes the Runtime.
func Open(ctx context.Context, o Options) (*Runtime, error) {
	rt, err := assembly.Build(assembly.Options{
		Source:     o.Source,
		Stores:     o.stores(),
		Strategies: o.Strategies,
		Parts:      o.Parts,
		Embedded:   embeddedStore(),
		Hooks:      o.Hooks,
		Logger:     o.Logger,
	})
	if err != nil {
		return nil, err
	}
	if err := rt.Start(ctx); err != nil {
		return nil, err
	}
	return rt, nil
}

// NewFiller makes a Filler that draws from rt, for an application without fx.
func NewFiller(rt *Runtime) *Filler { return assembly.NewFiller(rt) }

// NewGORMPlugin makes the plugin that fills with filler, for an application without fx: db.Use(plugin).
func NewGORMPlugin(filler *Filler) *GORMPlugin { return gormplugin.New(filler) }

// Fill fills the tagged fields of model from a hand-written hook, through the plugin that tx's database uses:
//
//	func (b *Bill) BeforeCreate(tx *gorm.DB) error { return cosid.Fill(tx, b) }
func Fill(tx *gorm.DB, model any) error { return gormplugin.Fill(tx, model) }

// As returns the part of the named generator that is a T: cosid.As[codecs.GroupedCodec](rt, "bill").
func As[T any](rt *Runtime, name string) (T, error) { return runtime.As[T](rt, name) }

func (o Options) stores() []stores.Factory {
	return append(builtinStores(o.DB, redisstore.Factory{Client: o.Redis}), o.Stores...)
}

func builtinStores(db *gorm.DB, redis stores.Factory) []stores.Factory {
	return []stores.Factory{gormstore.Factory{DB: db}, redis, memstore.Factory{}}
}

// embeddedStore is what serves a configuration that declares no store: a file of its own, in the working directory.
func embeddedStore() map[string]any {
	return map[string]any{
		"type":    "gorm",
		"options": map[string]any{"driver": "sqlite", "dsn": "data/cosid.db"},
	}
}
