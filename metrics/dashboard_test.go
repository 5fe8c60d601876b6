package metrics_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cosid-go/cosid/metrics"
)

// dashboard is what is checked of docs/grafana.json.
type dashboard struct {
	Title      string
	Templating struct {
		List []struct{ Name, Definition string }
	}
	Panels []struct {
		ID          int
		Title       string
		Description string
		GridPos     struct{ X, Y, W, H int }
		Targets     []struct{ Expr string }
	}
}

func TestTheDashboardUsesOnlyMetricsAndLabelsThatThereAre(t *testing.T) {
	text, err := os.ReadFile("../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	c := metrics.NewCollector()
	reserve(c.Hooks(), "order", time.Millisecond)
	c.Watch(everyKind())
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known, labels := map[string]bool{}, []string{"le"}
	for _, f := range families {
		known[f.GetName()] = true
		if f.GetName() == "cosid_refill_duration_seconds" {
			known[f.GetName()+"_bucket"], known[f.GetName()+"_count"], known[f.GetName()+"_sum"] = true, true, true
		}
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
	}

	var expressions []string
	for _, v := range d.Templating.List {
		expressions = append(expressions, v.Definition)
	}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 || ids[p.ID] || p.GridPos.W == 0 {
			t.Errorf("panel %d %q is incomplete, or there twice", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			expressions = append(expressions, target.Expr)
			if !strings.Contains(target.Expr, `namespace=~"$namespace",generator=~"$generator"`) {
				t.Errorf("panel %q does not heed the variables: %s", p.Title, target.Expr)
			}
		}
	}
	used := 0
	for _, e := range expressions {
		for _, name := range regexp.MustCompile(`\bcosid_\w+`).FindAllString(e, -1) {
			used++
			if !known[name] {
				t.Errorf("there is no metric %s: %s", name, e)
			}
		}
		for _, by := range regexp.MustCompile(`by \(([^)]*)\)`).FindAllStringSubmatch(e, -1) {
			for label := range strings.SplitSeq(by[1], ", ") {
				if !slices.Contains(labels, label) {
					t.Errorf("there is no label %s: %s", label, e)
				}
			}
		}
	}
	if used < 10 {
		t.Errorf("found only %d metrics in %d expressions", used, len(expressions))
	}
}
