package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/redact"
	"github.com/cosid-go/cosid/runtime"
)

// problem is an error as RFC 9457 writes it. Its type is about:blank, so that the title is that of the status.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`

	Known   []string `json:"known,omitempty"`   // the generators that there are
	Nearest string   `json:"nearest,omitempty"` // the one that was probably meant
}

func notFound(detail string) problem { return problem{Status: http.StatusNotFound, Detail: detail} }

func badRequest(detail string) problem { return problem{Status: http.StatusBadRequest, Detail: detail} }

// problemOf is what a caller gets for an error of a generator: 503 where a later call may succeed.
func problemOf(err error) problem {
	p := problem{Status: http.StatusInternalServerError, Detail: redact.Text(err.Error())}
	for _, passing := range []error{
		generators.ErrRangeUnavailable, generators.ErrLeaseExpired, generators.ErrRateExceeded, generators.ErrClosed,
		runtime.ErrDisabled,
	} {
		if errors.Is(err, passing) {
			p.Status = http.StatusServiceUnavailable
		}
	}
	return p
}

func (p problem) write(w http.ResponseWriter) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	writeJSON(w, p.Status, "application/problem+json", p)
}

// writeJSON writes the whole answer, or, if the peer has gone, as much as it takes.
func writeJSON(w http.ResponseWriter, status int, contentType string, body any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil { // nothing that is answered here cannot be encoded
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}
