// Package tagrules holds what package tags, which meets tagged fields by reflection, and cosidvet, which meets them in
// source, must agree on: the grammar of a tag, and what is said about a field that cannot be filled.
package tagrules

import (
	"fmt"
	"strings"

	"github.com/cosid-go/cosid/stores"
)

// Key is the name of the struct tag, and Skip the value of it that keeps filling away from a field.
const (
	Key  = "cosid"
	Skip = "-"
)

const (
	defaultGenerator = "default"
	codecOption      = "codec"
)

// Tag is what a tag such as `cosid:"bill,codec=short"` says.
type Tag struct {
	Name  string // of the generator
	Codec string // "" for the generator's own
}

// Parse reads the text of a tag, other than Skip. Its error quotes the text and says what to write.
func Parse(text string) (Tag, error) {
	name, rest, more := strings.Cut(text, ",")
	if name == "" {
		name = defaultGenerator
	}
	if err := stores.CheckName(name); err != nil {
		return Tag{}, fmt.Errorf("tag %q: generator: %w; write cosid:\"bill\", or cosid:\"-\" to leave the field alone",
			text, err)
	}
	t := Tag{Name: name}
	for more {
		var option string
		option, rest, more = strings.Cut(rest, ",")
		key, value, _ := strings.Cut(option, "=")
		switch {
		case key != codecOption:
			return Tag{}, fmt.Errorf("tag %q: unknown option %q; accepted is codec=NAME", text, option)
		case t.Codec != "":
			return Tag{}, fmt.Errorf("tag %q: codec is given twice", text)
		}
		if err := stores.CheckName(value); err != nil {
			return Tag{}, fmt.Errorf("tag %q: codec: %w; write codec=NAME", text, err)
		}
		t.Codec = value
	}
	return t, nil
}
