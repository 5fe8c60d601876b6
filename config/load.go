package config

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
	"github.com/cosid-go/cosid/stores"
)

// Source says where a configuration comes from. The zero value reads the usual files and the process's environment.
type Source struct {
	// Files are read in order, later over earlier, and must exist. Where there are none, the variable COSID_CONFIG
	// names one; where that is unset too, cosid.yaml and application.yaml are looked for in Dir and then in
	// Dir/config, and each one that exists is read. A profile beside a file (COSID_PROFILE=prod: cosid-prod.yaml) is
	// read after it.
	Files []string

	// Koanf is configuration that the application has loaded itself; its section `cosid` is taken in place of files.
	// Files that are named are read over it.
	Koanf *koanf.Koanf

	// Dir is where files are looked for; empty is the working directory.
	Dir string

	// Environ holds the environment as os.Environ returns it; nil is the process's own. It supplies the variables of
	// placeholders, COSID_CONFIG and COSID_PROFILE, and values: COSID_STORES_REDIS_OPTIONS_URI.
	Environ []string

	// Hostname is the name of this machine, which cosid.slots.owner has by default. Empty is what the system says.
	Hostname string

	// Values are set over everything else: what stands below `cosid:`, as maps, lists and plain values. Durations may
	// be time.Duration, and times time.Time.
	Values map[string]any
}

// Options are a Source and the types that it may name.
type Options struct {
	Source
	Stores     []stores.Factory
	Strategies []generators.Factory
	Parts      []codecs.PartFactory

	// Embedded is the store that is used where cosid.stores declares none: the value of one entry. Nil means that a
	// store must be declared.
	Embedded map[string]any
}

// Load reads, merges and checks a configuration. Its error is an *Error that reports every mistake, or says that
// two factories of one type were given.
func Load(options Options) (*Config, error) {
	known, err := newRegistry(options)
	if err != nil {
		return nil, err
	}
	l := newLoader(options)
	l.read(known)
	if err := l.problems.err(); err != nil && l.section() == nil {
		return nil, err // there is nothing to judge: what was written could not be read
	}
	section := &sectionDecoder{
		registry: known,
		decoder:  decoder{origins: l.origins, problems: &l.problems, settings: &[]Setting{}},
		embedded: options.Embedded,
		hostname: options.hostname,
		warnings: l.warnings,
	}
	config := section.decode(l.section())
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	return config, nil
}

func (s Source) hostname() (string, error) {
	if s.Hostname != "" {
		return s.Hostname, nil
	}
	return os.Hostname()
}

// merging makes koanf merge as merge does.
var merging = koanf.WithMergeFunc(func(later, earlier map[string]any) error { merge(later, earlier); return nil })

// loader merges the sources of one configuration.
type loader struct {
	options  Options
	env      lookup
	koanf    *koanf.Koanf
	origins  map[path]Origin
	problems problems
	warnings []string
}

func newLoader(options Options) *loader {
	if options.Environ == nil {
		options.Environ = os.Environ()
	}
	return &loader{
		options: options,
		env:     lookupIn(options.Environ),
		koanf:   koanf.New(pathSeparator),
		origins: map[path]Origin{},
	}
}

// read merges all sources, later over earlier. A placeholder without a value is a mistake only if no later source
// replaces it.
func (l *loader) read(known *registry) {
	l.readKoanf()
	l.readFiles()
	l.readEnvironment(known)
	l.readValues()
	l.problems.list = append(l.problems.list, mistakesIn(l.section())...)
}

// section is the merged value of `cosid:`, nil where no source had it.
func (l *loader) section() any { return l.koanf.Raw()[string(root)] }

// readKoanf takes the section out of what the application loaded.
func (l *loader) readKoanf() {
	if l.options.Koanf != nil {
		l.readTree(l.options.Koanf.Raw()[string(root)], "the application's koanf")
	}
}

// readTree takes in a section of plain values; nil is none.
func (l *loader) readTree(section any, source string) {
	if section == nil {
		return
	}
	twiceIn(root, section, func(at path) {
		l.problems.add(Problem{Origin: Origin{Source: source}, Path: at.String(), What: "the key stands here in two spellings"})
	})
	values := canonicalValue(root, section, func(p path) { l.origins[p] = Origin{Source: source} })
	if err := l.koanf.Load(confmap.Provider(map[string]any{string(root): values}, ""), nil, merging); err != nil {
		l.problems.add(Problem{Origin: Origin{Source: source}, What: err.Error()})
	}
}

func (l *loader) readFiles() {
	files := l.files()
	read, found := 0, map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file.path)
		if err != nil {
			if file.required || !isAbsent(err) {
				l.problems.add(Problem{Origin: Origin{File: file.shown}, What: "cannot be read: " + plainFileError(err)})
			}
			continue
		}
		parser := &yamlParser{file: file.shown, env: l.env, origins: l.origins, problems: &l.problems}
		before := len(l.problems.list)
		if err := l.koanf.Load(rawbytes.Provider(content), parser, merging); err != nil {
			l.problems.add(Problem{Origin: Origin{File: file.shown}, What: err.Error()})
		}
		found[file.profile] = true
		if parser.found {
			read++
		} else if file.required && len(l.problems.list) == before {
			l.problems.add(Problem{
				Origin: Origin{File: file.shown}, What: "the file has no top-level key `cosid`",
				Accepted: "a `cosid:` section, see the README",
			})
		}
	}
	if len(files) > 0 {
		for _, profile := range l.profiles() {
			if !found[profile] {
				l.warnings = append(l.warnings, fmt.Sprintf("COSID_PROFILE names %q, and no file has that profile", profile))
			}
		}
	}
	if read == 0 && l.section() == nil && len(l.options.Values) == 0 && len(l.problems.list) == 0 {
		notFound, accepted := "none of "+shownNames(files)+" has a `cosid:` section", "such a file, or COSID_CONFIG naming another"
		if len(files) == 0 {
			notFound, accepted = "the application's koanf has no `cosid` section", "a koanf that holds one under the key `cosid`"
		}
		l.problems.add(Problem{
			What:     "no configuration was found: " + notFound,
			Accepted: accepted,
		})
	}
}

// isAbsent tells whether a file is not there, or its folder is a file.
func isAbsent(err error) bool { return os.IsNotExist(err) || errors.Is(err, syscall.ENOTDIR) }

func (l *loader) readEnvironment(known *registry) {
	variables := newVariables(l.section(), l.env, known)
	for _, p := range variables.resolveAll(l.options.Environ) {
		l.problems.add(p)
	}
	provider := env.Provider(pathSeparator, env.Opt{
		EnvironFunc: func() []string { return l.options.Environ },
		TransformFunc: func(name, value string) (string, any) {
			place, ok := variables.matched[name]
			if !ok {
				return "", nil
			}
			l.origins[place] = Origin{Variable: name}
			return string(place), fromVariable(value)
		},
	})
	if err := l.koanf.Load(provider, nil); err != nil {
		l.problems.add(Problem{Origin: Origin{Source: "environment"}, What: err.Error()})
	}
	l.warnings = append(l.warnings, variables.warnings...)
}

func (l *loader) readValues() {
	if len(l.options.Values) > 0 {
		l.readTree(l.options.Values, "values from code")
	}
}
