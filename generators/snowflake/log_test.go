package snowflake_test

import (
	"log/slog"
	"strings"
	"sync"

	"github.com/cosid-go/cosid/stores/storetest"
)

// unreachable is a store that does not answer any more.
var unreachable = storetest.Fault{Before: errStore}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) count(part string) int { return strings.Count(l.String(), part) }
