package tags

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

// Batch gathers empty fields, in order, to fill them together. It belongs to the call of FillBatch that made it: it
// must not be used after it, nor concurrently.
type Batch struct {
	filler   *Filler
	lots     []lot
	seen     map[place]struct{}
	shared   bool // a struct may be come to twice, so that each is asked about
	errs     []error
	failures []failure
	ids      []int64
	texts    []string
}

// lot is the fields that are filled from one draw.
type lot struct {
	feed  *feed
	slots []slot
}

// slot is one empty field of one struct.
type slot struct {
	field *Field
	value reflect.Value
}

// place is where a struct lies. Its type tells it from its own first field.
type place struct {
	address uintptr
	typ     reflect.Type
}

// failure is what kept a field from being filled, told once for all the rows that it happened in.
type failure struct {
	field *Field
	drawn bool // the id was drawn, but must not be written
	err   error
	rows  int
}

// Add gathers the empty tagged fields of v, which is what FillValue accepts.
func (b *Batch) Add(v reflect.Value) error {
	p, v, err := b.filler.target(v)
	if p == nil || err != nil {
		return err
	}
	b.shared = true // with what was added before, or will be
	b.walk(p, v)
	return nil
}

// AddField gathers v, the field f of some struct, if it is empty. v must be settable.
func (b *Batch) AddField(f *Field, v reflect.Value) {
	if f.form.isEmpty(v) {
		l := b.lotOf(f.feed)
		l.slots = append(l.slots, slot{f, v})
	}
}

// Once tells whether v, an addressable struct, is seen for the first time in this batch. Whoever follows pointers
// asks it, so that shared structs are filled once and cycles come to an end.
func (b *Batch) Once(v reflect.Value) bool {
	at := place{v.UnsafeAddr(), v.Type()}
	if _, again := b.seen[at]; again {
		return false
	}
	if b.seen == nil {
		b.seen = map[place]struct{}{}
	}
	b.seen[at] = struct{}{}
	return true
}

func (b *Batch) walk(p *plan, v reflect.Value) {
	switch p.kind {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		b.walk(p.elem, v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			b.walk(p.elem, v.Index(i))
		}
	default:
		if b.shared && !b.Once(v) {
			return
		}
		for i := range p.steps {
			b.step(&p.steps[i], v)
		}
	}
}

func (b *Batch) step(s *step, v reflect.Value) {
	v = v.Field(s.index)
	switch {
	case s.field != nil:
		b.AddField(s.field, v)
	case s.alloc == nil || !v.IsNil():
		b.walk(s.into, v)
	case !s.alloc.exported:
		b.note(fmt.Errorf("cosid: fill %s: the embedded %s is nil and, being unexported, cannot be allocated here; "+
			"set it before filling", s.alloc.name, v.Type()))
	default:
		v.Set(reflect.New(s.alloc.typ))
		b.walk(s.into, v)
	}
}

// fill draws for everything that was gathered, writes it, and ends the batch.
func (b *Batch) fill(ctx context.Context) error {
	defer b.release()
	for i := range b.lots {
		b.draw(ctx, &b.lots[i])
	}
	for i := range b.failures {
		b.note(b.failures[i].error())
	}
	return errors.Join(b.errs...)
}

// draw fills one lot as far as its generator gives ids.
func (b *Batch) draw(ctx context.Context, l *lot) {
	var got int
	err := ctx.Err() // a caller who is gone gets no id, even where one is at hand
	switch {
	case err != nil:
	case l.feed.text:
		b.texts = sized(b.texts, len(l.slots))
		got, err = l.feed.generator.FillStrings(ctx, b.texts)
		for i, text := range b.texts[:got] {
			s := &l.slots[i]
			b.refuse(s.field, true, s.field.setText(s.value, text))
		}
	default:
		b.ids = sized(b.ids, len(l.slots))
		got, err = l.feed.generator.Fill(ctx, b.ids)
		for i, id := range b.ids[:got] {
			s := &l.slots[i]
			b.refuse(s.field, true, s.field.setNumber(s.value, id))
		}
	}
	if got < len(l.slots) && err == nil {
		err = fmt.Errorf("the generator gave %d of %d ids and no error", got, len(l.slots))
	}
	for i := range l.slots[got:] {
		b.refuse(l.slots[got+i].field, false, err)
	}
}

// refuse counts a row in which err kept f empty; a nil err is none.
func (b *Batch) refuse(f *Field, drawn bool, err error) {
	if err == nil {
		return
	}
	for i := range b.failures {
		if known := &b.failures[i]; known.field == f && known.drawn == drawn {
			known.rows++
			return
		}
	}
	b.failures = append(b.failures, failure{field: f, drawn: drawn, err: err, rows: 1})
}

func (f *failure) error() error {
	rows := ""
	if f.rows > 1 {
		rows = fmt.Sprintf(" in %d rows", f.rows)
	}
	return fmt.Errorf("cosid: fill %s from %q%s: %w", f.field.name, f.field.feed.Name, rows, f.err)
}

// note keeps err, if it is one, for the batch's own error.
func (b *Batch) note(err error) {
	if err != nil {
		b.errs = append(b.errs, err)
	}
}

// lotOf returns the lot of a feed, reusing the memory of an earlier one.
func (b *Batch) lotOf(f *feed) *lot {
	for i := range b.lots {
		if b.lots[i].feed == f {
			return &b.lots[i]
		}
	}
	if n := len(b.lots); n < cap(b.lots) {
		b.lots = b.lots[:n+1]
		b.lots[n].feed = f
	} else {
		b.lots = append(b.lots, lot{feed: f})
	}
	return &b.lots[len(b.lots)-1]
}

// maxKept bounds what an unused batch holds on to, in fields.
const maxKept = 4096

func (f *Filler) newBatch() *Batch {
	if b, ok := f.batches.Get().(*Batch); ok {
		return b
	}
	return &Batch{filler: f}
}

// release gives b back for reuse, without references to what it filled.
func (b *Batch) release() {
	fields := len(b.seen)
	for i := range b.lots {
		l := &b.lots[i]
		fields += len(l.slots)
		clear(l.slots)
		*l = lot{slots: l.slots[:0]}
	}
	if fields > maxKept {
		return
	}
	b.lots = b.lots[:0]
	clear(b.seen)
	b.shared = false
	clear(b.texts)
	clear(b.errs)
	clear(b.failures)
	b.errs, b.failures = b.errs[:0], b.failures[:0]
	b.filler.batches.Put(b)
}

// sized returns a slice of n elements, in the memory of s if that is enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
