package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/httpapi"
	"github.com/cosid-go/cosid/internal/assembly"
	"github.com/cosid-go/cosid/runtime"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/memstore"
	"github.com/cosid-go/cosid/stores/storetest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const password = "hunter2"

// remote is a store type with a password, whose server can be made to fail.
type remote struct{ *storetest.Faults }

type remoteOptions struct {
	URI string `koanf:"uri"`
}

func (remote) Type() string                                   { return "remote" }
func (remote) NewOptions() any                                { return &remoteOptions{} }
func (s remote) Build(stores.Spec, any) (stores.Store, error) { return s, nil }
func (s remote) Ping(ctx context.Context) error               { _, err := s.Seal(ctx, "shop/ping"); return err }

var all = httpapi.Options{Health: true, Report: true, IDs: true, MostIDs: 3}

// serve runs use with the handler of a started runtime, in its own bubble of time: the year 2000.
func serve(t *testing.T, options httpapi.Options, use func(t *testing.T, h http.Handler, store remote, rt *runtime.Runtime)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := remote{storetest.NewFaults(memstore.New())}
		rt, err := assembly.Build(assembly.Options{
			Source: config.Source{Environ: []string{}, Values: map[string]any{
				"namespace": "shop",
				"stores": map[string]any{"db": map[string]any{
					"type": "remote", "options": map[string]any{"uri": "redis://app:" + password + "@redis:6379"},
				}},
				"generators": map[string]any{
					"order": map[string]any{"strategy": "segment", "initial-offset": int64(9007199254740993)},
					"bill": map[string]any{
						"strategy": "periodic-segment", "period": "YEAR_MONTH_DAY", "zone": "UTC",
					},
				},
			}},
			Stores: []stores.Factory{store}, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		use(t, httpapi.New(rt, options), store, rt)
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// ask sends a request, checks what holds for every answer, and returns it.
func ask(t *testing.T, h http.Handler, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, target, nil))
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("%s %s: Cache-Control %q", method, target, got)
	}
	want := "application/json"
	if w.Code >= 400 && (target != "/health" || w.Code == http.StatusNotFound) {
		want = "application/problem+json"
	}
	if got := w.Header().Get("Content-Type"); got != want || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%s %s: Content-Type %q, want %q: %s", method, target, got, want, w.Body)
	}
	if strings.Contains(w.Body.String(), password) {
		t.Errorf("%s %s shows the password: %s", method, target, w.Body)
	}
	return w
}

// golden compares an answer with testdata/name.json, indented for readers.
func golden(t *testing.T, name string, w *httptest.ResponseRecorder, code int) {
	t.Helper()
	if w.Code != code {
		t.Errorf("%s: status %d, want %d", name, w.Code, code)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, w.Body.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, &got, want)
	}
}

func TestEveryRouteIsOffByDefaultAndSwitchedOnByItself(t *testing.T) {
	requests := []struct {
		method, target string
		options        httpapi.Options
	}{
		{"GET", "/health", httpapi.Options{Health: true}},
		{"GET", "/report", httpapi.Options{Report: true}},
		{"POST", "/ids/order", httpapi.Options{IDs: true}},
	}
	for _, on := range append([]httpapi.Options{{}}, requests[0].options, requests[1].options, requests[2].options) {
		serve(t, on, func(t *testing.T, h http.Handler, _ remote, _ *runtime.Runtime) {
			for _, r := range requests {
				want := http.StatusNotFound
				if r.options == on {
					want = http.StatusOK
				}
				if w := ask(t, h, r.method, r.target); w.Code != want {
					t.Errorf("%+v: %s %s: %d, want %d", on, r.method, r.target, w.Code, want)
				}
			}
		})
	}
}

func TestIDsComeAsNumberAsDecimalStringAndAsText(t *testing.T) {
	serve(t, all, func(t *testing.T, h http.Handler, _ remote, _ *runtime.Runtime) {
		golden(t, "ids_order", ask(t, h, "POST", "/ids/order?n=2"), http.StatusOK)
		golden(t, "ids_bill", ask(t, h, "POST", "/ids/bill?n=3"), http.StatusOK)
		golden(t, "ids_one", ask(t, h, "POST", "/ids/order"), http.StatusOK)
	})
}

func TestWrongRequestsAreProblemsThatSayWhatIsAccepted(t *testing.T) {
	serve(t, all, func(t *testing.T, h http.Handler, _ remote, rt *runtime.Runtime) {
		golden(t, "unknown_name", ask(t, h, "POST", "/ids/ordr"), http.StatusNotFound)
		golden(t, "unknown_path", ask(t, h, "GET", "/nothing"), http.StatusNotFound)
		golden(t, "wrong_n", ask(t, h, "POST", "/ids/order?n=4"), http.StatusBadRequest)
		golden(t, "wrong_parameter", ask(t, h, "POST", "/ids/order?count=2"), http.StatusBadRequest)
		golden(t, "wrong_method", ask(t, h, "GET", "/ids/order"), http.StatusMethodNotAllowed)
		for _, n := range []string{"0", "-1", "1.5", "+1", "0x1", "", "99999999999999999999", "1&n=2", "%zz", "1;2"} {
			if w := ask(t, h, "POST", "/ids/order?n="+n); w.Code != http.StatusBadRequest {
				t.Errorf("n=%s: %d", n, w.Code)
			}
		}
		for _, r := range []struct{ method, target, allow string }{
			{"GET", "/ids/order", "POST"}, {"PUT", "/ids/order", "POST"}, {"POST", "/health", "GET, HEAD"}, {"DELETE", "/report", "GET, HEAD"},
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), r.method, r.target, nil))
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != r.allow {
				t.Errorf("%s %s: %d, Allow %q", r.method, r.target, w.Code, w.Header().Get("Allow"))
			}
		}
		if issued := rt.Stats().Generators[1].Counts.Issued; issued != 0 {
			t.Errorf("refused requests drew %d ids", issued)
		}
	})
}

