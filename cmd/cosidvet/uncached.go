package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unit is what go vet writes of a package into the *.cfg file that it calls its tool with: the part of it that
// matters here. A vetx file holds what the tool knows of a package, for those that import it.
type unit struct {
	VetxOnly    bool              // the package is only imported, and not reported on
	VetxOutput  string            // the file to write
	PackageVetx map[string]string // the files of imported packages
}

// uncached keeps go vet from remembering that a package is fine where a configuration was looked at. go vet asks again
// when the package, the tool or a flag changes, and knows nothing of the file that a flag names: a generator that was
// taken out of cosid.yaml would go unnoticed. It remembers a package by its vetx file, and not if it cannot read
// that. So the file is put into a folder of its name, where only this tool looks for it.
//
// args are those of the process; what is returned stands in for them.
func uncached(args []string) ([]string, error) {
	file := args[len(args)-1]
	if !strings.HasSuffix(file, ".cfg") || !slices.ContainsFunc(args[1:], isConfigFlag) {
		return args, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if content, err = withHiddenFiles(content); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	again := filepath.Join(filepath.Dir(file), "cosidvet.cfg") // in go vet's own temporary folder
	if err := os.WriteFile(again, content, 0o600); err != nil {
		return nil, err
	}
	return append(slices.Clone(args[:len(args)-1]), again), nil
}

// withHiddenFiles is the content of a *.cfg file with the paths of vetx files changed.
func withHiddenFiles(content []byte) ([]byte, error) {
	var all map[string]any
	var u unit
	if err := json.Unmarshal(content, &all); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &u); err != nil {
		return nil, err
	}
	for name, path := range u.PackageVetx {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			u.PackageVetx[name] = hidden(path)
		}
	}
	all["PackageVetx"] = u.PackageVetx
	if !u.VetxOnly {
		if err := os.MkdirAll(u.VetxOutput, 0o700); err != nil {
			return nil, err
		}
		all["VetxOutput"] = hidden(u.VetxOutput)
	}
	return json.Marshal(all)
}

func hidden(folder string) string { return filepath.Join(folder, "vetx") }

func isConfigFlag(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return strings.HasPrefix(arg, "-") && name == configFlag
}
