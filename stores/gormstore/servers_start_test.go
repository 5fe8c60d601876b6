package gormstore_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

// What Start says on servers.

// failToStart returns the error of Start, which must not hold a password.
func failToStart(t *testing.T, db *gorm.DB, options gormstore.Options) string {
	t.Helper()
	store, err := gormstore.New(stores.Spec{Name: "db", Timeout: time.Second}, db, options)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = store.Start(t.Context())
	if err == nil {
		t.Fatal("it starts")
	}
	checkNoSecret(t, err)
	return err.Error()
}

const wrongPassword = "another s3cr3t@"

func checkNoSecret(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{servers.SQLPassword, wrongPassword, "s3cr3t", "p:ss", "w@rd", "s3cr3t%20"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error holds %q: %v", secret, err)
		}
	}
}

func startSaysWhatToDo(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	newStarted(t, nil, s.options(dsn), 10*time.Second).Close()
	admin := s.application(t, dsn, gorm.Config{}, 1)
	weak := func(password string) func(a *address) {
		return func(a *address) { a.user, a.password = "weak", password }
	}
	readOnly := map[string]string{"default_transaction_read_only": "on"}
	if s.driver == "mysql" {
		execute(t, admin, `create user 'weak'@'%' identified by 'weak'`, `grant select on cosid_range to 'weak'@'%'`)
		readOnly = map[string]string{"tx_read_only": "1"}
	} else {
		execute(t, admin, `create user weak password 'weak'`)
	}
	for _, test := range []struct {
		name   string
		change func(a *address)
		says   string
	}{
		{"a wrong password", func(a *address) { a.password = wrongPassword }, "check user and password"},
		{"an unknown user", func(a *address) { a.user = "nobody" }, "check user and password"},
		{"an unknown database", func(a *address) { a.database = "nothing" }, "does not exist"},
		{"a port where nobody listens", func(a *address) { a.host = "127.0.0.1:1" }, "cannot be reached"},
		{"an unknown host", func(a *address) { a.host = "nowhere.invalid:1" }, "name is not known"},
		{"a user without rights", weak("weak"), "grant select, insert and update"},
		{"a read-only session", func(a *address) { a.parameters = readOnly }, "cannot be written"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := failToStart(t, nil, s.options(s.edit(dsn, test.change)))
			if !strings.Contains(text, test.says) || !strings.Contains(text, `gormstore: start "db"`) {
				t.Errorf("error %s\nwant one that says %q", text, test.says)
			}
			t.Log(text)
		})
	}
	t.Run("autocommit off", func(t *testing.T) {
		if s.driver != "mysql" {
			t.Log("not applicable: PostgreSQL always commits by itself")
			return
		}
		db := s.application(t, s.with(dsn, "autocommit", "0"), gorm.Config{}, 1)
		if text := failToStart(t, db, handedIn()); !strings.Contains(text, "autocommit=0") {
			t.Error(text)
		}
	})
}

