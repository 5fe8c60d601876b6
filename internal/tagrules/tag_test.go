package tagrules

import (
	"strings"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

func TestTagsAreRead(t *testing.T) {
	for text, want := range map[string]Tag{
		"":                      {Name: "default"},
		"bill":                  {Name: "bill"},
		"bill,codec=short":      {Name: "bill", Codec: "short"},
		",codec=a.b-c_1":        {Name: "default", Codec: "a.b-c_1"},
		strings.Repeat("x", 64): {Name: strings.Repeat("x", 64)},
	} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("Parse(%q) = %+v, %v", text, got, err)
		}
	}
}

func TestTagsOutsideTheGrammarAreRefusedWithWhatToWrite(t *testing.T) {
	const name = "does not match " + stores.NameGrammar
	for text, want := range map[string][]string{
		"bill no":            {`tag "bill no": generator: `, name, `; write cosid:"bill", or cosid:"-" to leave the field alone`},
		"shop/bill":          {`tag "shop/bill": generator: `, name},
		"-,codec=a":          {`tag "-,codec=a": generator: `, name},
		"bill,":              {`tag "bill,": unknown option ""; accepted is codec=NAME`},
		"bill, codec=a":      {`unknown option " codec=a"; accepted is codec=NAME`},
		"bill,codec=":        {`tag "bill,codec=": codec: `, name, `; write codec=NAME`},
		"bill,codec=a,step":  {`unknown option "step"`},
		"a,codec=b,codec=c":  {`tag "a,codec=b,codec=c": codec is given twice`},
		"a,codec=b,codec=":   {`codec is given twice`},
		"a,codec=b,codecs=c": {`unknown option "codecs=c"`},
	} {
		_, err := Parse(text)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("Parse(%q): error %v, want %q in it", text, err, part)
			}
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
		got, err := Parse(text)
		if err != nil {
			if !strings.Contains(err.Error(), "tag ") {
				t.Errorf("Parse(%q): error %v does not name the tag", text, err)
			}
			return
		}
		if stores.CheckName(got.Name) != nil || got.Codec != "" && stores.CheckName(got.Codec) != nil {
			t.Errorf("Parse(%q) = %+v, which is no name", text, got)
		}
		written := got.Name
		if got.Codec != "" {
			written += ",codec=" + got.Codec
		}
		if again, err := Parse(written); again != got || err != nil {
			t.Errorf("Parse(%q) = %+v, written %q, read %+v, %v", text, got, written, again, err)
		}
	})
}
