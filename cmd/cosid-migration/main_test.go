package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

var update = flag.Bool("update", false, "write what the commands print into the files that are compared with it")

// home is the folder of this package, wherever a test works.
var home string

func TestMain(m *testing.M) {
	if os.Getenv(haltAfter) != "" {
		os.Exit(runHalting(os.Args[1:]))
	}
	cli.QuietDrivers()
	home, _ = os.Getwd()
	goleak.VerifyTestMain(m)
}

// noon is the time of the tests: in Kiritimati it is December already.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// trial is a place in which commands are run: a folder of its own, and two stores in memory, types `memory1` and
// `memory2`.
type trial struct {
	memory1, memory2 *memstore.Server
	faulty           func(stores.Store) stores.Store // around what memory1 gives out
	environ          []string
	terminal         bool
	now              func() time.Time
}

const shop = `
cosid:
  namespace: shop
  stores:
    db:    { type: memory1 }
    other: { type: memory2 }
  generators:
    order: { strategy: segment, store: db }
    trade: { strategy: snowflake, store: db }
    bill:  { strategy: periodic-segment, store: db, period: YEAR_MONTH_DAY, zone: Asia/Shanghai }
    early: { strategy: periodic-segment, store: other, period: YEAR_MONTH_DAY, zone: Pacific/Kiritimati }
`

// inShop makes the test work in an empty folder with the given cosid.yaml.
func inShop(t *testing.T, yaml string) *trial {
	t.Helper()
	t.Chdir(t.TempDir())
	if yaml != "" {
		write(t, "cosid.yaml", yaml)
	}
	clock := func() time.Time { return noon }
	return &trial{
		memory1: &memstore.Server{Clock: clock}, memory2: &memstore.Server{Clock: clock},
		environ: []string{"TERM=xterm"}, now: clock,
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// memory is a store type of a server in memory.
type memory struct {
	memstore.Factory
	name   string
	faulty func(stores.Store) stores.Store
}

func (m memory) Type() string { return m.name }

func (m memory) Build(spec stores.Spec, options any) (stores.Store, error) {
	store, err := m.Factory.Build(spec, options)
	if err == nil && m.faulty != nil {
		store = m.faulty(store)
	}
	return store, err
}

// ran is what a command did.
type ran struct {
	code     int
	out, err string
}

// run runs the tool in this process.
func (tr *trial) run(t *testing.T, line string) ran {
	t.Helper()
	return tr.runArgs(t.Context(), strings.Fields(line)...)
}

func (tr *trial) runArgs(ctx context.Context, args ...string) ran {
	out, err := &screen{terminal: tr.terminal}, &screen{terminal: tr.terminal}
	tool := &cli.Tool{
		Stdin: strings.NewReader(""), Stdout: out, Stderr: err, Environ: tr.environ, Now: tr.now,
		Options: cosid.Options{Stores: []stores.Factory{
			memory{memstore.Factory{Server: tr.memory1}, "memory1", tr.faulty},
			memory{memstore.Factory{Server: tr.memory2}, "memory2", nil},
		}},
	}
	code := tool.Run(ctx, newRoot(tool), args)
	return ran{code, out.String(), err.String()}
}

// screen takes output, and says itself whether it is a terminal.
type screen struct {
	bytes.Buffer
	terminal bool
}

func (s *screen) IsTerminal() bool { return s.terminal }

// fine demands success without a word on stderr, and returns stdout.
func (r ran) fine(t *testing.T) string {
	t.Helper()
	if r.code != cli.ExitFine || r.err != "" {
		t.Fatalf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	return r.out
}

// fails demands the exit code and exactly this line on stderr, and returns stdout.
func (r ran) fails(t *testing.T, code int, line string) string {
	t.Helper()
	if want := "cosid-migration: " + line + "\n"; r.code != code || r.err != want {
		t.Errorf("exit code %d, want %d; stderr\n%swant\n%s%s", r.code, code, r.err, want, r.out)
	}
	return r.out
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

// client is a started client of a server in memory.
func client(t *testing.T, s *memstore.Server) *memstore.Store {
	t.Helper()
	store := s.Client()
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// holds reserves 10 ids of each key, and seals those that end in an exclamation mark.
func holds(t *testing.T, s *memstore.Server, keys ...string) {
	t.Helper()
	store := client(t, s)
	for _, key := range keys {
		key, sealed := strings.CutSuffix(key, "!")
		if _, err := store.Reserve(t.Context(), key, 10, 1); err != nil {
			t.Fatal(err)
		}
		if sealed {
			if _, err := store.Seal(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// expectKeys wants the store to hold exactly these keys, written as holds does.
func expectKeys(t *testing.T, s *memstore.Server, keys string) {
	t.Helper()
	var got []string
	for record, err := range client(t, s).Ranges(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if record.Sealed {
			record.Key += "!"
		}
		got = append(got, record.Key)
	}
	if text := strings.Join(got, " "); text != keys {
		t.Errorf("the store holds\n%s\nwant\n%s", text, keys)
	}
}
