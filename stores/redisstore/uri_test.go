package redisstore

import (
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestURIsLeadToServers(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		network string
		addr    string
		hosts   []string
		user    string
		pass    string
		db      int
		tls     string // the server name that is verified; "-" = each host's own; empty = no TLS
		master  string
		cluster bool
	}{
		{
			name: "host and port", options: Options{URI: "redis://redis:6380"},
			addr: "redis:6380", hosts: []string{"redis:6380"},
		},
		{name: "default port", options: Options{URI: "redis://redis"}, addr: "redis:6379", hosts: []string{"redis:6379"}},
		{
			name: "IPv6", options: Options{URI: "redis://:pw@[::1]:7000/2"},
			addr: "[::1]:7000", hosts: []string{"[::1]:7000"}, pass: "pw", db: 2,
		},
		{
			name: "IPv6 without port", options: Options{URI: "redis://[::1]"},
			addr: "[::1]:6379", hosts: []string{"[::1]:6379"},
		},
		{
			name: "credentials and database", options: Options{URI: "redis://app:s%40c%2Fr%3Ft@h:1/5"},
			addr: "h:1", hosts: []string{"h:1"}, user: "app", pass: "s@c/r?t", db: 5,
		},
		{
			name: "TLS", options: Options{URI: "rediss://app:pw@redis.example:6380"},
			addr: "redis.example:6380", hosts: []string{"redis.example:6380"}, user: "app", pass: "pw", tls: "redis.example",
		},
		{
			name: "socket", options: Options{URI: "unix://app:pw@/run/redis/redis.sock?db=3"},
			network: "unix", addr: "/run/redis/redis.sock", user: "app", pass: "pw", db: 3,
		},
		{
			name: "cluster", options: Options{URI: "redis://:pw@a:1,b,[::1]:3", Cluster: true},
			addr: "a:1", hosts: []string{"a:1", "b:6379", "[::1]:3"}, pass: "pw", cluster: true,
		},
		{
			name: "cluster over TLS", options: Options{URI: "rediss://a:1,b:2", Cluster: true},
			addr: "a:1", hosts: []string{"a:1", "b:2"}, tls: "-", cluster: true,
		},
		{
			name: "sentinel", options: Options{URI: "redis+sentinel://app:pw@a:1,b/main/4"},
			addr: "a:1", hosts: []string{"a:1", "b:26379"}, user: "app", pass: "pw", master: "main", db: 4,
		},
		{
			name: "sentinel without database", options: Options{URI: "redis+sentinel://a:1/main?pool_size=3"},
			addr: "a:1", hosts: []string{"a:1"}, master: "main",
		},
		{
			name: "sentinel over TLS", options: Options{URI: "rediss+sentinel://a:1/main"},
			addr: "a:1", hosts: []string{"a:1"}, tls: "-", master: "main",
		},
		{
			name:    "sentinel by options",
			options: Options{URI: "redis://app:pw@a,b:2/4", SentinelMaster: "main", SentinelPassword: "x"},
			addr:    "a:26379", hosts: []string{"a:26379", "b:2"}, user: "app", pass: "pw", master: "main", db: 4,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, mistake := test.options.target()
			if mistake != nil {
				t.Fatal(mistake)
			}
			if test.network == "" {
				test.network = "tcp"
			}
			s := got.server
			if s.Network != test.network || s.Addr != test.addr ||
				s.Username != test.user || s.Password != test.pass || s.DB != test.db {
				t.Errorf("leads to %s %s as %q with %q, database %d", s.Network, s.Addr, s.Username, s.Password, s.DB)
			}
			if !slices.Equal(got.hosts, test.hosts) || got.master != test.master || got.cluster != test.cluster {
				t.Errorf("hosts %q, master %q, cluster %v", got.hosts, got.master, got.cluster)
			}
			if name := serverName(s); name != test.tls {
				t.Errorf("verifies the name %q, want %q", name, test.tls)
			}
		})
	}
}

func serverName(o *redis.Options) string {
	switch {
	case o.TLSConfig == nil:
		return ""
	case o.TLSConfig.ServerName == "":
		return "-"
	default:
		return o.TLSConfig.ServerName
	}
}

