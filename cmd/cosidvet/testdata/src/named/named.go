// Package named has tags whose names are not in ../../cosid.yaml.
package named

import "database/sql"

type Fine struct {
	A int64  `cosid:"order"`
	B string `cosid:"order,codec=short"`
	C string `cosid:"bill"`
	E string `cosid:"trace"`
	D int64  `cosid:"event"` // of a strategy that cosidvet does not know
}

type Row struct {
	A string        `cosid:"bil"`              // want `cosid: no generator named "bil" in testdata/cosid.yaml \(have bill, event, order, trace\); did you mean "bill"\?`
	B int64         `cosid:""`                 // want `no generator named "default" in testdata/cosid.yaml \(have bill, event, order, trace\)$`
	C string        `cosid:"order,codec=shrt"` // want `no codec named "shrt" in testdata/cosid.yaml \(have short\); did you mean "short"\?`
	D int64         `cosid:"bill"`             // want `cosid: the numbers of generator "bill" repeat in each period; fill a string`
	E sql.NullInt64 `cosid:"bill"`             // want `the numbers of generator "bill" repeat`
	F string        `cosid:"bil,codec=shrt"`   // want `no generator named "bil"` `no codec named "shrt"`
	G float64       `cosid:"bil"`              // want `a float64 cannot` `no generator named "bil"`
	I *int32        `cosid:"trace"`            // want `generator "trace" makes texts, and no numbers; fill a string`
	H int64         `cosid:"order,codec=none"` // want `codec=none has no use on a int64`
}

type Generic[T any] struct {
	A T `cosid:"bill,codec=short"`
	B T `cosid:"ordr"` // want `no generator named "ordr".*did you mean "order"`
}
