package gormstore

import (
	"cmp"
	"database/sql"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/cosid-go/cosid/config/field"
)

// Options are the options of `type: gorm`. DefaultOptions holds the defaults.
type Options struct {
	// Driver names the database: "sqlite", "postgres" or "mysql", for which "mariadb" is another word. Empty means
	// sqlite with a DSN, and whatever the database handed in speaks without one.
	Driver string `koanf:"driver" schema:"enum=sqlite|postgres|mysql|mariadb"`

	// DSN says where the database is. For SQLite: a file path, or a file: URI where SQLite's own parameters are
	// needed. For PostgreSQL: a postgres:// URL, or a list of key=value as libpq reads it. For MySQL and MariaDB:
	// user:password@tcp(host:3306)/database. Empty means the *gorm.DB that was handed in.
	DSN string `koanf:"dsn"`

	// TablePrefix begins the names of the store's tables.
	TablePrefix string `koanf:"table-prefix" schema:"pattern=[A-Za-z_][A-Za-z0-9_]{0,31}"`

	// AutoMigrate creates missing tables at Start. Nil is true for a SQLite file of the store's own and false for
	// servers and for a database handed in: a shared schema changes only when somebody says so. Where it is false, the
	// tables of slot leases may be missing until the first slot is leased.
	AutoMigrate *bool `koanf:"auto-migrate"`

	// MaxOpenConns bounds the pool that the store opens for a server; 0 is 4. A call needs a connection for one short
	// statement. SQLite's pool is always of one connection, and that of a database handed in is the application's.
	MaxOpenConns int `koanf:"max-open-conns" schema:"min=0"`

	// ConnMaxLifetime is how long a connection of that pool is used, so that after a failover behind one address no
	// old connection stays for good; 0 is 30 minutes.
	ConnMaxLifetime time.Duration `koanf:"conn-max-lifetime" schema:"min=0"`

	handedIn bool   // the factory has a database
	home     string // the schema in which Start found the tables, quoted and with a dot; empty before
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
		problems = append(problems, field.Errorf("dsn", "the database's address, such as data/cosid.db, or a *gorm.DB handed in",
			"missing, and no *gorm.DB was handed to the store"))
	case o.DSN != "" && known:
		if err := dialect.checkDSN(o.DSN); err != nil {
			problems = append(problems, err)
		}
	}
	if known {
		problems = append(problems, o.checkPool(dialect.embedded())...)
	}
	return errors.Join(problems...)
}

func (o *Options) checkPool(embedded bool) []error {
	var problems []error
	for _, setting := range []struct {
		key   string
		value int64
	}{{"max-open-conns", int64(o.MaxOpenConns)}, {"conn-max-lifetime", int64(o.ConnMaxLifetime)}} {
		switch {
		case setting.value < 0:
			problems = append(problems, field.Errorf(setting.key, "0 or more", "it is negative"))
		case setting.value > 0 && o.DSN == "":
			problems = append(problems, field.Errorf(setting.key, "",
				"without a dsn the pool is that of the *gorm.DB handed in: set it there"))
		case setting.value > 0 && embedded:
			problems = append(problems, field.Errorf(setting.key, "",
				"a SQLite file has a pool of one connection, which stays"))
		}
	}
	return problems
}

// limit makes a server's pool as the options say. Connections stay open while idle: calls come again and again.
func (o *Options) limit(pool *sql.DB) {
	connections := cmp.Or(o.MaxOpenConns, 4)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxLifetime(cmp.Or(o.ConnMaxLifetime, 30*time.Minute))
}

// table is where Start found it, whatever a connection of the application's pool looks at later.
func (o *Options) table() string { return o.home + rangeTable(o.TablePrefix) }

func (o *Options) autoMigrate() bool {
	if o.AutoMigrate != nil {
		return *o.AutoMigrate
	}
	dialect, known := dialectNamed(o.Driver)
	return o.DSN != "" && known && dialect.embedded()
}
