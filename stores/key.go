package stores

import (
	"fmt"
	"strings"
)

// NameGrammar is what a namespace, a generator's name and a period must match. Names hold no separator, so
// two different keys can never become one.
const NameGrammar = `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`

const keySeparator = "/"

// CheckName tells whether name is one part of a key (NameGrammar). Its error wraps ErrInvalidArgument.
func CheckName(name string) error {
	if isName(name) {
		return nil
	}
	return fmt.Errorf("%w: name %q does not match %s", ErrInvalidArgument, name, NameGrammar)
}

// RangeKey is the key of a generator's ranges: {namespace}/{generator}.
func RangeKey(namespace, generator string) string { return namespace + keySeparator + generator }

// PeriodKey is the key of one period of a generator: {namespace}/{generator}/{period}.
func PeriodKey(rangeKey, period string) string { return rangeKey + keySeparator + period }

// CheckKey tells whether key is {namespace}/{generator} or {namespace}/{generator}/{period}, each part within
// NameGrammar. Its error wraps ErrInvalidArgument.
func CheckKey(key string) error {
	parts := strings.Split(key, keySeparator)
	if len(parts) < 2 || len(parts) > 3 {
		return fmt.Errorf("%w: key %q is not {namespace}/{generator} or {namespace}/{generator}/{period}",
			ErrInvalidArgument, key)
	}
	for _, part := range parts {
		if !isName(part) {
			return fmt.Errorf("%w: part %q of key %q does not match %s", ErrInvalidArgument, part, key, NameGrammar)
		}
	}
	return nil
}

func isName(s string) bool {
	if len(s) < 1 || len(s) > 64 || !isAlphanumeric(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !isAlphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
