// Package gormplugin fills tagged fields of the models that GORM is about to insert:
//
//	err := db.Use(gormplugin.New(filler))
//
// Every call that creates rows is covered: Create, CreateInBatches, Save, FirstOrCreate, gorm.G[T], associations at
// any depth, and maps with a Model. Only empty fields are filled, and only what the INSERT will carry: no id is drawn
// for a column that Select or Omit leaves out, nor for associations that are not saved.
//
// Filling comes first of all that Create does, before the implicit transaction begins and for all associations at
// once. So a store on the same one-connection pool does not wait for the connection that its own caller holds, and
// the models' hooks find the ids in place. Within a transaction of the caller (db.Transaction, and CreateInBatches
// with more than one batch) that cannot help: give the store a pool of its own, or fill the rows before by
// Filler.Fill. The same holds for what appears only later: rows of join tables with tagged fields, and children
// that a hook adds.
//
// What may surprise:
//   - A store never joins a transaction. A rollback leaves a gap, and no id comes twice.
//   - SkipHooks skips the methods of models, not filling: a row without its number would be worse. DryRun fills as
//     well, so that the SQL it shows is complete.
//   - Under OnConflict{DoNothing} a row that is not inserted leaves its new id in the struct. RowsAffected tells, if
//     the key has the tag gorm:"autoIncrement:false". Without it GORM reads the keys back, and counts rows that were
//     in the way: each on MariaDB, those of a slice everywhere but on MySQL. An upsert that updates keeps the id of
//     the row that is there, which the struct shows only where GORM reads keys back. Read it by what was in the way.
//   - Save of a slice overwrites all columns of rows that exist. A tagged field that was not loaded, and so is empty,
//     gets a new number there, as any other empty field gets its zero.
//   - An update of a parent saves its children, too. A tagged field of a child that was not loaded looks empty and gets
//     a number in the struct that its row does not have: load what you save, or omit the association.
//   - A field that is not a column (gorm:"-") is filled if the tag stands on it; structs that are not saved are left
//     alone.
package gormplugin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/tags"
)

// pluginName is the plugin's key in gorm.Config.Plugins.
const pluginName = "cosid"

// Plugin is a gorm.Plugin that fills models from a Filler. One Plugin may serve several databases, and is safe for
// concurrent use.
type Plugin struct {
	filler *tags.Filler
	models sync.Map // *schema.Schema → *model
}

// New returns a plugin that fills by filler. Install it with db.Use.
func New(filler *tags.Filler) *Plugin { return &Plugin{filler: filler} }

// Name is the plugin's name to GORM: cosid.
func (p *Plugin) Name() string { return pluginName }

// Initialize is called by db.Use.
func (p *Plugin) Initialize(db *gorm.DB) error {
	// "*" rather than gorm:begin_transaction, which is not there when SkipDefaultTransaction is set.
	return errors.Join(
		db.Callback().Create().Before("*").Register("cosid:fill", p.beforeCreate),
		db.Callback().Create().After("gorm:create").Register("cosid:restore_map_keys", restoreMapKeys),
		db.Callback().Update().Before("*").Register("cosid:fill_associations", p.beforeUpdate),
	)
}

// Fill fills model, a pointer to a struct or a slice, by the plugin that is installed on tx. It is for a hook of your
// own that must see the ids of what it builds:
//
//	func (o *Order) BeforeCreate(tx *gorm.DB) error {
//		o.Items = append(o.Items, defaultItem())
//		return gormplugin.Fill(tx, o)
//	}
//
// Hooks run inside the transaction; see the package comment for what that means for the store.
func Fill(tx *gorm.DB, model any) error {
	p, ok := tx.Plugins[pluginName].(*Plugin)
	if !ok {
		return errors.New("gormplugin: fill: the plugin is not installed on this *gorm.DB; " +
			"call db.Use(gormplugin.New(filler)) where it is opened")
	}
	stmt := &gorm.Statement{DB: tx}
	if err := stmt.Parse(model); err != nil {
		return fmt.Errorf("gormplugin: fill %T: %w", model, err)
	}
	v := indirect(reflect.ValueOf(model))
	if !v.IsValid() {
		return fmt.Errorf("gormplugin: fill: the model is a nil %T", model)
	}
	return p.fill(tx, func(w *walk) error { return w.rows(stmt.Schema, nil, v) })
}

