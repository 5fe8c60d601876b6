package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/runtime"
)

func TestNewDoesNoIO(t *testing.T) {
	cfg, j := shop()
	newRuntime(t, cfg)
	expect(t, "after New", j.take(), nil)
}

func TestCloseUndoesStartInReverse(t *testing.T) {
	cfg, j := shop()
	rt := newRuntime(t, cfg)
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	started := j.take()
	slices.Sort(started[:2]) // stores open side by side
	expect(t, "Start", started, []string{"start store a", "start store b", "start generator bill", "start generator order"})
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := j.take()
	slices.Sort(ended[2:])
	expect(t, "Close", ended, []string{"close generator order", "close generator bill", "close store a", "close store b"})
}

func TestCloseIsSafeTwiceAndBeforeStart(t *testing.T) {
	cfg, j := shop()
	rt := newRuntime(t, cfg)
	for range 2 {
		if err := rt.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(j.take()); n != 4 {
		t.Errorf("%d parts were closed, want each once", n)
	}
	if err := rt.Start(t.Context()); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("Start after Close: %v", err)
	}
}

func TestARuntimeStartsOnce(t *testing.T) {
	cfg, j := shop()
	rt := newRuntime(t, cfg)
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	j.take()
	if err := rt.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "started already") {
		t.Errorf("second Start: %v", err)
	}
	expect(t, "second Start", j.take(), nil)
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestStoresOpenSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := shop()
		for _, s := range cfg.Stores {
			s.Factory.(*fakeStore).start = func(context.Context) error { time.Sleep(time.Second); return nil }
		}
		rt := newRuntime(t, cfg)
		began := time.Now()
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("two stores of one second each took %v", took)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAHalfDoneStartIsUndoneAndNamesWhatFailed(t *testing.T) {
	broken := errors.New("broken")
	t.Run("store", func(t *testing.T) {
		cfg, j := shop()
		cfg.Stores[1].Factory.(*fakeStore).start = func(context.Context) error { return broken }
		err := newRuntime(t, cfg).Start(t.Context())
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), `start store "b"`) {
			t.Errorf("got %v", err)
		}
		lines := j.take()
		for _, want := range []string{"close store a", "close store b"} {
			if !slices.Contains(lines, want) {
				t.Errorf("missing %q in %q", want, lines)
			}
		}
		if slices.Contains(lines, "start generator bill") {
			t.Errorf("a generator started without its store: %q", lines)
		}
	})
	t.Run("generator", func(t *testing.T) {
		cfg, j := shop()
		cfg.Generators[1].Factory.(*fakeStrategy).start = broken
		rt := newRuntime(t, cfg)
		if err := rt.Start(t.Context()); !errors.Is(err, broken) || !strings.Contains(err.Error(), `start generator "order"`) {
			t.Errorf("got %v", err)
		}
		lines := j.take()
		undone := lines[len(lines)-4:]
		slices.Sort(undone[2:])
		expect(t, "undone", undone, []string{"close generator order", "close generator bill", "close store a", "close store b"})
		if err := rt.Start(t.Context()); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("Start after a failed Start: %v", err)
		}
	})
}

func TestCloseIsBoundedByItsContextAndClosesTheOtherStores(t *testing.T) {
	cfg, j := shop()
	release := make(chan struct{})
	cfg.Stores[1].Factory.(*fakeStore).close = func() error { <-release; return nil }
	rt := newRuntime(t, cfg)
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	j.take()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := rt.Close(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `close store "b"`) {
		t.Errorf("got %v", err)
	}
	if lines := j.take(); !slices.Contains(lines, "close store a") {
		t.Errorf("got %q", lines)
	}
	close(release)
}

