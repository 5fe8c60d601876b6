package cosid_test

import (
	"context"
	"fmt"
	"log"

	"github.com/libtnb/sqlite"
	"go.uber.org/fx"
	"gorm.io/gorm"

	"github.com/cosid-go/cosid"
)

// In an fx application: Module reads cosid.yaml and ties the generators to the application's life cycle, UseGORM makes
// GORM fill tagged fields, and Models finds a wrong tag before the application starts.
func ExampleModule() {
	type Bill struct {
		ID int64  `cosid:"order"`
		No string `cosid:"bill"`
	}
	openDatabase := func() (*gorm.DB, error) { return gorm.Open(sqlite.Open("app.db")) }
	createBill := func(lc fx.Lifecycle, db *gorm.DB) {
		lc.Append(fx.StartHook(func(ctx context.Context) error { return db.WithContext(ctx).Create(&Bill{}).Error }))
	}
	fx.New(
		fx.Provide(cosid.Module, openDatabase),
		cosid.Models(Bill{}),
		fx.Invoke(cosid.UseGORM, createBill),
	).Run()
}

// Without fx, and here without a file.
func ExampleOpen() {
	ctx := context.Background()
	ids, err := cosid.Open(ctx, cosid.Options{Source: cosid.Source{
		Environ: []string{},
		Values: map[string]any{
			"namespace": "shop",
			"stores":    map[string]any{"db": map[string]any{"type": "memory"}},
			"generators": map[string]any{
				"order": map[string]any{"strategy": "segment", "codec": []any{map[string]any{"prefix": "O-"}, "decimal"}},
			},
		},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer ids.Close(ctx)

	order, err := ids.Get("order")
	if err != nil {
		log.Fatal(err)
	}
	number, _ := order.Next(ctx)
	text, _ := order.NextString(ctx)
	fmt.Println(number, text)

	var row struct {
		ID int64  `cosid:"order"`
		No string `cosid:"order"`
	}
	if err := cosid.NewFiller(ids).Fill(ctx, &row); err != nil {
		log.Fatal(err)
	}
	fmt.Println(row.ID, row.No)
	// Output:
	// 1 O-2
	// 3 O-4
}
