package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/internal/assembly"
	"github.com/cosid-go/cosid/internal/names"
	"github.com/cosid-go/cosid/internal/tagrules"
)

// configuration is what -config names. It is read when the first tag asks, and is safe for concurrent use.
type configuration struct {
	files   string // the flag, "" for none
	once    sync.Once
	outline *config.Outline // nil where it could not be read
}

// problems are the mistakes in the names of a tag. That the configuration cannot be read is one, told once.
func (c *configuration) problems(tag tagrules.Tag, holds content) []string {
	if c.files == "" {
		return nil
	}
	var found []string
	c.once.Do(func() {
		outline, err := readOutline(strings.Split(c.files, ","))
		if err != nil {
			found = append(found, fmt.Sprintf("the names in tags are not checked: -config=%s: %v", c.files, err))
		}
		c.outline = outline
	})
	if c.outline == nil || !c.outline.Enabled {
		return found
	}
	return append(c.unknownNames(tag, holds), c.noNumbers(tag, holds)...)
}

func (c *configuration) unknownNames(tag tagrules.Tag, holds content) []string {
	var found []string
	generators := make([]string, len(c.outline.Generators))
	for i, g := range c.outline.Generators {
		generators[i] = g.Name
	}
	if !slices.Contains(generators, tag.Name) {
		found = append(found, c.unknown("generator", tag.Name, generators))
	}
	if tag.Codec != "" && holds != number && !slices.Contains(c.outline.Codecs, tag.Codec) {
		found = append(found, c.unknown("codec", tag.Codec, c.outline.Codecs))
	}
	return found
}

func (c *configuration) unknown(what, name string, known []string) string {
	problem := fmt.Sprintf("no %s named %q in %s (have %s)", what, name, c.files, names.List(known))
	if nearest := names.Nearest(name, known); nearest != "" {
		problem += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return problem
}

// noNumbers is the mistake of drawing numbers from a generator whose numbers are unique only within a period, or that
// makes none.
func (c *configuration) noNumbers(tag tagrules.Tag, holds content) []string {
	i := slices.IndexFunc(c.outline.Generators, func(g config.OutlineGenerator) bool { return g.Name == tag.Name })
	switch {
	case holds != number || i < 0:
		return nil
	case c.outline.Generators[i].Text:
		return []string{tagrules.TextOnlyError(tag.Name).Error()}
	case c.outline.Generators[i].Grouped:
		return []string{tagrules.GroupedError(tag.Name).Error()}
	default:
		return nil
	}
}

// readOutline reads files alone: the environment is that of whoever runs the tool, not of the program.
func readOutline(files []string) (*config.Outline, error) {
	folder, err := folderOf(files[0])
	if err != nil {
		return nil, err
	}
	outline, err := config.ReadOutline(config.Options{
		Source:     config.Source{Files: files, Dir: folder, Environ: []string{}},
		Strategies: assembly.Strategies(),
	})
	if report, ok := errors.AsType[*config.Error](err); ok {
		lines := make([]string, len(report.Problems))
		for i, p := range report.Problems {
			lines[i] = p.String()
		}
		return nil, errors.New(strings.Join(lines, "; ")) // a diagnostic is one line
	}
	return outline, err
}

// folderOf is the working folder, or the nearest one above it, that has the file. go vet runs its tool in the folder
// of each package, and does not tell where it was started itself.
func folderOf(file string) (string, error) {
	working, err := os.Getwd()
	if err != nil || filepath.IsAbs(file) {
		return working, err
	}
	for folder := working; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, file)); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("no such file in %s or above; give an absolute path", working)
		}
	}
}
