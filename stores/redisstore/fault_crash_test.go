package redisstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// timesFromEnv is a number of rounds: small by default, as large as wanted where the variable is set.
func timesFromEnv(t *testing.T, variable string, byDefault int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return byDefault
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, not a number of rounds", variable, text)
	}
	return n
}

func TestAServerKilledUnderLoadRepeatsNothing(t *testing.T) {
	t.Parallel()
	kills := timesFromEnv(t, "COSID_STRESS_KILLS", 20)
	server := servers.StartRedis(t, servers.RedisSettings{})
	l := startLoad(t, 4, task{URI: uriOf(server), Key: "shop/bill", Wait: redisstore.WaitAuto()})

	const bound = time.Second // neither the store nor its client backs off
	var pauses []time.Duration
	for i := range kills {
		l.run(t, 200)
		server.Kill()
		if i%3 == 2 {
			time.Sleep(700 * time.Millisecond) // an outage that the clients notice
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		back := time.Now()
		// Whatever lies above what the server has now is reserved after the restart.
		next, err := strconv.ParseInt(fmt.Sprint(server.Do(t, "get", "cosid:{shop/bill}")), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		l.awaitAbove(t, next)
		pauses = append(pauses, time.Since(back))
	}
	ranges := l.stop(t)
	if n := repeats(ranges); n > 0 {
		t.Errorf("%d of %d ranges repeat ids", n, len(ranges))
	}
	t.Logf("%d ranges, %d kills; each of 4 processes was served again after %v", len(ranges), kills, pauses)
	if longest := slices.Max(pauses); longest > bound {
		t.Errorf("after a restart it took %v until every process was served; the server was there", longest)
	}
}

// What the test above rests on: where the server forgets what it had acknowledged, the proof sees it.
func TestALostTailOfTheAppendOnlyFileIsSeenAsRepeats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := servers.StartRedis(t, servers.RedisSettings{Args: []string{"--dir", dir}})
	l := startLoad(t, 4, task{URI: uriOf(server), Key: "shop/bill", Wait: redisstore.WaitAuto()})
	l.run(t, 200)
	server.Kill()
	cutAppendOnlyFile(t, dir)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	l.run(t, 500)
	if n := repeats(l.stop(t)); n == 0 {
		t.Error("half of the file was lost, and nobody has noticed")
	}
}

// cutAppendOnlyFile takes the last half of what was appended away.
func cutAppendOnlyFile(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	half := strings.LastIndex(string(text[:len(text)/2]), "*3\r\n")
	if err := os.Truncate(files[0], int64(half)); err != nil {
		t.Fatal(err)
	}
}
