package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// master is what Start finds out about one server.
type master struct {
	name      string
	version   string // empty: not known
	mode      string // standalone, cluster or sentinel; empty: not known
	isReplica bool
	replicas  int // those online; -1: not known
	settings  map[string]string
	forbidden []string // the commands that were refused
}

// lowestVersion is the major version whose scripts the store is written for.
const lowestVersion = 7

// inspectAll asks every master, and refuses those that cannot be used.
func inspectAll(ctx context.Context, l link) ([]master, error) {
	if l.masters == nil {
		return nil, nil
	}
	var mu sync.Mutex
	var found []master
	err := l.masters(ctx, func(ctx context.Context, name string, server inspected) error {
		m, err := inspect(ctx, name, server)
		if err == nil {
			_, clustered := l.runner.(clusterRunner)
			err = m.check(clustered)
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, m)
		return err
	})
	slices.SortFunc(found, func(a, b master) int { return strings.Compare(a.name, b.name) })
	return found, err
}

func inspect(ctx context.Context, name string, server inspected) (master, error) {
	m := master{name: name, replicas: -1, settings: map[string]string{}}
	for _, section := range []string{"server", "replication"} {
		text, err := server.Info(ctx, section).Result()
		switch {
		case isForbidden(err):
			m.forbidden = append(m.forbidden, "INFO "+section)
		case err != nil:
			return m, err
		default:
			m.read(text)
		}
	}
	for _, setting := range []string{"appendonly", "appendfsync", "maxmemory-policy"} {
		values, err := server.ConfigGet(ctx, setting).Result()
		switch {
		case isForbidden(err):
			m.forbidden = append(m.forbidden, "CONFIG GET "+setting)
		case err != nil:
			return m, err
		default:
			if value, there := values[setting]; there {
				m.settings[setting] = value
			}
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
			m.replicas = max(m.replicas, 0)
		case strings.HasPrefix(name, "slave") && strings.Contains(value, "state=online"):
			m.replicas++
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
			return 0, fmt.Errorf("wait: auto has to know the replicas of %s, and INFO replication is forbidden: set wait to the "+
				"number of replicas, or off if there are none, or allow +info", m.name)
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

// doubts tells, in one sentence each with the remedy, why acknowledged writes might be lost on this server.
func (m *master) doubts(waitFor int) []string {
	var doubts []string
	doubt := func(format string, args ...any) { doubts = append(doubts, fmt.Sprintf(format, args...)) }
	if len(m.forbidden) > 0 {
		doubt("could not be checked, since the server forbids %s: that it is Redis %d.0 or newer, has appendonly yes, appendfsync "+
			"always and maxmemory-policy noeviction, and that wait covers its replicas; allow +info +config|get to check them",
			strings.Join(m.forbidden, ", "), lowestVersion)
	}
	if m.replicas > waitFor {
		doubt("writes wait for %d of %d replicas, so that a failover to another one can lose acknowledged writes: set wait: %d",
			waitFor, m.replicas, m.replicas)
	}
	mend := func(setting, right, why string) {
		if value, known := m.settings[setting]; known && value != right {
			doubt("%s is %s, so that %s: CONFIG SET %s %s, then CONFIG REWRITE", setting, value, why, setting, right)
		}
	}
	mend("appendonly", "yes", "a restart loses acknowledged writes")
	if waitFor == 0 || m.replicas > waitFor {
		mend("appendfsync", "always", "a crash of the machine loses acknowledged writes")
	}
	mend("maxmemory-policy", "noeviction", "a counter can be evicted and start over")
	return doubts
}
