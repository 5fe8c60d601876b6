package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cosid-go/cosid/internal/tagrules"
)

// lookup finds the value of cosid in a struct tag as reflection does. problem is what hides it, or a second one, from
// reflection, "" for nothing.
func lookup(tag string) (value string, found bool, problem string) {
	pairs, rest := readPairs(tag)
	for _, p := range pairs {
		switch key := strings.Trim(p.key, ",;|"); {
		case p.key == tagrules.Key && found:
			return value, true, "cosid stands in the tag twice, and only the first is read; leave one"
		case p.key == tagrules.Key:
			unquoted, err := strconv.Unquote(p.quoted)
			if err != nil {
				return "", false, fmt.Sprintf("%s is no string of Go, so that reflection cannot read the tag; "+
					"write cosid:\"bill\"", p.quoted)
			}
			value, found = unquoted, true
		case key == tagrules.Key:
			problem = fmt.Sprintf("reflection reads the key %q, which is not cosid; separate the tags of a field by spaces",
				p.key)
		case strings.EqualFold(key, tagrules.Key):
			problem = fmt.Sprintf("the key %q is not read; write cosid in lower case", p.key)
		}
	}
	switch {
	case found:
		return value, true, ""
	case hiddenKey.MatchString(rest):
		return "", false, fmt.Sprintf("reflection cannot read the tag from `%s` on; write cosid:\"bill\", with quotes, "+
			"without a space after the colon, and one space between the tags of a field", strings.TrimSpace(rest))
	default:
		return "", false, problem
	}
}

// hiddenKey is the key where somebody meant one.
var hiddenKey = regexp.MustCompile(`(?i)(?:^|[\s,;|"'])cosid(?:\s*[:=]|\s*$|\s+["'])`)

// pair is one key:"value" of a struct tag.
type pair struct{ key, quoted string }

// readPairs reads what reflect.StructTag.Lookup would, and returns what it would not.
func readPairs(tag string) (pairs []pair, rest string) {
	for {
		tag = strings.TrimLeft(tag, " ")
		i := strings.IndexFunc(tag, func(r rune) bool { return r <= ' ' || r == ':' || r == '"' || r == 0x7f })
		if i <= 0 || !strings.HasPrefix(tag[i:], `:"`) {
			return pairs, tag
		}
		end := quotedEnd(tag[i+1:])
		if end == 0 {
			return pairs, tag
		}
		pairs = append(pairs, pair{key: tag[:i], quoted: tag[i+1 : i+1+end]})
		tag = tag[i+1+end:]
	}
}

// quotedEnd is where the string that s begins with ends, 0 where it does not.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}
