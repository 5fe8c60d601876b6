package tags_test

import (
	"testing"

	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

type sharedItem struct {
	ID int64 `cosid:"id"`
}

type sharedOrder struct {
	First *sharedItem
	Items []sharedItem
}

// Each struct is filled once, by whatever ways it is come to: two structs, two ids.
func TestStructsThatAreComeToInSeveralWaysAreFilledOnce(t *testing.T) {
	for name, fill := range map[string]func(*tags.Filler) error{
		"a pointer to an element": func(f *tags.Filler) error {
			o := sharedOrder{Items: make([]sharedItem, 2)}
			o.First = &o.Items[0]
			return f.Fill(t.Context(), &o)
		},
		"two targets": func(f *tags.Filler) error {
			items := make([]sharedItem, 2)
			return f.FillAll(t.Context(), &items[0], items)
		},
		"a slice of two parents": func(f *tags.Filler) error {
			items := make([]sharedItem, 2)
			return f.Fill(t.Context(), []*sharedOrder{{Items: items}, {Items: items}})
		},
		"an array with two pointers to it": func(f *tags.Filler) error {
			var items [2]sharedItem
			return f.Fill(t.Context(), &struct{ A, B *[2]sharedItem }{&items, &items})
		},
		"an array of one slice": func(f *tags.Filler) error {
			items := make([]sharedItem, 2)
			return f.Fill(t.Context(), &[2][]sharedItem{items, items})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ids := tagstest.NewCounter(1)
			filler := tags.NewFiller(tagstest.SourceOf(map[string]tags.Generator{"id": ids}))
			if err := fill(filler); err != nil || ids.Drawn() != 2 {
				t.Errorf("draws of %v, %v", ids.Draws(), err)
			}
		})
	}
}
