// Package hidden has tags that reflection cannot read. Quotes and commas are what people get wrong.
package hidden

type Row struct {
	A string `cosid:bill`                   // want "cosid: reflection cannot read the tag from `cosid:bill` on; write cosid:\"bill\""
	B string `cosid: "bill"`                // want "from `cosid: \"bill\"` on"
	C string `json:"c",cosid:"bill"`        // want `reflection reads the key ",cosid", which is not cosid; separate`
	D string `json:"d";cosid:"bill"`        // want `reads the key ";cosid"`
	E string `json:"e"	cosid:"bill"`        // want "from `cosid:\"bill\"` on"
	F string `cosid="bill"`                 // want "from `cosid=\"bill\"` on"
	G string `cosid:'bill'`                 // want "from `cosid:'bill'` on"
	H string `cosid`                        // want "from `cosid` on"
	I string `json:i cosid:"bill"`          // want "from `json:i cosid:\"bill\"` on"
	J string `json:"j" cosid:"bill`         // want "from `cosid:\"bill` on"
	K string `Cosid:"bill"`                 // want `the key "Cosid" is not read; write cosid in lower case`
	L string `cosid:"bill" cosid:"order"`   // want `cosid stands in the tag twice, and only the first is read`
	M string `cosid:"a\qb"`                 // want `is no string of Go`
	N string "cosid:bill"                   // want "from `cosid:bill` on"
	O string `cosid "bill"`                 // want "from `cosid \"bill\"` on"
	P string `json:"p", cosid:"bill"`       // want "from `, cosid:\"bill\"` on"
	Q string `cosid:"no name" cosid:"bill"` // want `stands in the tag twice` `name "no name"`
}

type Fine struct {
	A string `json:"a"cosid:"bill"`
	B string `cosid:"bill" json:b`
	C string `json:c`
	D string `json:"cosid:bill"`
	E string `mycosid:bill`
	F string `cosid-like:bill`
	G string `COSID:"bill" cosid:"bill"`
}
