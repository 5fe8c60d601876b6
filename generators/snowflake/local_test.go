package snowflake_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/snowflake"
	"github.com/cosid-go/cosid/stores"
)

// host is a machine whose slot is kept by a file. Its clock can be stepped.
type host struct {
	t    *testing.T
	file string
	step time.Duration
	name string
}

func newHost(t *testing.T) *host { return &host{t: t, file: filepath.Join(t.TempDir(), "slot")} }

// factory is that of a new process on the host.
func (h *host) factory() *snowflake.Factory {
	f := snowflake.NewFactory()
	f.Clock = func() time.Time { return time.Now().Add(h.step) }
	f.Hostname = func() (string, error) { return h.name, nil }
	return f
}

func (h *host) build(f *snowflake.Factory, name string, id int64) *snowflake.Generator {
	h.t.Helper()
	built, err := f.Build(generators.Spec{Namespace: "shop", Name: name}, settings(func(s *snowflake.Settings) {
		s.Slot = snowflake.Slot{Type: "manual", ID: new(id), StateFile: h.file}
	}))
	if err != nil {
		h.t.Fatal(err)
	}
	return built.(*snowflake.Generator)
}

func (h *host) start(name string) *snowflake.Generator {
	h.t.Helper()
	g := h.build(h.factory(), name, 7)
	if err := g.Start(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return g
}

func (h *host) read() string {
	h.t.Helper()
	text, err := os.ReadFile(h.file)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

func TestAManualSlotNeedsNoStoreAndIncreasesAcrossRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		last := int64(0)
		for _, step := range []time.Duration{0, -time.Hour / 2, -time.Hour / 2, 0, time.Hour, 0} {
			h.step = step
			g := h.start("trade")
			for range 100 {
				id := mustNext(t, g)
				if at := parts(t, g, id); id <= last || at.Slot != 7 {
					t.Fatalf("clock %v: id %d after %d, %+v", step, id, last, at)
				}
				last = id
				time.Sleep(time.Second)
			}
			mustClose(t, g)
		}
	})
}

// A process that is killed gives nothing back: the next one begins after all of the window that was written.
func TestAKilledProcessLeavesItsWindowUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		g := h.start("trade")
		last := mustNext(t, g)
		saved := h.read()
		mustClose(t, g)
		if err := os.WriteFile(h.file, []byte(saved), 0o644); err != nil {
			t.Fatal(err)
		}
		h.step = -time.Minute
		again := h.start("trade")
		id := mustNext(t, again)
		if got, want := parts(t, again, id).Time, parts(t, g, last).Time.Add(ttl); id <= last || !got.Equal(want) {
			t.Errorf("id of %v after one of %v, want %v", got, parts(t, g, last).Time, want)
		}
		mustClose(t, again)
	})
}

// The window is on the disk before an id is made of it.
func TestTheFileIsWrittenAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		g := h.start("trade")
		for range 100 {
			id := mustNext(t, g)
			row := strings.Split(strings.Fields(h.read())[4], "|")
			if next := millis(t, row[7]); parts(t, g, id).Time.UnixMilli() >= next {
				t.Fatalf("id of %d, but the file's next floor is %d", parts(t, g, id).Time.UnixMilli(), next)
			}
			time.Sleep(time.Second)
		}
		mustClose(t, g)
	})
}

func millis(t *testing.T, text string) (n int64) {
	t.Helper()
	for _, c := range text {
		n = n*10 + int64(c-'0')
	}
	return n
}

func TestADiskThatFailsStopsTheIDsAtTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		g := h.start("trade")
		folder := filepath.Dir(h.file)
		if err := os.Rename(folder, folder+".gone"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(ttl)
		if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrLeaseExpired) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Next = %d, %v", id, err)
		}
		if err := os.Rename(folder+".gone", folder); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		mustNext(t, g)
		mustClose(t, g)
	})
}

func TestAClockThatSteppedBackBeyondTheToleranceIsAnErrorThatSaysHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		g := h.start("trade")
		mustNext(t, g)
		mustClose(t, g)
		h.step = -2 * time.Hour
		err := h.build(h.factory(), "trade", 7).Start(t.Context())
		if !errors.Is(err, stores.ErrNoFreeSlot) || !strings.Contains(err.Error(), "1h0m0") {
			t.Errorf("Start: %v", err)
		}
		h.step = 0
		again := h.start("trade") // the file is not locked
		mustClose(t, again)
	})
}

