package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cosid-go/cosid/stores"
)

// master is what Start finds out about one server.
type master struct {
	name      string
	version   string // empty: not known
	mode      string // standalone, cluster or sentinel; empty: not known
	isReplica bool
	replicas  int // those online; -1: not known
	copying   int // those that are not online yet
	settings  map[string]string
	forbidden []string // the commands that were refused
}

// lowestVersion is the major version whose scripts the store is written for.
const lowestVersion = 7

// safeSetting is a setting of a server that loses nothing.
type safeSetting struct {
	name, value string
	otherwise   string // what any other value may cause
	onlyAlone   bool   // acknowledgements of all replicas make up for it
}

func safeSettings() []safeSetting {
	return []safeSetting{
		{"appendonly", "yes", "a restart loses acknowledged writes", false},
		{"appendfsync", "always", "a crash of the machine loses acknowledged writes", true},
		{"no-appendfsync-on-rewrite", "no", "a crash of the machine during a BGSAVE or a rewrite loses acknowledged writes", true},
		{"maxmemory-policy", "noeviction", "a counter or a lease can be evicted and start over", false},
	}
}

// inspectAll asks every master.
func inspectAll(ctx context.Context, l link) ([]master, error) {
	if l.masters == nil {
		return nil, nil
	}
	var mu sync.Mutex
	var found []master
	err := l.masters(ctx, func(ctx context.Context, name string, on server) error {
		m, err := inspect(ctx, name, on)
		mu.Lock()
		defer mu.Unlock()
		found = append(found, m)
		return err
	})
	slices.SortFunc(found, func(a, b master) int { return strings.Compare(a.name, b.name) })
	return found, err
}

func inspect(ctx context.Context, name string, on server) (master, error) {
	m := master{name: name, replicas: -1, settings: map[string]string{}}
	for _, section := range []string{"server", "replication"} {
		text, err := on.Info(ctx, section).Result()
		switch {
		case isForbidden(err):
			m.forbidden = append(m.forbidden, "INFO "+section)
		case err != nil:
			return m, err
		default:
			m.read(text)
		}
	}
	for _, setting := range safeSettings() {
		values, err := on.ConfigGet(ctx, setting.name).Result()
		switch {
		case isForbidden(err):
			m.forbidden = append(m.forbidden, "CONFIG GET "+setting.name)
		case err != nil:
			return m, err
		default:
			value, there := values[setting.name]
			if !there { // a proxy or a provider hides it
				m.forbidden = append(m.forbidden, "CONFIG GET "+setting.name)
				continue
			}
			m.settings[setting.name] = value
		}
	}
	return m, nil
}

// read takes what matters from an answer of INFO.
func (m *master) read(info string) {
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		switch {
		case name == "redis_version":
			m.version = value
		case name == "redis_mode":
			m.mode = value
		case name == "role":
			m.isReplica = value == "slave"
			m.replicas, m.copying = 0, 0 // the section may come twice
		case strings.HasPrefix(name, "slave") && strings.Contains(value, "state=online"):
			m.replicas++
		case strings.HasPrefix(name, "slave") && strings.Contains(value, ",state="):
			m.copying++
		}
	}
}

// check refuses a server that the store must not use.
func (m *master) check(clustered bool) error {
	if m.version != "" {
		major, _, _ := strings.Cut(m.version, ".")
		if n, err := strconv.Atoi(major); err == nil && n < lowestVersion {
			return fmt.Errorf("%s is Redis %s: the store needs %d.0 or newer", m.name, m.version, lowestVersion)
		}
	}
	switch {
	case m.mode == "sentinel":
		return fmt.Errorf("%s is a sentinel: write redis+sentinel://…/master-name", m.name)
	case m.mode == "cluster" && !clustered:
		return fmt.Errorf("%s is a node of a Redis Cluster: set cluster: true, or hand in a *redis.ClusterClient", m.name)
	case m.isReplica:
		return fmt.Errorf("%s is a replica, which cannot write: connect to its master", m.name)
	}
	return nil
}

// decide is how many replicas a write waits for on these masters. It refuses to guess, and refuses what no write would
// ever get.
func (w Wait) decide(masters []master) (int, error) {
	if !w.fixed {
		return decideAuto(masters)
	}
	for _, m := range masters {
		if m.replicas >= 0 && m.replicas < w.replicas {
			return 0, fmt.Errorf("wait: %d, but %s has %d replicas online, so that no write would ever count: bring them "+
				"back, or lower `wait`", w.replicas, m.name, m.replicas)
		}
	}
	return w.replicas, nil
}

