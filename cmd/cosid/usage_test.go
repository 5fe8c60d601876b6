package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

// Each is one line on stderr, and nothing on stdout.
func TestWhatGoesWrongIsOneClearLineWithItsExitCode(t *testing.T) {
	const usage, failure = cli.ExitUsage, cli.ExitFailure
	for _, c := range []struct {
		name string
		args string
		code int
		line string
	}{
		{"no such command", "genrate order", usage, `there is no command "genrate" (have bench, completion, doctor, explain, generate, ranges, schema, slots, validate); did you mean "generate"?`},
		{"no such flag", "generate order --nubmer 3", usage, `unknown flag: --nubmer; see cosid generate --help`},
		{"help for no command", "help genrate", usage, `there is no command "genrate" (have bench, completion, doctor, explain, generate, ranges, schema, slots, validate); did you mean "generate"?`},
		{"a flag without its value", "generate order -n", usage, `flag needs an argument: 'n' in -n; see cosid generate --help`},
		{"a flag that is no number", "generate order -n three", usage, `invalid argument "three" for "-n, --number" flag: strconv.ParseInt: parsing "three": invalid syntax; see cosid generate --help`},
		{"no ids", "generate order -n 0", usage, `-n 0: 1 to 100000 ids can be drawn at once`},
		{"too many ids", "generate order -n 100001", usage, `-n 100001: 1 to 100000 ids can be drawn at once`},
		{"no name", "generate", usage, `generate needs the NAME of a generator; see cosid generate --help`},
		{"a name too many", "generate order item", usage, `generate does not take "item"; see cosid generate --help`},
		{"an argument of a command that takes none", "validate it", usage, `validate does not take "it"; see cosid validate --help`},
		{"two prefixes", "ranges a b", usage, `ranges does not take "b"; see cosid ranges --help`},
		{"no such format", "validate --output xml", usage, `invalid argument "xml" for "--output" flag: have json, table; see cosid validate --help`},
		{"no time", "bench order --duration 0s", usage, `--duration 0s: it must be more than 0`},
		{"no callers", "bench order --goroutines 0", usage, `--goroutines 0: 1 to 10000 are possible`},
		{"a bad namespace", "slots --namespace a/b", usage, `--namespace "a/b" does not match [A-Za-z0-9][A-Za-z0-9._-]{0,63}`},
		{"a prefix without SQL", "schema --table-prefix x_", usage, `--table-prefix needs --ddl`},
		{"a bad prefix", "schema --ddl sqlite --table-prefix 1;", usage, `--table-prefix: "1;" cannot begin a table's name; accepted: [A-Za-z_][A-Za-z0-9_]{0,31}`},

		{"no such generator", "generate bil", failure, `unknown generator "bil" (have bill, item, order); did you mean "bill"?`},
		{"no generator like it", "bench warehouse", failure, `unknown generator "warehouse" (have bill, item, order)`},
		{"no such generator to explain", "explain 1 --generator ordre", failure, `unknown generator "ordre" (have bill, item, order); did you mean "order"?`},
		{"no such store", "doctor --store dbb", failure, `unknown store "dbb" (have db); did you mean "db"?`},
		{"no such store to list", "ranges --store dbb", failure, `unknown store "dbb" (have db); did you mean "db"?`},
		{"no such file", "generate order --config nope.yaml", failure, `nope.yaml: cannot be read: no such file or directory`},
		{"a file without the section", "generate order --config other.yaml", failure, "other.yaml: the file has no top-level key `cosid`; accepted: a `cosid:` section, see the README"},
		{"one mistake", "doctor --config one.yaml", failure, `one.yaml:4:33: cosid.generators.order.step: 0 is out of bounds; accepted: 1 to 2^40`},
		{"many mistakes", "doctor --config spoiled.yaml", failure, `spoiled.yaml:5:55: cosid.generators.bill.zone: "Asia/Shanghia" is not a known time zone; accepted: an IANA name such as Asia/Shanghai, or UTC (and 3 more mistakes in the configuration; see them all with: cosid validate)`},
		{"switched off", "generate order --config off.yaml", failure, "cosid is disabled: the configuration says `enabled: false`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := withExample(t)
			write(t, "other.yaml", "server: { port: 80 }\n")
			write(t, "off.yaml", "cosid: { enabled: false }\n")
			write(t, "spoiled.yaml", spoiled)
			write(t, "one.yaml", "cosid:\n  namespace: shop\n  generators:\n    order: { strategy: segment, step: 0 }\n")
			o := tr.run(t, strings.Fields(c.args)...)
			if o.code != c.code || o.out != "" || o.err != "cosid: "+c.line+"\n" {
				t.Errorf("exit code %d, want %d; stdout %q, stderr\n%s", o.code, c.code, o.out, o.err)
			}
		})
	}
}

func TestWithoutAConfigurationEveryCommandSaysWhatIsMissing(t *testing.T) {
	tr := inFolder(t, "")
	const want = "no configuration was found: none of cosid.yaml, application.yaml, config/cosid.yaml, config/application.yaml has a " +
		"`cosid:` section; accepted: such a file, or COSID_CONFIG naming another\n"
	for _, command := range []string{"generate order", "explain 1", "doctor", "slots", "ranges", "bench order"} {
		if o := tr.run(t, strings.Fields(command)...); o.code != cli.ExitFailure || o.err != "cosid: "+want || o.out != "" {
			t.Errorf("%s: %+v", command, o)
		}
	}
	if o := tr.run(t, "validate"); o.code != cli.ExitFailure || o.out != "mistake: "+want+"1 mistake\n" {
		t.Errorf("validate: %+v", o)
	}
}

