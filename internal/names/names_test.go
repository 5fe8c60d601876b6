package names_test

import (
	"testing"

	"github.com/cosid-go/cosid/internal/names"
)

func TestNearestFindsSlipsOfThePenAndNothingElse(t *testing.T) {
	known := []string{"lookahead", "step", "store", "range-ttl", "bill"}
	for word, want := range map[string]string{
		"setp": "step", "stpe": "step", "stor": "store", "look-ahead": "lookahead", "rangettl": "range-ttl",
		"BILL": "bill", "bil": "bill", "": "", "zone": "", "period": "",
	} {
		if got := names.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestListIsSortedAndWithoutRepeats(t *testing.T) {
	if got := names.List([]string{"b", "a", "b"}); got != "a, b" {
		t.Errorf("List = %q", got)
	}
	if got := names.List(nil); got != "nothing" {
		t.Errorf("List of nothing = %q", got)
	}
}
