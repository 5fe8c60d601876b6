package config

import (
	"slices"

	"github.com/cosid-go/cosid/generators"
)

// Outline is what a configuration declares by name, for a tool that reads it without the program that it belongs to.
// Lists are sorted by name.
type Outline struct {
	// Enabled is false where the section says `enabled: false`.
	Enabled bool

	Generators []OutlineGenerator

	// Codecs are the names of cosid.codecs.
	Codecs []string
}

// OutlineGenerator is one entry of cosid.generators.
type OutlineGenerator struct {
	Name string

	// Grouped is true where the strategy is one of Options.Strategies and makes grouped ids.
	Grouped bool

	// Text is true where the strategy is one of Options.Strategies and makes texts.
	Text bool
}

// ReadOutline reads the names that a configuration declares. It judges nothing else: a placeholder without a value, a
// type or strategy that is not in options and a wrong setting are left to Load. Its error, an *Error, tells what
// kept the names from being read, or says that two factories of one type were given.
func ReadOutline(options Options) (*Outline, error) {
	known, err := newRegistry(options)
	if err != nil {
		return nil, err
	}
	l := newLoader(options)
	l.read(known)
	d := &decoder{origins: l.origins, problems: &l.problems}
	section, _ := d.asMap(root, l.section())
	codecs, _ := d.asMap(root.key("codecs"), section["codecs"])
	declared, _ := d.asMap(root.key("generators"), section["generators"])
	outline := &Outline{Enabled: section["enabled"] != false && section["enabled"] != fromVariable("false"), Codecs: sortedKeys(codecs)}
	for _, name := range sortedKeys(declared) {
		g := OutlineGenerator{Name: name}
		settings := known.settingsOf(declared[name])
		_, g.Grouped = settings.(generators.GroupedSettings)
		_, g.Text = settings.(generators.TextSettings)
		outline.Generators = append(outline.Generators, g)
	}
	if err := NewError(slices.DeleteFunc(l.problems.list, hidesNoName)); err != nil {
		return nil, err
	}
	return outline, nil
}

// hidesNoName tells whether p lies within an entry, or in a part of the section that has none.
func hidesNoName(p Problem) bool {
	if p.Origin.Variable != "" {
		return true
	}
	holders := []string{"", root.String(), root.key("generators").String(), root.key("codecs").String()}
	return !slices.Contains(holders, p.Path)
}

// settingsOf returns new settings of the strategy that the entry of a generator names, nil where it is not known.
func (r *registry) settingsOf(entry any) any {
	values, _ := entry.(map[string]any)
	strategy, _ := plainText(values["strategy"])
	factory, known := r.strategies[strategy]
	if !known {
		return nil
	}
	return factory.NewSettings()
}
