package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/cmd/internal/cli"
)

func TestGenerateDrawsNumbersAndText(t *testing.T) {
	tr := withExample(t)
	golden(t, "generate", tr.run(t, "generate", "order", "-n", "3").fine(t))
	golden(t, "generate-bill", dated.ReplaceAllString(tr.run(t, "generate", "bill", "-n", "2").fine(t), "YYYYMMDD"))
	golden(t, "generate-bill.json",
		dated.ReplaceAllString(tr.run(t, "generate", "bill", "--output", "json").fine(t), "YYYYMMDD"))
}

func TestGenerateNeverDrawsAnIDTwice(t *testing.T) {
	tr := withExample(t)
	seen := map[string]bool{}
	for range 5 {
		var drawn generated
		if err := json.Unmarshal([]byte(tr.run(t, "generate", "order", "-n", "150", "--output", "json").fine(t)), &drawn); err != nil {
			t.Fatal(err)
		}
		for _, id := range drawn.IDs {
			if seen[id.Number] {
				t.Errorf("id %s came again", id.Number)
			}
			seen[id.Number] = true
		}
	}
	if len(seen) != 5*150 {
		t.Errorf("%d ids, want %d", len(seen), 5*150)
	}
}

// The other store of the configuration cannot be opened.
func TestGenerateOpensOnlyTheGeneratorsOwnStore(t *testing.T) {
	tr := inFolder(t, `cosid:
  namespace: shop
  stores:
    db: { type: gorm, options: { driver: sqlite, dsn: ids.db } }
    broken: { type: fake }
  generators:
    order: { strategy: segment, store: db }
    other: { strategy: segment, store: broken }
`)
	tr.options = fakes(&fakeStore{opening: errChanged})
	tr.run(t, "generate", "order").fine(t)
	if o := tr.run(t, "generate", "other"); o.code != cli.ExitFailure {
		t.Errorf("the broken store was opened: %+v", o)
	}
}

func TestGenerateShowsTheIDsThatItGotBeforeAnError(t *testing.T) {
	tr := inFolder(t, `cosid:
  namespace: shop
  stores: { db: { type: gorm, options: { driver: sqlite, dsn: ids.db } } }
  generators:
    small: { strategy: segment, codec: [ { radix: { radix: 10, width: 1, pad-start: true } } ] }
`)
	o := tr.run(t, "generate", "small", "-n", "12")
	if o.code != cli.ExitFailure || strings.Count(o.out, "\n") != 1+9 || !strings.Contains(o.err, "too wide") {
		t.Errorf("exit code %d\n%s%s", o.code, o.out, o.err)
	}
}

// The application may be making ids with the same slot, and nothing but its configuration keeps others from it.
func TestGenerateRefusesASlotThatNobodyLeased(t *testing.T) {
	tr := inFolder(t, `cosid:
  namespace: shop
  generators: { trade: { strategy: snowflake, slot: { type: manual, id: 7 } } }
`)
	o := tr.run(t, "generate", "trade")
	if o.code != cli.ExitFailure || o.out != "" || !strings.Contains(o.err, "takes its slot from the configuration") {
		t.Errorf("%+v", o)
	}
}

func TestGenerateWarnsOfIDsThatTheApplicationDrawsToo(t *testing.T) {
	tr := inFolder(t, "cosid:\n  namespace: shop\n  stores: { db: { type: memory } }\n  generators: { order: { strategy: segment } }\n")
	if o := tr.run(t, "generate", "order"); o.code != cli.ExitFine || !strings.HasPrefix(o.err, `warning: store "db" lives in the memory`) {
		t.Errorf("%+v", o)
	}
}
