package filestore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/examples/custom-types/filestore"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/storetest"
)

// newOn builds a store as a configuration does. The timeout is long, because the suite never lets up and disks
// may be slow.
func newOn(dir string) (storetest.Store, error) {
	factory := filestore.Factory{}
	options := factory.NewOptions().(*filestore.Options)
	options.Dir = dir
	store, err := factory.Build(stores.Spec{Name: "disk", Timeout: time.Minute}, options)
	if err != nil {
		return nil, err
	}
	return store.(*filestore.Store), nil
}

func started(t *testing.T, dir string) storetest.Store {
	t.Helper()
	store, err := newOn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// counterFile is the one file that is neither the notice nor a draft.
func counterFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Ext(file) == "" {
			return file
		}
	}
	t.Fatalf("no counter among %q", files)
	return ""
}

func TestADamagedFileIsRefusedAndNotTakenForANewKey(t *testing.T) {
	const key, whole = "shop/bill", "shop/bill next=101 sealed=false\n"
	dir := t.TempDir()
	store := started(t, dir)
	if _, err := store.Reserve(t.Context(), key, 100, 1); err != nil {
		t.Fatal(err)
	}
	file := counterFile(t, dir)
	if content, err := os.ReadFile(file); err != nil || string(content) != whole {
		t.Fatalf("the file says %q, %v; want %q", content, err, whole)
	}
	for _, content := range []string{
		"", "\n", "101", whole[:len(whole)-1], whole + whole, "shop/bil next=101 sealed=false\n",
		"shop/bill next=-1 sealed=false\n", "shop/bill next=9223372036854775808 sealed=false\n",
		"shop/bill next=1e3 sealed=false\n", "shop/bill next=0101 sealed=false\n", "shop/bill next=101 sealed=no\n",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := store.Reserve(t.Context(), key, 100, 1)
		if err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), key) {
			t.Errorf("with %q: %v, %v", content, r, err)
		}
	}
}

func TestADraftThatAKilledProcessLeftIsNoCounter(t *testing.T) {
	dir := t.TempDir()
	store := started(t, dir)
	if _, err := store.Reserve(t.Context(), "shop/bill", 100, 1); err != nil {
		t.Fatal(err)
	}
	draft := counterFile(t, dir) + ".new"
	if err := os.WriteFile(draft, []byte("shop/bill next=100001 sealed=false and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{101, 201} {
		if r, err := store.Reserve(t.Context(), "shop/bill", 100, 1); err != nil || r.Start != want {
			t.Errorf("reserve answered %v, %v; want it to start at %d", r, err, want)
		}
	}
}

func TestNoDirectoryNoStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not-mounted")
	store, err := newOn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Start: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
}

func TestStartOnceOnly(t *testing.T) {
	store := started(t, t.TempDir())
	if err := store.Start(t.Context()); err == nil {
		t.Error("a second Start succeeded")
	}
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); err != nil {
		t.Errorf("after it: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("Start after Close: %v, want ErrClosed", err)
	}
	if _, err := store.Reserve(t.Context(), "shop/bill", 1, 1); !errors.Is(err, stores.ErrClosed) {
		t.Errorf("Reserve after it: %v, want ErrClosed", err)
	}
}

// A store with `start: lazy` is started again until it opens.
func TestAFailedStartMayBeRepeated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "late")
	store, err := newOn(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Start(t.Context()); err == nil {
		t.Fatal("started without its directory")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := store.Start(t.Context()); err != nil {
		t.Errorf("with its directory: %v", err)
	}
}

func TestBuildTouchesNothingAndRefusesWhatIsWrong(t *testing.T) {
	factory := filestore.Factory{}
	for name, options := range map[string]any{
		"foreign options": nil,
		"no directory":    factory.NewOptions(),
		"no pause":        &filestore.Options{Dir: "x"},
		"a long pause":    &filestore.Options{Dir: "x", Poll: time.Minute},
	} {
		if store, err := factory.Build(stores.Spec{Name: "disk", Timeout: time.Second}, options); err == nil || store != nil {
			t.Errorf("%s: %v, %v", name, store, err)
		}
	}
	wrong := filestore.Options{}
	err := wrong.Validate()
	mistake, ok := errors.AsType[*field.Error](err)
	if !ok || mistake.Key != "dir" || !strings.Contains(err.Error(), "poll: 0s") {
		t.Errorf("Validate: %v; want a field.Error for dir and one for poll", err)
	}
	if _, err := newOn(filepath.Join(t.TempDir(), "absent")); err != nil {
		t.Errorf("Build looked at the disk: %v", err)
	}
}
