// Package orders shows cosid with pgx and without GORM: rows are filled first, with one draw a generator however many they
// are, and then inserted by a batch and by COPY. It is a module of its own, so that cosid does not depend on pgx.
package orders

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/cosid-go/cosid"
)

// Tables are those that Insert writes to.
const Tables = `
CREATE TABLE IF NOT EXISTS orders (id bigint PRIMARY KEY, customer text NOT NULL);
CREATE TABLE IF NOT EXISTS items (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, name text NOT NULL);
CREATE TABLE IF NOT EXISTS bills (no text PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders);`

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

// Database is what Insert needs of a *pgxpool.Pool or a *pgx.Conn.
type Database interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Insert fills the orders and their items, inserts them, and returns their bills. Filling comes before the transaction:
// ids are at hand when the connection is taken, and a rollback gives none of them back.
func Insert(ctx context.Context, db Database, filler *cosid.Filler, orders []Order) ([]Bill, error) {
	bills := make([]Bill, len(orders))
	if err := filler.FillAll(ctx, orders, bills); err != nil {
		return nil, err
	}
	batch := &pgx.Batch{}
	var items [][]any // COPY writes many rows quicker than INSERT does
	for i, order := range orders {
		bills[i].OrderID = order.ID
		batch.Queue(`INSERT INTO orders (id, customer) VALUES ($1, $2)`, order.ID, order.Customer)
		batch.Queue(`INSERT INTO bills (no, order_id) VALUES ($1, $2)`, bills[i].No, order.ID)
		for _, item := range order.Items {
			items = append(items, []any{item.ID, order.ID, item.Name})
		}
	}
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"items"}, []string{"id", "order_id", "name"}, pgx.CopyFromRows(items))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("insert %d orders: %w", len(orders), err)
	}
	return bills, nil
}
