package gormstore

import (
	"errors"
	"regexp"
	"strings"

	"github.com/cosid-go/cosid/config/field"
)

// Options are the options of `type: gorm`. DefaultOptions holds the defaults.
type Options struct {
	// Driver names the database: "sqlite". Empty means sqlite with a DSN, and whatever the database handed in
	// speaks without one.
	Driver string `koanf:"driver" schema:"enum=sqlite"`

	// DSN says where the database is. For SQLite: a file path, or a file: URI where SQLite's own parameters are
	// needed. Empty means the *gorm.DB that was handed in.
	DSN string `koanf:"dsn"`

	// TablePrefix begins the names of the store's tables.
	TablePrefix string `koanf:"table-prefix" schema:"pattern=[A-Za-z_][A-Za-z0-9_]{0,31}"`

	// AutoMigrate creates missing tables at Start. Nil is true with a DSN and false for a database handed in:
	// an application's schema changes only when it says so.
	AutoMigrate *bool `koanf:"auto-migrate"`

	handedIn bool // the factory has a database
}

// DefaultOptions returns the defaults: the table prefix `cosid_`, everything else empty.
func DefaultOptions() Options { return Options{TablePrefix: "cosid_"} }

// The grammar of TablePrefix, which becomes part of statements unquoted.
const prefixGrammar = `[A-Za-z_][A-Za-z0-9_]{0,31}`

var tablePrefix = regexp.MustCompile(`^` + prefixGrammar + `$`)

// Validate tells everything that is wrong with the options; its errors are joined field.Errors. Without a
// database handed to the factory a missing DSN is one of them.
func (o *Options) Validate() error {
	var problems []error
	dialect, known := dialectNamed(o.Driver)
	if !known {
		problems = append(problems, field.Errorf("driver", strings.Join(dialectNames(), ", "),
			"%q is not a known driver", o.Driver))
	}
	if !tablePrefix.MatchString(o.TablePrefix) {
		problems = append(problems, field.Errorf("table-prefix", prefixGrammar,
			"%q cannot begin a table's name", o.TablePrefix))
	}
	switch {
	case o.DSN == "" && !o.handedIn:
		problems = append(problems, field.Errorf("dsn", "a file path such as data/cosid.db, or a *gorm.DB handed in",
			"missing, and no *gorm.DB was handed to the store"))
	case o.DSN != "" && known:
		if err := dialect.checkDSN(o.DSN); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

func (o *Options) table() string { return o.TablePrefix + "range" }

func (o *Options) autoMigrate() bool {
	if o.AutoMigrate != nil {
		return *o.AutoMigrate
	}
	return o.DSN != ""
}
