package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores"
)

const twoStores = `cosid:
  namespace: shop
  stores:
    redis: { type: fake }
    simple: { type: bare }
  generators: { trade: { strategy: segment, store: redis } }
`

// healthy is a store without findings.
func healthy() *fakeStore {
	return &fakeStore{
		seen: stores.Inspection{Server: "Fake 1.2, master with 2 replicas", Now: noon.Add(3 * time.Millisecond)},
		slots: map[string]stores.SlotTable{"shop": {Limit: 10, ToleranceMillis: 3600_000, StoreNow: noon.UnixMilli(), Rows: []stores.SlotRow{
			{
				Slot: 0, Owner: "web-0", Incarnation: "a1", LastOwner: "web-0", Fence: 7,
				ExpiresAt: ago(-20 * time.Second), Floor: ago(time.Hour), Ceiling: ago(-20 * time.Second), NextFloor: ago(-20 * time.Second),
			},
			{
				Slot: 1, Owner: "web-1", Incarnation: "b2", LastOwner: "web-1", Fence: 9223372036854775807,
				ExpiresAt: ago(time.Minute), Floor: ago(2 * time.Hour), Ceiling: ago(time.Minute), NextFloor: ago(time.Minute),
			},
			{Slot: 2, LastOwner: "web-2", Fence: 1, Floor: ago(3 * time.Hour), Ceiling: ago(time.Hour), NextFloor: ago(time.Hour)},
		}}},
		records: []stores.RangeRecord{
			{Key: "shop/order", Next: 9007199254740993},
			{Key: "shop/bill/20261129", Next: 42, Sealed: true},
			{Key: "shop/bill/20261130", Next: 101},
			{Key: "shop/order", Next: 9007199254741093}, // it changed while the list was made
			{Key: "other/order", Next: 1},
		},
	}
}

func TestDoctorShowsWhatEachStoreTells(t *testing.T) {
	tr := inFolder(t, twoStores)
	tr.options = fakes(healthy())
	golden(t, "doctor", tr.run(t, "doctor").fine(t))
	golden(t, "doctor.json", tr.run(t, "doctor", "--output", "json").fine(t))
}

func TestDoctorShowsEachFindingWithItsRemedy(t *testing.T) {
	sick := healthy()
	sick.seen.Now = noon.Add(-90 * time.Second)
	sick.seen.Findings = []stores.Finding{{Problem: "appendonly is off: a restart forgets counters", Remedy: "CONFIG SET appendonly yes"}}
	table := sick.slots["shop"]
	table.Limit = 1
	table.Rows[2].NextFloor = ago(-2 * time.Hour)
	sick.slots["shop"] = table
	tr := inFolder(t, twoStores)
	tr.options = fakes(sick)
	o := tr.run(t, "doctor", "--store", "redis")
	if o.code != cli.ExitFailure || o.err != "" {
		t.Errorf("exit code %d, stderr %q", o.code, o.err)
	}
	golden(t, "doctor-findings", o.out)
}

func TestDoctorFindsSlotSettingsThatNoProcessGetsASlotWith(t *testing.T) {
	const yaml = `cosid:
  namespace: shop
  stores: { redis: { type: fake }, other: { type: fake } }
  slots: { store: redis, limit: %d }
  generators: { trade: { strategy: snowflake } }
`
	for limit, want := range map[int]int{10: cli.ExitFine, 20: cli.ExitFailure} {
		tr := inFolder(t, fmt.Sprintf(yaml, limit))
		tr.options = fakes(healthy())
		o := tr.run(t, "doctor")
		if o.code != want || strings.Count(o.out, "the configuration says 20 and 1h0m0s") != want {
			t.Errorf("limit %d: exit code %d\n%s%s", limit, o.code, o.out, o.err)
		}
	}
}

func TestDoctorReportsAStoreThatCannotBeReachedAndExaminesTheOthers(t *testing.T) {
	tr := inFolder(t, twoStores)
	tr.options = fakes(&fakeStore{opening: errors.New("dial redis://app:hunter2@redis:6379:\nconnection refused")})
	o := tr.run(t, "doctor")
	if o.code != cli.ExitFailure || strings.Contains(o.out, "hunter2") {
		t.Errorf("exit code %d", o.code)
	}
	golden(t, "doctor-unreachable", o.out)
}

func TestDoctorReportsAStoreThatStopsAnswering(t *testing.T) {
	tr := inFolder(t, twoStores)
	tr.options = fakes(&fakeStore{calling: errors.New("connection reset")})
	o := tr.run(t, "doctor")
	if o.code != cli.ExitFailure || strings.Count(o.out, "connection reset") != 3 {
		t.Errorf("exit code %d\n%s", o.code, o.out)
	}
}

func TestLookingCreatesNothing(t *testing.T) {
	tr := withExample(t)
	for _, command := range []string{"validate", "doctor", "ranges", "slots"} {
		o := tr.run(t, command)
		if command != "validate" && (o.code != cli.ExitFailure || !strings.Contains(o.out+o.err, "data/cosid.db does not exist yet")) {
			t.Errorf("%s: %+v", command, o)
		}
		if _, err := os.Stat("data"); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%s made the folder of the database", command)
		}
	}
	write(t, "empty.db", "")
	tr.environ = append(tr.environ, "IDS_FILE=empty.db")
	if o := tr.run(t, "doctor"); o.code != cli.ExitFailure || !strings.Contains(o.out, "table cosid_range is missing") {
		t.Errorf("%+v", o)
	}
	if o := tr.run(t, "doctor"); o.code != cli.ExitFailure {
		t.Errorf("doctor made the table: %+v", o)
	}
}

func TestDoctorFindsNothingWrongWithTheExampleOnceItHasRun(t *testing.T) {
	tr := withExample(t)
	tr.run(t, "generate", "order").fine(t)
	if out := tr.run(t, "doctor").out; !strings.Contains(out, "store db (gorm)\n  opened  in ") {
		t.Errorf("printed\n%s", out)
	}
}
