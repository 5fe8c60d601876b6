// Package field lets the settings of a store, a strategy or a codec part say which key of theirs is wrong, so
// that the configuration's report can add file and line. It depends on nothing.
package field

import "fmt"

// Error is one mistake in one key of a settings struct.
type Error struct {
	Key      string // the key in kebab-case, relative to the settings; empty for the settings as a whole
	Problem  string // what is wrong, starting with the value: `"Mars/Phobos" is not a known time zone`
	Accepted string // what would be right, for instance "an IANA name such as Asia/Shanghai"; may be empty
}

// Errorf makes an Error for key; the problem is formatted, accepted is taken as it is.
func Errorf(key, accepted, problem string, args ...any) *Error {
	return &Error{Key: key, Problem: fmt.Sprintf(problem, args...), Accepted: accepted}
}

// Error is "key: problem (accepted: …)".
func (e *Error) Error() string {
	text := e.Problem
	if e.Key != "" {
		text = e.Key + ": " + text
	}
	if e.Accepted != "" {
		text += " (accepted: " + e.Accepted + ")"
	}
	return text
}
