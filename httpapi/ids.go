package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/names"
	"github.com/cosid-go/cosid/runtime"
)

// drawn is the answer of POST /ids/{name}.
type drawn struct {
	Generator string `json:"generator"`
	IDs       []id   `json:"ids"` // in increasing order
}

// id is one id. The number comes twice: JavaScript reads a JSON number above 2^53 as another one. A generator of texts
// has no number.
type id struct {
	Period  string `json:"period,omitempty"`
	Number  *int64 `json:"number,omitempty"`
	Decimal string `json:"decimal,omitempty"` // the number as a string
	Text    string `json:"text"`              // as the generator's codec writes it
}

func (h *handler) ids(w http.ResponseWriter, r *http.Request, name string) {
	n, err := h.count(r.URL.RawQuery)
	if err != nil {
		badRequest(err.Error()).write(w)
		return
	}
	e, err := h.rt.Get(name)
	if errors.Is(err, runtime.ErrUnknownGenerator) {
		p := notFound(err.Error())
		p.Known, p.Nearest = h.rt.Names(), names.Nearest(name, h.rt.Names())
		p.write(w)
		return
	}
	if err != nil {
		problemOf(err).write(w)
		return
	}
	ids, err := draw(r.Context(), e, n)
	if err != nil { // those that were drawn before are gone: a gap
		problemOf(err).write(w)
		return
	}
	writeJSON(w, http.StatusOK, "application/json", drawn{Generator: name, IDs: ids})
}

// count reads n, and refuses what would else be ignored.
func (h *handler) count(query string) (int, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, errors.New("the query cannot be read; accepted: ?n=1")
	}
	for key := range values {
		if key != "n" {
			return 0, fmt.Errorf("unknown parameter %q; accepted: n, a number from 1 to %d", key, h.options.MostIDs)
		}
	}
	written := values["n"]
	if len(written) == 0 {
		return 1, nil
	}
	n, err := strconv.ParseUint(written[0], 10, 31)
	if err != nil || len(written) > 1 || n < 1 || n > uint64(h.options.MostIDs) {
		return 0, fmt.Errorf("n is %q; accepted: one number from 1 to %d", strings.Join(written, ", "), h.options.MostIDs)
	}
	return int(n), nil
}

// draw takes n ids at once, of whatever kind the generator makes.
func draw(ctx context.Context, e *runtime.Entry, n int) ([]id, error) {
	ids := make([]id, n)
	switch {
	case e.TextOnly():
		texts, err := e.NextStrings(ctx, n)
		for i, text := range texts {
			ids[i].Text = text
		}
		return ids, err
	case e.Grouped():
		values := make([]generators.GroupedID, n)
		if _, err := e.FillGrouped(ctx, values); err != nil {
			return nil, err
		}
		for i, value := range values {
			text, err := e.GroupedCodec().Encode(value)
			if err != nil {
				return nil, err
			}
			ids[i] = numbered(value.Value, text)
			ids[i].Period = value.Period
		}
		return ids, nil
	default:
		values, err := e.NextN(ctx, n)
		if err != nil {
			return nil, err
		}
		for i, value := range values {
			text, err := e.Codec().Encode(value)
			if err != nil {
				return nil, err
			}
			ids[i] = numbered(value, text)
		}
		return ids, nil
	}
}

func numbered(value int64, text string) id {
	return id{Number: &value, Decimal: strconv.FormatInt(value, 10), Text: text}
}
