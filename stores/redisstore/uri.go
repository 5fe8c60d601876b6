package redisstore

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/cosid-go/cosid/config/field"
)

// target is where a URI leads.
type target struct {
	server  *redis.Options // address, credentials, database and TLS; of the first host where there are several
	hosts   []string       // host:port each; none for a socket
	master  string         // the sentinels' name of it; empty without Sentinel
	cluster bool
}

const acceptedURI = "redis://user:password@host:port/db, rediss://…, unix:///path?db=0, or " +
	"redis+sentinel://user:password@host:port,host:port/master-name/db"

// target reads the URI and the options that belong to it. Its errors never repeat a part of the URI, since a password
// with a character that should have been percent-encoded can end up in any of them.
func (o *Options) target() (target, *field.Error) {
	wrong := func(problem string) (target, *field.Error) {
		return target{}, field.Errorf("uri", acceptedURI, "%s", problem)
	}
	scheme, rest, found := strings.Cut(o.URI, "://")
	if !found {
		return wrong("has no scheme")
	}
	scheme, sentinel := strings.CutSuffix(scheme, "+sentinel")
	if scheme != "redis" && scheme != "rediss" && (scheme != "unix" || sentinel) {
		return wrong("has an unknown scheme")
	}
	authority, path := splitAuthority(rest)
	if strings.Contains(path, "@") {
		return wrong("has a @ behind the host: percent-encode /, ?, #, @ and : in user and password")
	}
	if strings.Contains(path, "#") {
		return wrong("has a #, which means nothing here: percent-encode it as %23 in user and password")
	}
	credentials, list := "", authority
	if i := strings.LastIndex(authority, "@"); i >= 0 {
		credentials, list = authority[:i+1], authority[i+1:]
	}
	t := target{cluster: o.Cluster, master: o.SentinelMaster}
	if sentinel {
		name, db, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if cut := strings.IndexByte(name, '?'); cut >= 0 {
			name, db = name[:cut], name[cut:]
		} else if db != "" {
			db = "/" + strings.TrimPrefix(db, "/")
		}
		if name == "" || t.master != "" {
			return wrong("names no master, or names it twice: write it behind the hosts, and no sentinel-master")
		}
		t.master, path = name, db
	}
	if scheme != "unix" {
		var err error
		if t.hosts, err = splitHosts(list, defaultPort(t.master != "")); err != nil {
			return wrong(err.Error())
		}
		list = t.hosts[0]
	}
	if mistake := o.contradiction(scheme, t); mistake != nil {
		return target{}, mistake
	}
	var err error
	if t.server, err = parseServer(scheme + "://" + credentials + list + path); err != nil {
		return wrong(err.Error())
	}
	if !t.cluster && t.master == "" {
		return t, nil
	}
	for _, name := range ofOneServer() {
		if strings.Contains(path, name+"=") {
			return wrong("has " + name + ", which only the uri of a single server can have: hand in a client to set it")
		}
	}
	if t.cluster && t.server.DB != 0 {
		return wrong("names a database: a cluster has none but 0")
	}
	if t.server.TLSConfig != nil {
		t.server.TLSConfig.ServerName = "" // each host shows its own certificate
	}
	return t, nil
}

// ofOneServer are options of a URI that go-redis's clients of a cluster and of Sentinel do not get here: not all versions
// of go-redis that the store works with have them.
func ofOneServer() []string {
	return []string{
		"max_concurrent_dials", "conn_max_lifetime_jitter",
		"pipeline_pool_size", "pipeline_read_buffer_size", "pipeline_write_buffer_size",
	}
}

func splitAuthority(rest string) (authority, path string) {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i], rest[i:]
	}
	return rest, ""
}

func defaultPort(sentinel bool) string {
	if sentinel {
		return "26379"
	}
	return "6379"
}

func splitHosts(list, port string) ([]string, error) {
	var hosts []string
	for part := range strings.SplitSeq(list, ",") {
		host, given := part, port
		if i := strings.LastIndexByte(part, ':'); i >= 0 && !strings.HasSuffix(part, "]") {
			host, given = part[:i], part[i+1:]
		}
		bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
		if bare == "" || strings.ContainsAny(bare, "[] ") || bare == host && strings.Contains(bare, ":") {
			return nil, errors.New("has a host that is empty or malformed")
		}
		if n, err := strconv.ParseUint(given, 10, 16); err != nil || n == 0 {
			return nil, errors.New("has a port that is no number from 1 to 65535: " +
				"percent-encode /, ?, #, @ and : in user and password")
		}
		hosts = append(hosts, net.JoinHostPort(bare, given))
	}
	return hosts, nil
}

// contradiction finds options that do not go together.
func (o *Options) contradiction(scheme string, t target) *field.Error {
	switch {
	case t.cluster && t.master != "":
		return field.Errorf("cluster", "one of both", "a cluster has no sentinels")
	case scheme == "unix" && t.cluster:
		return field.Errorf("cluster", "host:port in the uri", "a cluster cannot be reached through a socket")
	case scheme == "unix" && t.master != "":
		return field.Errorf("sentinel-master", "host:port in the uri", "sentinels cannot be reached through a socket")
	case t.master == "" && (o.SentinelUsername != "" || o.SentinelPassword != ""):
		return field.Errorf("sentinel-password", "redis+sentinel:// in the uri, or sentinel-master",
			"is set together with a uri that does not lead to sentinels")
	case len(t.hosts) > 1 && !t.cluster && t.master == "":
		return field.Errorf("uri", "one host; or cluster: true; or redis+sentinel://", "has several hosts")
	}
	return nil
}

// parseServer reads a URI of one server.
func parseServer(uri string) (*redis.Options, error) {
	parsed, err := url.Parse(uri)
	if err != nil {
		return nil, errors.New("is malformed: percent-encode /, ?, #, @ and : in user and password")
	}
	for _, name := range []string{"dial_timeout", "read_timeout", "write_timeout", "pool_timeout"} {
		if parsed.Query().Has(name) {
			return nil, errors.New("has " + name + ": set the store's timeout instead")
		}
	}
	for _, name := range []string{"max_retries", "min_retry_backoff", "max_retry_backoff"} {
		if parsed.Query().Has(name) {
			return nil, errors.New("has " + name + ": the store never sends a script again by itself")
		}
	}
	options, err := redis.ParseURL(uri)
	if err != nil {
		return nil, errors.New("has a database that is no number, a path that is none, or an option that is not known")
	}
	return options, nil
}
