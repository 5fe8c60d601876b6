// Package databasesql shows cosid without GORM: rows are filled first, with one draw a generator however many they are,
// and then inserted with database/sql. It is the same with sqlx and bun.
package databasesql

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/cosid-go/cosid"
)

// Order is a row with the rows that belong to it.
type Order struct {
	ID       int64 `cosid:"order"`
	Customer string
	Items    []Item
}

// Item is a row of an order.
type Item struct {
	ID   int64 `cosid:"item"`
	Name string
}

// Bill is a row of its own; each order gets one.
type Bill struct {
	No      string `cosid:"bill"`
	OrderID int64
}

// Orders inserts orders into a database.
type Orders struct {
	DB     *sql.DB
	Filler *cosid.Filler
}

// Insert fills the orders and their items, inserts them, and returns their bills. Filling comes before the transaction: ids are at
// hand when the connection is taken, and a rollback gives none of them back.
func (o Orders) Insert(ctx context.Context, orders ...Order) ([]Bill, error) {
	bills := make([]Bill, len(orders))
	if err := o.Filler.FillAll(ctx, orders, bills); err != nil {
		return nil, err
	}
	tx, err := o.DB.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("insert orders: %w", err)
	}
	defer tx.Rollback()
	for i, order := range orders {
		bills[i].OrderID = order.ID
		if err := insert(ctx, tx, order, bills[i]); err != nil {
			return nil, fmt.Errorf("insert order %d: %w", order.ID, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("insert orders: %w", err)
	}
	return bills, nil
}

func insert(ctx context.Context, tx *sql.Tx, order Order, bill Bill) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO orders (id, customer) VALUES (?, ?)`, order.ID, order.Customer)
	if err != nil {
		return err
	}
	for _, item := range order.Items {
		_, err := tx.ExecContext(ctx, `INSERT INTO items (id, order_id, name) VALUES (?, ?, ?)`, item.ID, order.ID, item.Name)
		if err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO bills (no, order_id) VALUES (?, ?)`, bill.No, bill.OrderID)
	return err
}

// CreateTables makes the tables where there are none.
func (o Orders) CreateTables(ctx context.Context) error {
	for _, table := range []string{
		`orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL)`,
		`items (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, name TEXT NOT NULL)`,
		`bills (no TEXT PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders)`,
	} {
		if _, err := o.DB.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS `+table); err != nil {
			return fmt.Errorf("create a table: %w", err)
		}
	}
	return nil
}
