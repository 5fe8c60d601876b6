package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/internal/names"
	"github.com/cosid-go/cosid/runtime"
)

// ConfigOptions are those that the flags ask for.
func (t *Tool) ConfigOptions() config.Options {
	o := t.Options
	o.Source.Files, o.Source.Environ = t.files, t.Environ
	return cosid.ConfigOptions(o)
}

// AnyReplica is a copy of t that reads the configuration as one replica of it does, wherever the tool runs: slots of type
// stateful-set have an ordinal.
func (t *Tool) AnyReplica() *Tool {
	replica := *t
	replica.Options.Source.Hostname = "replica-0"
	return &replica
}

// LoadConfig reads and checks the configuration. Its error is a *config.Error. A section that says `enabled: false` is
// ErrDisabled.
func (t *Tool) LoadConfig() (*config.Config, error) {
	cfg, err := config.Load(t.ConfigOptions())
	if err != nil {
		return nil, err
	}
	if !cfg.Enabled {
		return nil, fmt.Errorf("%w: the configuration says `enabled: false`", runtime.ErrDisabled)
	}
	return cfg, nil
}

// FindGenerator is the named generator of cfg. Its error tells the names there are.
func FindGenerator(cfg *config.Config, name string) (config.Generator, error) {
	var known []string
	for _, g := range cfg.Generators {
		if g.Name == name {
			return g, nil
		}
		known = append(known, g.Name)
	}
	return config.Generator{}, unknown(runtime.ErrUnknownGenerator.Error(), name, known)
}

// FindStore is the named store of cfg. Its error tells the names there are.
func FindStore(cfg *config.Config, name string) (config.Store, error) {
	var known []string
	for _, s := range cfg.Stores {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return config.Store{}, unknown("unknown store", name, known)
}

func unknown(what, name string, known []string) error {
	hint := ""
	if near := names.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("%s %q (have %s)%s", what, name, names.List(known), hint)
}

// Only is cfg with a single generator, and the store that it uses: what has to be opened to draw from it.
func Only(cfg *config.Config, g config.Generator) *config.Config {
	only := *cfg
	only.Generators = []config.Generator{g}
	only.Stores = slices.DeleteFunc(slices.Clone(cfg.Stores), func(s config.Store) bool { return s.Name != g.Store })
	return &only
}

// CompleteGenerator completes the first argument with the names of the configured generators.
func (t *Tool) CompleteGenerator(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var found []string
	if len(args) == 0 {
		if outline, err := config.ReadOutline(t.ConfigOptions()); err == nil {
			for _, g := range outline.Generators {
				found = append(found, g.Name)
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// Complete completes a flag of cmd with fixed words.
func Complete(cmd *cobra.Command, flag string, words []string) {
	must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// GeneratorFlag adds --generator NAME with its completion.
func (t *Tool) GeneratorFlag(cmd *cobra.Command, name *string, usage string) {
	cmd.Flags().StringVar(name, "generator", "", usage)
	must(cmd.RegisterFlagCompletionFunc("generator",
		func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return t.CompleteGenerator(c, nil, word)
		}))
}

// StoreFlag adds --store NAME with its completion.
func (t *Tool) StoreFlag(cmd *cobra.Command, name *string, usage string) {
	cmd.Flags().StringVar(name, "store", "", usage)
	must(cmd.RegisterFlagCompletionFunc("store",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var found []string
			if cfg, err := config.Load(t.ConfigOptions()); err == nil {
				for _, s := range cfg.Stores {
					found = append(found, s.Name)
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		}))
}

// Stores are those of cfg that --store chose: all of them for the empty name.
func Stores(cfg *config.Config, name string) ([]config.Store, error) {
	if name == "" {
		return cfg.Stores, nil
	}
	s, err := FindStore(cfg, name)
	if err != nil {
		return nil, err
	}
	return []config.Store{s}, nil
}
