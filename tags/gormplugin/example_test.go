package gormplugin_test

import (
	"fmt"
	"log"

	"github.com/libtnb/sqlite"
	"gorm.io/gorm"

	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

func ExampleNew() {
	type Item struct {
		ID     int64 `cosid:"id"`
		BillID int64
	}
	type Bill struct {
		ID    int64  `cosid:"id"`
		No    string `cosid:"bill"`
		Items []Item
	}
	bills := tagstest.NewCounter(1)
	bills.Prefix = "20261027-00000"
	filler := tags.NewFiller(tagstest.SourceOf(map[string]tags.Generator{"id": tagstest.NewCounter(1), "bill": bills}))

	db, err := gorm.Open(sqlite.Open(":memory:"))
	if err != nil {
		log.Fatal(err)
	}
	if err := db.Use(gormplugin.New(filler)); err != nil {
		log.Fatal(err)
	}
	if err := db.AutoMigrate(&Bill{}, &Item{}); err != nil {
		log.Fatal(err)
	}
	bill := Bill{Items: []Item{{}, {}}}
	if err := db.Create(&bill).Error; err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", bill)
	// Output: {ID:1 No:20261027-000001 Items:[{ID:2 BillID:1} {ID:3 BillID:1}]}
}