func wrongTables(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	db := s.application(t, dsn, gorm.Config{}, 2)
	const columns = "(range_key %s %s, next_id %s, sealed smallint not null)%s"
	type table struct{ name, create, says string }
	shape := func(name, keyType, key, next, tail, says string) table {
		return table{name, fmt.Sprintf("create table cosid_range "+columns, keyType, key, next, tail), says}
	}
	tables := []table{
		shape("a small counter", "varchar(255)", "primary key", "integer", "", "next_id of table cosid_range is of type"),
		shape("a short key", "varchar(20)", "primary key", "bigint", "", "takes 20 characters"),
	}
	if s.driver == "mysql" {
		const exact = "varchar(255) character set ascii collate ascii_bin"
		tables[0].create = strings.Replace(tables[0].create, "varchar(255)", exact, 1)
		tables[1].create = strings.Replace(tables[1].create, "varchar(20)", "varchar(20) collate ascii_bin", 1)
		tables = append(tables,
			shape("a collation without case", "varchar(255) collate utf8mb4_general_ci", "primary key", "bigint", "", "collation"),
			shape("no key", exact, "", "bigint", "", "not unique"),
			shape("a key of two columns", exact, "", "bigint", "", "not unique"),
			shape("an engine that breaks", exact, "primary key", "bigint", " engine = MyISAM", "MyISAM"),
			shape("a counter that is no integer", exact, "primary key", "double", "", "is of type double"),
		)
		tables[4].create = strings.Replace(tables[4].create, "sealed smallint not null",
			"sealed smallint not null, unique (range_key, next_id)", 1)
	} else {
		execute(t, db, `create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
		tables = append(tables,
			shape("a collation without case", `varchar(255) collate caseless`, "primary key", "bigint", "", "collation"),
			shape("a counter that is no integer", "text", "primary key", "double precision", "", "is of type double precision"),
			table{
				"a table that a crash empties",
				`create unlogged table cosid_range (range_key text primary key, next_id bigint, sealed smallint)`, "unlogged",
			},
		)
	}
	for _, test := range tables {
		t.Run(test.name, func(t *testing.T) {
			execute(t, db, test.create)
			defer execute(t, db, `drop table cosid_range`)
			text := failToStart(t, db, handedIn())
			t.Log(text)
			_, remedy, found := strings.Cut(text, "\n")
			if !strings.Contains(text, test.says) || !found {
				t.Fatalf("error %s\nwant one that says %q and a statement", text, test.says)
			}
			execute(t, db, remedy)
			store := newStarted(t, db, handedIn(), time.Second)
			if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
				t.Errorf("after %q: %v, %v", remedy, r, err)
			}
		})
	}
	for name, create := range map[string]string{
		"a missing column": `create table cosid_range (range_key varchar(255) primary key, value bigint)`,
		"no unique key":    `create table cosid_range (range_key varchar(255), next_id bigint, sealed smallint)`,
		"a flag":           `create table cosid_range (range_key varchar(255) primary key, next_id bigint, sealed char(1))`,
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, db, create)
			defer execute(t, db, `drop table cosid_range`)
			if text := failToStart(t, db, handedIn()); !strings.Contains(text, "range") {
				t.Error(text)
			} else {
				t.Log(text)
			}
		})
	}
}

func missingTable(t *testing.T, s *server) {
	options := s.options(s.newDSN(t))
	options.AutoMigrate = nil // which is no, on a server
	text := failToStart(t, nil, options)
	for _, want := range []string{"table cosid_range is missing", "auto-migrate: true", "create table"} {
		if !strings.Contains(text, want) {
			t.Errorf("error %s\ndoes not say %q", text, want)
		}
	}
	_, ddl, _ := strings.Cut(text, "\n")
	execute(t, s.application(t, options.DSN, gorm.Config{}, 1), ddl)
	newStarted(t, nil, options, time.Second)
}

func ddlOnServer(t *testing.T, s *server) {
	db := s.application(t, s.newDSN(t), gorm.Config{}, 2)
	statements, err := gormstore.DDL(s.driver, "Shop_")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, db, append(statements, statements...)...) // it can be run again
	options := gormstore.DefaultOptions()
	options.TablePrefix = "Shop_"
	store := newStarted(t, db, options, time.Second)
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("reserve answered %v, %v", r, err)
	}
	for _, bad := range []string{
		`update Shop_range set next_id = -1`, `update Shop_range set sealed = 2`,
		`insert into Shop_range values ('shop/bill', 1, 0)`,
	} {
		if err := db.Exec(bad).Error; err == nil {
			t.Errorf("the table accepts %s", bad)
		}
	}
}

// warnings starts a store and returns what it logs.
func warnings(t *testing.T, db *gorm.DB, options gormstore.Options) string {
	t.Helper()
	var log strings.Builder
	store, err := gormstore.New(stores.Spec{
		Name: "db", Timeout: time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}, db, options)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return log.String()
}

func weakDurability(t *testing.T, s *server) {
	dsn := s.newDSN(t)
	admin := s.application(t, dsn, gorm.Config{}, 1)
	if log := warnings(t, admin, handedIn()); log != "" {
		t.Fatalf("with defaults: %s", log)
	}
	if s.driver == "mysql" {
		for _, value := range []string{"0", "2"} {
			execute(t, admin, `set global innodb_flush_log_at_trx_commit = `+value)
			if log := warnings(t, admin, handedIn()); !strings.Contains(log, "set global innodb_flush_log_at_trx_commit = 1") {
				t.Errorf("with %s: %s", value, log)
			}
		}
		execute(t, admin, `set global innodb_flush_log_at_trx_commit = 1`)
		return
	}
	for _, setting := range []string{"fsync", "full_page_writes"} {
		change := func(value string) {
			execute(t, admin, `alter system set `+setting+` = `+value, `select pg_reload_conf()`)
			for got := ""; got != value; {
				if err := admin.Raw(`select current_setting(?)`, setting).Scan(&got).Error; err != nil {
					t.Fatal(err)
				}
			}
		}
		change("off")
		if log := warnings(t, admin, handedIn()); !strings.Contains(log, "alter system set "+setting+" = on") {
			t.Errorf("with %s=off: %s", setting, log)
		}
		change("on")
	}
	execute(t, admin, `create role lazy superuser login password 'lazy'`)
	for _, value := range []string{"off", "local", "remote_write"} {
		lazy := s.application(t, s.with(dsn, "synchronous_commit", value), gorm.Config{}, 1)
		if log := warnings(t, lazy, handedIn()); !strings.Contains(log, "synchronous_commit="+value) ||
			!strings.Contains(log, "set synchronous_commit = on") {
			t.Errorf("with synchronous_commit=%s: %s", value, log)
		}
		execute(t, admin, `alter role lazy set synchronous_commit = `+value)
		own := s.options(s.edit(dsn, func(a *address) { a.user, a.password = "lazy", "lazy" }))
		if log := warnings(t, nil, own); log != "" {
			t.Errorf("a connection of the store's own does not wait for its commits with %s: %s", value, log)
		}
	}
}

// Every mistake that can be seen in a DSN is told by New, and no message repeats a piece of a password.
func TestDSNsOfServersAreChecked(t *testing.T) {
	for driver, dsns := range map[string]struct{ good, bad []string }{
		"postgres": {
			good: []string{
				"postgres://u:s3cr3t%40@h/db", "postgresql://h", "postgres://u@h1:1,h2:2/db?target_session_attrs=read-write",
				"postgres://[::1]:5432/db", "postgres:///db?host=/tmp&password=s3cr3t", "host=h password='s3cr3t \\' x' dbname = db",
				`host=h password=s3cr3t\ x`,
			},
			bad: []string{
				"postgres://u:s3cr3t@x@h/db", "postgres://u:s3cr3t/x@h/db", "postgres://u:s3cr3t?x@h/db", "postgres://u:s3cr3t%@h/db",
				"postgres://u:s3cr3t%zz@h/db", "postgres://u:1/s3cr3t@h/db", "mysql://u:s3cr3t@h/db", "u:s3cr3t@tcp(h:3306)/db",
				"host=h password=a s3cr3t", "host=h password='s3cr3t", "data/cosid.db", "s3cr3t",
			},
		},
		"mysql": {
			good: []string{
				"u:s3cr3t@tcp(h:3306)/db", "u:s3cr3t@/x@tcp(h)/db?parseTime=true", "u@unix(/tmp/s)/db", "/db",
			},
			bad: []string{
				"mysql://u:s3cr3t@h/db", "postgres://u:s3cr3t@h/db", "u:s3cr3t@tcp(h:3306)/", "u:s3cr3t@tcp(h:3306", "u:s3cr3t@h/db",
				"u:s3cr3t/x@tcp(h)", "u:s3cr3t@tcp(h)/db?loc=Asia/Shanghai", "u:s3cr3t@tcp(h)/db?parseTime=s3cr3t", "data/cosid.db",
				"s3cr3t/x", "",
			},
		},
	} {
		for good, list := range map[bool][]string{true: dsns.good, false: dsns.bad} {
			for _, dsn := range list {
				options := gormstore.DefaultOptions()
				options.Driver, options.DSN = driver, dsn
				_, err := gormstore.New(spec(), nil, options)
				if (err == nil) != good {
					t.Errorf("%s: %q: error %v", driver, dsn, err)
				}
				if err != nil {
					checkNoSecret(t, err)
				}
			}
		}
	}
}

// What passes the check of a DSN and fails in the driver holds no secret either.
func TestDSNsThatTheDriverRefusesAreNotRepeated(t *testing.T) {
	for _, test := range []struct{ driver, dsn, says string }{
		{"postgres", "postgres://u:s3cr3t%20@h/db?sslmode=s3cr3t", "sslmode"},
		{"postgres", "postgres://u:s3cr3t%20@h/db?sslrootcert=/nowhere&sslmode=verify-full", "/nowhere"},
		{"postgres", "host=h port=s3cr3t password=s3cr3t", "port"},
		{"postgres", "postgres://u:s3cr3t@h/db?sslrootcert=/s3cr3t&sslmode=verify-full", "CA file"},
		{"postgres", "postgres://h/db?pass%77ord=s3cr3t&sslmode=s3cr3t", "sslmode"},
		{"mysql", "u:s3cr3t@tcp(h)/db?collation=gbk_chinese_ci", "collation"},
	} {
		options := gormstore.DefaultOptions()
		options.Driver, options.DSN = test.driver, test.dsn
		if text := failToStart(t, nil, options); !strings.Contains(text, test.says) {
			t.Errorf("%s: %s\nwant %q", test.dsn, text, test.says)
		}
	}
}

func TestDriverNames(t *testing.T) {
	if !slices.Equal(ddlOf(t, "mariadb"), ddlOf(t, "mysql")) {
		t.Error("mariadb is not another word for mysql")
	}
	if slices.Equal(ddlOf(t, "postgres"), ddlOf(t, "mysql")) {
		t.Error("postgres is another word for mysql")
	}
}

func ddlOf(t *testing.T, driver string) []string {
	t.Helper()
	statements, err := gormstore.DDL(driver, "cosid_")
	if err != nil {
		t.Fatal(err)
	}
	return statements
}
