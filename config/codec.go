package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/names"
)

// placedPart is a built part together with the place it is written at, for the report.
type placedPart struct {
	codecs.Part
	at path
}

// namedCodecs are the entries of cosid.codecs, expanded: a list may name another entry.
type namedCodecs struct {
	decoder *sectionDecoder
	entries map[string]entry
	parts   map[string][]placedPart
	open    []string // the names being expanded, to find one that names itself
}

func (d *sectionDecoder) namedCodecs(raw any) *namedCodecs {
	named := &namedCodecs{decoder: d, entries: map[string]entry{}, parts: map[string][]placedPart{}}
	for _, e := range d.entries(root.key("codecs"), raw) {
		if _, taken := d.registry.parts[e.name]; taken {
			d.problem(e.at, "another name", "%q is the name of a codec part", e.name)
			continue
		}
		named.entries[e.name] = e
	}
	for _, name := range sortedKeys(named.entries) {
		parts, ok := named.expand(name, named.entries[name].at)
		if ok {
			d.checkAlone(named.entries[name].at, parts)
		}
	}
	return named
}

// checkAlone compiles a named codec for the kind of ids that its parts fit, so that a mistake in one that nothing
// uses yet is found too.
func (d *sectionDecoder) checkAlone(at path, parts []placedPart) {
	if slices.ContainsFunc(parts, func(p placedPart) bool { _, needy := p.Part.(codecs.LayoutPart); return needy }) {
		_, err := codecs.NewWithLayout(bareParts(parts), lateLayout())
		d.reportList(at, parts, err)
		return
	}
	writesPeriod := slices.ContainsFunc(parts, func(p placedPart) bool { return p.Role() == codecs.PeriodValue })
	if writesPeriod {
		_, err := codecs.NewGrouped(bareParts(parts), generators.YearMonthDay)
		d.reportList(at, parts, err)
		return
	}
	_, err := codecs.New(bareParts(parts))
	d.reportList(at, parts, err)
}

// lateLayout begins after every other one, so that what a zone's clocks once did does not count.
func lateLayout() generators.Layout {
	layout := generators.DefaultLayout()
	layout.EpochMillis = time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	return layout
}

// expand returns the parts of the named codec, and whether all of them could be read.
func (n *namedCodecs) expand(name string, from path) ([]placedPart, bool) {
	if parts, done := n.parts[name]; done {
		return parts, parts != nil
	}
	if slices.Contains(n.open, name) {
		n.decoder.problem(from, "a list of parts", "the codec %q names itself", name)
		return nil, false
	}
	n.open = append(n.open, name)
	parts, ok := n.list(n.entries[name].at, n.entries[name].raw)
	n.open = n.open[:len(n.open)-1]
	if !ok {
		parts = nil
	}
	n.parts[name] = parts
	return parts, ok
}

// all lists the codecs that could be read, by name.
func (n *namedCodecs) all() []Codec {
	var list []Codec
	for _, name := range sortedKeys(n.parts) {
		if parts := n.parts[name]; parts != nil {
			list = append(list, Codec{Name: name, Parts: bareParts(parts)})
			n.decoder.recordCodec(n.entries[name].at, bareParts(parts))
		}
	}
	return list
}

const acceptedCodec = "a list of parts, such as [ {radix: {radix: 62}} ], or the name of a codec under cosid.codecs"

// maxParts bounds what codecs that name each other may expand to.
const maxParts = 100

// list reads a codec: a list of parts, or a name.
func (n *namedCodecs) list(at path, raw any) ([]placedPart, bool) {
	items, isList := raw.([]any)
	if !isList {
		switch value := raw.(type) {
		case string:
			return n.item(at, value)
		case fromVariable:
			return n.item(at, string(value))
		case unresolved:
		default:
			n.decoder.problem(at, acceptedCodec, "%s is not a codec", describe(raw))
		}
		return nil, false
	}
	if len(items) == 0 {
		n.decoder.problem(at, acceptedCodec, "the list is empty")
		return nil, false
	}
	all := true
	var parts []placedPart
	for i, item := range items {
		read, ok := n.item(at.index(i), item)
		parts, all = append(parts, read...), all && ok
		if len(parts) > maxParts {
			n.decoder.problem(at, fmt.Sprintf("at most %d", maxParts), "the codec has more parts than can be read")
			return nil, false
		}
	}
	return parts, all
}

