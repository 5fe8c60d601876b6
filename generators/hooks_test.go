package generators_test

import (
	"reflect"
	"testing"

	"github.com/cosid-go/cosid/generators"
)

// recording is a Hooks in which every function notes its own name together with who's, found by reflection: a hook
// that is added to the struct and forgotten in CombineHooks fails the tests below.
func recording(who string, calls *[]string) generators.Hooks {
	var h generators.Hooks
	v := reflect.ValueOf(&h).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		v.Field(i).Set(reflect.MakeFunc(v.Field(i).Type(), func([]reflect.Value) []reflect.Value {
			*calls = append(*calls, who+" "+name)
			return nil
		}))
	}
	return h
}

// call calls every function of h with the zero event.
func call(t *testing.T, h generators.Hooks) (names []string) {
	t.Helper()
	v := reflect.ValueOf(h)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsNil() {
			t.Errorf("%s is lost", name)
			continue
		}
		v.Field(i).Call([]reflect.Value{reflect.Zero(v.Field(i).Type().In(0))})
		names = append(names, name)
	}
	return names
}

func TestEveryEventReachesAllCombinedHooksInTheirOrder(t *testing.T) {
	var calls []string
	names := call(t, generators.CombineHooks(recording("a", &calls), generators.Hooks{}, recording("b", &calls)))
	if len(calls) != 2*len(names) {
		t.Fatalf("%d calls of %d hooks: %q", len(calls), len(names), calls)
	}
	for i, name := range names {
		if calls[2*i] != "a "+name || calls[2*i+1] != "b "+name {
			t.Errorf("%s: called %q", name, calls[2*i:2*i+2])
		}
	}
}

func TestHooksThatAreNotThereStayNil(t *testing.T) {
	for what, h := range map[string]generators.Hooks{
		"none": generators.CombineHooks(), "two zero ones": generators.CombineHooks(generators.Hooks{}, generators.Hooks{}),
	} {
		if !reflect.ValueOf(h).IsZero() {
			t.Errorf("%s: a function came from nowhere: a nil hook costs its generators nothing", what)
		}
	}
}
