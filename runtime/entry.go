package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/internal/names"
)

// Errors of an Entry, for matching with errors.Is.
var (
	// ErrGrouped means that a bare number was asked of a generator whose numbers restart in each period.
	ErrGrouped = errors.New("the generator's numbers restart in each period: use NextGrouped or NextString")

	// ErrNotGrouped means that a period was asked of a generator that has none.
	ErrNotGrouped = errors.New("the generator's ids have no period: use Next or NextString")

	// ErrTextOnly means that a number was asked of a generator that makes texts.
	ErrTextOnly = errors.New("the generator makes texts, and no numbers: use NextString or NextStrings")
)

// Entry is a named generator together with its codec. It is safe for concurrent use.
type Entry struct {
	config   config.Generator
	instance generators.Instance
	named    []config.Codec

	// Exactly one of these is set.
	numbers generators.Generator
	grouped generators.GroupedGenerator
	texts   generators.TextGenerator
}

func newEntry(g config.Generator, instance generators.Instance, named []config.Codec) (*Entry, error) {
	e := &Entry{config: g, instance: instance, named: named}
	ok := false
	switch {
	case g.Text:
		e.texts, ok = instance.(generators.TextGenerator)
	case g.Grouped():
		e.grouped, ok = instance.(generators.GroupedGenerator)
	default:
		e.numbers, ok = instance.(generators.Generator)
	}
	if !ok {
		return nil, fmt.Errorf("strategy %q built a %T, which is no generator of the kind that its settings promise",
			g.Factory.Strategy(), instance)
	}
	return e, nil
}

// Name is the generator's name under cosid.generators.
func (e *Entry) Name() string { return e.config.Name }

// Grouped tells whether the generator's numbers restart in each period. Such a generator makes no bare numbers.
func (e *Entry) Grouped() bool { return e.grouped != nil }

// TextOnly tells whether the generator makes texts. Such a generator makes no numbers, and has no codec.
func (e *Entry) TextOnly() bool { return e.texts != nil }

// Next returns one id, or ErrGrouped or ErrTextOnly.
func (e *Entry) Next(ctx context.Context) (int64, error) {
	if e.numbers == nil {
		return 0, e.noNumbers("next")
	}
	return e.numbers.Next(ctx)
}

// Fill writes ids as generators.Generator.Fill does, or returns ErrGrouped or ErrTextOnly.
func (e *Entry) Fill(ctx context.Context, ids []int64) (int, error) {
	if e.numbers == nil {
		return 0, e.noNumbers("fill")
	}
	return e.numbers.Fill(ctx, ids)
}

func (e *Entry) noNumbers(operation string) error {
	if e.texts != nil {
		return e.failed(operation, ErrTextOnly)
	}
	return e.failed(operation, ErrGrouped)
}

// NextN returns n ids in increasing order, consecutive where they come from one range. With an error it returns
// those that it got; they are the caller's.
func (e *Entry) NextN(ctx context.Context, n int) ([]int64, error) {
	if n < 0 {
		return nil, e.failed("next", fmt.Errorf("a batch of %d ids", n))
	}
	ids := make([]int64, n)
	got, err := e.Fill(ctx, ids)
	return ids[:got], err
}

// NextGrouped returns one id with its period, or ErrNotGrouped.
func (e *Entry) NextGrouped(ctx context.Context) (generators.GroupedID, error) {
	if e.grouped == nil {
		return generators.GroupedID{}, e.failed("next", ErrNotGrouped)
	}
	return e.grouped.Next(ctx)
}

// FillGrouped writes ids as generators.GroupedGenerator.Fill does, or returns ErrNotGrouped.
func (e *Entry) FillGrouped(ctx context.Context, ids []generators.GroupedID) (int, error) {
	if e.grouped == nil {
		return 0, e.failed("fill", ErrNotGrouped)
	}
	return e.grouped.Fill(ctx, ids)
}

// NextString returns one id as text: written by the generator's codec, or made as a text.
func (e *Entry) NextString(ctx context.Context) (string, error) {
	switch {
	case e.texts != nil:
		return e.texts.Next(ctx)
	case e.grouped != nil:
		id, err := e.grouped.Next(ctx)
		if err != nil {
			return "", err
		}
		return e.config.GroupedCodec.Encode(id)
	}
	id, err := e.numbers.Next(ctx)
	if err != nil {
		return "", err
	}
	return e.config.Codec.Encode(id)
}

// NextStrings returns the texts of n ids that are drawn at once, in the order of the ids. With an error it returns those
// that it got; they are the caller's.
func (e *Entry) NextStrings(ctx context.Context, n int) ([]string, error) {
	if n < 0 {
		return nil, e.failed("next", fmt.Errorf("a batch of %d ids", n))
	}
	texts := make([]string, n)
	got, err := e.FillStrings(ctx, texts)
	return texts[:got], err
}

// FillStrings writes the texts of ids that are drawn at once, in increasing order, and returns how many it wrote.
// The error is nil exactly if it wrote them all.
func (e *Entry) FillStrings(ctx context.Context, texts []string) (int, error) {
	if e.texts != nil {
		return e.texts.Fill(ctx, texts)
	}
	if len(texts) == 1 {
		text, err := e.NextString(ctx)
		if err != nil {
			return 0, err
		}
		texts[0] = text
		return 1, nil
	}
	if e.grouped != nil {
		ids := make([]generators.GroupedID, len(texts))
		drawn, err := e.grouped.Fill(ctx, ids)
		return encodeAll(texts, ids[:drawn], e.config.GroupedCodec.Encode, err)
	}
	ids := make([]int64, len(texts))
	drawn, err := e.numbers.Fill(ctx, ids)
	return encodeAll(texts, ids[:drawn], e.config.Codec.Encode, err)
}

func encodeAll[ID any](texts []string, ids []ID, encode func(ID) (string, error), drawing error) (int, error) {
	for i, id := range ids {
		text, err := encode(id)
		if err != nil {
			return i, errors.Join(err, drawing)
		}
		texts[i] = text
	}
	return len(ids), drawing
}

// Codec writes and reads the generator's ids; nil for a grouped generator and for one of texts.
func (e *Entry) Codec() codecs.Codec { return e.config.Codec }

// GroupedCodec writes and reads the generator's ids; nil for a generator of plain numbers and for one of texts.
func (e *Entry) GroupedCodec() codecs.GroupedCodec { return e.config.GroupedCodec }

// Layout is how time, slot and sequence lie in the generator's ids; false for ids that hold none.
func (e *Entry) Layout() (generators.Layout, bool) {
	if e.config.Layout == nil {
		return generators.Layout{}, false
	}
	return *e.config.Layout, true
}

// WithCodec returns the same generator with the named entry of cosid.codecs in place of its own codec. Its error
// lists the names there are, or says why the codec does not fit the generator's ids.
func (e *Entry) WithCodec(name string) (*Entry, error) {
	known := make([]string, len(e.named))
	for i, c := range e.named {
		known[i] = c.Name
		if c.Name != name {
			continue
		}
		generator, err := e.config.WithParts(c.Parts)
		if err != nil {
			return nil, fmt.Errorf("cosid: generator %q with codec %q: %w", e.config.Name, name, err)
		}
		view := *e
		view.config = generator
		return &view, nil
	}
	return nil, fmt.Errorf("cosid: no codec named %q under cosid.codecs (have %s)", name, names.List(known))
}

func (e *Entry) failed(operation string, err error) error {
	return fmt.Errorf("cosid: %s %q: %w", operation, e.config.Name, err)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
