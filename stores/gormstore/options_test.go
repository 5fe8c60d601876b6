package gormstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/utils/tests"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
	"github.com/cosid-go/cosid/stores/gormstore"
)

func TestOptionsSayWhichKeyIsWrong(t *testing.T) {
	valid := gormstore.DefaultOptions()
	valid.DSN = "data/cosid.db"
	if err := valid.Validate(); err != nil {
		t.Fatalf("valid options: %v", err)
	}
	for _, test := range []struct {
		name   string
		change func(o *gormstore.Options)
		key    string
		says   string
	}{
		{"an unknown driver", func(o *gormstore.Options) { o.Driver = "oracle" }, "driver", "sqlite"},
		{"no dsn", func(o *gormstore.Options) { o.DSN = "" }, "dsn", "no *gorm.DB was handed"},
		{"an empty prefix", func(o *gormstore.Options) { o.TablePrefix = "" }, "table-prefix", "[A-Za-z_]"},
		{"a prefix with SQL", func(o *gormstore.Options) { o.TablePrefix = "x; --" }, "table-prefix", "[A-Za-z_]"},
		{"memory", func(o *gormstore.Options) { o.DSN = ":memory:" }, "dsn", "type: memory"},
		{"memory as a URI", func(o *gormstore.Options) { o.DSN = "file::memory:?cache=shared" }, "dsn", "type: memory"},
		{"memory as a mode", func(o *gormstore.Options) { o.DSN = "file:x?mode=memory" }, "dsn", "type: memory"},
		{"a temporary file", func(o *gormstore.Options) { o.DSN = "file:?x=1" }, "dsn", "type: memory"},
		{"a path with parameters", func(o *gormstore.Options) { o.DSN = "x.db?mode=ro" }, "dsn", "file:"},
		{"no durability", func(o *gormstore.Options) { o.DSN = "file:x.db?_pragma=synchronous(OFF)" }, "dsn", "_pragma"},
		{"no journal", func(o *gormstore.Options) { o.DSN = "file:x.db?_journal_mode=OFF" }, "dsn", "_journal_mode"},
		{"no locks", func(o *gormstore.Options) { o.DSN = "file:x.db?nolock=1" }, "dsn", "nolock"},
		{"a broken query", func(o *gormstore.Options) { o.DSN = "file:x.db?a=%zz" }, "dsn", "cannot be read"},
		{"a pool for a file", func(o *gormstore.Options) { o.MaxOpenConns = 2 }, "max-open-conns", "one connection"},
		{"a negative pool", func(o *gormstore.Options) {
			o.Driver, o.DSN, o.MaxOpenConns = "postgres", "postgres://h/db", -1
		}, "max-open-conns", "negative"},
		{"a pool for a database handed in", func(o *gormstore.Options) {
			o.DSN, o.ConnMaxLifetime = "", time.Minute
		}, "conn-max-lifetime", "handed in"},
		{"a server", func(o *gormstore.Options) { o.DSN = "postgres://u:secret@h/db" }, "dsn", "not a SQLite file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := valid
			test.change(&options)
			err := options.Validate()
			wrong := errorOf(err, test.key)
			if wrong == nil {
				t.Fatalf("error %v, want a field.Error", err)
			}
			if wrong.Key != test.key || !strings.Contains(wrong.Error(), test.says) {
				t.Errorf("error %v, want one of key %q that says %q", wrong, test.key, test.says)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error prints a password: %v", err)
			}
		})
	}
}

func TestOptionsReportEveryMistake(t *testing.T) {
	options := gormstore.Options{Driver: "oracle", TablePrefix: "-"}
	err := options.Validate()
	for _, key := range []string{"driver", "table-prefix", "dsn"} {
		if err == nil || !strings.Contains(err.Error(), key+": ") {
			t.Errorf("error %v does not mention %s", err, key)
		}
	}
}

func TestFactoryKnowsWhetherADSNIsNeeded(t *testing.T) {
	without := gormstore.Factory{}.NewOptions().(*gormstore.Options)
	if err := without.Validate(); err == nil {
		t.Error("no dsn and no *gorm.DB is valid")
	}
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	with := gormstore.Factory{DB: db}.NewOptions().(*gormstore.Options)
	if err := with.Validate(); err != nil {
		t.Errorf("a *gorm.DB without dsn: %v", err)
	}
}

func TestBuildRefusesWhatCannotWork(t *testing.T) {
	options := func(change func(o *gormstore.Options)) *gormstore.Options {
		o := gormstore.DefaultOptions()
		change(&o)
		return &o
	}
	dsn := func(o *gormstore.Options) { o.DSN = filepath.Join(t.TempDir(), "cosid.db") }
	foreign, err := gorm.Open(tests.DummyDialector{})
	if err != nil {
		t.Fatal(err)
	}
	app := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	for _, test := range []struct {
		name    string
		factory gormstore.Factory
		timeout time.Duration
		options any
		says    string
	}{
		{"no database", gormstore.Factory{}, time.Second, options(func(*gormstore.Options) {}), "no *gorm.DB was handed"},
		{"no timeout", gormstore.Factory{}, 0, options(dsn), "timeout"},
		{"other options", gormstore.Factory{}, time.Second, 42, "NewOptions"},
		{"an unknown dialect", gormstore.Factory{DB: foreign}, time.Second, options(func(*gormstore.Options) {}), `"dummy"`},
		{"an empty DB", gormstore.Factory{DB: &gorm.DB{}}, time.Second, options(func(*gormstore.Options) {}), "gorm.Open"},
		{
			"another driver than the DB's",
			gormstore.Factory{DB: foreign},
			time.Second,
			options(func(o *gormstore.Options) { o.Driver = "sqlite" }), "driver",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			store, err := test.factory.Build(stores.Spec{Name: "db", Timeout: test.timeout}, test.options)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("error %v, want one that says %q", err, test.says)
			}
			if store != nil {
				t.Errorf("a store beside the error: %v", store)
			}
		})
	}
	if _, err := (gormstore.Factory{DB: app}).Build(spec(), options(dsn)); err != nil {
		t.Errorf("a dsn beside a *gorm.DB: %v", err)
	}
}

func TestBuildDoesNoIO(t *testing.T) {
	dir := t.TempDir()
	store := onFile(t, filepath.Join(dir, "data", "cosid.db"))
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("building made %v", left)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("closing made %v", left)
	}
}

func TestDDLIsWhatTheStoreCreates(t *testing.T) {
	db := applicationDB(t, filepath.Join(t.TempDir(), "app.db"))
	statements, err := gormstore.DDL("sqlite", "shop_")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it can be run again
		for _, statement := range statements {
			if err := db.Exec(statement).Error; err != nil {
				t.Fatal(err)
			}
		}
	}
	options := gormstore.DefaultOptions()
	options.TablePrefix = "shop_"
	store := start(t, db, options)
	if r, err := store.Reserve(t.Context(), "shop/bill", 10, 1); err != nil || r.Start != 1 {
		t.Errorf("reserve answered %v, %v", r, err)
	}
	if _, err := gormstore.DDL("oracle", "shop_"); err == nil {
		t.Error("DDL of an unknown driver")
	}
}

// errorOf finds the field.Error of a key among joined errors.
func errorOf(err error, key string) *field.Error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	for _, err := range joined.Unwrap() {
		var wrong *field.Error
		if errors.As(err, &wrong) && wrong.Key == key {
			return wrong
		}
	}
	return nil
}
