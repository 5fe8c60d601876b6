package main

import (
	"context"
	"path/filepath"

	"github.com/libtnb/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid"
)

// creatingCases insert one row a time through GORM: one that comes filled, and one that the plugin fills. Both draw the
// same ids, so that the difference is what the plugin costs.
func creatingCases(ctx context.Context, folder string, order, bill *cosid.Entry, filler *cosid.Filler) ([]*benchCase, error) {
	plain, err := openTable(filepath.Join(folder, "plain.db"))
	if err != nil {
		return nil, err
	}
	filled, err := openTable(filepath.Join(folder, "filled.db"))
	if err != nil {
		return nil, err
	}
	if err := filled.Use(cosid.NewGORMPlugin(filler)); err != nil {
		return nil, err
	}
	return []*benchCase{
		{name: "Create of a row with its ids", ids: 1, loop: func(n int) {
			for range n {
				row := billed{Name: "tea"}
				row.ID, _ = order.Next(ctx)
				row.No, _ = bill.NextString(ctx)
				create(plain, &row)
			}
		}},
		{name: "Create of a row that the plugin fills", ids: 1, loop: func(n int) {
			for range n {
				create(filled, &billed{Name: "tea"})
			}
		}},
	}, nil
}

func create(db *gorm.DB, row *billed) {
	if err := db.Create(row).Error; err != nil {
		fatal(err) // one that fails is quick
	}
}

// openTable opens a file that is not synced to the disk, which would hide everything else.
func openTable(file string) (*gorm.DB, error) {
	dsn := "file:" + filepath.ToSlash(file) + "?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)"
	db, err := gorm.Open(sqlite.Open(dsn), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	return db, db.AutoMigrate(&billed{})
}