func TestHealthIsTwoHundredUntilAGeneratorIsDown(t *testing.T) {
	serve(t, all, func(t *testing.T, h http.Handler, store remote, _ *runtime.Runtime) {
		golden(t, "health_up", ask(t, h, "GET", "/health"), http.StatusOK)
		for _, name := range []string{"order", "bill"} {
			ask(t, h, "POST", "/ids/"+name)
		}
		broken := storetest.Fault{Before: errors.New("dial redis://app:" + password + "@redis:6379: connection refused")}
		store.EverySeal(broken)
		store.EveryReserve(broken)
		golden(t, "health_degraded", ask(t, h, "GET", "/health"), http.StatusOK)
		for range 33 {
			ask(t, h, "POST", "/ids/order?n=3")
		}
		synctest.Wait()
		golden(t, "ids_unavailable", ask(t, h, "POST", "/ids/order"), http.StatusServiceUnavailable)
		golden(t, "health_down", ask(t, h, "GET", "/health"), http.StatusServiceUnavailable)
		if w := ask(t, h, "HEAD", "/health"); w.Code != http.StatusServiceUnavailable {
			t.Errorf("HEAD: %d", w.Code)
		}
	})
}

func TestHealthAfterCloseSaysSo(t *testing.T) {
	serve(t, all, func(t *testing.T, h http.Handler, _ remote, rt *runtime.Runtime) {
		if err := rt.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		golden(t, "health_closed", ask(t, h, "GET", "/health"), http.StatusServiceUnavailable)
		if w := ask(t, h, "POST", "/ids/order"); w.Code != http.StatusServiceUnavailable {
			t.Errorf("ids of a closed runtime: %d %s", w.Code, w.Body)
		}
	})
}

// More ids than the layout holds are a matter of time: who asks again later gets them.
func TestIDsFasterThanTheLayoutHoldsAreUnavailableForNow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slot")
	synctest.Test(t, func(t *testing.T) {
		rt, err := assembly.Build(assembly.Options{
			Source: config.Source{Environ: []string{}, Values: map[string]any{
				"namespace": "shop",
				"generators": map[string]any{"trade": map[string]any{
					"strategy": "snowflake", "unit": "s", "epoch": "1999-12-31T00:00:00Z", "bits": map[string]any{"sequence": 2},
					"slot": map[string]any{"type": "manual", "id": 1, "state-file": file},
				}},
			}},
			Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		h := httpapi.New(rt, httpapi.Options{IDs: true})
		for range 30 {
			go ask(t, h, "POST", "/ids/trade?n=1000")
		}
		synctest.Wait()
		w := ask(t, h, "POST", "/ids/trade?n=1000")
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "more ids than the layout holds") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		synctest.Wait()
		if err := rt.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestTheReportShowsEverySettingAndNoPassword(t *testing.T) {
	serve(t, all, func(t *testing.T, h http.Handler, _ remote, _ *runtime.Runtime) {
		golden(t, "report", ask(t, h, "GET", "/report"), http.StatusOK)
	})
}

func TestTheApplicationMountsItUnderAnyPrefix(t *testing.T) {
	serve(t, all, func(t *testing.T, h http.Handler, _ remote, _ *runtime.Runtime) {
		mux := http.NewServeMux()
		mux.Handle("/internal/cosid/", http.StripPrefix("/internal/cosid", h))
		for target, want := range map[string]int{
			"/internal/cosid/health": 200, "/internal/cosid/nothing": 404, "/internal/cosid/": 404, "/internal/cosid/ids/a/b": 405,
		} {
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", target, nil))
			if w.Code != want {
				t.Errorf("%s: %d, want %d", target, w.Code, want)
			}
		}
	})
}

func TestADisabledRuntimeAnswersThatItIsDisabled(t *testing.T) {
	rt, err := runtime.New(&config.Config{}, runtime.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "ids_disabled", ask(t, httpapi.New(rt, all), "POST", "/ids/order"), http.StatusServiceUnavailable)
}

func TestAClientThatGoesAwayEndsTheWaitForAnId(t *testing.T) {
	serve(t, all, func(t *testing.T, h http.Handler, store remote, _ *runtime.Runtime) {
		store.EveryReserve(storetest.Fault{Latency: time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		began := time.Now()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/ids/order", nil))
		if took := time.Since(began); w.Code != http.StatusServiceUnavailable || took != time.Millisecond {
			t.Errorf("%d after %v", w.Code, took)
		}
	})
}
