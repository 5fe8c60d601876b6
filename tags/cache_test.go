package tags_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// structOf is a struct type whose field number n of so many is the tagged one.
func structOf(n, fields int) reflect.Type {
	all := make([]reflect.StructField, fields)
	for i := range all {
		all[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[int64]()}
	}
	all[n].Tag = `cosid:"order"`
	return reflect.StructOf(all)
}

// A type that got the plan of another would have the wrong field filled. Types come one by one and from several
// goroutines, so that what keeps the plans grows while it is read.
func TestEachOfManyTypesIsFilledByItsOwnPlan(t *testing.T) {
	f, _ := newFiller()
	const fields = 24
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for size := 1; size <= fields; size++ {
				for n := range size {
					row := reflect.New(structOf(n, size))
					for range 2 { // the second time from the plan that was kept
						row.Elem().SetZero()
						if err := f.Fill(t.Context(), row.Interface()); err != nil {
							t.Error(err)
						}
						for i := range size {
							if filled := row.Elem().Field(i).Int() != 0; filled != (i == n) {
								t.Errorf("field %d of %d, of which %d is tagged: filled %v", i, size, n, filled)
							}
						}
					}
				}
			}
		})
	}
	all.Wait()
}
