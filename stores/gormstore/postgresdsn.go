package gormstore

import (
	"net/url"
	"strings"

	"github.com/cosid-go/cosid/config/field"
)

const postgresForms = "postgres://user:password@host:5432/database, or host=… port=… user=… password=… dbname=…"

// checkPostgresDSN refuses what pgx would misread, so that no error of pgx or of a name server repeats a piece of a
// password. What is left, pgx checks at Start: it reads files for it.
func checkPostgresDSN(dsn string) *field.Error {
	if authority, path, isURL := postgresURL(dsn); isURL {
		userinfo, hosts, found := strings.Cut(authority, "@")
		if !found {
			userinfo, hosts = "", authority
		}
		_, err := url.PathUnescape(userinfo)
		if err != nil || strings.Contains(hosts, "@") || strings.Contains(path, "@") && !found || !numericPorts(hosts) {
			return field.Errorf("dsn", postgresForms, "this URL cannot be read; in user and password, percent-encode "+
				"all but letters and digits, for instance @ as %%40 and / as %%2F")
		}
		return nil
	}
	settings, ok := keywordValues(dsn)
	switch {
	case strings.Contains(dsn, "://"), strings.Contains(dsn, "@tcp("), strings.Contains(dsn, "@unix("):
		return field.Errorf("dsn", postgresForms, "this is the address of another kind of server")
	case !ok, len(settings) == 0:
		return field.Errorf("dsn", postgresForms, "this is neither a URL nor a list of key=value; a value with spaces "+
			`stands in single quotes, with \' and \\ in it`)
	}
	return nil
}

// postgresURL splits a URL: what stands before the path, and the rest.
func postgresURL(dsn string) (authority, path string, isURL bool) {
	rest, isURL := strings.CutPrefix(dsn, "postgres://")
	if !isURL {
		rest, isURL = strings.CutPrefix(dsn, "postgresql://")
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	return rest[:end], rest[end:], isURL
}

// numericPorts tells whether the ports in a list of hosts are numbers: pieces of a password are not.
func numericPorts(hosts string) bool {
	for host := range strings.SplitSeq(hosts, ",") {
		if i := strings.LastIndexByte(host, ']'); i >= 0 {
			host = host[i+1:] // after an IPv6 address
		}
		if _, port, found := strings.Cut(host, ":"); found && strings.Trim(port, "0123456789") != "" {
			return false
		}
	}
	return true
}

// keywordValues reads a list of key=value as libpq does.
func keywordValues(dsn string) (settings map[string]string, ok bool) {
	settings = map[string]string{}
	for rest := strings.TrimSpace(dsn); rest != ""; rest = strings.TrimSpace(rest) {
		key, after, found := strings.Cut(rest, "=")
		key = strings.TrimSpace(key)
		if !found || key == "" || strings.ContainsAny(key, " \t\n'\\") {
			return nil, false
		}
		var value string
		if value, rest, ok = cutValue(strings.TrimLeft(after, " \t\n")); !ok {
			return nil, false
		}
		settings[key] = value
	}
	return settings, true
}

// cutValue cuts a value off the beginning of text: in single quotes, or up to a space.
func cutValue(text string) (value, rest string, ok bool) {
	quoted := strings.HasPrefix(text, "'")
	if quoted {
		text = text[1:]
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case quoted && c == '\'':
			return b.String(), text[i+1:], true
		case !quoted && strings.IndexByte(" \t\n", c) >= 0:
			return b.String(), text[i:], true
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", !quoted
}

// postgresReason is what pgx says about a DSN that passed checkPostgresDSN, without the DSN and its passwords.
func postgresReason(dsn string, err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "`: "); i >= 0 { // after the DSN, which pgx repeats in backquotes
		text = text[i+len("`: "):]
	}
	for _, secret := range postgresSecrets(dsn) {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text
}

// postgresSecrets are the passwords of a DSN, as they are written and as they are meant.
func postgresSecrets(dsn string) []string {
	authority, path, isURL := postgresURL(dsn)
	if !isURL {
		settings, _ := keywordValues(dsn)
		return []string{settings["password"], settings["sslpassword"]}
	}
	var secrets []string
	userinfo, _, _ := strings.Cut(authority, "@")
	_, password, _ := strings.Cut(userinfo, ":")
	plain, _ := url.PathUnescape(password)
	secrets = append(secrets, password, plain)
	_, query, _ := strings.Cut(path, "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name, _ = url.QueryUnescape(name); strings.Contains(strings.ToLower(name), "password") {
			plain, _ := url.QueryUnescape(value)
			secrets = append(secrets, value, plain)
		}
	}
	return secrets
}