func TestAToleranceOfZeroIsZeroForLocalSlotsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		build := func() generators.Instance {
			spec := generators.Spec{Namespace: "shop", Name: "trade", Slots: generators.Slots{TTL: ttl}}
			g, err := h.factory().Build(spec, settings(func(s *snowflake.Settings) {
				s.Slot = snowflake.Slot{Type: "manual", ID: new(int64(7)), StateFile: h.file}
			}))
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		g := build()
		if err := g.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustNext(t, g.(*snowflake.Generator))
		mustClose(t, g)
		h.step = -time.Second
		if err := build().Start(t.Context()); !errors.Is(err, stores.ErrNoFreeSlot) {
			t.Errorf("Start with a clock 1s behind the ids: %v", err)
		}
	})
}

func TestASecondProcessOnTheSameFileIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		f := h.factory()
		first, second := h.build(f, "trade", 7), h.build(f, "order", 7)
		for _, g := range []*snowflake.Generator{first, second} { // of one process
			if err := g.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		other := h.build(h.factory(), "trade", 7)
		if err := other.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "uses the slot") {
			t.Errorf("Start of another process: %v", err)
		}
		mustClose(t, first)
		if err := other.Start(t.Context()); err == nil {
			t.Error("started although the slot is in use")
		}
		mustClose(t, second)
		time.Sleep(time.Millisecond)
		if err := other.Start(t.Context()); err != nil {
			t.Error(err)
		}
		mustClose(t, other)
	})
}

// The link is made anew with each container, and the file that it names stays on its volume.
func TestAStateFileThatIsALinkKeepsItsWindow(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "outer", "inner")
	if err := errors.Join(os.MkdirAll(inner, 0o755), os.Symlink(inner, filepath.Join(dir, "short"))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ link, target, file string }{
		"absolute":           {"absolute.link", filepath.Join(dir, "absolute"), "absolute"},
		"relative":           {"relative.link", "relative", "relative"},
		"in a linked folder": {"short/link", "../slot", "outer/slot"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{t: t, file: filepath.Join(dir, c.link)}
				last := int64(0)
				for range 3 {
					if err := os.Symlink(c.target, h.file); err != nil {
						t.Fatal(err)
					}
					g := h.start("trade")
					id := mustNext(t, g)
					if id <= last {
						t.Errorf("id %d after %d", id, last)
					}
					last = id
					mustClose(t, g)
					if err := os.Remove(h.file); err != nil {
						t.Fatal(err)
					}
					if _, err := os.Stat(filepath.Join(dir, c.file)); err != nil {
						t.Error(err)
					}
					h.step -= time.Second
				}
			})
		})
	}
}

func TestAStateFileThatIsALinkHasTheLockOfItsFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		link := &host{t: t, file: h.file + ".link"}
		if err := os.Symlink(h.file, link.file); err != nil {
			t.Fatal(err)
		}
		for _, order := range [][2]*host{{h, link}, {link, h}} {
			first := order[0].start("trade")
			second := order[1].build(order[1].factory(), "trade", 7)
			if err := second.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "uses the slot") {
				t.Errorf("%s beside %s: %v", order[1].file, order[0].file, err)
			}
			mustClose(t, first, second)
			time.Sleep(time.Millisecond)
		}
	})
}

func TestAStateFileWhoseLinksGoRoundIsRefused(t *testing.T) {
	h := newHost(t)
	if err := os.Symlink(h.file, h.file); err != nil {
		t.Fatal(err)
	}
	err := h.build(h.factory(), "trade", 7).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "links follow each other") {
		t.Errorf("Start: %v", err)
	}
}

// Whoever clears a folder of locks lets a second process in. The first one finds out before it has a new window.
func TestADeletedLockFileDoesNotLetTwoProcessesMakeTheSameIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		first := h.start("trade")
		if err := os.Remove(h.file + ".lock"); err != nil {
			t.Fatal(err)
		}
		second := h.start("trade")
		seen := map[int64]bool{}
		var refused error
		for range 2 * ttl / time.Second {
			for _, g := range []*snowflake.Generator{first, second} {
				ids := make([]int64, 10_000)
				n, err := g.Fill(t.Context(), ids)
				switch {
				case err != nil && g == first:
					refused = err
				case err != nil:
					t.Fatal(err)
				}
				for _, id := range ids[:n] {
					if seen[id] {
						t.Fatalf("id %d twice, %+v", id, parts(t, g, id))
					}
					seen[id] = true
				}
			}
			time.Sleep(time.Second)
		}
		if !errors.Is(refused, generators.ErrLeaseExpired) || !strings.Contains(refused.Error(), "uses the slot") {
			t.Errorf("the first process is told %v", refused)
		}
		mustClose(t, second, first)
		third := h.start("trade")
		if id := mustNext(t, third); seen[id] {
			t.Errorf("id %d twice, the second time after a restart", id)
		}
		mustClose(t, third)
	})
}

