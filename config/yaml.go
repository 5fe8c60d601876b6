package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlParser is a koanf.Parser that keeps what a decoder of plain values loses: where each value stands, how it
// was written, and that a key came twice. It reads only the `cosid:` section and leaves the rest of the file
// alone. Several documents of one file are merged, later over earlier.
type yamlParser struct {
	file     string
	env      lookup
	origins  map[path]Origin // of map keys and list items
	problems *problems
	found    bool                // whether any document had the section
	copies   int                 // how many nodes were read through an alias
	open     map[*yaml.Node]bool // the anchored nodes that are being read through an alias
}

// maxCopies bounds what a file may expand to through aliases.
const maxCopies = 100_000

// Unmarshal returns {"cosid": …} with plain maps, lists, strings, bools, int64s, float64s and outOfRange values.
// Mistakes go to the parser's problems.
func (p *yamlParser) Unmarshal(content []byte) (map[string]any, error) {
	merged := map[string]any{}
	documents := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document yaml.Node
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return merged, nil
		}
		if err != nil {
			p.syntaxError(err, content)
			return merged, nil
		}
		if section := p.section(&document); section != nil {
			p.found = true
			merge(map[string]any{string(root): p.value(root, section)}, merged)
		}
	}
}

// Marshal is there to satisfy koanf; nothing calls it.
func (p *yamlParser) Marshal(map[string]any) ([]byte, error) { return nil, errors.ErrUnsupported }

// section finds the value of the top-level key `cosid`.
func (p *yamlParser) section(document *yaml.Node) *yaml.Node {
	if document.Kind != yaml.DocumentNode || len(document.Content) == 0 {
		return nil
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		if top.ShortTag() != "!!null" {
			p.problem(top, "", "the file is not a map of sections", "a top-level key `cosid`")
		}
		return nil
	}
	var section *yaml.Node
	for i := 0; i < len(top.Content); i += 2 {
		key := top.Content[i]
		if key.Value != string(root) {
			continue
		}
		if section != nil {
			p.problem(key, root, "the section stands in the document twice", "")
		}
		section = top.Content[i+1]
		p.origins[root] = p.origin(key)
	}
	return section
}

func (p *yamlParser) value(at path, node *yaml.Node) any {
	if len(p.open) > 0 {
		p.copies++
	}
	if p.copies > maxCopies {
		if p.copies == maxCopies+1 {
			p.problem(node, at, "the file's aliases expand to more than can be read", "")
		}
		return unresolved{}
	}
	switch node.Kind {
	case yaml.AliasNode:
		if !p.enter(at, node.Alias) {
			return unresolved{}
		}
		defer delete(p.open, node.Alias)
		return p.value(at, node.Alias)
	case yaml.MappingNode:
		return p.mapping(at, node)
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			p.origins[at.index(i)] = p.origin(item)
			list[i] = p.value(at.index(i), item)
		}
		return list
	default:
		return p.scalar(at, node)
	}
}

// enter refuses an anchor that holds an alias of itself, which would never end.
func (p *yamlParser) enter(at path, anchored *yaml.Node) bool {
	if p.open[anchored] {
		p.problem(anchored, at, fmt.Sprintf("the anchor &%s contains itself", anchored.Anchor), "")
		return false
	}
	if p.open == nil {
		p.open = map[*yaml.Node]bool{}
	}
	p.open[anchored] = true
	return true
}

func (p *yamlParser) mapping(at path, node *yaml.Node) map[string]any {
	result, keys := map[string]any{}, map[string]*yaml.Node{}
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.ShortTag() == "!!merge" {
			continue
		}
		if key.Kind != yaml.ScalarNode {
			p.problem(key, at, "a key must be a plain word", "")
			continue
		}
		name := key.Value
		if !at.holdsNames() {
			name = canonicalKey(name)
		}
		if first, twice := keys[name]; twice {
			p.problem(key, at.key(name), fmt.Sprintf("the key stands here twice, first at line %d", first.Line), "")
			continue
		}
		keys[name] = key
		p.origins[at.key(name)] = p.origin(key)
		result[name] = p.value(at.key(name), value)
	}
	p.mergeKeys(at, node, result)
	return result
}

// mergeKeys adds what `<<: *anchor` brings; keys that are written out stay as they are.
func (p *yamlParser) mergeKeys(at path, node *yaml.Node, result map[string]any) {
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].ShortTag() != "!!merge" {
			continue
		}
		sources := []*yaml.Node{node.Content[i+1]}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for _, source := range sources {
			for source.Kind == yaml.AliasNode {
				source = source.Alias
			}
			if source.Kind != yaml.MappingNode {
				p.problem(source, at, "<< takes a map", "")
				continue
			}
			p.addMissing(at, source, result)
		}
	}
}

func (p *yamlParser) addMissing(at path, source *yaml.Node, result map[string]any) {
	if !p.enter(at, source) {
		return
	}
	defer delete(p.open, source)
	aside := &yamlParser{
		file: p.file, env: p.env, origins: map[path]Origin{}, problems: p.problems, copies: p.copies, open: p.open,
	}
	merged := aside.mapping(at, source)
	p.copies = aside.copies
	added := map[string]bool{}
	for name, value := range merged {
		if _, exists := result[name]; exists {
			continue
		}
		result[name] = value
		added[name] = true
	}
	for place, origin := range aside.origins {
		name, _, _ := strings.Cut(strings.TrimPrefix(string(place), string(at)+pathSeparator), pathSeparator)
		if added[name] {
			p.origins[place] = origin
		}
	}
}

