// Package redact takes secrets out of what strangers may read. Stores promise to keep theirs out of errors already; this is
// for settings that are shown, and for drivers and stores of others.
package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// The password may hold any character but white space, an @ too: the last one of the word ends it.
var (
	inURL   = regexp.MustCompile(`(://)[^\s"'<>]*@`)
	inMySQL = regexp.MustCompile(`([^\s"':/@]+):[^:]*@([a-z]*\()`)
	inPairs = regexp.MustCompile(
		`(?i)(pass|password|passwd|passphrase|pwd|secret|token|key)\s*=\s*('(?:[^'\\]|\\.)*'|"[^"]*"|[^\s&;,"']+)`)
)

// In a value, which is an address and nothing else, the password may hold any character at all.
var (
	beforeAt   = regexp.MustCompile(`^([^:/@\s]+):.+@`)
	pairInside = regexp.MustCompile(
		`(?i)(pass|password|passwd|passphrase|pwd|secret|token|key)\s*=\s*('(?:[^'\\]|\\.)*'|"[^"]*"|[^\s&;]*)`)
)

// Hidden stands where a secret was.
const Hidden = "***"

// Text replaces the credentials of addresses (redis://user:password@host, user:password@tcp(host)) and the values of keys
// such as password=… by ***, wherever they stand. It hides rather too much than too little.
func Text(text string) string {
	text = inURL.ReplaceAllString(text, "${1}"+Hidden+"@")
	text = inMySQL.ReplaceAllString(text, "${1}:"+Hidden+"@${2}")
	return inPairs.ReplaceAllString(text, "${1}="+Hidden)
}

// Value replaces the password of one setting's value, if it looks like an address with one, and keeps the rest.
func Value(text string) string {
	if address, err := url.Parse(text); err == nil && address.Host != "" {
		if _, secret := address.User.Password(); secret {
			credentials := text[strings.Index(text, "://")+3 : strings.LastIndex(text, "@")]
			user, _, _ := strings.Cut(credentials, ":")
			text = strings.Replace(text, credentials, user+":"+Hidden, 1)
		}
	} else {
		text = beforeAt.ReplaceAllString(text, "$1:"+Hidden+"@")
	}
	return pairInside.ReplaceAllString(text, "$1="+Hidden)
}
