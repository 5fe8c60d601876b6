package main

import (
	"go/ast"
	"go/types"
)

// content is what a field's type holds for package tags.
type content int

const (
	unknown content = iota // a type parameter, or of one: each instance has its own answer
	nothing                // no id fits
	number
	text
)

// contentOf does on source what formOf of package tags does by reflection; a test holds the two together.
func contentOf(t types.Type) content {
	if isParameter(t) {
		return unknown
	}
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if inner, ok := nullable(t); ok {
		t = inner
	}
	if isParameter(t) {
		return unknown
	}
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		return nothing
	}
	switch kind := basic.Kind(); {
	case kind == types.Invalid:
		return unknown
	case kind == types.String:
		return text
	case kind >= types.Int && kind <= types.Int64, kind >= types.Uint && kind <= types.Uint64:
		return number
	default:
		return nothing
	}
}

// nullable is the type of the value in one of database/sql's Null structs.
func nullable(t types.Type) (types.Type, bool) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "database/sql" {
		return nil, false
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || s.NumFields() != 2 || s.Field(1).Name() != "Valid" {
		return nil, false
	}
	return s.Field(0).Type(), true
}

func isParameter(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// embeddedName is the name of an embedded field of the type that is written as e.
func embeddedName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return embeddedName(e.X)
	case *ast.ParenExpr:
		return embeddedName(e.X)
	case *ast.IndexExpr:
		return embeddedName(e.X)
	case *ast.IndexListExpr:
		return embeddedName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	default:
		return ""
	}
}
