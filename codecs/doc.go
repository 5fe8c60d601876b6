// Package codecs turns ids into text and back. A codec is an ordered list of parts; the text is what the parts
// write, left to right (design section 7).
package codecs
