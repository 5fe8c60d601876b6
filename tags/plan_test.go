package tags_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/tags"
	"github.com/cosid-go/cosid/tags/internal/tagstest"
)

type (
	Base struct {
		ID int64 `cosid:"order"`
	}
	audit struct {
		Trace string `cosid:"bill"`
	}
	A struct{ *B }
	B struct{ *C }
	C struct {
		ID int64 `cosid:"order"`
	}
	Empty struct{ Children []Base }
	Self  struct {
		*Self
		ID int64 `cosid:"order"`
	}
	PingPong struct {
		*Pong
		ID int64 `cosid:"order"`
	}
	Pong struct {
		*PingPong
		No string `cosid:"bill"`
	}
	Owned struct {
		ID  int64 `cosid:"order"`
		Doc *Doc
	}
	Doc struct{ *Owned }
)

// G9: two embedded structs, both tagged. G11: an unexported one, by value.
func TestEmbeddedStructsAreFilled(t *testing.T) {
	type model struct {
		Base
		audit
		Name string
	}
	f, _ := newFiller()
	var m model
	fill(t, f, &m)
	if m.ID != 1 || m.Trace != "B-1" {
		t.Errorf("filled %+v", m)
	}
}

// G12: nil embedded pointers, three levels deep.
func TestNilEmbeddedPointersAreAllocatedWhereATaggedFieldNeedsIt(t *testing.T) {
	f, counters := newFiller()
	rows := []struct {
		*A
		*Empty
		Name string
	}{{}, {A: &A{&B{&C{ID: 7}}}}}
	fill(t, f, rows)
	if rows[0].A == nil || rows[0].B == nil || rows[0].C == nil || rows[0].A.ID != 1 || rows[1].A.ID != 7 {
		t.Fatalf("filled %+v", rows)
	}
	if rows[0].Empty != nil {
		t.Error("an embedded pointer without a field to fill was allocated")
	}
	if n := counters["order"].Drawn(); n != 1 {
		t.Errorf("%d ids drawn, want 1", n)
	}
	var plain struct{ Base *Base }
	fill(t, f, &plain)
	if plain.Base != nil {
		t.Error("a nil pointer that is not embedded was allocated")
	}
}

// G11: reflection cannot allocate behind an unexported name.
func TestNilUnexportedEmbeddedPointersAreNamed(t *testing.T) {
	type model struct {
		*audit
		ID int64 `cosid:"order"`
	}
	f, _ := newFiller()
	var m model
	wantError(t, f.Fill(t.Context(), &m), "cosid: fill model.audit", "*tags_test.audit is nil", "unexported")
	if m.ID != 1 {
		t.Errorf("the other field was not filled: %+v", m)
	}
	m = model{audit: &audit{}}
	fill(t, f, &m)
	if m.Trace != "B-1" {
		t.Errorf("filled %+v", m.audit)
	}
}

func TestEmbeddingThatNeverEndsIsAllocatedNoFurther(t *testing.T) {
	f, _ := newFiller()
	var s Self
	var p PingPong
	var d Doc
	fill(t, f, &s)
	fill(t, f, &p)
	fill(t, f, &d)
	if s.ID == 0 || s.Self != nil || p.ID == 0 || p.Pong != nil {
		t.Errorf("filled %+v, %+v", s, p)
	}
	if d.Owned == nil || d.ID == 0 || d.Doc != nil {
		t.Errorf("a type that leads back to itself otherwise than by embedding was not allocated: %+v", d)
	}
}

func TestNestedStructsAreFilled(t *testing.T) {
	type line struct {
		ID int64 `cosid:"order"`
	}
	type order struct {
		ID      int64 `cosid:"order"`
		First   line
		Last    *line
		Missing *line
		Lines   []line
		Refs    []*line
		Pair    [2]line
		Deep    [][]line
		Ptr     *[]line
		Anon    struct {
			ID int64 `cosid:"order"`
		}
		Skipped line `cosid:"-"`
		private line
		Created time.Time
	}
	f, counters := newFiller()
	o := order{Last: &line{}, Lines: make([]line, 2), Refs: []*line{{}, nil}, Deep: [][]line{{{}}}, Ptr: &[]line{{}}}
	fill(t, f, &o)
	got := []int64{
		o.ID, o.First.ID, o.Last.ID, o.Lines[0].ID, o.Lines[1].ID, o.Refs[0].ID, o.Pair[0].ID, o.Pair[1].ID,
		o.Deep[0][0].ID, (*o.Ptr)[0].ID, o.Anon.ID,
	}
	for i, id := range got {
		if id != int64(i+1) {
			t.Fatalf("ids %v, want 1 to 11 in the order of the fields", got)
		}
	}
	if o.Missing != nil || o.Skipped.ID != 0 || o.private.ID != 0 {
		t.Errorf("filled too much: %+v", o)
	}
	if len(counters["order"].Draws()) != 1 {
		t.Errorf("draws of %v, want a single one", counters["order"].Draws())
	}
}

