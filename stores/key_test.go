package stores_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

func TestNamesMatchTheGrammar(t *testing.T) {
	longest := strings.Repeat("x", 64)
	for _, name := range []string{"a", "Z", "0", "bill", "2026", "a.b", "a_b", "a-b", "a..", "20261027", longest} {
		if err := stores.CheckName(name); err != nil {
			t.Errorf("CheckName(%q): %v", name, err)
		}
	}
	for _, name := range []string{
		"", ".", "-", "_", ".a", "-a", "_a", " ", "a ", " a", "a b", "a/b", "a:b", "a\x00", "a\n", "\xff", "é", "aé", "٣",
		longest + "x",
	} {
		if err := stores.CheckName(name); !errors.Is(err, stores.ErrInvalidArgument) {
			t.Errorf("CheckName(%q) = %v, want ErrInvalidArgument", name, err)
		}
	}
}

func TestKeysHaveTwoOrThreeNames(t *testing.T) {
	rangeKey := stores.RangeKey("shop", "bill")
	if rangeKey != "shop/bill" {
		t.Errorf("RangeKey = %q", rangeKey)
	}
	periodKey := stores.PeriodKey(rangeKey, "20261027")
	if periodKey != "shop/bill/20261027" {
		t.Errorf("PeriodKey = %q", periodKey)
	}
	for _, key := range []string{rangeKey, periodKey, "0/0", "a/b/c"} {
		if err := stores.CheckKey(key); err != nil {
			t.Errorf("CheckKey(%q): %v", key, err)
		}
	}
	for _, key := range []string{
		"", "/", "//", "shop", "shop/", "/bill", "shop//bill", "shop/bill/", "a/b/c/d", "shop/-bill", "shop/bi ll",
	} {
		if err := stores.CheckKey(key); !errors.Is(err, stores.ErrInvalidArgument) {
			t.Errorf("CheckKey(%q) = %v, want ErrInvalidArgument", key, err)
		}
	}
}

func TestErrorsShowTheName(t *testing.T) {
	for _, err := range []error{stores.CheckName("bi ll"), stores.CheckKey("shop/bi ll")} {
		if !strings.Contains(err.Error(), `"bi ll"`) || !strings.Contains(err.Error(), stores.NameGrammar) {
			t.Errorf("error %q shows not both the name and the grammar", err)
		}
	}
}

func FuzzCheckKey(f *testing.F) {
	for _, seed := range []string{"shop/bill", "shop/bill/20261027", "", "/", "a/b/c/d", "a//b", "é/b", "a/b\n"} {
		f.Add(seed)
	}
	grammar := regexp.MustCompile(`\A` + stores.NameGrammar + `(/` + stores.NameGrammar + `){1,2}\z`)
	f.Fuzz(func(t *testing.T, key string) {
		err := stores.CheckKey(key)
		if right := grammar.MatchString(key); (err == nil) != right {
			t.Fatalf("CheckKey(%q) = %v, the grammar says %v", key, err, right)
		}
		if err != nil && !errors.Is(err, stores.ErrInvalidArgument) {
			t.Fatalf("CheckKey(%q) = %v, want ErrInvalidArgument", key, err)
		}
	})
}

// Names hold no separator, so a key tells its names apart again: two different lists of names are two keys.
func FuzzKeysAreUnambiguous(f *testing.F) {
	f.Add("shop", "bill", "2026")
	f.Add("a.b", "c", "")
	f.Add("a/b", "c", "d")
	f.Fuzz(func(t *testing.T, namespace, generator, period string) {
		key, want := stores.RangeKey(namespace, generator), []string{namespace, generator}
		if period != "" {
			key, want = stores.PeriodKey(key, period), append(want, period)
		}
		for _, name := range want {
			if stores.CheckName(name) != nil {
				return
			}
		}
		if err := stores.CheckKey(key); err != nil {
			t.Fatalf("CheckKey(%q): %v", key, err)
		}
		if got := strings.Split(key, "/"); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("%q has the names %q, want %q", key, got, want)
		}
	})
}
