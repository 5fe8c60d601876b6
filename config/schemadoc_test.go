package config_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const modulePath = "github.com/cosid-go/cosid"

// sourceComments finds the doc comments of struct fields in this module's source.
type sourceComments struct {
	t        *testing.T
	packages map[string][]*ast.File // by import path
}

// describe is a config.SchemaDescriber: the field's comment, in the words of a configuration.
func (s *sourceComments) describe(owner reflect.Type, goName string) string {
	comment := s.comment(owner, goName)
	for i := range owner.NumField() {
		f := owner.Field(i)
		if key := f.Tag.Get("koanf"); key != "" && key != "-" {
			comment = regexp.MustCompile(`\b`+f.Name+`\b`).ReplaceAllString(comment, key)
		}
	}
	return forUsers(comment)
}

// aboutGo is what tells a clause for programmers: a qualified or a compound name, a pointer, nil.
var aboutGo = regexp.MustCompile(`\b[a-z]+\.[A-Z]|\b[A-Z][a-z]+[A-Z]\w|\*|\b[Nn]il\b`)

// forUsers is the first paragraph of a comment without what it says of Go.
func forUsers(comment string) string {
	if comment == "" {
		return ""
	}
	paragraph, _, _ := strings.Cut(strings.TrimSpace(comment), "\n\n")
	paragraph = strings.TrimSuffix(strings.Join(strings.Fields(paragraph), " "), ".")
	var sentences []string
	for sentence := range strings.SplitSeq(paragraph, ". ") {
		var clauses []string
		for clause := range strings.SplitSeq(sentence, ", ") {
			if !aboutGo.MatchString(clause) {
				clauses = append(clauses, clause)
			}
		}
		if len(clauses) > 0 {
			sentences = append(sentences, strings.Join(clauses, ", ")+".")
		}
	}
	return strings.Join(sentences, " ")
}

func (s *sourceComments) comment(owner reflect.Type, goName string) string {
	s.t.Helper()
	for _, file := range s.parse(owner.PkgPath()) {
		for _, declaration := range file.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				if named := spec.(*ast.TypeSpec); named.Name.Name == owner.Name() {
					return commentInStruct(named, goName)
				}
			}
		}
	}
	s.t.Errorf("no source of %s was found", owner)
	return ""
}

func commentInStruct(declared *ast.TypeSpec, goName string) string {
	fields, ok := declared.Type.(*ast.StructType)
	if !ok {
		return ""
	}
	for _, f := range fields.Fields.List {
		for _, name := range f.Names {
			if name.Name == goName {
				return f.Doc.Text()
			}
		}
	}
	return ""
}

func (s *sourceComments) parse(importPath string) []*ast.File {
	s.t.Helper()
	if files, done := s.packages[importPath]; done {
		return files
	}
	dir := filepath.Join("..", strings.TrimPrefix(importPath, modulePath))
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(sources) == 0 {
		s.t.Fatalf("no source of %s in %s: %v", importPath, dir, err)
	}
	var files []*ast.File
	for _, source := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			s.t.Fatal(err)
		}
		files = append(files, file)
	}
	if s.packages == nil {
		s.packages = map[string][]*ast.File{}
	}
	s.packages[importPath] = files
	return files
}