type node struct {
	ID       int64 `cosid:"order"`
	Parent   *node
	Children []node
	Friends  []*node
}

func TestCyclesComeToAnEndAndEachStructIsFilledOnce(t *testing.T) {
	f, counters := newFiller()
	root := node{Children: make([]node, 2)}
	root.Children[0].Parent = &root
	root.Children[1].Parent = &root
	root.Children[1].Friends = []*node{&root.Children[0], &root, nil, {}}
	root.Friends = []*node{&root}
	fill(t, f, &root)
	got := []int64{root.ID, root.Children[0].ID, root.Children[1].ID, root.Children[1].Friends[3].ID}
	if !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("ids %v", got)
	}
	if n := counters["order"].Drawn(); n != 4 {
		t.Errorf("%d ids drawn for 4 structs", n)
	}
}

func TestSharedPointersAreFilledOnce(t *testing.T) {
	type order struct {
		ID    int64 `cosid:"order"`
		Buyer *Base
	}
	f, counters := newFiller()
	buyer := &Base{}
	fill(t, f, []order{{Buyer: buyer}, {Buyer: buyer}, {}})
	if n := counters["order"].Drawn(); n != 4 || buyer.ID == 0 {
		t.Errorf("%d ids drawn for 3 orders and a buyer: %+v", n, buyer)
	}
}

type generic[T any] struct {
	ID   T `cosid:"order"`
	Body T
}

func TestGenericStructsAreFilled(t *testing.T) {
	f, _ := newFiller()
	g := generic[uint16]{}
	fill(t, f, &g)
	if g.ID != 1 || g.Body != 0 {
		t.Errorf("filled %+v", g)
	}
	wantError(t, f.Register(generic[float32]{}), "generic[float32].ID", "a float32 cannot hold an id")
}