func TestWrongURIsAreRefusedWithoutTheirSecrets(t *testing.T) {
	const secret = "hunter2"
	for _, test := range []struct {
		name    string
		options Options
		says    string
	}{
		{"no scheme", Options{URI: "redis:6379"}, "no scheme"},
		{"another scheme", Options{URI: "http://:hunter2@redis"}, "unknown scheme"},
		{"sentinels on a socket", Options{URI: "unix+sentinel:///run/x"}, "unknown scheme"},
		{"a slash in the password", Options{URI: "redis://app:1/hunter2@redis:6379"}, "percent-encode"},
		{"a question mark in the password", Options{URI: "redis://app:1?hunter2@redis:6379"}, "percent-encode"},
		{"a hash in the password", Options{URI: "redis://app:1#hunter2@redis:6379"}, "percent-encode"},
		{"a hash", Options{URI: "redis://redis:6379#hunter2"}, "#"},
		{"a percent sign in the password", Options{URI: "redis://app:hunter2%@redis:6379"}, "percent-encode"},
		{"a bad port", Options{URI: "redis://redis:hunter2"}, "port"},
		{"a port out of range", Options{URI: "redis://redis:65536"}, "port"},
		{"no host", Options{URI: "redis://:hunter2@:6379"}, "host"},
		{"a bad database", Options{URI: "redis://redis/hunter2"}, "database"},
		{"an unknown option", Options{URI: "redis://redis?hunter2=1"}, "option"},
		{"a time-out", Options{URI: "redis://redis?read_timeout=5s"}, "the store's timeout"},
		{"retries", Options{URI: "redis://redis?max_retries=5"}, "never sends"},
		{"a cluster's database", Options{URI: "redis://a,b/3", Cluster: true}, "a cluster has none but 0"},
		{"a cluster's dials", Options{URI: "redis://a?max_concurrent_dials=1", Cluster: true}, "hand in a client"},
		{"dials of Sentinel", Options{URI: "redis+sentinel://a/main?max_concurrent_dials=1"}, "hand in a client"},
		{"no socket path", Options{URI: "unix://"}, "path"},
		{"hosts without cluster", Options{URI: "redis://:hunter2@a,b"}, "cluster: true"},
		{"sentinel without master", Options{URI: "redis+sentinel://:hunter2@a,b"}, "no master"},
		{"sentinel with two masters", Options{URI: "redis+sentinel://a/main", SentinelMaster: "other"}, "twice"},
		{"sentinel and cluster", Options{URI: "redis+sentinel://a/main", Cluster: true}, "cluster"},
		{"a cluster's socket", Options{URI: "unix:///run/x", Cluster: true}, "socket"},
		{"a sentinel's socket", Options{URI: "unix:///run/x", SentinelMaster: "main"}, "socket"},
		{"a sentinel's password without one", Options{URI: "redis://a", SentinelPassword: secret}, "sentinel-password"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options.SweepBatch = 16
			err := test.options.Validate()
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("answered %v, want it to say %q", err, test.says)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error repeats a secret: %v", err)
			}
		})
	}
}

func FuzzURI(f *testing.F) {
	for _, seed := range []string{
		"redis://redis:6379", "rediss://a:b@[::1]:1/2", "unix:///run/redis.sock?db=1", "redis+sentinel://:p@a:1,b:2/main/3",
		"redis://", "redis+sentinel:///", "redis://a,b", "redis://%zz@a", "redis://[", "redis://a:1:2", "redis://a@b@c",
	} {
		f.Add(seed, false, "")
		f.Add(seed, true, "")
		f.Add(seed, false, "main")
	}
	f.Fuzz(func(t *testing.T, uri string, cluster bool, master string) {
		o := Options{URI: uri, Cluster: cluster, SentinelMaster: master}
		got, mistake := o.target()
		switch {
		case mistake != nil && mistake.Problem == "":
			t.Errorf("%q is refused without a reason", uri)
		case mistake != nil:
		case got.server == nil || len(got.hosts) == 0 && got.server.Network != "unix":
			t.Errorf("%q leads nowhere", uri)
		case len(got.hosts) > 1 && !got.cluster && got.master == "":
			t.Errorf("%q leads to several hosts of no cluster", uri)
		}
	})
}