func TestMistakesInBuildingAreErrorsOfNew(t *testing.T) {
	broken := errors.New("broken")
	cfg, _ := shop()
	cfg.Stores[0].Factory.(*fakeStore).build = broken
	if _, err := runtime.New(cfg, runtime.Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	cfg, _ = shop()
	cfg.Generators[1].Factory.(*fakeStrategy).build = broken
	if _, err := runtime.New(cfg, runtime.Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	cfg, _ = shop()
	cfg.Generators[0] = grouped("bill", cfg.Generators[0].Factory)
	if _, err := runtime.New(cfg, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "no generator of the kind that its settings promise") {
		t.Errorf("got %v", err)
	}
}

// lazy is a configuration whose store a cannot be opened at first.
func lazy(opens *atomic.Bool) (*config.Config, *journal) {
	cfg, j := shop()
	cfg.Stores[0].Lazy, cfg.Stores[0].Opening = true, time.Second
	cfg.Stores[0].Factory.(*fakeStore).start = func(context.Context) error {
		if opens.Load() {
			return nil
		}
		return errors.New("unreachable")
	}
	return cfg, j
}

func TestALazyStoreIsOpenedInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Bool
		cfg, j := lazy(&opens)
		rt := newRuntime(t, cfg)
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		attempts := func() int {
			synctest.Wait()
			n := 0
			for _, line := range j.take() {
				if line == "start store a" {
					n++
				}
			}
			return n
		}
		if n := attempts(); n != 1 {
			t.Errorf("%d attempts at start", n)
		}
		time.Sleep(3150 * time.Millisecond) // 100, 200, 400, 800, 1600 ms apart
		if n := attempts(); n != 5 {
			t.Errorf("%d attempts in the first 3.15s, want 5", n)
		}
		opens.Store(true)
		time.Sleep(5 * time.Second)
		if n := attempts(); n != 1 {
			t.Errorf("%d attempts once it can be opened, want 1", n)
		}
		time.Sleep(time.Minute)
		if n := attempts(); n != 0 {
			t.Errorf("%d attempts after it was opened", n)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCloseEndsTheOpeningOfALazyStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Bool
		cfg, j := lazy(&opens)
		rt := newRuntime(t, cfg)
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := rt.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		j.take()
		time.Sleep(time.Minute)
		expect(t, "after Close", j.take(), nil)
	})
}

func TestAStoreThatDoesNotOpenInTimeNamesItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := shop()
		cfg.Stores[1].Opening = 2 * time.Second
		cfg.Stores[1].Factory.(*fakeStore).start = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		began := time.Now()
		err := newRuntime(t, cfg).Start(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `start store "b": it did not open within start-timeout 2s`) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestAllIteratesInTheOrderOfNames(t *testing.T) {
	cfg, _ := shop()
	var got []string
	for name, entry := range newRuntime(t, cfg).All() {
		if entry.Name() != name {
			t.Errorf("%s is %s", name, entry.Name())
		}
		got = append(got, name)
	}
	expect(t, "All", got, []string{"bill", "order"})
	for range newRuntime(t, cfg).All() {
		break
	}
}

func TestTheReportIsLoggedOnceAndShowsWhatSetEachValue(t *testing.T) {
	cfg, _ := shop()
	cfg.Settings = []config.Setting{
		{Entry: "cosid", Path: "cosid.namespace", Value: "shop", From: "cosid.yaml:2:3"},
		{Entry: "cosid.generators.a.b", Path: "cosid.generators.a.b.strategy", Value: "segment", From: "cosid.yaml:4:5"},
		{Entry: "cosid.generators.a.b", Path: "cosid.generators.a.b.step", Value: "100", From: "default"},
	}
	var log bytes.Buffer
	rt, err := runtime.New(cfg, runtime.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rt.Start(t.Context()), rt.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if want := "level=INFO msg=cosid namespace=shop\nlevel=INFO msg=cosid.generators.a.b strategy=segment step=100\n"; log.String() != want {
		t.Errorf("logged\n%s", log.String())
	}
	want := "cosid.namespace                shop     cosid.yaml:2:3\n" +
		"cosid.generators.a.b.strategy  segment  cosid.yaml:4:5\n" +
		"cosid.generators.a.b.step      100      default\n"
	if got := rt.Report().String(); got != want {
		t.Errorf("reported\n%s", got)
	}
}

func TestGetFindsTheSameInstanceOrListsTheNames(t *testing.T) {
	cfg, _ := shop()
	rt := newRuntime(t, cfg)
	first, err := rt.Get("order")
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := rt.Get("order"); second != first || first.Name() != "order" {
		t.Errorf("got %p and %p, named %q", first, second, first.Name())
	}
	_, err = rt.Get("ordre")
	if want := `cosid: unknown generator "ordre" (have bill, order); did you mean "order"?`; !errors.Is(err, runtime.ErrUnknownGenerator) || err.Error() != want {
		t.Errorf("got %v", err)
	}
	expect(t, "Names", rt.Names(), []string{"bill", "order"})
}

func TestADisabledRuntimeStartsAndSaysWhyThereIsNothing(t *testing.T) {
	rt := newRuntime(t, &config.Config{})
	if err := rt.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Get("bill"); !errors.Is(err, runtime.ErrDisabled) || !strings.Contains(err.Error(), "enabled: false") {
		t.Errorf("got %v", err)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