// outOfRange is a whole number that int64 cannot hold, as it was written.
type outOfRange string

func (p *yamlParser) scalar(at path, node *yaml.Node) any {
	expanded, err := expandPlaceholders(node.Value, p.env)
	if err != nil {
		return unresolved{Mistake: &Problem{
			Origin: p.origin(node), Path: at.String(), What: err.Error(), Accepted: "${NAME} with NAME set, or ${NAME:default}",
		}}
	}
	written := *node
	quoted := node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if expanded.expanded {
		written.Value = expanded.text
		if !quoted {
			written.Tag = "" // a plain scalar is typed by what it expands to
		}
		origin := p.origins[at]
		origin.Variable = expanded.variable
		p.origins[at] = origin
	}
	if expanded.whole && node.Style&yaml.TaggedStyle == 0 {
		return fromVariable(expanded.text) // typed by what reads it, as a variable is
	}
	return p.typed(at, &written)
}

// unresolved stands for a value of which nothing more is to be said: it was reported already, or its mistake is, which
// counts only where no later source sets the key.
type unresolved struct{ Mistake *Problem } // exported, because koanf copies what it holds

// mistakesIn lists the mistakes of the unresolved values that are left in a merged tree.
func mistakesIn(value any) (found []Problem) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			found = append(found, mistakesIn(v)...)
		}
	case []any:
		for _, v := range value {
			found = append(found, mistakesIn(v)...)
		}
	case unresolved:
		if value.Mistake != nil {
			found = append(found, *value.Mistake)
		}
	}
	return found
}

// merge puts later over earlier, map by map. A key without a value does not empty a map: a section of which every line
// is commented out says nothing.
func merge(later, earlier map[string]any) {
	for key, value := range later {
		below, isMap := earlier[key].(map[string]any)
		over, overIsMap := value.(map[string]any)
		switch {
		case isMap && overIsMap:
			merge(over, below)
		case !isMap || value != nil:
			earlier[key] = value
		}
	}
}

func (p *yamlParser) typed(at path, node *yaml.Node) any {
	text := node.Value
	switch node.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false") {
			return text
		}
		return strings.EqualFold(text, "true")
	case "!!int":
		return p.wholeNumber(at, node)
	case "!!float":
		f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err != nil {
			return text
		}
		return f
	case "!!str", "!!timestamp":
		return text
	default:
		p.problem(node, at, fmt.Sprintf("the tag %s is not known", node.Tag), "plain values without a tag")
		return unresolved{}
	}
}

func (p *yamlParser) wholeNumber(at path, node *yaml.Node) any {
	digits := strings.ReplaceAll(node.Value, "_", "")
	unsigned := strings.TrimLeft(digits, "+-")
	if len(unsigned) > 1 && unsigned[0] == '0' && '0' <= unsigned[1] && unsigned[1] <= '9' {
		p.problem(node, at, fmt.Sprintf("%s could be read as an octal number", node.Value),
			"the number without leading zeros, or 0o… for octal")
		return unresolved{}
	}
	n, err := strconv.ParseInt(digits, 0, 64)
	if err != nil {
		return outOfRange(node.Value)
	}
	return n
}

func (p *yamlParser) origin(node *yaml.Node) Origin {
	return Origin{File: p.file, Line: node.Line, Column: node.Column}
}

func (p *yamlParser) problem(node *yaml.Node, at path, what, accepted string) {
	place := ""
	if at != "" {
		place = at.String()
	}
	p.problems.add(Problem{Origin: p.origin(node), Path: place, What: what, Accepted: accepted})
}

var yamlErrorLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// tabError is what the YAML library says of a tab, among other things.
var tabError = regexp.MustCompile(`tab character|cannot start any token`)

// syntaxError reports what the YAML library could not read, at its line where it names one.
func (p *yamlParser) syntaxError(err error, content []byte) {
	problem := Problem{Origin: Origin{File: p.file}, What: "not valid YAML: " + err.Error()}
	if m := yamlErrorLine.FindStringSubmatch(err.Error()); m != nil {
		problem.What = "not valid YAML: " + m[2]
		if line, err := strconv.Atoi(m[1]); err == nil {
			problem.Origin.Line, problem.Origin.Column = line, 1
		}
	}
	if line := tabIndented(content); line > 0 && tabError.MatchString(err.Error()) {
		problem.Origin.Line, problem.Origin.Column = line, 1
		problem.What, problem.Accepted = "not valid YAML: the line is indented with a tab", "spaces"
	}
	p.problems.add(problem)
}

// tabIndented is the first line whose indentation holds a tab, or 0.
func tabIndented(content []byte) int {
	for i, line := range bytes.Split(content, []byte("\n")) {
		indentation := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.ContainsRune(indentation, '\t') {
			return i + 1
		}
	}
	return 0
}