// item reads one entry of a list: a part's name, a codec's name, or a map of one part and its settings.
func (n *namedCodecs) item(at path, raw any) ([]placedPart, bool) {
	name, settings := "", any(nil)
	switch value := raw.(type) {
	case string:
		name = value
	case fromVariable:
		name = string(value)
	case map[string]any:
		if len(value) != 1 {
			n.decoder.problem(at, "one part an entry, each on a line of its own", "the entry has %d keys", len(value))
			return nil, false
		}
		for name, settings = range value {
			at = at.key(name)
		}
	case unresolved:
		return nil, false
	default:
		n.decoder.problem(at, acceptedCodec, "%s is not a codec part", describe(raw))
		return nil, false
	}
	if factory, ok := n.decoder.registry.parts[name]; ok {
		return n.part(at, settings, factory)
	}
	if _, ok := n.entries[name]; ok {
		if settings != nil {
			n.decoder.problem(at, "the name alone: "+name, "the codec %q takes no settings", name)
			return nil, false
		}
		return n.expand(name, at)
	}
	known := append(sortedKeys(n.decoder.registry.parts), sortedKeys(n.entries)...)
	n.decoder.problems.add(Problem{
		Origin: n.decoder.origin(at), Path: at.String(), What: fmt.Sprintf("no codec part or codec named %q", name),
		Accepted: names.List(known), Nearest: names.Nearest(name, known),
	})
	return nil, false
}

func (n *namedCodecs) part(at path, raw any, factory codecs.PartFactory) ([]placedPart, bool) {
	if _, reported := raw.(unresolved); reported {
		return nil, false
	}
	d, settings := n.decoder, factory.NewSettings()
	before := len(d.problems.list)
	d.decodePart(at, raw, settings)
	if len(d.problems.list) > before {
		return nil, false
	}
	part, err := factory.Build(settings)
	if err != nil {
		d.reportInvalid(at, nil, nil, err)
		return nil, false
	}
	return []placedPart{{Part: part, at: at}}, true
}

// decodePart reads the settings of a part, which are a map, or a plain text for those that read one.
func (d *sectionDecoder) decodePart(at path, raw, settings any) {
	text, readsText := settings.(encoding.TextUnmarshaler)
	_, isText := plainText(raw)
	_, isMap := raw.(map[string]any)
	switch {
	case isText && !readsText:
		d.problem(at, "a map of settings", "%s is not a map", describe(raw))
	case isText:
		before := len(d.problems.list)
		d.decodeText(at, raw, text)
		if validator, ok := settings.(interface{ Validate() error }); ok && len(d.problems.list) == before {
			d.reportInvalid(at, nil, nil, validator.Validate())
		}
	case isMap && readsText && len(settingFields(reflect.ValueOf(settings).Elem())) == 0:
		d.problem(at, "a plain text", "%s is not text", describe(raw))
	default:
		quiet := decoder{origins: d.origins, problems: d.problems} // a codec is one setting, not one for each key in it
		quiet.decodeSettings(at, raw, settings)
	}
}

// codecOf compiles the generator's codec for the ids it makes.
func (d *sectionDecoder) codecOf(at path, raw any, named *namedCodecs, g *Generator) {
	if raw == nil {
		if g.Grouped() {
			g.GroupedCodec = codecs.DefaultGrouped(g.Period)
			d.note(at, "period, -, decimal", "default")
		} else {
			g.Codec = codecs.Default()
			d.note(at, "radix 36, 13 wide", "default")
		}
		return
	}
	parts, ok := named.list(at, raw)
	if !ok {
		return
	}
	d.recordCodec(at, bareParts(parts))
	compiled, err := g.WithParts(bareParts(parts))
	if err == nil {
		*g = compiled
	}
	d.reportList(at, parts, err)
}

// recordCodec notes a codec as the names of its parts.
func (d *sectionDecoder) recordCodec(at path, parts []codecs.Part) {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = fmt.Sprint(part)
	}
	d.note(at, strings.Join(texts, ", "), d.origin(at).String())
}

// reportList gives each mistake in a list the place of its part.
func (d *sectionDecoder) reportList(at path, parts []placedPart, err error) {
	for _, mistake := range flatten(err) {
		list, ok := errors.AsType[*codecs.ListError](mistake)
		switch {
		case !ok:
			d.problem(at, "", "%s", mistake)
		case 0 <= list.Index && list.Index < len(parts):
			d.problem(parts[list.Index].at, list.Accepted, "%s", list.Problem)
		default:
			d.problem(at, list.Accepted, "%s", list.Problem)
		}
	}
}

func bareParts(parts []placedPart) []codecs.Part {
	bare := make([]codecs.Part, len(parts))
	for i, p := range parts {
		bare[i] = p.Part
	}
	return bare
}
