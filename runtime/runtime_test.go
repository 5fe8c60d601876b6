package runtime_test

import (
	"context"
	"errors"
	"slices"
	"strings"
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

func TestMistakesInBuildingNameThePlaceInTheConfiguration(t *testing.T) {
	broken := errors.New("broken")
	cfg, _ := shop()
	cfg.Stores[0].Factory.(*fakeStore).build = broken
	cfg.Stores[0].Origin = config.Origin{File: "cosid.yaml", Line: 4, Column: 5}
	if _, err := runtime.New(cfg, runtime.Options{}); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), `cosid.yaml:4:5: store "a": `) {
		t.Errorf("got %v", err)
	}
	cfg, _ = shop()
	cfg.Generators[1].Factory.(*fakeStrategy).build = broken
	cfg.Generators[1].Origin = config.Origin{File: "cosid.yaml", Line: 7, Column: 5}
	if _, err := runtime.New(cfg, runtime.Options{}); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), `cosid.yaml:7:5: generator "order": `) {
		t.Errorf("got %v", err)
	}
	cfg, _ = shop()
	cfg.Generators[0] = grouped("bill", cfg.Generators[0].Factory)
	if _, err := runtime.New(cfg, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "no generator of the kind that its settings promise") {
		t.Errorf("got %v", err)
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
