package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program is a module that needs nothing, so that it is vetted without a network.
type program struct {
	tool   string
	folder string
}

func newProgram(t *testing.T) program {
	t.Helper()
	p := program{tool: filepath.Join(t.TempDir(), "cosidvet"), folder: t.TempDir()}
	if out, err := exec.Command("go", "build", "-o", p.tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	p.write(t, "go.mod", "module shop\n\ngo 1.26\n")
	return p
}

func (p program) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(p.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p program) writeModel(t *testing.T, field string) {
	t.Helper()
	p.write(t, "store/model/model.go", "package model\n\ntype Bill struct {\n\t"+field+"\n}\n")
}

// vet runs go vet with the tool, and run the tool itself.
func (p program) vet(t *testing.T, args ...string) (status int, output string) {
	t.Helper()
	return p.run(t, "go", append([]string{"vet", "-vettool=" + p.tool}, args...)...)
}

func (p program) run(t *testing.T, command string, args ...string) (status int, output string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if err != nil && !failed {
		t.Fatal(err)
	}
	if failed {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

// wantFound checks that a run failed and its output holds each of the parts once, or passed where there are none.
func wantFound(t *testing.T, status int, output string, parts ...string) {
	t.Helper()
	if (status != 0) != (len(parts) > 0) {
		t.Errorf("exit status %d, want what goes with %q\n%s", status, parts, output)
	}
	for _, part := range parts {
		if strings.Count(output, part) != 1 {
			t.Errorf("%q is not there once:\n%s", part, output)
		}
	}
}

func TestGoVetReportsTagsWithTheToolBuilt(t *testing.T) {
	p := newProgram(t)
	p.write(t, "cosid.yaml", "cosid:\n  namespace: ${NOT_SET}\n  generators: { bill: { strategy: segment } }\n")

	p.writeModel(t, "ID float64 `cosid:\"bill\"`")
	status, out := p.vet(t, "./...")
	wantFound(t, status, out, "store/model/model.go:4:13: cosid: a float64 cannot hold an id")

	p.writeModel(t, "No string `cosid:\"bil\"`")
	status, out = p.vet(t, "./...")
	wantFound(t, status, out)

	const unknown = `cosid: no generator named "bil" in cosid.yaml (have bill); did you mean "bill"?`
	status, out = p.vet(t, "-config", "cosid.yaml", "./...") // found above the package's folder
	wantFound(t, status, out, "store/model/model.go:4:12: "+unknown)
	status, out = p.vet(t, "-config="+filepath.Join(p.folder, "cosid.yaml"), "./...")
	wantFound(t, status, out, `cosid: no generator named "bil"`)

	p.writeModel(t, "No string `cosid:\"bill\"`")
	status, out = p.vet(t, "-config=cosid.yaml", "./...")
	wantFound(t, status, out)
}

func TestAChangeOfTheConfigurationAloneIsNoticed(t *testing.T) {
	p := newProgram(t)
	p.writeModel(t, "No string `cosid:\"bill\"`")
	p.write(t, "middle/middle.go", "package middle\n\nimport \"shop/store/model\"\n\ntype Bill = model.Bill\n")
	p.write(t, "shop.go", "package shop\n\nimport \"shop/middle\"\n\ntype Bills []middle.Bill\n")
	p.write(t, "shop_test.go", "package shop_test\n\nimport \"shop\"\n\nvar _ shop.Bills\n")
	p.write(t, "cosid.yaml", "cosid: { generators: { bill: { strategy: segment } } }\n")
	for range 2 {
		for _, packages := range [][]string{{"./..."}, {".", "./store/model"}} {
			status, out := p.vet(t, append([]string{"-config", "cosid.yaml"}, packages...)...)
			wantFound(t, status, out)
		}
	}
	p.write(t, "cosid.yaml", "cosid: { generators: { order: { strategy: segment } } }\n")
	status, out := p.vet(t, "-config", "cosid.yaml", "./...")
	wantFound(t, status, out, `no generator named "bill" in cosid.yaml (have order)`)
}

func TestAConfigurationThatCannotBeReadIsToldOnceAPackage(t *testing.T) {
	p := newProgram(t)
	p.writeModel(t, "No, Short string `cosid:\"bill\"`\n\tID int64 `cosid:\"order\"`")
	p.write(t, "untagged/untagged.go", "package untagged\n\ntype Row struct{ ID int64 `json:\"id\"` }\n")

	status, out := p.vet(t, "-config", "cosid.yaml", "./...")
	wantFound(t, status, out, "the names in tags are not checked: -config=cosid.yaml: no such file in ",
		"or above; give an absolute path")

	p.write(t, "cosid.yaml", "cosid: [\n")
	status, out = p.vet(t, "-config", "cosid.yaml", "./...")
	wantFound(t, status, out, "the names in tags are not checked: -config=cosid.yaml: cosid.yaml:", "not valid YAML")
}

func TestTheToolRunsAloneWithTheDocumentedStatus(t *testing.T) {
	p := newProgram(t)
	p.write(t, "base.yaml", "cosid: { generators: { order: { strategy: segment } } }\n")
	p.write(t, "base-prod.yaml", "cosid: { generators: { bill: { strategy: segment } } }\n")
	t.Setenv("COSID_PROFILE", "prod") // whoever runs the tool is not the program
	p.write(t, "more.yaml", "cosid: { generators: { bill: { strategy: segment } } }\n")
	p.writeModel(t, "No string `cosid:\"bill\"`")
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"nothing found", []string{"-config", "base.yaml,more.yaml", "./..."}, 0, ""},
		{"something found", []string{"-config", "base.yaml", "./..."}, 3, `no generator named "bill"`},
		{"no such package", []string{"./nowhere"}, 1, "nowhere"},
		{"help", []string{"-help"}, 0, "-config file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out := p.run(t, p.tool, c.args...)
			if status != c.status || !strings.Contains(out, c.says) {
				t.Errorf("exit status %d, want %d and %q:\n%s", status, c.status, c.says, out)
			}
		})
	}
}
