package tagrules

import (
	"errors"
	"fmt"
)

// ErrUnexported refuses a field that reflection may not write.
var ErrUnexported = errors.New("an unexported field cannot be filled; export it")

// acceptedTypes is what a tag may stand on.
const acceptedTypes = "an integer or a string, a named type or a pointer of one, sql.NullInt64, sql.NullInt32, " +
	"sql.NullString or a sql.Null of one"

// TypeError refuses a field of a type, given by its name, that holds neither a number nor a text.
func TypeError(typ string) error {
	return fmt.Errorf("a %s cannot hold an id; accepted is %s", typ, acceptedTypes)
}

// CodecError refuses a codec on a field that holds a number.
func CodecError(codec, typ string) error {
	return fmt.Errorf("codec=%s has no use on a %s; a codec writes text, into a string", codec, typ)
}

// GroupedError refuses a grouped generator on a field that holds a number.
func GroupedError(generator string) error {
	return fmt.Errorf("the numbers of generator %q repeat in each period; fill a string, which carries the period",
		generator)
}

// TextOnlyError refuses a generator of texts on a field that holds a number.
func TextOnlyError(generator string) error {
	return fmt.Errorf("generator %q makes texts, and no numbers; fill a string", generator)
}
