package architecture

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const modulePath = "github.com/cosid-go/cosid"

// module is what the rules look at. Packages of the module are written as the go command's patterns are, "." and
// "./stores/memstore", so that ./runtime is not mistaken for the standard library's. All others have their path.
type module struct {
	imports map[string][]string    // of each package, those of third parties and the standard library included
	files   map[string][]*ast.File // of the module's own packages, without tests, whatever their build tags
	fset    *token.FileSet
}

// load reads the module at root with `go list`.
func load(root string) (module, error) {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Imports", "./...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		return module{}, fmt.Errorf("go list ./...: %w", err)
	}
	m := module{imports: map[string][]string{}, files: map[string][]*ast.File{}, fset: token.NewFileSet()}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir string
			Imports         []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return m, nil
		} else if err != nil {
			return module{}, fmt.Errorf("go list ./...: %w", err)
		}
		name := shorten(p.ImportPath)
		m.imports[name] = make([]string, len(p.Imports))
		for i, path := range p.Imports {
			m.imports[name][i] = shorten(path)
		}
		if !isOwn(name) {
			continue
		}
		if m.files[name], err = parseDir(m.fset, p.Dir); err != nil {
			return module{}, err
		}
	}
}

func parseDir(fset *token.FileSet, dir string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// shorten writes an import path of the module as a pattern.
func shorten(path string) string {
	if rest, ok := strings.CutPrefix(path, modulePath); ok && (rest == "" || rest[0] == '/') {
		return "." + rest
	}
	return path
}

func isOwn(name string) bool { return name == "." || strings.HasPrefix(name, "./") }

func isStandard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}

// packages lists the module's own packages in order.
func (m module) packages() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.imports)), func(name string) bool { return !isOwn(name) })
}

// path is a shortest chain of imports from one package to a package that match accepts, or nil.
func (m module) path(from string, match func(string) bool) []string {
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range m.imports[queue[0]] {
			if _, seen := before[next]; seen {
				continue
			}
			before[next] = queue[0]
			if match(next) {
				chain := []string{next}
				for p := queue[0]; p != ""; p = before[p] {
					chain = append(chain, p)
				}
				slices.Reverse(chain)
				return chain
			}
			queue = append(queue, next)
		}
	}
	return nil
}

// matches tells whether name lies under one of patterns: a path, or a path and /... for all that lies below it.
func matches(name string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		parent, below := strings.CutSuffix(pattern, "/...")
		return name == pattern || below && strings.HasPrefix(name, parent+"/")
	})
}
