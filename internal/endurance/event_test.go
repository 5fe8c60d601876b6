package endurance_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const eventSuffix = ".events"

func eventPath(dir string, worker, life int) string {
	return filepath.Join(dir, fmt.Sprintf("%03d-%04d", worker, life)+eventSuffix)
}

// The words for what befalls a worker.
const (
	full       = "full"       // no slot was free
	unopened   = "unopened"   // the store did not answer
	leased     = "leased"     // a slot was granted
	failed     = "failed"     // a renewal or a later acquire failed
	lost       = "lost"       // the slot was granted to somebody else
	expired    = "expired"    // ids were refused, for the first time since some were made
	resumed    = "resumed"    // there are ids again, of the same runtime
	exceeded   = "exceeded"   // more ids were asked for than the layout holds
	unreleased = "unreleased" // closing failed
	odd        = "odd"        // what must not happen
)

// event is one line of a worker's file of them.
type event struct {
	worker, life int
	at           time.Time
	word, text   string
}

// tell writes an event.
func (w *worker) tell(word, text string) {
	line := fmt.Sprintf("%d %s %s\n", time.Now().UnixMilli(), word, strings.ReplaceAll(text, "\n", "; "))
	if _, err := w.events.WriteString(line); err != nil {
		w.failWith(err)
	}
}

// readEvents reads the events of all workers.
func readEvents(dir string) ([]event, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+eventSuffix))
	if err != nil {
		return nil, err
	}
	var all []event
	for _, path := range paths {
		e := event{}
		if _, err := fmt.Sscanf(filepath.Base(path), "%d-%d", &e.worker, &e.life); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(strings.NewReader(string(text)))
		for lines.Scan() {
			parts := strings.SplitN(lines.Text(), " ", 3)
			if len(parts) != 3 {
				continue // cut short by a kill
			}
			millis, err := strconv.ParseInt(parts[0], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			e.at, e.word, e.text = time.UnixMilli(millis), parts[1], parts[2]
			all = append(all, e)
		}
	}
	return all, nil
}

func countOf(events []event) map[string]int {
	counts := make(map[string]int)
	for _, e := range events {
		counts[e.word]++
	}
	return counts
}