// beforeCreate fills what is about to be inserted.
func (p *Plugin) beforeCreate(db *gorm.DB) {
	stmt := db.Statement
	if db.Error != nil || stmt.Schema == nil || !stmt.ReflectValue.IsValid() {
		return
	}
	db.AddError(p.fill(db, func(w *walk) error {
		s := stmt.Schema
		t := structType(stmt.ReflectValue.Type())
		switch {
		case t == nil:
			return w.maps(s, selected(stmt, s, true), mapsIn(stmt.Dest))
		case t != s.ModelType:
			// Model(&U{}).Create(&DTO{}): where a U has its fields says nothing about a DTO.
			if s = parse(db, t); s == nil {
				return nil
			}
		}
		return w.rows(s, selected(stmt, s, true), stmt.ReflectValue)
	}))
	p.keepMapKeys(db)
}

// beforeUpdate fills the associations that an update will create. The updated row itself keeps its empty fields: an
// update gives no numbers.
func (p *Plugin) beforeUpdate(db *gorm.DB) {
	stmt := db.Statement
	if db.Error != nil || stmt.Schema == nil || !stmt.ReflectValue.IsValid() {
		return
	}
	v := updatedModel(stmt)
	if !v.IsValid() || structType(v.Type()) != stmt.Schema.ModelType {
		return
	}
	db.AddError(p.fill(db, func(w *walk) error {
		sel := selected(stmt, stmt.Schema, false)
		if given, ok := stmt.Dest.(map[string]any); ok {
			if err := w.given(stmt.Schema, sel, given); err != nil {
				return err
			}
		}
		return w.associations(stmt.Schema, sel, v)
	}))
}

// updatedModel is the value whose associations GORM will save: the model, which often is what is saved, too.
func updatedModel(stmt *gorm.Statement) reflect.Value {
	model, dest := reflect.ValueOf(stmt.Model), reflect.ValueOf(stmt.Dest)
	if stmt.ReflectValue.CanAddr() && model.Kind() == reflect.Pointer && dest.Kind() == reflect.Pointer &&
		model.Pointer() == dest.Pointer() {
		return stmt.ReflectValue
	}
	return indirect(model)
}

// fill draws at once for all that collect gathers.
func (p *Plugin) fill(db *gorm.DB, collect func(*walk) error) error {
	w := walk{plugin: p, db: db}
	err := p.filler.FillBatch(db.Statement.Context, func(b *tags.Batch) error {
		w.batch = b
		return collect(&w)
	})
	w.writeMaps()
	if inTransaction(db) && mayHaveWaited(err) {
		return fmt.Errorf("%w (inside a transaction: a store on the same connection pool may have to wait until it "+
			"ends; give the store a pool of its own, or fill before the transaction begins)", err)
	}
	return err
}

// mayHaveWaited tells whether err is one that a wait for a connection ends in, and none that waiting has no part in.
func mayHaveWaited(err error) bool {
	for _, lasting := range []error{
		generators.ErrRangeWentBack, stores.ErrRangeSealed, stores.ErrRangeExhausted, stores.ErrClosed, generators.ErrClosed,
	} {
		if errors.Is(err, lasting) {
			return false
		}
	}
	return errors.Is(err, generators.ErrRangeUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

func inTransaction(db *gorm.DB) bool {
	_, ok := db.Statement.ConnPool.(gorm.TxCommitter)
	return ok
}

// parse returns the schema of t, nil where GORM sees none.
func parse(db *gorm.DB, t reflect.Type) *schema.Schema {
	stmt := &gorm.Statement{DB: db}
	if stmt.Parse(reflect.New(t).Interface()) != nil {
		return nil
	}
	return stmt.Schema
}

// structType is the struct type that t holds, through pointers, slices and arrays, or nil.
func structType(t reflect.Type) reflect.Type {
	const deepest = 16 // types such as type S []S have no end
	for range deepest {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			t = t.Elem()
		case reflect.Struct:
			return t
		default:
			return nil
		}
	}
	return nil
}

// indirect follows pointers, to the zero Value where one is nil.
func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}