func TestADeletedLockFileDoesNotLetAProcessGiveBackTheWindowOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		first := h.start("trade")
		if err := os.Remove(h.file + ".lock"); err != nil {
			t.Fatal(err)
		}
		second := h.start("trade")
		kept := h.read()
		mustClose(t, first)
		if now := h.read(); now != kept {
			t.Errorf("the file holds %q, and held %q", now, kept)
		}
		mustClose(t, second)
	})
}

func TestAFileThatIsNotThisSlotsIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		g := h.start("trade")
		mustNext(t, g)
		mustClose(t, g)
		right := h.read()
		for name, text := range map[string]string{
			"empty":             "",
			"foreign":           "127.0.0.1 localhost\n",
			"cut":               right[:len(right)-3],
			"one digit changed": strings.Replace(right, "|1|0|", "|2|0|", 1),
			"longer":            right + right,
			"another version":   strings.Replace(right, "cosid-slot 1", "cosid-slot 2", 1),
		} {
			if text == right {
				t.Fatalf("%s: nothing was changed in %q", name, right)
			}
			if err := os.WriteFile(h.file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			err := h.build(h.factory(), "trade", 7).Start(t.Context())
			if err == nil || !strings.Contains(err.Error(), h.file) {
				t.Errorf("%s: %v", name, err)
			}
			if h.read() != text {
				t.Errorf("%s: the file was written", name)
			}
		}
		if err := os.WriteFile(h.file, []byte(right), 0o644); err != nil {
			t.Fatal(err)
		}
		err := h.build(h.factory(), "trade", 8).Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), "belongs to slot 7") {
			t.Errorf("another slot: %v", err)
		}
		mustClose(t, h.start("trade"))
	})
}

func TestAStatefulSetTakesItsSlotFromTheHostName(t *testing.T) {
	h := newHost(t)
	set := settings(func(s *snowflake.Settings) { s.Slot = snowflake.Slot{Type: "stateful-set", StateFile: h.file} })
	spec := generators.Spec{Namespace: "shop", Name: "trade"}
	for name, want := range map[string]int64{
		"shop-0": 0, "my-shop-42": 42, "shop-1023": 1023, "ip-12": 12, "ip-10-0-12": 12, "ip-10-0-0-12-3": 3, "zip-10-0-0-12": 12,
	} {
		h.name, h.file = name, filepath.Join(t.TempDir(), "slot")
		set.Slot.StateFile = h.file
		built, err := h.factory().Build(spec, set)
		if err != nil {
			t.Fatal(err)
		}
		if err := built.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		g := built.(*snowflake.Generator)
		if slot := parts(t, g, mustNext(t, g)).Slot; slot != want {
			t.Errorf("host %q has slot %d, want %d", name, slot, want)
		}
		mustClose(t, g)
	}
	for name, key := range map[string]string{
		"": "slot.type", "shop": "slot.type", "shop-": "slot.type", "shop-a1": "slot.type", "shop-01": "slot.type",
		"shop1":                     "slot.type",
		"shop-99999999999999999999": "slot.type", "shop-1024": "bits.slot",
	} {
		h.name = name
		if built, err := h.factory().Build(spec, set); err == nil || !slices.Equal(keys(err), []string{key}) {
			t.Errorf("host %q: %v, %v", name, built, err)
		}
	}
}

// Clouds name machines after their addresses, and two of them can end with the same number.
func TestAHostNameThatIsAnAddressIsNoOrdinal(t *testing.T) {
	h := newHost(t)
	set := settings(func(s *snowflake.Settings) { s.Slot = snowflake.Slot{Type: "stateful-set", StateFile: h.file} })
	for _, name := range []string{"ip-10-0-0-12", "ip-172-31-255-0"} {
		h.name = name
		built, err := h.factory().Build(generators.Spec{Namespace: "shop", Name: "trade"}, set)
		if err == nil || !slices.Equal(keys(err), []string{"slot.type"}) {
			t.Errorf("host %q: %v, %v", name, built, err)
			continue
		}
		for _, part := range []string{name, "is an address", "the same number", "manual or lease"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in %q", part, err)
			}
		}
	}
}

func TestTheDefaultFileIsNamedAfterNamespaceAndSlot(t *testing.T) {
	t.Chdir(t.TempDir())
	h := newHost(t)
	h.file = ""
	log := &lines{}
	built, err := h.factory().Build(generators.Spec{Namespace: "shop", Name: "trade", Logger: log.logger()},
		settings(func(s *snowflake.Settings) { s.Slot = snowflake.Slot{Type: "manual", ID: new(int64(3))} }))
	if err != nil {
		t.Fatal(err)
	}
	if err := built.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustClose(t, built)
	if _, err := os.Stat("cosid-shop-3.slot"); err != nil {
		t.Error(err)
	}
	if log.count("must outlive") != 1 {
		t.Errorf("no warning of a new file:\n%s", log)
	}
}
