package gormplugin_test

import (
	"database/sql"
	"reflect"
	"strings"
	"testing"
)

type (
	billNo string
	number int64
)

// kinds has a column of each form (G30, G31).
type kinds struct {
	ID      number                `gorm:"primaryKey;autoIncrement:false" cosid:"id"`
	Named   billNo                `cosid:"no"`
	Pointer *int64                `cosid:"id"`
	Text    *string               `cosid:"no"`
	Null    sql.NullInt64         `cosid:"id"`
	NullNo  sql.NullString        `cosid:"no"`
	Generic sql.Null[int64]       `cosid:"id"`
	Small   uint32                `cosid:"id"`
	Preset  sql.NullInt64         `cosid:"id"`
	Default string                `gorm:"default:none" cosid:"no"` // G27: ours wins
	Lines   []line                `gorm:"serializer:json"`
	Setting struct{ Code billNo } `gorm:"serializer:json"`
}

// line is stored within its row.
type line struct {
	ID int64 `cosid:"id"`
}

func (d database) ColumnsOfEveryFormAreFilledAndReadBack(t *testing.T) {
	w := d.newWorld(t, nil, &kinds{})
	k := kinds{Preset: sql.NullInt64{Valid: true}, Lines: []line{{}, {ID: 70}, {}}}
	must(t, w.Create(&k))
	var got kinds
	must(t, w.Take(&got))
	if !reflect.DeepEqual(got, k) {
		t.Errorf("the row is\n%+v, the struct\n%+v", got, k)
	}
	if k.ID != 1 || k.Named != "N-1" || k.Pointer == nil || *k.Pointer != 2 || k.Text == nil || *k.Text != "N-2" ||
		k.Null != (sql.NullInt64{Int64: 3, Valid: true}) || k.NullNo.String != "N-3" || k.Generic.V != 4 || k.Small != 5 ||
		k.Preset.Int64 != 0 || k.Default != "N-4" || k.Lines[0].ID != 6 || k.Lines[1].ID != 70 || k.Lines[2].ID != 7 {
		t.Errorf("filled %+v", k)
	}
}

type (
	Base struct {
		ID int64 `cosid:"id"`
	}
	Audit struct {
		Trace string `cosid:"no"`
	}
	Place struct {
		Code string `cosid:"no"`
	}
	hidden struct {
		Memory int64 `cosid:"id"` // GORM does not look into unexported embedded structs
	}
)

// G9, G12: embedded structs, by value, by pointer and by GORM's tag.
func (d database) EmbeddedColumnsAreFilled(t *testing.T) {
	type model struct {
		*Base
		Audit
		From  Place  `gorm:"embedded;embeddedPrefix:from_"`
		To    *Place `gorm:"embedded;embeddedPrefix:to_"`
		Apart *Audit `gorm:"embedded;embeddedPrefix:apart_" cosid:"-"`
		hidden
	}
	w := d.newWorld(t, nil, &model{})
	rows := []*model{{}, {To: &Place{Code: "kept"}}}
	must(t, w.Create(rows))
	for i, m := range rows {
		if m.Base == nil || m.ID == 0 || m.Trace == "" || m.From.Code == "" || m.To == nil || m.To.Code == "" ||
			m.Memory == 0 {
			t.Errorf("row %d: %+v", i, m)
		}
		if m.Apart != nil && m.Apart.Trace != "" {
			t.Errorf("row %d: filled what is tagged -: %+v", i, m.Apart)
		}
		var code string
		must(t, w.Model(&model{}).Where("id = ?", m.ID).Pluck("to_code", &code))
		if code != m.To.Code {
			t.Errorf("row %d: stored %q, struct %q", i, code, m.To.Code)
		}
	}
	if rows[1].To.Code != "kept" {
		t.Errorf("%+v", rows[1].To)
	}
	w = d.newWorld(t, nil, &model{}) // the database gives an id of its own, which may be one of those above
	omitted := model{}
	must(t, w.Omit("to_code", "ID").Create(&omitted))
	if omitted.To != nil && omitted.To.Code != "" {
		t.Errorf("filled an omitted column: %+v", omitted.To)
	}
}

func (d database) AnUnexportedNilEmbeddedPointerIsNamed(t *testing.T) {
	type model struct {
		*hidden
		ID int64 `cosid:"id"`
	}
	w := d.newWorld(t, nil, &model{})
	err := w.Create(&model{}).Error
	want := "fill model.hidden: the embedded *gormplugin_test.hidden is nil"
	if err == nil || !strings.Contains(err.Error(), want) || w.drawn() != 0 {
		t.Errorf("error %v, drew %d", err, w.drawn())
	}
	must(t, w.Create(&model{hidden: &hidden{}}))
}
