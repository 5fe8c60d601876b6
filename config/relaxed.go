package config

import (
	"strings"
	"unicode"
)

// canonicalKey is the kebab-case spelling of a key, so that pad-start, padStart, pad_start and PAD_START are one
// key, as in Spring.
func canonicalKey(key string) string {
	var b strings.Builder
	previousLower := false
	for _, r := range key {
		switch {
		case r == '_':
			r = '-'
		case unicode.IsUpper(r) && previousLower:
			b.WriteByte('-')
		}
		previousLower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
