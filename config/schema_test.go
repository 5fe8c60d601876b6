package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/redisstore"
)

var update = flag.Bool("update", false, "write what the code makes into the files that are compared with it")

const (
	schemaFile = "../docs/cosid.schema.json"
	schemaID   = "https://raw.githubusercontent.com/cosid-go/cosid/main/docs/cosid.schema.json"
)

// builtin are options that know all built-in types and no others.
func builtin(dir string) config.Options {
	return config.Options{
		Source:     config.Source{Dir: dir, Environ: []string{"SECONDS=5"}, Hostname: "shop-3"},
		Stores:     []stores.Factory{gormstore.Factory{}, redisstore.Factory{}, memstore.Factory{}},
		Strategies: strategies(),
		Parts:      codecs.Builtin(),
		Embedded:   map[string]any{"type": "memory"},
	}
}

// builtinSchema is the schema of the built-in types, with the comments of their source.
func builtinSchema(t *testing.T) []byte {
	t.Helper()
	comments := &sourceComments{t: t}
	text, err := config.Schema(schemaID, builtin(""), comments.describe)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheSchemaInDocsIsCurrent(t *testing.T) {
	made := builtinSchema(t)
	if *update {
		if err := os.WriteFile(schemaFile, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(made, kept) {
		t.Errorf("%s is not what the settings say (%v); write it anew: go test ./config -run Schema -update",
			strings.TrimPrefix(schemaFile, "../"), err)
	}
}

// A store or a strategy that is added to the module has to be added to the schema too.
func TestTheSchemaKnowsEveryBuiltinType(t *testing.T) {
	known := map[string]bool{}
	for _, f := range builtin("").Stores {
		known[reflect.TypeOf(f).PkgPath()] = true
	}
	for _, f := range builtin("").Strategies {
		known[reflect.TypeOf(f).PkgPath()] = true
	}
	for _, folder := range []string{"stores", "generators"} {
		factories, err := filepath.Glob(filepath.Join("..", folder, "*", "factory.go"))
		if err != nil || len(factories) == 0 {
			t.Fatalf("no factories in %s: %v", folder, err)
		}
		for _, f := range factories {
			if name := path.Join(modulePath, folder, filepath.Base(filepath.Dir(f))); !known[name] {
				t.Errorf("builtin lacks the factory of %s, and so does the schema", name)
			}
		}
	}
}

func TestEveryKeyOfTheSchemaIsDescribed(t *testing.T) {
	var schema any
	if err := json.Unmarshal(builtinSchema(t), &schema); err != nil {
		t.Fatal(err)
	}
	eachObject(schema, func(object map[string]any) {
		properties, _ := object["properties"].(map[string]any)
		for key, value := range properties {
			node := value.(map[string]any)
			_, isReference := node["$ref"]
			_, isCondition := node["const"]
			if len(node) > 0 && !isReference && !isCondition && node["description"] == nil && key != "cosid" {
				t.Errorf("%s has no description", key)
			}
		}
	})
}

func eachObject(value any, visit func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(v)
		for _, inner := range v {
			eachObject(inner, visit)
		}
	case []any:
		for _, inner := range v {
			eachObject(inner, visit)
		}
	}
}

func TestEveryDefaultFitsItsOwnSchema(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(builtinSchema(t)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaID, document); err != nil {
		t.Fatal(err)
	}
	checked := 0
	definitions := document.(map[string]any)["$defs"].(map[string]any)
	for name, definition := range definitions {
		properties, _ := definition.(map[string]any)["properties"].(map[string]any)
		for key, property := range properties {
			value, ok := property.(map[string]any)["default"]
			if !ok {
				continue
			}
			schema, err := compiler.Compile(schemaID + "#/$defs/" + name + "/properties/" + key)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s.%s: %v", name, key, err)
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("there are no defaults")
	}
}

// validator checks YAML by the schema that is kept in docs, with somebody else's implementation.
type validator struct{ schema *jsonschema.Schema }

func newValidator(t *testing.T) validator {
	t.Helper()
	return compile(t, builtinSchema(t))
}

func compile(t *testing.T, text []byte) validator {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaID, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(schemaID)
	if err != nil {
		t.Fatalf("the schema is not one: %v", err)
	}
	return validator{schema}
}

// check validates each document of a YAML text.
func (v validator) check(text string) error {
	var found []error
	documents := yaml.NewDecoder(strings.NewReader(text))
	for {
		var node yaml.Node
		err := documents.Decode(&node)
		if errors.Is(err, io.EOF) {
			return errors.Join(found...)
		}
		if err != nil {
			return err
		}
		asInJSON(&node)
		var document any
		if err := node.Decode(&document); err != nil {
			return err
		}
		written, err := json.Marshal(document)
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(written))
		if err != nil {
			return err
		}
		found = append(found, v.schema.Validate(value))
	}
}

// asInJSON makes texts of what is one in JSON: keys and dates.
func asInJSON(node *yaml.Node) {
	for i, inner := range node.Content {
		isKey := node.Kind == yaml.MappingNode && i%2 == 0
		if isKey && inner.ShortTag() != "!!merge" || inner.ShortTag() == "!!timestamp" {
			inner.Tag = "!!str"
		}
		asInJSON(inner)
	}
}

func TestEveryYAMLOfTheRepositoryFitsTheSchema(t *testing.T) {
	v, checked := newValidator(t), 0
	for name, text := range yamlOfTheRepository(t) {
		t.Run(name, func(t *testing.T) {
			if err := v.check(text); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
		checked++
	}
	if checked < 2 {
		t.Errorf("only %d found: the example and the README have a section each", checked)
	}
}

var fencedYAML = regexp.MustCompile("(?ms)^```ya?ml\n(.*?)^```$")

// yamlOfTheRepository finds the sections in files and in blocks of documents.
func yamlOfTheRepository(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	add := func(name, text string) {
		if regexp.MustCompile(`(?m)^cosid:`).MatchString(text) {
			found[name] = text
		}
	}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".."):
			return filepath.SkipDir
		case entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".md"}, filepath.Ext(name)):
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.Ext(name) != ".md" {
			add(name, string(content))
			return nil
		}
		for i, block := range fencedYAML.FindAllSubmatch(content, -1) {
			add(fmt.Sprintf("%s, block %d", name, i+1), string(block[1]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
