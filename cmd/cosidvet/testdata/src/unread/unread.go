// Package unread is checked against a configuration that cannot be read, which is told once.
package unread

type Row struct {
	A string  `cosid:"bill"`   // want `cosid: the names in tags are not checked: -config=testdata/broken.yaml: testdata/broken.yaml:2:3: cosid.generators: a list is not a map; accepted: a map of keys$`
	B string  `cosid:"nobody"` // the other checks go on
	C float64 `cosid:"bill"`   // want `a float64 cannot`
}
