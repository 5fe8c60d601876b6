package tags

import (
	"context"

	"github.com/cosid-go/cosid/internal/tagrules"
)

// Generator is what filling needs of one named generator; *runtime.Entry satisfies it. It is safe for concurrent
// use. Both methods draw in increasing order and return how many elements they wrote; the error is nil exactly if
// that is all of them. What was written is used, whatever the error.
//
// If it also has a method Next(ctx) (int64, error), as the entry has, a number for a single struct is drawn by that,
// which is quicker.
type Generator interface {
	// Grouped tells that the numbers alone repeat from one period to the next, so that only text is unique.
	Grouped() bool

	// TextOnly tells that the generator makes texts, and no numbers.
	TextOnly() bool

	// Fill draws numbers, as generators.Generator does.
	Fill(ctx context.Context, ids []int64) (int, error)

	// FillStrings draws ids and writes them through the codec that the generator was looked up with.
	FillStrings(ctx context.Context, texts []string) (int, error)
}

// Source finds a generator by its name, so that its text is written by the named codec; "" is the generator's
// own. Its errors list the names there are. It is called when a type is first seen, at times more than once for
// one name, does no I/O, and may be asked before the generators are started.
type Source func(generator, codec string) (Generator, error)

// oneByOne is the Generator's optional method.
type oneByOne interface {
	Next(ctx context.Context) (int64, error)
}

// feed is one way to draw: fields that share it are filled from one draw.
type feed struct {
	feedKey
	generator Generator
	single    oneByOne // the generator, where it draws numbers and has the method
}

type feedKey struct {
	tagrules.Tag
	text bool
}

// feed looks the generator of key up, once. A name that is not found may be known later.
func (f *Filler) feed(key feedKey) (*feed, error) {
	if found, ok := f.feeds.Load(key); ok {
		return found.(*feed), nil
	}
	generator, err := f.source(key.Name, key.Codec)
	if err != nil {
		return nil, err
	}
	made := &feed{feedKey: key, generator: generator}
	if !key.text {
		made.single, _ = generator.(oneByOne)
	}
	found, _ := f.feeds.LoadOrStore(key, made)
	return found.(*feed), nil
}
