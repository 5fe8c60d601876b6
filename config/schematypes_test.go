package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/stores"
)

// ownType is a store type with the given options, and a codec part with them as its settings.
type ownType struct{ options func() any }

func (ownType) Type() string       { return "own" }
func (ownType) Name() string       { return "own" }
func (f ownType) NewOptions() any  { return f.options() }
func (f ownType) NewSettings() any { return f.options() }
func (ownType) Build(stores.Spec, any) (own stores.Store, err error) {
	return nil, errors.ErrUnsupported
}

// ownPart makes the same a codec part.
type ownPart struct{ ownType }

func (ownPart) Build(any) (codecs.Part, error) { return codecs.Decimal(), nil }

// wait reads itself: a number of replicas, or auto.
type wait struct{ replicas int }

func (w *wait) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		w.replicas = -1
		return nil
	}
	if _, err := fmt.Sscan(string(text), &w.replicas); err != nil {
		return fmt.Errorf("%q is not a number of replicas", text)
	}
	return nil
}

func (w wait) MarshalText() ([]byte, error) {
	if w.replicas < 0 {
		return []byte("auto"), nil
	}
	return fmt.Append(nil, w.replicas), nil
}

type ownOptions struct {
	Address string        `koanf:"address" schema:"required,min=1,max=9"`
	Wait    wait          `koanf:"wait" schema:"pattern=auto"`
	Small   int8          `koanf:"small"`
	Port    uint16        `koanf:"port" schema:"above=0"`
	Count   uint          `koanf:"count"`
	Drift   time.Duration `koanf:"drift"`
	Nodes   []string      `koanf:"nodes" schema:"pattern=[a-z]+"`
	TLS     struct {
		Verify *bool `koanf:"verify"`
	} `koanf:"tls"`
}

func newOwnOptions() any { return &ownOptions{Wait: wait{-1}, Port: 7, Drift: -time.Minute} }

func TestOptionsOfTypesFromOutsideAreInTheSchema(t *testing.T) {
	o := builtin("")
	o.Stores = append(o.Stores, ownType{newOwnOptions})
	text, err := config.Schema("", o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, written := range []string{`"default": "auto"`, `"default": 7`, `"default": "-1m"`} {
		if !strings.Contains(string(text), written) {
			t.Errorf("the schema lacks %s", written)
		}
	}
	v := compile(t, text)
	dir := t.TempDir()
	for _, c := range []struct {
		options string
		right   bool
	}{
		{"{ address: a }", true},
		{"{ address: \"${A}\" }", true},
		{"{ address: abcdefghij }", false},
		{"{ address: \"\" }", false},
		{"{}", false},
		{"", false},
		{"{ address: a, wait: 2, small: -128, port: 1, count: 0, drift: -1s, nodes: [ a, b ], tls: { verify: true } }", true},
		{"{ address: a, wait: auto, small: 127, port: 65535, drift: 0, nodes: [], tls: {} }", true},
		{"{ address: a, small: 128 }", false},
		{"{ address: a, small: -129 }", false},
		{"{ address: a, port: 0 }", false},
		{"{ address: a, port: 65536 }", false},
		{"{ address: a, count: -1 }", false},
		{"{ address: a, drift: 1 }", false},
		{"{ address: a, wait: soon }", false},
		{"{ address: a, wait: 1.5 }", false},
		{"{ address: a, nodes: a }", false},
		{"{ address: a, nodes: [ 1 ] }", false},
		{"{ address: a, tls: { verfy: true } }", false},
		{"{ address: a, tls: { verify: 1 } }", false},
		{"{ address: a, adress: b }", false},
	} {
		yaml := "cosid:\n  namespace: shop\n  stores: { db: { type: own, options: " + c.options + " } }\n"
		if err := v.check(yaml); (err == nil) != c.right {
			t.Errorf("%s: %v", c.options, err)
		}
		if !c.right {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "cosid.yaml"), []byte(yaml), 0o644); err != nil {
			t.Fatal(err)
		}
		o.Source = config.Source{Dir: dir, Environ: []string{"A=a"}}
		if _, err := config.Load(o); err != nil {
			t.Errorf("%s: %v", c.options, err)
		}
	}
}

// literalOrMap reads a text, and has keys too.
type literalOrMap struct {
	Text string `koanf:"text"`
}

func (l *literalOrMap) UnmarshalText(text []byte) error { l.Text = string(text); return nil }

func TestAPartMayReadATextAndHaveKeys(t *testing.T) {
	o := builtin("")
	o.Parts = append(o.Parts, ownPart{ownType{func() any { return &literalOrMap{} }}})
	text, err := config.Schema("", o, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := compile(t, text)
	for part, right := range map[string]bool{
		"own": true, "{ own: }": true, "{ own: a }": true, "{ own: { text: a } }": true, "{ own: {} }": true,
		"{ own: { txt: a } }": false, "{ own: 5 }": false, "{ own: [ a ] }": false,
	} {
		yaml := valid + "    order: { strategy: segment, codec: [ " + part + " ] }\n"
		dir := write(t, "cosid.yaml", yaml)
		o.Source = config.Source{Dir: dir, Environ: []string{}}
		if _, err := config.Load(o); (err == nil) != right {
			t.Errorf("Load, %s: %v", part, err)
		}
		if err := v.check(yaml); (err == nil) != right {
			t.Errorf("%s: %v", part, err)
		}
	}
}

func TestASettingThatNoSchemaCanDescribeIsAnError(t *testing.T) {
	for _, c := range []struct {
		name    string
		options any
		problem string
	}{
		{"a rule that is none", &struct {
			A string `koanf:"a" schema:"mni=1"`
		}{}, `"mni=1" is not a rule`},
		{"a bound that is no number", &struct {
			A int `koanf:"a" schema:"max=many"`
		}{}, `"max=many" has no whole number`},
		{"an enum without words", &struct {
			A string `koanf:"a" schema:"enum="`
		}{}, `"enum=" is not a rule`},
		{"a bound of a duration", &struct {
			A time.Duration `koanf:"a" schema:"max=5"`
		}{}, "has no bound but min=0 or above=0"},
		{"a field that cannot be decoded", &struct {
			A map[string]string `koanf:"a"`
		}{}, "cannot be read from a configuration"},
		{"a list of such", &struct {
			A []float64 `koanf:"a"`
		}{}, "cannot be read from a configuration"},
		{"no struct", new(int), "are not a struct"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := builtin("")
			o.Stores = append(o.Stores, ownType{func() any { return c.options }})
			if text, err := config.Schema("", o, nil); err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("got %v\n%s", err, text)
			}
		})
	}
	o := builtin("")
	o.Stores = append(o.Stores, o.Stores[0])
	if _, err := config.Schema("", o, nil); err == nil || !strings.Contains(err.Error(), "is registered twice") {
		t.Errorf("two factories of one type: %v", err)
	}
}
