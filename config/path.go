package config

import (
	"fmt"
	"strings"
)

// path names a place in the merged tree. Its parts are joined by a byte that no YAML key can hold, so that a
// generator named "a.b" and a key b of generator a stay two places.
type path string

const pathSeparator = "\x00"

const root path = "cosid"

func (p path) key(name string) path { return p + pathSeparator + path(name) }

func (p path) index(i int) path { return p.key(fmt.Sprintf("[%d]", i)) }

// String is how a report writes the path: cosid.generators.bill.codec[1].radix.
func (p path) String() string {
	return strings.ReplaceAll(strings.ReplaceAll(string(p), pathSeparator+"[", "["), pathSeparator, ".")
}

// holdsNames tells whether the keys directly below p are names that the user chose, which are taken as they
// are, and not keys of the schema, which may be spelled in several ways.
func (p path) holdsNames() bool {
	return p == root.key("stores") || p == root.key("generators") || p == root.key("codecs")
}

// keys is key for each part of a dotted name: bits.slot.
func (p path) keys(dotted string) path { return p.key(strings.ReplaceAll(dotted, ".", pathSeparator)) }

// entry is the entry of stores, generators or codecs that p lies in, another section such as slots, or the root.
func (p path) entry() path {
	parts := strings.SplitN(string(p), pathSeparator, 4)
	if len(parts) < 3 {
		return root
	}
	section := root.key(parts[1])
	if !section.holdsNames() {
		return section
	}
	return section.key(parts[2])
}
