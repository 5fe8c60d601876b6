package tags

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

// tag is what a tag such as `cosid:"bill,codec=short"` says.
type tag struct {
	name  string // of the generator
	codec string // "" for the generator's own
}

// parseTag reads the text of a tag, other than Skip.
func parseTag(text string) (tag, error) {
	name, rest, more := strings.Cut(text, ",")
	if name == "" {
		name = defaultGenerator
	}
	if err := stores.CheckName(name); err != nil {
		return tag{}, fmt.Errorf("tag %q: generator: %w; write cosid:\"bill\", or cosid:\"-\" to leave the field alone",
			text, err)
	}
	t := tag{name: name}
	for more {
		var option string
		option, rest, more = strings.Cut(rest, ",")
		key, value, _ := strings.Cut(option, "=")
		switch {
		case key != codecOption:
			return tag{}, fmt.Errorf("tag %q: unknown option %q; accepted is codec=NAME", text, option)
		case t.codec != "":
			return tag{}, fmt.Errorf("tag %q: codec is given twice", text)
		}
		if err := stores.CheckName(value); err != nil {
			return tag{}, fmt.Errorf("tag %q: codec: %w; write codec=NAME", text, err)
		}
		t.codec = value
	}
	return t, nil
}
