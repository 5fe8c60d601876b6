package tags

import (
	"errors"
	"reflect"
	"slices"
)

// plan says what filling a value of one type takes; nil is nothing at all. The plans of types that hold each other
// form a graph, with cycles where types are recursive. A published plan never changes.
type plan struct {
	steps  []step       // of a struct, in the order of its fields
	elem   *plan        // of a pointer, slice or array
	kind   reflect.Kind // Struct, Pointer, Slice or Array
	useful bool         // leads to a tagged field
	prompt bool         // does so even where the value is zero
	flat   bool         // a struct that has no steps but tagged fields
}

// step is one field of a struct: a tagged one, or one to look into.
type step struct {
	index int
	field *Field
	into  *plan
	alloc *embedded // set where into is an embedded pointer that is needed even if nil
}

// embedded is an embedded pointer to a struct.
type embedded struct {
	name     string // Bill.Base
	typ      reflect.Type
	exported bool
}

// planOf returns the plan of t. It is made once; where that fails, for instance because a generator is not known
// yet, it is tried again the next time.
func (f *Filler) planOf(t reflect.Type) (*plan, error) {
	if p, ok := f.plans.load(t); ok {
		return p, nil
	}
	b := planner{filler: f, plans: map[reflect.Type]*plan{}}
	p := b.plan(t, t.Name())
	if err := errors.Join(b.errs...); err != nil {
		return nil, err
	}
	b.finish()
	f.plans.add(b.plans)
	return p.orNil(), nil
}

// planner makes the plans of one type and of those that it leads to.
type planner struct {
	filler *Filler
	plans  map[reflect.Type]*plan
	errs   []error
}

// plan returns the plan of t, not finished yet. Fields of types without a name are called after owner.
func (b *planner) plan(t reflect.Type, owner string) *plan {
	if p, ok := b.filler.plans.load(t); ok {
		return p
	}
	if p, ok := b.plans[t]; ok {
		return p
	}
	p := &plan{kind: t.Kind()}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		b.plans[t] = p
		p.elem = b.plan(t.Elem(), owner)
	case reflect.Struct:
		b.plans[t] = p
		if t.Name() != "" {
			owner = t.Name()
		}
		for i := range t.NumField() {
			b.addStep(p, t.Field(i), i, owner)
		}
	default:
		return nil
	}
	return p
}

func (b *planner) addStep(p *plan, sf reflect.StructField, index int, owner string) {
	if sf.Tag.Get(Key) == Skip {
		return
	}
	field, err := b.filler.Field(owner, sf)
	if err != nil {
		b.errs = append(b.errs, err)
		return
	}
	if field != nil {
		p.steps = append(p.steps, step{index: index, field: field})
		return
	}
	if !sf.IsExported() && !lendsFields(sf) {
		return
	}
	s := step{index: index, into: b.plan(sf.Type, owner+"."+sf.Name)}
	if s.into == nil {
		return
	}
	if sf.Anonymous && s.into.kind == reflect.Pointer {
		s.alloc = &embedded{name: owner + "." + sf.Name, typ: sf.Type.Elem(), exported: sf.IsExported()}
	}
	p.steps = append(p.steps, s)
}

// lendsFields tells whether the exported fields behind sf can be written even where sf itself cannot.
func lendsFields(sf reflect.StructField) bool {
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return sf.Anonymous && t.Kind() == reflect.Struct
}

// finish drops what leads to no tagged field, and marks what only the whole graph shows.
func (b *planner) finish() {
	for grew := true; grew; {
		grew = false
		for _, p := range b.plans {
			grew = p.learn() || grew
		}
	}
	for _, p := range b.plans {
		p.prune()
	}
	var never []*step
	for _, p := range b.plans {
		for i := range p.steps {
			if s := &p.steps[i]; s.alloc != nil && !s.into.elem.fillsOnceAllocated() {
				never = append(never, s)
			}
		}
	}
	for _, s := range never {
		s.alloc = nil
	}
}

// learn takes over from the plans that p leads to whether they are useful and prompt. It tells whether p changed.
func (p *plan) learn() bool {
	useful, prompt := p.useful, p.prompt
	if p.elem != nil {
		p.useful = p.elem.useful
		p.prompt = p.elem.prompt && p.kind == reflect.Array
	}
	for _, s := range p.steps {
		p.useful = p.useful || s.field != nil || s.into.useful
		p.prompt = p.prompt || s.field != nil || s.into.prompt || s.alloc != nil && s.into.elem != nil && s.into.elem.prompt
	}
	return p.useful != useful || p.prompt != prompt
}

func (p *plan) prune() {
	kept := p.steps[:0]
	for _, s := range p.steps {
		if s.field != nil || s.into.useful {
			kept = append(kept, s)
		}
	}
	p.steps = kept
	p.flat = p.kind == reflect.Struct && !slices.ContainsFunc(kept, func(s step) bool { return s.field == nil })
	p.elem = p.elem.orNil()
}

// fillsOnceAllocated tells whether a new struct of plan p has fields to fill, and allocating the embedded pointers
// in it comes to an end.
func (p *plan) fillsOnceAllocated() bool {
	return p.prompt && !p.leadsTo(p, func(s *step) bool { return s.alloc != nil || s.into.prompt }, map[*plan]bool{})
}

// leadsTo tells whether values of p can hold, at any depth, values of target. Only steps that pass are taken.
func (p *plan) leadsTo(target *plan, pass func(*step) bool, seen map[*plan]bool) bool {
	if p == nil || seen[p] {
		return false
	}
	seen[p] = true
	next := []*plan{p.elem}
	for i := range p.steps {
		if s := &p.steps[i]; s.into != nil && pass(s) {
			next = append(next, s.into)
		}
	}
	for _, n := range next {
		if n == target || n.leadsTo(target, pass, seen) {
			return true
		}
	}
	return false
}

// apart tells whether no two ways lead from a value of p to one struct: it holds flat structs side by side.
func (p *plan) apart() bool {
	if p.kind == reflect.Slice {
		p = p.elem
	}
	for p.kind == reflect.Array {
		p = p.elem
	}
	return p.flat
}

// orNil is p, or nil if it is of no use.
func (p *plan) orNil() *plan {
	if p == nil || !p.useful {
		return nil
	}
	return p
}
