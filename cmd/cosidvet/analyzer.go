package main

import (
	"go/ast"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/cosid-go/cosid/internal/tagrules"
)

const configFlag = "config"

const doc = `report struct tags of cosid that cannot be filled

Reported are tags outside the grammar cosid:"GENERATOR,codec=CODEC", tags that reflection cannot read, and tags on
fields that cannot hold an id. With -config also tags that name no generator or codec of that configuration, and
numbers drawn from a generator that makes grouped ids.

  go vet -vettool=$(which cosidvet) -config cosid.yaml ./...
  cosidvet -config cosid.yaml ./...

Exit status of the second: 0 if nothing was found, 3 if something was, 1 if it could not look.`

const configUsage = "check the names in tags too, against the cosid section of this `file`. Several are separated by " +
	"commas, later over earlier. A relative one is looked for in the working folder, which is the package's under " +
	"go vet, and then in its parents"

// newAnalyzer returns the analyzer with its flag -config. It reads the configuration at most once.
func newAnalyzer() *analysis.Analyzer {
	named := &configuration{}
	a := &analysis.Analyzer{
		Name:     "cosidvet",
		Doc:      doc,
		URL:      "https://pkg.go.dev/github.com/cosid-go/cosid/cmd/cosidvet",
		Requires: []*analysis.Analyzer{inspect.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			c := checker{pass: pass, named: named}
			in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
			for s := range inspector.All[*ast.StructType](in) {
				for _, field := range s.Fields.List {
					if field.Tag != nil {
						c.check(field)
					}
				}
			}
			return nil, nil
		},
	}
	a.Flags.StringVar(&named.files, configFlag, "", configUsage)
	return a
}

// checker looks at the fields of one package.
type checker struct {
	pass  *analysis.Pass
	named *configuration
}

// check reports what is wrong with a field that has a tag, of cosid or not.
func (c checker) check(field *ast.Field) {
	written, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return // the compiler says so
	}
	text, tagged, problem := lookup(written)
	if problem != "" {
		c.report(field, problem)
	}
	if !tagged || text == tagrules.Skip {
		return
	}
	tag, err := tagrules.Parse(text)
	if err != nil {
		c.report(field, err.Error())
		return
	}
	typ := c.pass.TypesInfo.TypeOf(field.Type)
	holds := contentOf(typ)
	if problem := c.refusal(field, tag, typ, holds); problem != nil {
		c.report(field, problem.Error())
	}
	for _, problem := range c.named.problems(tag, holds) {
		c.report(field, problem)
	}
}

// refusal is what package tags would say of a field whose tag it can read, before it looks for the generator.
func (c checker) refusal(field *ast.Field, tag tagrules.Tag, typ types.Type, holds content) error {
	name := types.TypeString(typ, func(p *types.Package) string { return p.Name() })
	switch {
	case !isExported(field):
		return tagrules.ErrUnexported
	case holds == nothing:
		return tagrules.TypeError(name)
	case holds == number && tag.Codec != "":
		return tagrules.CodecError(tag.Codec, name)
	default:
		return nil
	}
}

func (c checker) report(field *ast.Field, problem string) {
	c.pass.Report(analysis.Diagnostic{Pos: field.Tag.Pos(), End: field.Tag.End(), Message: "cosid: " + problem})
}

// isExported tells whether all the names that a tag stands behind are exported. An embedded field has its type's.
func isExported(field *ast.Field) bool {
	for _, name := range field.Names {
		if !name.IsExported() {
			return false
		}
	}
	return len(field.Names) > 0 || ast.IsExported(embeddedName(field.Type))
}
