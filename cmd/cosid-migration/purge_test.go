package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

// billed makes a store with periods of bill, and with much that purge must not touch.
func billed(t *testing.T) *trial {
	tr := inShop(t, shop)
	holds(t, tr.memory1,
		"shop/bill/20251231!", "shop/bill/20261001!", "shop/bill/20261129!", "shop/bill/20261130", "shop/bill/20261201",
		"shop/order", "shop/bill", "shop/order/20200101!", "shop/bill/202001!", "shop/bill/20200230!", "shop/bill/2020-1-1!",
		"shop/bills/20200101!", "shop/bills/20200102!", "shop/early/20200101!", "shops/bill/20200101!", "2/bill/20200101!")
	holds(t, tr.memory2, "shop/early/20261129!", "shop/early/20261201")
	return tr
}

const kept1 = "2/bill/20200101! shop/bill shop/bill/2020-1-1! shop/bill/202001! shop/bill/20200230! "

const kept2 = "shop/bills/20200101! shop/bills/20200102! shop/early/20200101! shop/order shop/order/20200101! " +
	"shops/bill/20200101!"

func TestPurgeIsADryRunUnlessToldOtherwise(t *testing.T) {
	tr := billed(t)
	golden(t, "purge-dry", tr.run(t, "purge --before 20261130").fine(t))
	expectKeys(t, tr.memory1, kept1+"shop/bill/20251231! shop/bill/20261001! shop/bill/20261129! shop/bill/20261130 "+
		"shop/bill/20261201 "+kept2)
}

func TestPurgeDeletesPeriodsThatAreOverAndNothingElse(t *testing.T) {
	tr := billed(t)
	golden(t, "purge", tr.run(t, "purge --before 20261130 --yes").fine(t))
	expectKeys(t, tr.memory1, kept1+"shop/bill/20261130 shop/bill/20261201 "+kept2)
	expectKeys(t, tr.memory2, "shop/early/20261201")
	golden(t, "purge-again", tr.run(t, "purge --before 20261130 --yes").fine(t))
}

func TestPurgeStopsBeforeThePeriodAndAtItsGenerator(t *testing.T) {
	tr := billed(t)
	golden(t, "purge.json", tr.run(t, "purge --before 20261129 --generator bill --yes --output json").fine(t))
	expectKeys(t, tr.memory1, kept1+"shop/bill/20261129! shop/bill/20261130 shop/bill/20261201 "+kept2)
	expectKeys(t, tr.memory2, "shop/early/20261129! shop/early/20261201")
}

func TestPurgeKeepsWhatIsNotSealedUnlessForced(t *testing.T) {
	tr := inShop(t, shop)
	holds(t, tr.memory1, "shop/bill/20260101", "shop/bill/20260102!", "shop/bill/20261130")
	const line = "range not sealed, and kept: 1 of %d; seal them first (cosid-migration seal --before 20261130), or delete them with --force"
	tr.run(t, "purge --before 20261130").fails(t, cli.ExitFailure, fmt.Sprintf(line, 2))
	expectKeys(t, tr.memory1, "shop/bill/20260101 shop/bill/20260102! shop/bill/20261130")
	golden(t, "purge-unsealed", tr.run(t, "purge --before 20261130 --yes").fails(t, cli.ExitFailure, fmt.Sprintf(line, 2)))
	tr.run(t, "purge --before 20261130 --yes").fails(t, cli.ExitFailure, fmt.Sprintf(line, 1))
	expectKeys(t, tr.memory1, "shop/bill/20260101 shop/bill/20261130")
	if out := tr.run(t, "purge --before 20261130 --force").fine(t); !strings.Contains(out, "1 would be deleted") {
		t.Errorf("printed\n%s", out)
	}
	expectKeys(t, tr.memory1, "shop/bill/20260101 shop/bill/20261130")
	tr.run(t, "purge --before 20261130 --force --yes").fine(t)
	expectKeys(t, tr.memory1, "shop/bill/20261130")
}

// keys are those of memory1.
func (tr *trial) keys(t *testing.T) string {
	var keys []string
	for record := range client(t, tr.memory1).Ranges(t.Context(), "") {
		keys = append(keys, fmt.Sprint(record.Key, map[bool]string{true: "!"}[record.Sealed]))
	}
	return strings.Join(keys, " ")
}

// Neither --force nor a seal gives up the period that is in use, or one that is prepared ahead of time.
func TestTheCurrentPeriodAndLaterOnesAreNeverTouched(t *testing.T) {
	const bill = "--before %s would reach the current period of generator \"bill\", which is 20261130 in Asia/Shanghai; " +
		"it and what follows are never touched, so 20261130 is the latest possible"
	const early = "--before 20261202 would reach the current period of generator \"early\", which is 20261201 in " +
		"Pacific/Kiritimati; it and what follows are never touched, so 20261201 is the latest possible"
	for args, line := range map[string]string{
		"--before 20261201 --generator bill":  fmt.Sprintf(bill, "20261201"),
		"--before 99991231 --generator bill":  fmt.Sprintf(bill, "99991231"),
		"--before 20261202 --generator early": early,
		"--before 20261201":                   fmt.Sprintf(bill, "20261201"), // and it is early's
		"--before 20261202":                   fmt.Sprintf(bill, "20261202") + "; " + early,
	} {
		tr := inShop(t, shop)
		holds(t, tr.memory1, "shop/bill/20261129!", "shop/bill/20261130!", "shop/bill/20261201")
		holds(t, tr.memory2, "shop/early/20261130!", "shop/early/20261201!")
		for _, command := range []string{"purge --force --yes ", "purge ", "seal --yes ", "seal "} {
			if out := tr.run(t, command+args).fails(t, cli.ExitFailure, line); out != "" {
				t.Errorf("printed\n%s", out)
			}
		}
		expectKeys(t, tr.memory1, "shop/bill/20261129! shop/bill/20261130! shop/bill/20261201")
		expectKeys(t, tr.memory2, "shop/early/20261130! shop/early/20261201!")
	}
}

