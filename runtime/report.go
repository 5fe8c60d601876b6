package runtime

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cosid-go/cosid/config"
)

// Report is what a Runtime was built from: every setting, its value and what set it, defaults included. Passwords are
// left out.
type Report struct {
	Settings []config.Setting
}

// Report returns what the configuration came to. It is the same at all times.
func (rt *Runtime) Report() Report { return Report{Settings: slices.Clone(rt.settings)} }

// String writes the report as a table of path, value and origin.
func (r Report) String() string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range r.Settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Path, s.Value, s.From)
	}
	_ = table.Flush() // a strings.Builder takes everything
	return b.String()
}

// logReport writes one line for each store, generator and codec, with its settings.
func (rt *Runtime) logReport() {
	for rest := rt.settings; len(rest) > 0; {
		entry := rest[0].Entry
		var values []any
		for len(rest) > 0 && rest[0].Entry == entry {
			key := strings.TrimPrefix(strings.TrimPrefix(rest[0].Path, entry), ".")
			if key == "" {
				key = "parts" // of a codec, which is one setting as a whole
			}
			values = append(values, slog.String(key, rest[0].Value))
			rest = rest[1:]
		}
		rt.logger.Info(entry, values...)
	}
}
