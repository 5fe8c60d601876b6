package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/libtnb/sqlite"
	"go.uber.org/fx"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// openDatabase opens the application's own database. The file with the ids is another one, so that drawing an id
// never waits for the application's transactions.
func openDatabase(lc fx.Lifecycle, file string) (*gorm.DB, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, fmt.Errorf("open the application's database: %w", err)
	}
	dsn := "file:" + file + "?_pragma=busy_timeout(30000)&_pragma=journal_mode(WAL)&_txlock=immediate"
	db, err := gorm.Open(sqlite.Open(dsn), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, fmt.Errorf("open the application's database %s: %w", file, err)
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StartStopHook(
		func(ctx context.Context) error { return migrate(db.WithContext(ctx)) },
		pool.Close,
	))
	return db, nil
}

// migrate creates the tables. The transaction makes several processes that start at once take turns.
func migrate(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error { return tx.AutoMigrate(&Order{}, &Item{}, &Bill{}) })
}
