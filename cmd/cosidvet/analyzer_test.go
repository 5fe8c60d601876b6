package main

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestTagsAreReportedWhereTheyStand(t *testing.T) {
	for name, c := range map[string]struct{ config, pkg string }{
		"outside the grammar, or on fields that hold no id": {"", "tagged"},
		"hidden from reflection":                            {"", "hidden"},
		"names that the configuration lacks":                {"testdata/cosid.yaml", "named"},
		"a configuration that cannot be read is told once":  {"testdata/broken.yaml", "unread"},
		"a disabled configuration has no names":             {"testdata/disabled.yaml", "fine"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAnalyzer()
			if err := a.Flags.Set(configFlag, c.config); err != nil {
				t.Fatal(err)
			}
			analysistest.Run(t, analysistest.TestData(), a, c.pkg)
		})
	}
}
