package codecs

import "github.com/cosid-go/cosid/generators"

// Codec writes ids as text and reads them back. Decode(Encode(id)) == id, and a text decodes only if encoding
// the result gives the same text. It is immutable and safe for concurrent use.
type Codec interface {
	// Append appends the text of id to dst, as strconv.AppendInt does. On an error dst is returned as it was.
	Append(dst []byte, id int64) ([]byte, error)

	// Encode returns the text of id.
	Encode(id int64) (string, error)

	// Decode returns the id that text is the encoding of.
	Decode(text string) (int64, error)
}

// GroupedCodec is the Codec of grouped ids.
type GroupedCodec interface {
	Append(dst []byte, id generators.GroupedID) ([]byte, error)
	Encode(id generators.GroupedID) (string, error)
	Decode(text string) (generators.GroupedID, error)
}
