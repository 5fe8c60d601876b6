package tags_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	_ "github.com/libtnb/sqlite" // registers the database/sql driver called sqlite

	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

// exampleSource stands for a Runtime with the generators order and bill, the latter writing text such as B-1.
func exampleSource() tags.Source {
	bills := tagstest.NewCounter(1)
	bills.Prefix = "B-"
	return tagstest.SourceOf(map[string]tags.Generator{"order": tagstest.NewCounter(1000), "bill": bills})
}

// Bills are filled just before they are inserted, and their ids drawn at once.
func Example_databaseSQL() {
	type Bill struct {
		ID     int64  `cosid:"order"`
		No     string `cosid:"bill"`
		Amount int
	}
	ctx := context.Background()
	filler := tags.NewFiller(exampleSource())
	if err := filler.Register(Bill{}); err != nil { // at start-up: a bad tag is known now
		log.Fatal(err)
	}

	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, `CREATE TABLE bills (id INTEGER PRIMARY KEY, no TEXT UNIQUE, amount INTEGER)`)
	if err != nil {
		log.Fatal(err)
	}

	bills := []Bill{{Amount: 30}, {Amount: 12}}
	if err := filler.Fill(ctx, bills); err != nil { // before the transaction begins
		log.Fatal(err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer tx.Rollback()
	for _, b := range bills {
		if _, err := tx.ExecContext(ctx, `INSERT INTO bills VALUES (?, ?, ?)`, b.ID, b.No, b.Amount); err != nil {
			log.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bills)
	// Output: [{1000 B-1 30} {1001 B-2 12}]
}

func ExampleFiller_FillAll() {
	type Order struct {
		ID int64 `cosid:"order"`
	}
	type Bill struct {
		No      string `cosid:"bill"`
		OrderID int64
	}
	filler := tags.NewFiller(exampleSource())
	order, bill := Order{}, Bill{}
	if err := filler.FillAll(context.Background(), &order, &bill); err != nil {
		log.Fatal(err)
	}
	bill.OrderID = order.ID
	fmt.Println(order, bill)
	// Output: {1000} {B-1 1000}
}

func ExampleFiller_Register() {
	type Bill struct {
		No    string  `cosid:"bil"`
		Price float64 `cosid:"-"`
	}
	filler := tags.NewFiller(exampleSource())
	fmt.Println(filler.Register(Bill{}))
	// Output: cosid: Bill.No: no generator named "bil" (have bill, order)
}
