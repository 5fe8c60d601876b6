package databasesql_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"

	_ "github.com/libtnb/sqlite" // registers the driver sqlite

	"github.com/cosid-go/cosid"
	databasesql "github.com/cosid-go/cosid/examples/database-sql"
)

// Three orders with four items and three bills: one draw of each generator. The second run of the program goes on above
// what the first one reserved.
func Example() {
	dir, err := os.MkdirTemp("", "database-sql")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 2 {
		if err := run(context.Background(), dir); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// order 1 of Ada: items [{1 tea} {2 cups}], bill B-000001
	// order 2 of Grace: items [], bill B-000002
	// order 3 of Alan: items [{3 milk} {4 sugar}], bill B-000003
	// order 101 of Ada: items [{101 tea} {102 cups}], bill B-000101
	// order 102 of Grace: items [], bill B-000102
	// order 103 of Alan: items [{103 milk} {104 sugar}], bill B-000103
}

func run(ctx context.Context, dir string) error {
	ids, err := cosid.Open(ctx, cosid.Options{Source: configuration(filepath.Join(dir, "cosid.db"))})
	if err != nil {
		return err
	}
	defer ids.Close(ctx)
	filler := cosid.NewFiller(ids)
	if err := filler.Register(databasesql.Order{}, databasesql.Bill{}); err != nil { // a wrong tag is found now
		return err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(dir, "app.db"))+"?_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	defer db.Close()
	orders := databasesql.Orders{DB: db, Filler: filler}
	if err := orders.CreateTables(ctx); err != nil {
		return err
	}

	rows := []databasesql.Order{
		{Customer: "Ada", Items: []databasesql.Item{{Name: "tea"}, {Name: "cups"}}},
		{Customer: "Grace"},
		{Customer: "Alan", Items: []databasesql.Item{{Name: "milk"}, {Name: "sugar"}}},
	}
	bills, err := orders.Insert(ctx, rows...)
	if err != nil {
		return err
	}
	for i, row := range rows {
		fmt.Printf("order %d of %s: items %v, bill %s\n", row.ID, row.Customer, row.Items, bills[i].No)
	}
	return nil
}

// configuration is what would stand in cosid.yaml.
func configuration(file string) cosid.Source {
	segment := map[string]any{"strategy": "segment"}
	return cosid.Source{Environ: []string{}, Values: map[string]any{
		"namespace": "shop",
		"stores": map[string]any{
			"db": map[string]any{"type": "gorm", "options": map[string]any{"driver": "sqlite", "dsn": file}},
		},
		"generators": map[string]any{
			"order": segment,
			"item":  segment,
			"bill": map[string]any{"strategy": "segment", "codec": []any{
				map[string]any{"prefix": "B-"},
				map[string]any{"radix": map[string]any{"radix": 10, "width": 6, "pad-start": true}},
			}},
		},
	}}
}
