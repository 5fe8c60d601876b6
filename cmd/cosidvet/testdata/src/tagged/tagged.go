// Package tagged has tags outside the grammar, and on fields that cannot hold an id.
package tagged

import (
	"database/sql"
	"time"
)

type (
	billNo string
	price  float64
	Base   struct {
		ID int64 `cosid:"order"`
	}
	alias = int64
)

type Fine struct {
	Base
	I     int              `cosid:"order"`
	I8    int8             `cosid:"order"`
	U64   uint64           `cosid:""`
	S     string           `cosid:"bill,codec=short" json:"s"`
	Text  billNo           `json:"text" cosid:",codec=short"`
	Alias alias            `cosid:"order"`
	P     *int64           `cosid:"order"`
	PN    *billNo          `cosid:"bill"`
	N     sql.NullInt64    `cosid:"order"`
	NS    *sql.NullString  `cosid:"bill"`
	G     sql.Null[billNo] `cosid:"bill,codec=short"`
	Skip  float64          `cosid:"-"`
	Rows  []Base           `json:"rows"`
	Odd   string           `json:"a,omitempty" db:"cosid" doc:"see cosid:bill"`
	None  string
}

type Grammar struct {
	A string `cosid:"bill no"`              // want `cosid: tag "bill no": generator: .*name "bill no" does not match`
	B string `cosid:"shop/bill"`            // want `name "shop/bill" does not match`
	C string `cosid:"bill,"`                // want `tag "bill,": unknown option ""; accepted is codec=NAME`
	D string `cosid:"bill,code=x"`          // want `unknown option "code=x"`
	E string `cosid:"bill, codec=x"`        // want `unknown option " codec=x"`
	F string `cosid:"bill,codec="`          // want `codec: .*write codec=NAME`
	G string `cosid:"bill,codec=x,codec=x"` // want `codec is given twice`
	H string `cosid:"-,codec=x"`            // want `name "-" does not match`

	// The tag's own line counts, not that of the name.
	I struct {
		no string
	} `cosid:"bill no"` // want `name "bill no"`
}

type Types struct {
	A    float64             `cosid:"order"` // want `cosid: a float64 cannot hold an id; accepted is an integer or a string`
	B    bool                `cosid:"order"` // want `a bool cannot`
	C    []byte              `cosid:"bill"`  // want `a \[\]byte cannot`
	D    [16]byte            `cosid:"bill"`  // want `a \[16\]byte cannot`
	E    any                 `cosid:"bill"`  // want `a any cannot`
	F    map[string]int64    `cosid:"bill"`  // want `a map\[string\]int64 cannot`
	G    **int64             `cosid:"order"` // want `a \*\*int64 cannot`
	H    uintptr             `cosid:"order"` // want `a uintptr cannot`
	I    time.Time           `cosid:"order"` // want `a time.Time cannot`
	J    sql.NullTime        `cosid:"order"` // want `a sql.NullTime cannot`
	K    sql.Null[bool]      `cosid:"order"` // want `a sql.Null\[bool\] cannot`
	L    price               `cosid:"order"` // want `a tagged.price cannot`
	M    func()              `cosid:"order"` // want `a func\(\) cannot`
	N    complex64           `cosid:"order"` // want `a complex64 cannot`
	O    interface{ M() }    `cosid:"order"` // want `cannot hold an id`
	P    *[]int64            `cosid:"order"` // want `a \*\[\]int64 cannot`
	Q    sql.Null[*int64]    `cosid:"order"` // want `a sql.Null\[\*int64\] cannot`
	Base `cosid:"order"`     // want `a tagged.Base cannot`
	*T2  `cosid:"order"`     // want `a \*tagged.T2 cannot`
	X, Y float64             `cosid:"order"` // want `a float64 cannot`
}

type T2 struct{}

type Unexported struct {
	no     string `cosid:"bill"`  // want `cosid: an unexported field cannot be filled; export it`
	_      string `cosid:"bill"`  // want `an unexported field`
	No, id int64  `cosid:"order"` // want `an unexported field`
	billNo `cosid:"bill"`         // want `an unexported field`
}

type Codecs struct {
	A int64         `cosid:"order,codec=short"` // want `cosid: codec=short has no use on a int64; a codec writes text`
	B *uint32       `cosid:"order,codec=short"` // want `codec=short has no use on a \*uint32`
	C sql.NullInt64 `cosid:"order,codec=short"` // want `codec=short has no use on a sql.NullInt64`
}

// What a type parameter stands for is not known here.
type Generic[T any, S ~string] struct {
	A T           `cosid:"order,codec=short"`
	B *T          `cosid:"order"`
	C sql.Null[T] `cosid:"order"`
	D S           `cosid:"bill"`
	E []T         `cosid:"order"`   // want `a \[\]T cannot`
	F map[int]S   `cosid:"order"`   // want `a map\[int\]S cannot`
	G T           `cosid:"no name"` // want `name "no name"`
	h T           `cosid:"order"`   // want `an unexported field`
}

func local() any {
	return []struct {
		A float64 `cosid:"order"` // want `a float64 cannot`
	}{}
}
