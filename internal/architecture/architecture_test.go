package architecture

import (
	"strings"
	"testing"
)

func TestArchitecture(t *testing.T) {
	m, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.imports["./stores"]; !ok {
		t.Fatalf("the listing lacks ./stores, so it is not one of this module: %v", m.packages())
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if broken := r.check(m); len(broken) > 0 {
				t.Errorf("rule %q is broken: %s\n  %s", r.name, r.text, strings.Join(broken, "\n  "))
			}
		})
	}
}