// In the last minute of a period the next one's first ids are reserved already.
func TestAPrewarmedPeriodIsNotTouched(t *testing.T) {
	tr := inShop(t, shop)
	tr.now = func() time.Time { return time.Date(2026, 11, 30, 15, 59, 59, 0, time.UTC) }
	tr.memory1.Clock = tr.now
	holds(t, tr.memory1, "shop/bill/20261129!", "shop/bill/20261130", "shop/bill/20261201")
	tr.run(t, "purge --before 20261130 --generator bill --force --yes").fine(t)
	if r := tr.run(t, "purge --before 20261201 --generator bill --force --yes"); r.code != cli.ExitFailure {
		t.Errorf("%+v", r)
	}
	expectKeys(t, tr.memory1, "shop/bill/20261130 shop/bill/20261201")
}

func TestAPeriodIsOverOnlyIfItIsByBothClocks(t *testing.T) {
	for name, step := range map[string]func(*trial){
		"the store's is behind": func(tr *trial) { tr.memory1.MoveClock(-48 * time.Hour) },
		"this machine's is behind": func(tr *trial) {
			tr.now = func() time.Time { return noon.Add(-48 * time.Hour) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := inShop(t, shop)
			holds(t, tr.memory1, "shop/bill/20261128")
			step(tr)
			tr.run(t, "purge --before 20261128 --generator bill --force --yes").fine(t)
			for _, line := range []string{
				"purge --before 20261129 --force --yes", "seal --before 20261129 --yes", "seal --period 20261128 --yes",
			} {
				if r := tr.run(t, line+" --generator bill"); r.code != cli.ExitFailure || !strings.Contains(r.err, "20261128 in Asia") {
					t.Errorf("%s: %+v", line, r)
				}
			}
			expectKeys(t, tr.memory1, "shop/bill/20261128")
		})
	}
}

// breaking fails, and does nothing, after some deletions and seals.
type breaking struct {
	stores.Store
	stores.RangeAdmin
	sealer stores.Sealer
	left   *int
}

var errBroken = errors.New("fake: redis://app:hunter2@redis:6379 went away")

func (b breaking) spend() error {
	if *b.left--; *b.left < 0 {
		return errBroken
	}
	return nil
}

func (b breaking) DeleteRange(ctx context.Context, key string, force bool) (bool, error) {
	if err := b.spend(); err != nil {
		return false, err
	}
	return b.RangeAdmin.DeleteRange(ctx, key, force)
}

func (b breaking) Seal(ctx context.Context, key string) (bool, error) {
	if err := b.spend(); err != nil {
		return false, err
	}
	return b.sealer.Seal(ctx, key)
}

func breakingAfter(n int) func(stores.Store) stores.Store {
	return func(s stores.Store) stores.Store {
		return breaking{s, s.(stores.RangeAdmin), s.(stores.Sealer), &n}
	}
}

func TestWhatBreaksOffHalfWayIsRunAgain(t *testing.T) {
	const keys = 10
	for command, done := range map[string]string{"purge --before 20261130": "deleted", "seal --before 20261130": "sealed now"} {
		t.Run(command, func(t *testing.T) {
			tr := inShop(t, shop)
			mark := "!"
			if done == "sealed now" {
				mark = ""
			}
			for i := range keys {
				holds(t, tr.memory1, fmt.Sprintf("shop/bill/202610%02d%s", i+1, mark))
			}
			holds(t, tr.memory1, "shop/bill/20261130")
			tr.faulty = breakingAfter(4)
			out := tr.run(t, command+" --generator bill --yes").fails(t, cli.ExitFailure, "fake: redis://***@redis:6379 went away")
			if !strings.Contains(out, "\n4 "+done+"; 6 not reached\n") {
				t.Errorf("printed\n%s", out)
			}
			tr.faulty = nil
			out = tr.run(t, command+" --generator bill --yes").fine(t)
			if want := map[string]string{"deleted": "\n6 deleted\n", "sealed now": "\n6 sealed now; 4 already sealed\n"}[done]; !strings.Contains(out, want) {
				t.Errorf("printed\n%s", out)
			}
			if left := strings.Count(tr.keys(t), "!"); left != map[string]int{"deleted": 0, "sealed now": keys}[done] ||
				!strings.HasSuffix(tr.keys(t), "shop/bill/20261130") {
				t.Errorf("left are %s", tr.keys(t))
			}
		})
	}
}

func TestProgressIsABarOnATerminalAndPlainLinesElsewhere(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		tr := inShop(t, shop)
		for day := range 30 {
			holds(t, tr.memory1, fmt.Sprintf("shop/bill/202609%02d!", day+1))
		}
		at := noon
		tr.now = func() time.Time { at = at.Add(time.Second / 2); return at }
		tr.terminal = terminal
		r := tr.run(t, "purge --before 20261130 --generator bill --yes")
		if r.code != cli.ExitFine {
			t.Fatalf("%+v", r)
		}
		plain := strings.Count(r.err, " of 30 keys\n")
		bars := strings.Count(r.err, "[")
		switch {
		case !terminal && (plain != 3 || strings.Contains(r.err, "\x1b") || !strings.HasPrefix(r.err, "delete: 10 of 30 keys\n")),
			terminal && (plain != 0 || !strings.Contains(r.err, "100% delete: 30 of 30 keys") || !strings.HasSuffix(r.err, "\r\x1b[K")):
			t.Errorf("terminal %v: %d lines, %d bars: %q", terminal, plain, bars, r.err)
		}
	}
}
