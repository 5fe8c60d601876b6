package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Clock is a clock that servers can be started under, and that can be stepped while they run: libfaketime shows it to
// their processes instead of the host's. Their timers go on as ever.
type Clock struct {
	library string
	file    string

	mu    sync.Mutex
	ahead time.Duration
}

// NewClock returns a clock that agrees with the host's. Where libfaketime is missing the test is skipped, or fails if
// REQUIRE_SERVERS=1.
func NewClock(tb testing.TB) *Clock {
	tb.Helper()
	const debianPackage = "libfaketime"
	c := &Clock{library: find(tb, "libfaketime.so.1", debianPackage, "/usr/lib/*/faketime")}
	dir, err := os.MkdirTemp("", "cosid-clock-") // not tb.TempDir, which other users may not enter
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	c.file = filepath.Join(dir, "clock")
	if err := c.Move(0); err != nil {
		tb.Fatal(err)
	}
	return c
}

// Move steps the clock forward or back. What the servers read after it is the new time.
func (c *Clock) Move(delta time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.file + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%+.6f\n", (c.ahead+delta).Seconds()), 0o644); err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	if err := os.Rename(next, c.file); err != nil { // at once, so that nobody reads half of it
		return fmt.Errorf("move the clock: %w", err)
	}
	c.ahead += delta
	return nil
}

// env shows the clock to a process and its children. The file is read each time the clock is.
func (c *Clock) env() []string {
	if c == nil {
		return nil
	}
	return []string{
		"LD_PRELOAD=" + c.library, "FAKETIME_TIMESTAMP_FILE=" + c.file, "FAKETIME_NO_CACHE=1", "DONT_FAKE_MONOTONIC=1",
	}
}
