package main

import (
	"reflect"
	"testing"
)

func TestATagIsReadAsReflectionReadsIt(t *testing.T) {
	pieces := []string{"cosid", ":", `"`, " ", `\`, ",", "\t", "x", "é", "\x80"}
	tried, found := 0, 0
	var tryAll func(tag string, more int)
	tryAll = func(tag string, more int) {
		want, wantFound := reflect.StructTag(tag).Lookup("cosid")
		got, gotFound, problem := lookup(tag)
		if got != want || gotFound != wantFound {
			t.Errorf("lookup(%q) = %q, %v, %q; reflection reads %q, %v", tag, got, gotFound, problem, want, wantFound)
		}
		tried++
		if gotFound {
			found++
		}
		for _, p := range pieces {
			if more > 0 && !t.Failed() {
				tryAll(tag+p, more-1)
			}
		}
	}
	for _, start := range []string{"", `cosid:"`, `x:"x" cosid:"`, `x:"\"x`} {
		tryAll(start, 5)
	}
	if found < 1000 {
		t.Errorf("cosid was found in %d of %d tags, too few to tell", found, tried)
	}
}

func TestNoTagIsHiddenByAnotherOnesText(t *testing.T) {
	for _, tag := range []string{
		`json:"cosid:bill"`, `doc:"made by cosid"`, `doc:"cosid='bill'"`, `cosidx:"bill"`, `xcosid:bill`, `my.cosid:bill`,
		`json:x`, `cosidcosid`,
	} {
		if _, _, problem := lookup(tag); problem != "" {
			t.Errorf("lookup(%q) reports %q", tag, problem)
		}
	}
}
