// Package runtime holds what a configuration describes: named generators, the stores below them and the codecs
// beside them. It builds them without I/O, starts and closes them, and finds them by name (design section 9).
//
// The package shadows the standard library's runtime; import that one as goruntime where both are needed.
package runtime