func TestAnUnreachableStoreIsOneLineWithoutItsPassword(t *testing.T) {
	tr := inFolder(t, twoStores)
	tr.options = fakes(&fakeStore{opening: errors.New("dial redis://app:hunter2@redis:6379:\nconnection refused")})
	for _, command := range []string{"generate trade", "bench trade", "slots", "ranges"} {
		o := tr.run(t, strings.Fields(command)...)
		if o.code != cli.ExitFailure || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "connection refused") ||
			!strings.Contains(o.err, `store "redis"`) || strings.Contains(o.err, "hunter2") {
			t.Errorf("%s: %+v", command, o)
		}
	}
}

func TestLaterFilesAreReadOverEarlierOnes(t *testing.T) {
	tr := withExample(t)
	write(t, "more.yaml", "cosid: { generators: { parcel: { strategy: segment, reserve-timeout: 9s } } }\n")
	out := tr.run(t, "generate", "parcel", "--config", "cosid.yaml", "--config", "more.yaml").fine(t)
	if !strings.Contains(out, "0000000000001") {
		t.Errorf("printed\n%s", out)
	}
}

func TestHelpOfEveryCommandHasAnExample(t *testing.T) {
	tr := inFolder(t, "")
	for _, command := range strings.Fields("validate generate explain doctor slots ranges schema bench") {
		out := tr.run(t, command, "--help").fine(t)
		if !strings.Contains(out, "Examples:\n  cosid "+command) {
			t.Errorf("%s has no example", command)
		}
		golden(t, "help-"+command, out)
	}
	out := tr.run(t).fine(t)
	golden(t, "help", out)
	if again := tr.run(t, "help", "bench").fine(t); again != tr.run(t, "bench", "--help").fine(t) {
		t.Errorf("help bench prints something else:\n%s", again)
	}
	if again := tr.run(t, "--help").fine(t); again != out {
		t.Errorf("--help prints something else:\n%s", again)
	}
}

func TestCompletionKnowsTheConfiguredNames(t *testing.T) {
	tr := withExample(t)
	for args, want := range map[string]string{
		"generate ":                     "bill item order",
		"generate bill ":                "",
		"bench o":                       "bill item order", // the shell chooses among them
		"explain 1 --generator ":        "bill item order",
		"doctor --store ":               "db",
		"slots --store ":                "db",
		"ranges --store ":               "db",
		"validate --output ":            "table json",
		"schema --ddl ":                 "sqlite postgres mysql",
		"generate --config nope.yaml ":  "",
		"doctor --config nope --store ": "",
	} {
		o := tr.run(t, append([]string{"__complete"}, strings.Split(args, " ")...)...)
		words, _, _ := strings.Cut(o.out, ":4")
		if got := strings.Join(strings.Fields(words), " "); got != want || o.code != cli.ExitFine {
			t.Errorf("%q is completed with %q, want %q", args, got, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := tr.run(t, "completion", shell).fine(t); !strings.Contains(out, "cosid") {
			t.Errorf("the completion of %s is %q", shell, out)
		}
	}
}

func TestColoursAreForTerminalsOnly(t *testing.T) {
	const escape = "\x1b["
	for _, c := range []struct {
		name     string
		terminal bool
		environ  []string
		coloured bool
	}{
		{"a file", false, nil, false},
		{"a terminal", true, nil, true},
		{"a terminal with NO_COLOR", true, []string{"NO_COLOR=1"}, false},
		{"a terminal with an empty NO_COLOR", true, []string{"NO_COLOR="}, true},
		{"a dumb terminal", true, []string{"TERM=dumb"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := withExample(t)
			tr.terminal, tr.environ = c.terminal, append(tr.environ, c.environ...)
			if o := tr.run(t, "validate"); strings.Contains(o.out, escape) != c.coloured {
				t.Errorf("printed %q", o.out)
			}
			if o := tr.run(t, "generate", "bil"); strings.Contains(o.err, escape) != c.coloured {
				t.Errorf("printed %q", o.err)
			}
			if o := tr.run(t, "validate", "--output", "json"); strings.Contains(o.out, escape) {
				t.Errorf("JSON is coloured: %q", o.out)
			}
		})
	}
}

func TestAnInterruptedCommandSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := withExample(t).runWithin(ctx, "generate", "order")
	if o.code != cli.ExitFailure || !strings.HasSuffix(o.err, "(interrupted)\n") || strings.Count(o.err, "\n") != 1 {
		t.Errorf("%+v", o)
	}
}

func TestTheProcessEndsWithTheExitCode(t *testing.T) {
	withExample(t)
	for args, want := range map[string]int{"validate": cli.ExitFine, "generate bil": cli.ExitFailure, "generate": cli.ExitUsage} {
		cmd := exec.Command(os.Args[0], strings.Fields(args)...)
		cmd.Env = append(os.Environ(), asTool+"=1")
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%s ended with %d, want %d: %v\n%s", args, code, want, err, out)
		}
	}
}
