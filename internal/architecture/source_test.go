package architecture

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// findInit names each func init() of the module.
func findInit(m module) []string {
	return each(m, func(p string) []string {
		var broken []string
		for _, file := range m.files[p] {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					broken = append(broken, fmt.Sprintf("%s declares init at %s", p, m.position(f)))
				}
			}
		}
		return broken
	})
}

// findState names each package-level variable of the module that could change after it was set up.
func findState(m module) []string {
	return each(m, func(p string) []string {
		s := resolve(m, p)
		var broken []string
		for _, file := range m.files[p] {
			for _, decl := range file.Decls {
				gen, ok := decl.(*ast.GenDecl)
				if !ok || gen.Tok != token.VAR {
					continue
				}
				for _, spec := range gen.Specs {
					for _, fault := range s.faults(spec.(*ast.ValueSpec)) {
						broken = append(broken, fmt.Sprintf("%s: %s, at %s", p, fault, m.position(spec)))
					}
				}
			}
		}
		return broken
	})
}

func (m module) position(n ast.Node) string {
	pos := m.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
}

// scope knows what the names in one package stand for.
type scope struct {
	uses    map[*ast.Ident]types.Object
	written map[types.Object]bool // package-level variables that some statement changes, or hands out by address
	pkg     *types.Package
}

// resolve looks up the names of a package without loading what it imports: types of other packages stay unknown,
// and the errors which follow from that are of no interest here.
func resolve(m module, p string) scope {
	s := scope{uses: map[*ast.Ident]types.Object{}, written: map[types.Object]bool{}}
	conf := types.Config{Importer: noImporter{}, Error: func(error) {}}
	s.pkg, _ = conf.Check(p, m.fset, m.files[p], &types.Info{Uses: s.uses})
	for _, file := range m.files[p] {
		ast.Inspect(file, func(n ast.Node) bool {
			for _, target := range targets(n) {
				if v := s.variable(target); v != nil {
					s.written[v] = true
				}
			}
			return true
		})
	}
	return s
}

type noImporter struct{}

func (noImporter) Import(string) (*types.Package, error) { return nil, errors.New("not loaded") }

// targets are the expressions that n writes to, or whose address it takes.
func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		name, ok := n.Fun.(*ast.Ident)
		if ok && slices.Contains([]string{"delete", "clear", "copy"}, name.Name) && len(n.Args) > 0 {
			return n.Args[:1]
		}
	}
	return nil
}

// variable is the package-level variable that an expression such as table[i].name is a part of, or nil.
func (s scope) variable(e ast.Expr) types.Object {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if v, ok := s.uses[x].(*types.Var); ok && v.Parent() == s.pkg.Scope() {
				return v
			}
			return nil
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func (s scope) faults(spec *ast.ValueSpec) []string {
	var faults []string
	for i, name := range spec.Names {
		if name.Name == "_" {
			continue
		}
		var value ast.Expr
		if i < len(spec.Values) {
			value = spec.Values[i]
		}
		if name.IsExported() && !isConstant(value) {
			faults = append(faults, name.Name+" is exported, so anyone can change it")
		}
		if s.written[s.pkg.Scope().Lookup(name.Name)] {
			faults = append(faults, name.Name+" is written to, or its address is taken")
		}
		if what := s.changing(spec.Type, value); what != "" {
			faults = append(faults, fmt.Sprintf("%s holds %s, which is made to be changed", name.Name, what))
		}
	}
	return faults
}

// isConstant tells whether an exported variable is one only because the language has no such constant: a sentinel
// error, another package's under its own name, or an fx option.
func isConstant(value ast.Expr) bool {
	switch value := value.(type) {
	case *ast.CallExpr:
		makers := []string{"errors.New", "fmt.Errorf", "fx.Options", "fx.Module", "fx.Provide"}
		return slices.Contains(makers, types.ExprString(value.Fun))
	case *ast.SelectorExpr:
		return strings.HasPrefix(value.Sel.Name, "Err")
	}
	return false
}

// changing names the first part of a declaration that only makes sense if it is changed later, or "".
func (s scope) changing(parts ...ast.Expr) string {
	var found []string
	note := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, part := range parts {
		if part == nil {
			continue
		}
		ast.Inspect(part, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ChanType:
				note("a channel")
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					note("a pointer to a new value")
				}
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "make" || name.Name == "new") {
					note("%s(…)", name.Name)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && s.isSync(x) && !strings.HasPrefix(n.Sel.Name, "OnceValue") {
					note("%s.%s", x.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

func (s scope) isSync(name *ast.Ident) bool {
	p, ok := s.uses[name].(*types.PkgName)
	return ok && matches(p.Imported().Path(), "sync", "sync/...")
}
