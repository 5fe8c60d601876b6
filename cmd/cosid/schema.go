package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/config"
	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// schemaID is the address under which editors find the published schema.
const schemaID = "https://raw.githubusercontent.com/cosid-go/cosid/main/docs/cosid.schema.json"

func newSchema(t *cli.Tool) *cobra.Command {
	var dialect, prefix string
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration, or the SQL of the tables",
		Long: `Schema prints the JSON Schema (draft 2020-12) of a file with a cosid section, for editors and CI. With --ddl it
prints the statements that create the tables of a store of type gorm, for migrations; each creates only what is
missing. No configuration is read.`,
		Example: `  cosid schema > cosid.schema.json
  cosid schema --ddl postgres --table-prefix cosid_`,
		Args: cli.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd.Flags().Changed("ddl"):
				statements, err := ddl(dialect, prefix)
				if err != nil {
					return err
				}
				return t.Show(&tables{Statements: statements})
			case cmd.Flags().Changed("table-prefix"):
				return cli.Usagef("--table-prefix needs --ddl")
			}
			text, err := config.Schema(schemaID, t.ConfigOptions(), nil)
			if err != nil {
				return err
			}
			_, err = t.Stdout.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&dialect, "ddl", "", "print SQL for this `DATABASE`: "+dialects)
	cmd.Flags().StringVar(&prefix, "table-prefix", gormstore.DefaultOptions().TablePrefix,
		"begin the tables' names with `PREFIX`")
	cli.Complete(cmd, "ddl", strings.Split(dialects, ", "))
	return cmd
}

// dialects are what --ddl takes.
const dialects = "sqlite, postgres, mysql"

// ddl is gormstore.DDL with errors that name the flags.
func ddl(dialect, prefix string) ([]string, error) {
	if dialect == "" {
		return nil, cli.Usagef("--ddl needs a database: %s", dialects)
	}
	statements, err := gormstore.DDL(dialect, prefix)
	var wrong *field.Error
	if !errors.As(err, &wrong) {
		return statements, err
	}
	flag := "--" + wrong.Key
	if wrong.Key == "driver" {
		flag = "--ddl"
	}
	return nil, cli.Usagef("%s: %s; accepted: %s", flag, wrong.Problem, wrong.Accepted)
}

// tables are the statements that create a store's tables.
type tables struct {
	Statements []string `json:"statements"`
}

// Text writes them as a script.
func (s *tables) Text(p *cli.Page) {
	for _, statement := range s.Statements {
		p.Linef("%s;", strings.TrimSuffix(strings.TrimSpace(statement), ";"))
	}
}
