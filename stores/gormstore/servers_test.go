package gormstore_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	mysqldriver "github.com/go-sql-driver/mysql"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// server is a running database server, as the tests of all of them see it.
type server struct {
	serverProcess
	driver    string
	dialector func(dsn string) gorm.Dialector
	edit      func(dsn string, change func(a *address)) string
}

type serverProcess interface {
	DSN(database string) string
	NewDatabase(tb testing.TB) string
	Start() error
	Kill()
	Stop()
	Freeze() error
	Thaw() error
}

// address is what a DSN says, in the words of all drivers.
type address struct {
	user, password, host, database string
	parameters                     map[string]string
}

func startPostgres(t *testing.T, clock *servers.Clock) *server {
	return &server{
		serverProcess: servers.StartPostgresUnder(t, clock), driver: "postgres", dialector: postgres.Open,
		edit: func(dsn string, change func(a *address)) string {
			parsed, err := url.Parse(dsn)
			if err != nil {
				t.Fatal(err)
			}
			password, _ := parsed.User.Password()
			a := address{parsed.User.Username(), password, parsed.Host, parsed.Path, map[string]string{}}
			change(&a)
			parsed.User, parsed.Host, parsed.Path = url.UserPassword(a.user, a.password), a.host, a.database
			query := parsed.Query()
			for name, value := range a.parameters {
				query.Set(name, value)
			}
			parsed.RawQuery = query.Encode()
			return parsed.String()
		},
	}
}

func startMariaDB(t *testing.T, clock *servers.Clock) *server {
	return &server{
		serverProcess: servers.StartMariaDBUnder(t, clock), driver: "mysql", dialector: mysql.Open,
		edit: func(dsn string, change func(a *address)) string {
			config, err := mysqldriver.ParseDSN(dsn)
			if err != nil {
				t.Fatal(err)
			}
			a := address{config.User, config.Passwd, config.Addr, config.DBName, map[string]string{}}
			change(&a)
			config.User, config.Passwd, config.Addr, config.DBName = a.user, a.password, a.host, a.database
			config.Params = a.parameters
			return config.FormatDSN()
		},
	}
}

// newDSN is that of an empty database.
func (s *server) newDSN(t *testing.T) string { return s.DSN(s.NewDatabase(t)) }

func (s *server) with(dsn, parameter, value string) string {
	return s.edit(dsn, func(a *address) { a.parameters[parameter] = value })
}

// application opens a database as an application would, with a pool of so many connections; 0 = no bound.
func (s *server) application(t testing.TB, dsn string, config gorm.Config, connections int) *gorm.DB {
	t.Helper()
	config.Logger = logger.Discard
	db, err := gorm.Open(s.dialector(dsn), &config)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	t.Cleanup(func() { pool.Close() })
	return db
}

// options are those of a store with a DSN of its own that makes its table.
func (s *server) options(dsn string) gormstore.Options {
	yes, options := true, gormstore.DefaultOptions()
	options.Driver, options.DSN, options.AutoMigrate = s.driver, dsn, &yes
	return options
}

// handedIn are the options of a store on an application's database that makes its table.
func handedIn() gormstore.Options {
	yes, options := true, gormstore.DefaultOptions()
	options.AutoMigrate = &yes
	return options
}

// mysqlDiffers are settings of an application's MySQL pool that change what its answers mean, or how they come.
var mysqlDiffers = map[string]string{"clientFoundRows": "true", "parseTime": "true", "multiStatements": "true"}

func TestPostgres(t *testing.T) {
	t.Parallel() // with the other server: much of the time passes in waiting for disks
	onServer(t, startPostgres(t, nil))
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	onServer(t, startMariaDB(t, nil))
}

// onServer runs what holds on every server, on one that they share.
func onServer(t *testing.T, s *server) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s *server)
	}{
		{"RangeStore", rangeSuites},
		{"Creating_fifty_keys_at_once_meets_no_error", fiftyKeysAtOnce},
		{"Sixteen_writers_of_one_key_meet_no_error", sixteenWriters},
		{"Eight_clients_create_the_table_at_once", eightClientsCreate},
		{"Eight_processes_create_the_table_at_once", eightProcesses},
		{"A_server_killed_under_load_never_repeats", killedUnderLoad},
		{"A_pool_recovers_from_a_restart", restartedInTheMiddle},
		{"Start_says_what_to_do", startSaysWhatToDo},
		{"A_table_that_is_not_right_is_mended_by_what_the_error_says", wrongTables},
		{"A_missing_table_is_not_created_unasked", missingTable},
		{"DDL_is_what_the_store_creates", ddlOnServer},
		{"A_reserve_is_one_statement", oneStatement},
		{"Keys_differ_by_case", keysDifferByCase},
		{"A_rollback_gives_nothing_back", rollbackOnServer},
		{"A_pool_held_by_the_caller_is_an_error_within_the_timeout", poolHeldOnServer},
		{"A_locked_row_is_an_error_within_the_timeout", lockedRow},
		{"A_frozen_server_is_an_error_within_the_timeout", frozenOnServer},
		{"A_table_that_vanished_is_an_error_that_says_so", vanishedOnServer},
		{"A_connection_that_may_not_write_is_replaced", readOnlyConnection},
		{"Settings_of_a_DSN_change_nothing_that_counts", ownConnections},
		{"A_pool_that_looks_elsewhere_goes_on_where_it_was", looksElsewhere},
		{"A_full_disk_is_an_error_that_says_so", fullDisk},
		{"Weak_durability_is_warned_about", weakDurability},
		{"A_commit_that_no_standby_has_is_of_unknown_outcome", missingStandby},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

// newStarted builds a store and starts it.
func newStarted(t *testing.T, db *gorm.DB, options gormstore.Options, timeout time.Duration) *gormstore.Store {
	t.Helper()
	store, err := gormstore.New(stores.Spec{Name: "db", Timeout: timeout}, db, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	return store
}
