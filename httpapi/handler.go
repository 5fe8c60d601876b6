// Package httpapi shows a Runtime over HTTP: its health, its report, and ids for programs that are not written in Go
// (design section 12). Every route is off until it is switched on, and the application mounts the handler where it
// likes, behind whatever protects its other internal pages:
//
//	mux.Handle("/cosid/", http.StripPrefix("/cosid", httpapi.New(rt, httpapi.Options{Health: true})))
//
// Answers are JSON and are never cached; errors are problems as in RFC 9457. No answer holds a secret.
package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cosid-go/cosid/runtime"
)

// Options switch routes on. The zero value has none.
type Options struct {
	// Health is GET /health: 200 while ids can be made, though perhaps not for long (the body says "degraded"), and 503
	// once a generator is down. The body is a runtime.Health. The request's context bounds the questions to stores.
	Health bool

	// Report is GET /report: every setting, its value and what set it. It tells more about an installation than
	// strangers should know.
	Report bool

	// IDs is POST /ids/{name}?n=1: draws n ids of the named generator. It is a POST because an id that was drawn is spent:
	// nothing may repeat or cache such a request. Whoever can reach it can use up ids.
	IDs bool

	// MostIDs bounds n. Default: 1000.
	MostIDs int
}

const defaultMostIDs = 1000

// handler is a http.Handler.
type handler struct {
	rt      *runtime.Runtime
	options Options
}

// New makes the handler. It keeps no state of its own, and is safe for concurrent use at any time in the life of rt.
func New(rt *runtime.Runtime, options Options) http.Handler {
	if options.MostIDs <= 0 {
		options.MostIDs = defaultMostIDs
	}
	return &handler{rt: rt, options: options}
}

// ServeHTTP dispatches by itself, and not by a ServeMux: that one answers errors in plain text, and redirects to paths
// that lack the application's prefix.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	name, ofIDs := strings.CutPrefix(path, "/ids/")
	switch {
	case h.options.Health && path == "/health":
		only(w, r, h.health, http.MethodGet, http.MethodHead)
	case h.options.Report && path == "/report":
		only(w, r, h.report, http.MethodGet, http.MethodHead)
	case h.options.IDs && ofIDs:
		only(w, r, func(w http.ResponseWriter, r *http.Request) { h.ids(w, r, name) }, http.MethodPost)
	default:
		notFound("nothing is served at this path; a route may be switched off").write(w)
	}
}

// only refuses other methods than those that a route has.
func only(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc, methods ...string) {
	if slices.Contains(methods, r.Method) {
		serve(w, r)
		return
	}
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	problem{Status: http.StatusMethodNotAllowed, Detail: "use " + allowed}.write(w)
}

func (h *handler) health(w http.ResponseWriter, r *http.Request) {
	health := h.rt.Health(r.Context())
	status := http.StatusOK
	if health.Status == runtime.Down {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, "application/json", health)
}

// setting is a config.Setting without what only a program needs.
type setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func (h *handler) report(w http.ResponseWriter, _ *http.Request) {
	settings := []setting{}
	for _, s := range h.rt.Report().Settings {
		settings = append(settings, setting{s.Path, s.Value, s.From})
	}
	writeJSON(w, http.StatusOK, "application/json", map[string]any{"settings": settings})
}
