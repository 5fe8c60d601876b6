package sequence_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/examples/custom-types/sequence"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func build(t *testing.T, store stores.Store, settings sequence.Settings, hooks generators.Hooks) *sequence.Generator {
	t.Helper()
	spec := generators.Spec{Namespace: "shop", Name: "ticket", Store: store, StoreName: "mem", Hooks: hooks}
	instance, err := sequence.Factory{}.Build(spec, &settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { instance.Close(context.Background()) })
	return instance.(*sequence.Generator)
}

func client(t *testing.T, server *memstore.Server) stores.Store {
	t.Helper()
	store := server.Client()
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func TestIdsOfTwoReplicasIncreaseInTheOrderOfTheCalls(t *testing.T) {
	server := memstore.NewServer()
	a := build(t, client(t, server), sequence.Settings{InitialOffset: 1}, generators.Hooks{})
	b := build(t, client(t, server), sequence.Settings{InitialOffset: 1}, generators.Hooks{})
	for want := int64(1); want < 20; want += 4 {
		batch := make([]int64, 2)
		first, errA := a.Next(t.Context())
		n, errB := b.Fill(t.Context(), batch)
		last, errC := a.Next(t.Context())
		if err := errors.Join(errA, errB, errC); err != nil {
			t.Fatal(err)
		}
		if n != 2 || first != want || batch[0] != want+1 || batch[1] != want+2 || last != want+3 {
			t.Fatalf("%d, %v, %d; want four in a row from %d on", first, batch, last, want)
		}
	}
	if n, err := a.Fill(t.Context(), nil); n != 0 || err != nil {
		t.Errorf("an empty Fill: %d, %v", n, err)
	}
}

func TestConcurrentCallersNeverShareAnId(t *testing.T) {
	const callers, batches, batch = 8, 200, 3
	server := memstore.NewServer()
	seen := map[int64]bool{}
	var mu sync.Mutex
	var running sync.WaitGroup
	replicas := []*sequence.Generator{}
	for range 2 {
		replicas = append(replicas, build(t, client(t, server), sequence.Settings{RandomStart: 1 << 60}, generators.Hooks{}))
	}
	for caller := range callers {
		running.Go(func() {
			last := int64(-1)
			for range batches {
				ids := make([]int64, batch)
				if _, err := replicas[caller%2].Fill(t.Context(), ids); err != nil {
					t.Error(err) // ErrRangeWentBack too, if calls that overlap were compared
					return
				}
				mu.Lock()
				for _, id := range ids {
					if seen[id] || id <= last {
						t.Errorf("%d was given before, or is not above %d", id, last)
					}
					seen[id], last = true, id
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	if len(seen) != callers*batches*batch {
		t.Errorf("%d ids, want %d", len(seen), callers*batches*batch)
	}
}

func TestOneReplicasRandomStartCounts(t *testing.T) {
	settings := sequence.Settings{InitialOffset: 1000, RandomStart: 1 << 40}
	server := memstore.NewServer()
	first, err := build(t, client(t, server), settings, generators.Hooks{}).Next(t.Context())
	if err != nil || first <= 1000 || first >= 1000+1<<40 { // 1000 itself once in 2^40 runs
		t.Fatalf("the first id is %d, %v", first, err)
	}
	next, err := build(t, client(t, server), settings, generators.Hooks{}).Next(t.Context())
	if err != nil || next != first+1 {
		t.Errorf("the other replica's id is %d, %v; want %d", next, err, first+1)
	}
}

// answers is a store that answers as it is told.
type answers struct {
	stores.Store
	reserve func(ctx context.Context, size, initialOffset int64) (stores.Range, error)
}

func (a answers) Reserve(ctx context.Context, _ string, size, initialOffset int64) (stores.Range, error) {
	return a.reserve(ctx, size, initialOffset)
}

func TestARangeThatWentBackIsRefusedForGood(t *testing.T) {
	next := int64(101)
	store := answers{reserve: func(_ context.Context, size, _ int64) (stores.Range, error) {
		next += size
		return stores.Range{Start: next - size, End: next}, nil
	}}
	var failed []error
	g := build(t, store, sequence.Settings{}, generators.Hooks{
		OnRefillFailed: func(e generators.RefillFailed) { failed = append(failed, e.Err) },
	})
	if id, err := g.Next(t.Context()); id != 101 || err != nil {
		t.Fatal(id, err)
	}
	for _, next = range []int64{1, 101, 1000} { // restored; the one before; above, but other replicas' ids may lie there
		if id, err := g.Next(t.Context()); !errors.Is(err, generators.ErrRangeWentBack) || id != 0 {
			t.Errorf("Next = %d, %v; want ErrRangeWentBack", id, err)
		}
	}
	if len(failed) != 3 || !errors.Is(failed[0], generators.ErrRangeWentBack) {
		t.Errorf("the hook was told %v", failed)
	}
}

// S1 orders only reserves of which one began after the other was complete.
func TestCallsThatOverlapMayEndInAnyOrder(t *testing.T) {
	next, overtaken, reserving := int64(1), make(chan struct{}), make(chan struct{})
	store := answers{reserve: func(context.Context, int64, int64) (stores.Range, error) {
		r := stores.Range{Start: next, End: next + 1}
		next++
		if r.Start == 1 {
			close(reserving)
			<-overtaken
		}
		return r, nil
	}}
	g := build(t, store, sequence.Settings{}, generators.Hooks{})
	slow := make(chan error)
	go func() {
		_, err := g.Next(context.Background())
		slow <- err
	}()
	<-reserving
	if id, err := g.Next(t.Context()); id != 2 || err != nil {
		t.Errorf("the one that overtook: %d, %v", id, err)
	}
	close(overtaken)
	if err := <-slow; err != nil {
		t.Errorf("the one that was overtaken: %v", err)
	}
}

// S3: a store may answer with another size than was asked for. What it answered counts.
func TestTheReturnedRangeIsTheFact(t *testing.T) {
	next, sizes := int64(1), []int64{2, 7}
	store := answers{reserve: func(context.Context, int64, int64) (stores.Range, error) {
		r := stores.Range{Start: next, End: next + sizes[0]}
		next, sizes = r.End+10, sizes[1:]
		return r, nil
	}}
	ids := make([]int64, 5)
	n, err := build(t, store, sequence.Settings{}, generators.Hooks{}).Fill(t.Context(), ids)
	if n != 5 || err != nil || ids[1] != 2 || ids[2] != 13 || ids[4] != 15 {
		t.Errorf("Fill = %d %v, %v", n, ids, err)
	}
}

func TestErrorsCarryTheKeyAndTheCause(t *testing.T) {
	store := answers{reserve: func(context.Context, int64, int64) (stores.Range, error) {
		return stores.Range{}, stores.ErrOutcomeUnknown
	}}
	_, err := build(t, store, sequence.Settings{}, generators.Hooks{}).Next(t.Context())
	if !errors.Is(err, generators.ErrRangeUnavailable) || !errors.Is(err, stores.ErrOutcomeUnknown) ||
		!strings.Contains(err.Error(), "shop/ticket") {
		t.Errorf("got %v", err)
	}
}

func TestCloseEndsACallThatWaits(t *testing.T) {
	waiting := make(chan struct{})
	store := answers{reserve: func(ctx context.Context, _, _ int64) (stores.Range, error) {
		close(waiting)
		<-ctx.Done()
		return stores.Range{}, ctx.Err()
	}}
	g := build(t, store, sequence.Settings{}, generators.Hooks{})
	ended := make(chan error)
	go func() {
		_, err := g.Next(context.Background())
		ended <- err
	}()
	<-waiting
	if err := errors.Join(g.Close(t.Context()), g.Close(t.Context())); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := <-ended; !errors.Is(err, generators.ErrClosed) {
		t.Errorf("the call ended with %v, want ErrClosed", err)
	}
	if _, err := g.Next(t.Context()); !errors.Is(err, generators.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}

func TestWrongSettingsNameTheirKeys(t *testing.T) {
	for _, test := range []struct {
		settings sequence.Settings
		key      string
	}{
		{sequence.Settings{InitialOffset: -1}, "initial-offset"},
		{sequence.Settings{InitialOffset: math.MaxInt64}, "initial-offset"},
		{sequence.Settings{RandomStart: -1}, "random-start"},
		{sequence.Settings{InitialOffset: 2, RandomStart: math.MaxInt64 - 1}, "random-start"},
	} {
		err := test.settings.Validate()
		if mistake, ok := errors.AsType[*field.Error](err); !ok || mistake.Key != test.key {
			t.Errorf("%+v: %v, want a mistake in %s", test.settings, err, test.key)
		}
		spec := generators.Spec{Namespace: "shop", Name: "ticket", Store: answers{}}
		if g, err := (sequence.Factory{}).Build(spec, &test.settings); err == nil || g != nil {
			t.Errorf("%+v was built", test.settings)
		}
	}
	if err := (&sequence.Settings{InitialOffset: 1, RandomStart: math.MaxInt64 - 1}).Validate(); err != nil {
		t.Errorf("the largest start: %v", err)
	}
	factory := sequence.Factory{}
	if g, err := factory.Build(generators.Spec{StoreName: "none"}, factory.NewSettings()); err == nil {
		t.Errorf("built %v without a store that reserves ranges", g)
	}
}
