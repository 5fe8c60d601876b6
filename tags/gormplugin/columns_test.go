package gormplugin_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/gormplugin"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

// largest has a column of each form that holds the largest id.
type largest struct {
	ID       int64         `gorm:"primaryKey;autoIncrement:false" cosid:"id"`
	Unsigned uint64        `cosid:"id"`
	Pointer  *uint64       `cosid:"id"`
	Null     sql.NullInt64 `cosid:"id"`
	Text     string        `cosid:"id"`
}

// F45: ids end at MaxInt64, where no column loses one.
func (d database) TheLargestIDsAreStoredExactly(t *testing.T) {
	db := d.open(t, &gorm.Config{})
	const first = math.MaxInt64 - 9
	id := tagstest.NewCounter(first)
	id.Left, id.Err = 10, tagstest.ErrExhausted
	filler := tags.NewFiller(tagstest.SourceOf(map[string]tags.Generator{"id": id}))
	if err := db.Use(gormplugin.New(filler)); err != nil {
		t.Fatal(err)
	}
	if err := db.AutoMigrate(&largest{}); err != nil {
		t.Fatal(err)
	}
	rows := make([]largest, 2)
	must(t, db.Create(&rows))
	var stored []largest
	must(t, db.Order("id").Find(&stored))
	if !reflect.DeepEqual(stored, rows) {
		t.Errorf("stored\n%+v, the structs\n%+v", stored, rows)
	}
	last := rows[1]
	if rows[0].ID != first || last.Unsigned != math.MaxInt64-4 || *last.Pointer != math.MaxInt64-3 ||
		last.Null.Int64 != math.MaxInt64-2 || last.Text != strconv.FormatInt(math.MaxInt64, 10) {
		t.Errorf("filled %+v", rows)
	}
	if err := db.Create(&largest{}).Error; err == nil {
		t.Error("an id beyond the last was filled")
	}
}

// ticket is a row whose key is text that a codec wrote, beside the id that it stands for.
type ticket struct {
	No string `gorm:"primaryKey" cosid:"ticket"`
	ID int64  `cosid:"id"`
}

// F105: what codecs says of columns for text, by which rows sort like their ids and none is taken for another.
func (d database) TextKeysSortLikeTheirIDs(t *testing.T) {
	for _, c := range []struct {
		radix, width int
		collation    string
	}{
		{62, 11, d.bytewise},
		{36, 13, d.bytewise},
		{36, 13, ""}, // the database's default, of MariaDB a case-insensitive one
	} {
		t.Run(fmt.Sprintf("radix %d %s", c.radix, c.collation), func(t *testing.T) {
			part, err := codecs.Radix(codecs.RadixSettings{Radix: c.radix, Width: &c.width, PadStart: true})
			if err != nil {
				t.Fatal(err)
			}
			codec, err := codecs.New([]codecs.Part{part})
			if err != nil {
				t.Fatal(err)
			}
			db := d.open(t, &gorm.Config{})
			filler := tags.NewFiller(tagstest.SourceOf(map[string]tags.Generator{
				"id": tagstest.NewCounter(1), "ticket": coded{tagstest.NewCounter(1), codec},
			}))
			if err := db.Use(gormplugin.New(filler)); err != nil {
				t.Fatal(err)
			}
			column := fmt.Sprintf("varchar(%d)", c.width)
			if c.collation != "" {
				column += " COLLATE " + c.collation
			}
			must(t, db.Exec("CREATE TABLE tickets (no "+column+" NOT NULL PRIMARY KEY, id bigint)"))
			rows := make([]ticket, 500) // of two and three digits that count
			must(t, db.Create(&rows))
			var stored []ticket
			must(t, db.Order("no").Find(&stored))
			if !slices.Equal(stored, rows) {
				t.Errorf("by number %v, by id %v", stored, rows)
			}
		})
	}
}

// coded writes the counter's ids by a codec.
type coded struct {
	*tagstest.Counter
	codec codecs.Codec
}

func (c coded) FillStrings(ctx context.Context, texts []string) (int, error) {
	ids := make([]int64, len(texts))
	n, err := c.Fill(ctx, ids)
	for i, id := range ids[:n] {
		text, err := c.codec.Encode(id)
		if err != nil {
			return i, err
		}
		texts[i] = text
	}
	return n, err
}
