package redisstore_test

import (
	"strings"
	"testing"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// A server that has renamed or forbids a command that reserves need is refused at start, before any counter has moved.
// It does without the others, and the store says what it could not check.
func TestMissingCommandsAreFoundAtStart(t *testing.T) {
	t.Parallel()
	const settings = "nobody has checked appendonly yes, appendfsync always, no-appendfsync-on-rewrite no, " +
		"maxmemory-policy noeviction:"
	for _, test := range []struct {
		command  string
		wait     redisstore.Wait
		replicas int
		works    bool
		warns    string
	}{
		{"EVALSHA", redisstore.WaitAuto(), 0, false, ""},
		{"EVAL", redisstore.WaitAuto(), 0, false, ""},
		{"WAIT", redisstore.WaitFor(1), 1, false, ""},
		{"EXISTS", redisstore.WaitAuto(), 0, false, ""},
		{"GETEX", redisstore.WaitAuto(), 0, false, ""},
		{"INCRBY", redisstore.WaitAuto(), 0, false, ""},
		{"SET", redisstore.WaitAuto(), 0, false, ""},
		{"GET", redisstore.WaitAuto(), 0, true, ""},
		{"TIME", redisstore.WaitAuto(), 0, true, ""},
		{"CONFIG", redisstore.WaitAuto(), 0, true, settings},
		{"INFO", redisstore.WaitAuto(), 0, false, ""},
		{"INFO", redisstore.WaitFor(0), 0, true, "nobody has checked that it is Redis 7.0 or newer, that wait covers its replicas:"},
	} {
		t.Run(test.command+" "+test.wait.String(), func(t *testing.T) {
			t.Parallel()
			forbids, _ := servers.StartRedisReplicas(t, servers.RedisSettings{}, test.replicas)
			forbids.Do(t, "acl", "setuser", "app", "on", ">pw", "~*", "+@all", "-"+test.command)
			args := []string{"--rename-command", test.command, "COSID.HIDDEN"}
			renames, _ := servers.StartRedisReplicas(t, servers.RedisSettings{Args: args}, test.replicas)
			for name, uri := range map[string]string{"forbids": "redis://app:pw@" + forbids.Addr, "renames": uriOf(renames)} {
				spec, log := withLog(hastySpec())
				store := build(t, redisstore.Factory{}, spec, optionsFor(uri, test.wait))
				switch err := store.Start(t.Context()); {
				case test.works && err != nil:
					t.Errorf("%s: start answered %v", name, err)
				case test.works:
					mustReserve(t, store, "shop/bill", 10, 1, 1)
					mustReserve(t, store, "shop/bill", 10, 1, 11)
				case err == nil || !strings.Contains(err.Error(), "allow") ||
					!strings.Contains(strings.ToUpper(err.Error()), test.command):
					t.Errorf("%s: start answered %v, want it to say that %s has to be allowed", name, err, test.command)
				}
				if text := log.String(); (test.warns == "") != (text == "") || !strings.Contains(text, test.warns) {
					t.Errorf("%s: it warns %q, want %q", name, text, test.warns)
				}
			}
		})
	}
}

// Each node of a cluster has rights of its own.
func TestMissingCommandsAreFoundOnEveryMaster(t *testing.T) {
	t.Parallel()
	cluster := servers.StartRedisCluster(t, servers.RedisSettings{}, 0)
	for _, node := range cluster.Masters {
		node.Do(t, "acl", "setuser", "app", "on", ">pw", "~cosid:*", "+@all")
	}
	options := optionsFor("redis://app:pw@"+strings.Join(cluster.Addrs(), ","), redisstore.WaitFor(0))
	options.Cluster = true
	for _, node := range cluster.Masters {
		node.Do(t, "acl", "setuser", "app", "-incrby")
		err := build(t, redisstore.Factory{}, patientSpec(), options).Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), "INCRBY") || !strings.Contains(err.Error(), node.Addr) {
			t.Errorf("start answered %v, want it to name INCRBY and %s", err, node.Addr)
		}
		node.Do(t, "acl", "setuser", "app", "+incrby")
	}
	open(t, redisstore.Factory{}, patientSpec(), options)
}

func TestSettingsThatAServerHidesAreNotTakenForSafe(t *testing.T) {
	t.Parallel()
	addr := startFake(t, fakeServer{version: "7.0.15", answer: func(words []string) string {
		switch {
		case strings.EqualFold(words[0], "config"):
			return "*0\r\n"
		case strings.EqualFold(words[0], "evalsha"):
			return "*1\r\n$5\r\nready\r\n"
		}
		return ""
	}})
	spec, log := withLog(hastySpec())
	open(t, redisstore.Factory{}, spec, optionsFor("redis://"+addr, redisstore.WaitFor(0)))
	if !strings.Contains(log.String(), "hides CONFIG GET appendonly") {
		t.Errorf("it warns %q", log)
	}
}
