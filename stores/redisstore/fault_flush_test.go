package redisstore_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/generators/segment"
	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/redisstore"
)

// newSegments makes a generator that reserves ten ids when it needs them.
func newSegments(t *testing.T, server *servers.Redis) *segment.Generator {
	t.Helper()
	store := open(t, redisstore.Factory{}, hastySpec(), optionsFor(uriOf(server), redisstore.WaitAuto()))
	policy := segment.DefaultPolicy()
	policy.Step, policy.Lookahead = 10, 0
	g, err := segment.New(store, "shop/bill", policy, segment.Options{StoreTimeout: hastySpec().Timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return g
}

func mustIssue(t *testing.T, g *segment.Generator, first, last int64) {
	t.Helper()
	for want := first; want <= last; want++ {
		if id, err := g.Next(t.Context()); err != nil || id != want {
			t.Fatalf("Next = %d, %v; want %d", id, err, want)
		}
	}
}

func mustRefuse(t *testing.T, g *segment.Generator, r string) {
	t.Helper()
	for range 3 { // for good
		id, err := g.Next(t.Context())
		if id != 0 || !errors.Is(err, generators.ErrRangeWentBack) {
			t.Fatalf("Next = %d, %v; want %v", id, err, generators.ErrRangeWentBack)
		}
		for _, part := range []string{"shop/bill", r} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error %v does not name %s", err, part)
			}
		}
	}
}

func TestAGeneratorRefusesWhatAFlushedServerGivesAgain(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	g := newSegments(t, server)
	mustIssue(t, g, 1, 15)
	server.Do(t, "flushall")
	mustIssue(t, g, 16, 20) // at hand
	mustRefuse(t, g, "[1, 11)")
	if got := server.Do(t, "get", "cosid:{shop/bill}"); got != "11" {
		t.Errorf("the generator has asked again, and pushed the counter up to %v", got)
	}
	mustIssue(t, newSegments(t, server), 11, 20) // a new process cannot know
}

func TestAGeneratorFollowsACounterThatIsSet(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	server.Do(t, "set", "cosid:{shop/bill}", "201605131024011014") // before the first id
	g := newSegments(t, server)
	mustIssue(t, g, 201605131024011014, 201605131024011023)
	server.Do(t, "set", "cosid:{shop/bill}", "201605131024012000") // forward: a gap
	mustIssue(t, g, 201605131024012000, 201605131024012009)
	server.Do(t, "set", "cosid:{shop/bill}", "201605131024012009") // back by one
	mustRefuse(t, g, "[201605131024012009, 201605131024012019)")
}

func TestAGeneratorIssuesTheLastWholeRange(t *testing.T) {
	t.Parallel()
	server := servers.StartRedis(t, servers.RedisSettings{})
	const first = math.MaxInt64 - 15
	server.Do(t, "set", "cosid:{shop/bill}", int64(first))
	g := newSegments(t, server)
	mustIssue(t, g, first, first+9)
	if id, err := g.Next(t.Context()); id != 0 || !errors.Is(err, stores.ErrRangeExhausted) {
		t.Errorf("Next = %d, %v; want %v", id, err, stores.ErrRangeExhausted)
	}
	if got := server.Do(t, "get", "cosid:{shop/bill}"); got != "9223372036854775802" {
		t.Errorf("the counter is %v now", got)
	}
}
