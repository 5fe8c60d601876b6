package tags

import (
	"strings"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

func TestTagsAreRead(t *testing.T) {
	for text, want := range map[string]tag{
		"":                      {name: "default"},
		"bill":                  {name: "bill"},
		"bill,codec=short":      {name: "bill", codec: "short"},
		",codec=a.b-c_1":        {name: "default", codec: "a.b-c_1"},
		strings.Repeat("x", 64): {name: strings.Repeat("x", 64)},
	} {
		if got, err := parseTag(text); got != want || err != nil {
			t.Errorf("parseTag(%q) = %+v, %v", text, got, err)
		}
	}
}

func FuzzTagsAreReadOrRefused(f *testing.F) {
	for _, text := range []string{
		"", "bill", "bill,codec=short", ",", "bill,codec=", "-,codec=x", "a,codec=b,codec=c", "\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTag(text)
		if err != nil {
			if !strings.Contains(err.Error(), "tag ") {
				t.Errorf("parseTag(%q): error %v does not name the tag", text, err)
			}
			return
		}
		if stores.CheckName(got.name) != nil || got.codec != "" && stores.CheckName(got.codec) != nil {
			t.Errorf("parseTag(%q) = %+v, which is no name", text, got)
		}
		written := got.name
		if got.codec != "" {
			written += ",codec=" + got.codec
		}
		if again, err := parseTag(written); again != got || err != nil {
			t.Errorf("parseTag(%q) = %+v, written %q, read %+v, %v", text, got, written, again, err)
		}
	})
}
