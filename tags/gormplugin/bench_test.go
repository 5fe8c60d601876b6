package gormplugin_test

import (
	"testing"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

// BenchmarkCreate shows what the plugin adds to a single Create. Without it the rows come filled.
func BenchmarkCreate(b *testing.B) {
	for _, with := range []bool{false, true} {
		name := "plain"
		if with {
			name = "with plugin"
		}
		b.Run(name, func(b *testing.B) {
			db := inFile().open(b, &gorm.Config{})
			id, no := tagstest.Quick{Counter: tagstest.NewCounter(1)}, tagstest.NewCounter(1)
			filler := tags.NewFiller(tagstest.SourceOf(map[string]tags.Generator{"id": id, "no": no}))
			type bill struct {
				ID   int64  `cosid:"id"`
				No   string `cosid:"no"`
				Name string
			}
			if err := db.AutoMigrate(&bill{}); err != nil {
				b.Fatal(err)
			}
			if with {
				if err := db.Use(gormplugin.New(filler)); err != nil {
					b.Fatal(err)
				}
			}
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				row := bill{Name: "a"}
				if !with {
					if err := filler.Fill(ctx, &row); err != nil {
						b.Fatal(err)
					}
				}
				if err := db.Create(&row).Error; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
