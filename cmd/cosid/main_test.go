package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

var update = flag.Bool("update", false, "write what the commands print into the files that are compared with it")

// home is the folder of this package, wherever a test works.
var home string

// asTool makes the test binary behave as the tool itself.
const asTool = "TEST_AS_COSID"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		main()
	}
	home, _ = os.Getwd()
	goleak.VerifyTestMain(m)
}

// noon is the time of the tests.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// trial is a place in which a command is run: a folder of its own, and types besides the built-in ones.
type trial struct {
	environ  []string
	options  cosid.Options
	terminal bool
	now      func() time.Time // this machine's clock
}

// outcome is what a command did.
type outcome struct {
	code     int
	out, err string
}

// inFolder makes the test work in an empty folder with the given cosid.yaml.
func inFolder(t *testing.T, yaml string) *trial {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	if yaml != "" {
		write(t, "cosid.yaml", yaml)
	}
	return &trial{environ: []string{"TERM=xterm"}, now: func() time.Time { return noon }}
}

// withExample makes the test work in a folder with the configuration of the example.
func withExample(t *testing.T) *trial {
	t.Helper()
	yaml, err := os.ReadFile("../../examples/yaml-app/cosid.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return inFolder(t, string(yaml))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs the tool in this process.
func (tr *trial) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return tr.runWithin(t.Context(), args...)
}

func (tr *trial) runWithin(ctx context.Context, args ...string) outcome {
	out, err := &screen{terminal: tr.terminal}, &screen{terminal: tr.terminal}
	tool := &cli.Tool{
		Stdin: strings.NewReader(""), Stdout: out, Stderr: err, Environ: tr.environ, Options: tr.options,
		Now: tr.now,
	}
	code := tool.Run(ctx, newRoot(tool), args)
	return outcome{code, out.String(), err.String()}
}

// screen takes output, and says itself whether it is a terminal.
type screen struct {
	bytes.Buffer
	terminal bool
}

func (s *screen) IsTerminal() bool { return s.terminal }

// fine demands success without a word on stderr, and returns stdout.
func (o outcome) fine(t *testing.T) string {
	t.Helper()
	if o.code != cli.ExitFine || o.err != "" {
		t.Fatalf("exit code %d\n%s%s", o.code, o.out, o.err)
	}
	return o.out
}

// golden compares text with a file under testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(home, "testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("it differs from %s.golden (-update renews it):\n%s", name, text)
	}
}

// dated finds the period of today in the example's bill numbers.
var dated = regexp.MustCompile(`20\d{6}`)

// fakes are the store type `fake`, which has every ability, and `bare`, which has none.
func fakes(s *fakeStore) cosid.Options {
	return cosid.Options{Stores: []stores.Factory{fakeFactory{"fake", s}, fakeFactory{"bare", bareStore{}}}}
}
