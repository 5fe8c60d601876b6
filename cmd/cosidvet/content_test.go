package main

import (
	"context"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/tags"
)

// source gives ids of both kinds.
type source struct{}

func (source) Grouped() bool                                          { return false }
func (source) TextOnly() bool                                         { return false }
func (source) Fill(_ context.Context, ids []int64) (int, error)       { return len(ids), nil }
func (source) FillStrings(_ context.Context, t []string) (int, error) { return len(t), nil }

func TestSourceAndReflectionAgreeOnWhatATypeHolds(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "specimen_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	checked := types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}
	pkg, err := checked.Check("specimen", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	written := pkg.Scope().Lookup("specimen").Type().Underlying().(*types.Struct)
	reflected := reflect.TypeFor[specimen]()
	seen := map[content]int{}
	for i := range reflected.NumField() {
		field := reflected.Field(i)
		got, want := contentOf(written.Field(i).Type()), contentByReflection(t, field.Type)
		if got != want {
			t.Errorf("%s %s: source says %d, reflection %d", field.Name, field.Type, got, want)
		}
		seen[got]++
	}
	if seen[nothing] < 10 || seen[number] < 10 || seen[text] < 5 {
		t.Errorf("the specimens are not of every kind: %v", seen)
	}
}

// contentByReflection asks package tags, which refuses a codec on a number.
func contentByReflection(t *testing.T, typ reflect.Type) content {
	t.Helper()
	filler := tags.NewFiller(func(string, string) (tags.Generator, error) { return source{}, nil })
	refusal := func(tag reflect.StructTag) error {
		s := reflect.StructOf([]reflect.StructField{{Name: "ID", Type: typ, Tag: tag}})
		return filler.Register(reflect.Zero(s).Interface())
	}
	err := refusal(`cosid:"order,codec=short"`)
	switch {
	case refusal(`cosid:"order"`) != nil:
		return nothing
	case err == nil:
		return text
	case strings.Contains(err.Error(), "codec=short has no use"):
		return number
	default:
		t.Fatalf("%s: %v", typ, err)
		return unknown
	}
}
