package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The tool knows no comments of the source, and so no descriptions.
func TestSchemaIsThePublishedOneWithoutDescriptions(t *testing.T) {
	published, err := os.ReadFile(filepath.Join(home, "..", "..", "docs", "cosid.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	printed := inFolder(t, "").run(t, "schema").fine(t)
	if want, got := bare(t, string(published)), bare(t, printed); !reflect.DeepEqual(got, want) {
		t.Errorf("it differs from docs/cosid.schema.json:\n%s", printed)
	}
}

// bare is a schema without its descriptions.
func bare(t *testing.T, text string) any {
	t.Helper()
	var schema any
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	return withoutDescriptions(schema)
}

func withoutDescriptions(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if _, ok := value["description"].(string); ok {
			delete(value, "description")
		}
		for key := range value {
			value[key] = withoutDescriptions(value[key])
		}
	case []any:
		for i := range value {
			value[i] = withoutDescriptions(value[i])
		}
	}
	return value
}

func TestSchemaPrintsSQLForMigrations(t *testing.T) {
	tr := inFolder(t, "")
	for _, dialect := range strings.Split(dialects, ", ") {
		out := tr.run(t, "schema", "--ddl", dialect, "--table-prefix", "ids_").fine(t)
		if !strings.Contains(strings.ToLower(out), "create table if not exists ids_range") || !strings.HasSuffix(out, ";\n") {
			t.Errorf("%s: printed\n%s", dialect, out)
		}
		var script tables
		if err := json.Unmarshal([]byte(tr.run(t, "schema", "--ddl", dialect, "--output", "json").fine(t)), &script); err != nil ||
			len(script.Statements) == 0 || !strings.Contains(script.Statements[0], "cosid_range") {
			t.Errorf("%s: %+v, %v", dialect, script, err)
		}
	}
}
