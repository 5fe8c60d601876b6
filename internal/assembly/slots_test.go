package assembly_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/internal/assembly"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// replica is a Runtime that shares server with others, as the replicas of a service do.
func replica(t *testing.T, server *memstore.Server, slots, generator string) *runtime.Runtime {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cosid.yaml")
	yaml := "cosid:\n  namespace: shop\n  stores: { db: { type: memory } }\n  slots: " + slots +
		"\n  generators:\n    trade: " + generator + "\n    event: " + generator + "\n"
	if err := os.WriteFile(file, []byte(yaml), 0o644); err != nil {
		t.Fatal(err)
	}
	rt, err := assembly.Build(assembly.Options{
		Source: config.Source{Files: []string{file}, Environ: []string{}, Hostname: "shop-3"},
		Stores: []stores.Factory{memstore.Factory{Server: server}},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return rt
}

// slotsOf are the slots in ids of the two generators.
func slotsOf(t *testing.T, rt *runtime.Runtime) [2]int64 {
	t.Helper()
	var slots [2]int64
	for i, name := range []string{"trade", "event"} {
		e, err := rt.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		id, err := e.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		layout, _ := e.Layout()
		parts, err := layout.Decode(id)
		if err != nil {
			t.Fatal(err)
		}
		slots[i] = parts.Slot
	}
	return slots
}

func start(t *testing.T, rt *runtime.Runtime) {
	t.Helper()
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

const snowflakes = "{ strategy: snowflake }"

func TestTheSnowflakesOfOneProcessShareASlotAndThoseOfTwoDoNot(t *testing.T) {
	server := memstore.NewServer()
	first, second := replica(t, server, "{}", snowflakes), replica(t, server, "{}", snowflakes)
	start(t, first)
	start(t, second)
	a, b := slotsOf(t, first), slotsOf(t, second)
	if a[0] != a[1] || b[0] != b[1] || a[0] == b[0] {
		t.Errorf("slots %v and %v", a, b)
	}
}

// The store is closed after the generators, which give their slot back: else one slot would not do.
func TestAClosedReplicaGivesItsSlotBack(t *testing.T) {
	server := memstore.NewServer()
	for i := range 3 {
		rt := replica(t, server, "{ limit: 1, owner: replica-"+string(rune('a'+i))+" }", snowflakes)
		start(t, rt)
		if got := slotsOf(t, rt); got != [2]int64{0, 0} {
			t.Errorf("replica %d has the slots %v", i, got)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAReplicaWithoutASlotDoesNotStart(t *testing.T) {
	server := memstore.NewServer()
	start(t, replica(t, server, "{ limit: 1, owner: a }", snowflakes))
	err := replica(t, server, "{ limit: 1, owner: b }", snowflakes).Start(t.Context())
	if !errors.Is(err, stores.ErrNoFreeSlot) || !strings.Contains(err.Error(), "event") {
		t.Errorf("Start: %v; want ErrNoFreeSlot and the generator's name", err)
	}
	err = replica(t, server, "{ limit: 2, owner: b }", snowflakes).Start(t.Context())
	if !errors.Is(err, stores.ErrSlotSettings) {
		t.Errorf("Start with another limit: %v; want ErrSlotSettings", err)
	}
}

func TestTheSlotSettingsReachTheStore(t *testing.T) {
	server := memstore.NewServer()
	const few = "{ strategy: snowflake, bits: { slot: 3 } }"
	start(t, replica(t, server, "{ tolerance: 5m }", few))
	err := replica(t, server, "{ tolerance: 6m, owner: b }", few).Start(t.Context())
	settings, ok := errors.AsType[*stores.SlotSettingsError](err)
	if !ok || settings.Limit != 8 || settings.ToleranceMillis != 300_000 || settings.AskedMillis != 360_000 {
		t.Errorf("Start: %v; want limit 8 and tolerance 5m", err)
	}
}

func TestTheSlotMayBeTheOrdinalOfTheHostName(t *testing.T) {
	state := filepath.ToSlash(filepath.Join(t.TempDir(), "state"))
	rt := replica(t, memstore.NewServer(), "{}",
		"{ strategy: snowflake, slot: { type: stateful-set, state-file: "+state+" } }") // the host is shop-3
	start(t, rt)
	if got := slotsOf(t, rt); got != [2]int64{3, 3} {
		t.Errorf("slots %v, want 3", got)
	}
}

// Runtimes that shared a factory would share a slot too, whichever of them is closed first.
func TestEachRuntimeHasStrategiesOfItsOwn(t *testing.T) {
	var words []string
	for _, f := range assembly.Strategies() {
		words = append(words, f.Strategy())
	}
	if got := strings.Join(words, " "); got != "segment periodic-segment snowflake wide-snowflake" {
		t.Errorf("strategies %s", got)
	}
	if assembly.Strategies()[2] == assembly.Strategies()[2] {
		t.Error("two calls gave one factory")
	}
}