func TestBadTagsAreRefusedWhenTheTypeIsFirstSeen(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  []string
	}{
		{"unknown generator", struct {
			No string `cosid:"bil"`
		}{}, []string{`no generator named "bil" (have bill, default, grouped, order)`}},
		{"unknown codec", struct {
			No string `cosid:"bill,codec=long"`
		}{}, []string{`no codec named "long" (have short)`}},
		{"unknown option", struct {
			No string `cosid:"bill,code=short"`
		}{}, []string{`unknown option "code=short"`, "accepted is codec=NAME"}},
		{"empty option", struct {
			No string `cosid:"bill,"`
		}{}, []string{`unknown option ""`}},
		{"codec without a name", struct {
			No string `cosid:"bill,codec="`
		}{}, []string{"codec:", "write codec=NAME"}},
		{"codec twice", struct {
			No string `cosid:"bill,codec=short,codec=short"`
		}{}, []string{"codec is given twice"}},
		{"bad name", struct {
			No string `cosid:"bill no"`
		}{}, []string{`name "bill no" does not match`}},
		{"name with a separator", struct {
			No string `cosid:"shop/bill"`
		}{}, []string{`name "shop/bill" does not match`}},
		{"space", struct {
			No string `cosid:"bill, codec=short"`
		}{}, []string{`unknown option " codec=short"`}},
		{"codec on a number", struct {
			No int64 `cosid:"order,codec=short"`
		}{}, []string{"codec=short has no use on a int64"}},
		{"float", struct {
			No float64 `cosid:"bill"`
		}{}, []string{"a float64 cannot hold an id; accepted is an integer or a string"}},
		{"bool", struct {
			No bool `cosid:"bill"`
		}{}, []string{"a bool cannot"}},
		{"struct", struct {
			No Base `cosid:"bill"`
		}{}, []string{"a tags_test.Base cannot"}},
		{"bytes", struct {
			No []byte `cosid:"bill"`
		}{}, []string{"a []uint8 cannot"}},
		{"uuid", struct {
			No [16]byte `cosid:"bill"`
		}{}, []string{"cannot hold an id"}},
		{"interface", struct {
			No any `cosid:"bill"`
		}{}, []string{"a interface {} cannot"}},
		{"pointer to pointer", struct {
			No **int64 `cosid:"bill"`
		}{}, []string{"a **int64 cannot"}},
		{"uintptr", struct {
			No uintptr `cosid:"order"`
		}{}, []string{"a uintptr cannot"}},
		{"null time", struct {
			No *time.Time `cosid:"order"`
		}{}, []string{"a *time.Time cannot"}},
		{"unexported", struct {
			no string `cosid:"bill"`
		}{}, []string{"an unexported field cannot be filled; export it"}},
		{"grouped on a number", struct {
			No int64 `cosid:"grouped"`
		}{}, []string{`the numbers of generator "grouped" repeat in each period; fill a string`}},
		{"grouped on a null number", struct {
			No *uint32 `cosid:"grouped"`
		}{}, []string{"repeat in each period"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, nested := range []bool{false, true} {
				f, counters := newFiller()
				typ := reflect.TypeOf(c.value)
				if nested {
					typ = reflect.SliceOf(reflect.PointerTo(typ))
				}
				field := ".no"
				if typ.Kind() == reflect.Struct {
					field = "." + typ.Field(0).Name
				}
				err := f.Register(reflect.Zero(typ).Interface())
				wantError(t, err, c.want...)
				if !nested {
					wantError(t, err, "cosid: "+field+": ")
					if again := f.Fill(t.Context(), reflect.New(typ).Interface()); again == nil || again.Error() != err.Error() {
						t.Errorf("Fill says %v, Register said %v", again, err)
					}
				}
				for name, counter := range counters {
					if counter.Drawn() != 0 {
						t.Errorf("%s was drawn from", name)
					}
				}
			}
		})
	}
}

func TestRegisterJoinsTheErrorsOfAllFields(t *testing.T) {
	type Line struct {
		Price float64 `cosid:"order"`
	}
	type Order struct {
		No    string `cosid:"bil"`
		Lines []Line
	}
	f, _ := newFiller()
	err := f.Register(bill{}, &Order{}, nil, 5, []*bill{})
	wantError(t, err, "cosid: Order.No: ", "cosid: Line.Price: ", "argument 3 is nil", "a int holds no struct")
	if n := strings.Count(err.Error(), "\n"); n != 3 {
		t.Errorf("%d lines:\n%v", n+1, err)
	}
	if err := f.Register(bill{}, &bill{}, time.Time{}); err != nil {
		t.Error(err)
	}
}

// A generator that is not known yet may be known later: a failed plan is not kept.
func TestARefusedTypeIsTriedAgain(t *testing.T) {
	ready := false
	f := tags.NewFiller(func(string, string) (tags.Generator, error) {
		if !ready {
			return nil, errors.New("no generator yet")
		}
		return tagstest.NewCounter(1), nil
	})
	wantError(t, f.Register(Base{}), "cosid: Base.ID: no generator yet")
	ready = true
	if err := f.Register(Base{}); err != nil {
		t.Error(err)
	}
}

func TestGeneratorsAreLookedUpOnce(t *testing.T) {
	lookups := 0
	order := tagstest.NewCounter(1)
	f := tags.NewFiller(func(string, string) (tags.Generator, error) {
		lookups++
		return order, nil
	})
	for range 3 {
		fill(t, f, &Base{})
		fill(t, f, []C{{}, {}})
	}
	if lookups != 1 {
		t.Errorf("looked up %d times", lookups)
	}
}

func TestTypesWithoutTagsAreKnownAsSuch(t *testing.T) {
	f, _ := newFiller()
	for value, want := range map[any]bool{
		Base{}: true, audit{}: true, time.Time{}: false, struct{ B Base }{}: true, struct{ T time.Time }{}: false,
	} {
		if got, err := f.IsTagged(reflect.TypeOf(value)); got != want || err != nil {
			t.Errorf("%T: %v, %v", value, got, err)
		}
	}
}