func decideAuto(masters []master) (int, error) {
	if len(masters) == 0 {
		return 0, errors.New("wait: auto found no master: set wait to the number of replicas, or off")
	}
	var with, without string
	for _, m := range masters {
		switch {
		case m.replicas < 0:
			return 0, fmt.Errorf("wait: auto has to know the replicas of %s, and INFO replication is forbidden: "+
				"set wait to the number of replicas, or off if there are none, or allow +info", m.name)
		case m.replicas == 0 && m.copying > 0:
			return 0, fmt.Errorf("wait: auto found a replica of %s that is still copying its data: try again once it is "+
				"online, or set wait to the number of replicas", m.name)
		case m.replicas == 0:
			without = m.name
		default:
			with = m.name
		}
	}
	switch {
	case with == "":
		return 0, nil
	case without == "":
		return 1, nil
	default:
		return 0, fmt.Errorf("wait: auto needs a replica of every master, or of none: %s has one online, %s has none; "+
			"add one, or set wait: off", with, without)
	}
}

// doubt is a reason why acknowledged writes might be lost on a server.
type doubt struct {
	server string
	stores.Finding
}

// doubts tells why acknowledged writes might be lost on these servers, or no write be acknowledged.
func (s *Store) doubts(l link, masters []master, waitFor int) []doubt {
	var doubts []doubt
	for _, m := range masters {
		for _, finding := range m.findings(waitFor) {
			doubts = append(doubts, doubt{server: m.name, Finding: finding})
		}
	}
	switch {
	case l.masters == nil:
		doubts = append(doubts, doubt{server: "behind the script runner handed in", Finding: stores.Finding{
			Problem: "version, replicas, appendonly, appendfsync and maxmemory-policy cannot be checked",
			Remedy:  "see to them yourself",
		}})
	case l.failover && waitFor == 0 && !s.options.Wait.fixed:
		doubts = append(doubts, doubt{server: masters[0].name, Finding: stores.Finding{
			Problem: "wait: auto found no replica, so writes wait for none, and a replica that joins later and becomes the " +
				"master may lack some",
			Remedy: "set wait to the number of replicas",
		}})
	}
	return doubts
}

// unchecked are the properties of a server that nobody can tell.
func (m *master) unchecked() []string {
	var properties []string
	add := func(unknown bool, property string) {
		if unknown {
			properties = append(properties, property)
		}
	}
	add(m.version == "", fmt.Sprintf("that it is Redis %d.0 or newer", lowestVersion))
	add(m.replicas < 0, "that wait covers its replicas")
	for _, s := range safeSettings() {
		_, known := m.settings[s.name]
		add(!known, s.name+" "+s.value)
	}
	return properties
}

func (m *master) findings(waitFor int) []stores.Finding {
	var findings []stores.Finding
	find := func(remedy, format string, args ...any) {
		findings = append(findings, stores.Finding{Problem: fmt.Sprintf(format, args...), Remedy: remedy})
	}
	if len(m.forbidden) > 0 {
		find("allow +info +config|get to check them",
			"the server forbids or hides %s, so that nobody has checked %s",
			strings.Join(m.forbidden, ", "), strings.Join(m.unchecked(), ", "))
	}
	switch {
	case m.replicas+m.copying > waitFor:
		find(fmt.Sprintf("set wait: %d", m.replicas+m.copying),
			"writes wait for %d of %d replicas, so that a failover to another one can lose acknowledged writes",
			waitFor, m.replicas+m.copying)
	case m.replicas >= 0 && m.replicas < waitFor:
		find("bring the others back, or lower wait",
			"writes wait for %d replicas and %d are online, so that no write counts", waitFor, m.replicas)
	}
	for _, setting := range safeSettings() {
		covered := setting.onlyAlone && waitFor > 0 && m.replicas >= 0 && m.replicas+m.copying <= waitFor
		if value, known := m.settings[setting.name]; known && value != setting.value && !covered {
			remedy := fmt.Sprintf("CONFIG SET %s %s, then CONFIG REWRITE", setting.name, setting.value)
			find(remedy, "%s is %s, so that %s", setting.name, value, setting.otherwise)
		}
	}
	return findings
}
