package main

import (
	"database/sql"
	"strings"
	"testing"

	sqlite "github.com/libtnb/sqlite"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/stores/memstore"
)

// next is the stored next id of a key, -1 where there is none.
func (tr *trial) next(t *testing.T, key string) int64 {
	t.Helper()
	for record := range client(t, tr.memory1).Ranges(t.Context(), key) {
		if record.Key == key {
			return record.Next
		}
	}
	return -1
}

func TestImportSetsTheNextID(t *testing.T) {
	tr := inShop(t, shop)
	golden(t, "import-dry", tr.run(t, "import --generator order --last 73021").fine(t))
	if next := tr.next(t, "shop/order"); next != -1 {
		t.Errorf("a dry run set %d", next)
	}
	golden(t, "import", tr.run(t, "import --generator order --last 73021 --yes").fine(t))
	if next := tr.next(t, "shop/order"); next != 73022 {
		t.Errorf("the next id is %d, want 73022", next)
	}
	golden(t, "import.json", tr.run(t, "import --generator order --next 9007199254740993 --yes --output json").fine(t))
	golden(t, "import-same", tr.run(t, "import --generator order --next 9007199254740993 --yes").fine(t))
	tr.run(t, "import --generator bill --period 20261130 --next 43 --yes").fine(t)
	if next := tr.next(t, "shop/bill/20261130"); next != 43 {
		t.Errorf("the next id of the period is %d, want 43", next)
	}
	r, err := client(t, tr.memory1).Reserve(t.Context(), "shop/order", 1, 1)
	if err != nil || r.Start != 9007199254740993 {
		t.Errorf("Reserve = %v, %v", r, err)
	}
}

func TestACounterNeverGoesBack(t *testing.T) {
	tr := inShop(t, shop)
	tr.run(t, "import --generator order --next 500 --yes").fine(t)
	for _, flag := range []string{"", " --yes"} {
		out := tr.run(t, "import --generator order --last 119"+flag).fails(t, cli.ExitFailure, "counter would go back: the next id of "+
			"shop/order in store \"db\" is 500 already, and 120 was asked for (after --last 119): ids in between may have been "+
			"issued, so nothing was changed")
		if next := tr.next(t, "shop/order"); next != 500 || out != "" {
			t.Errorf("the next id is %d\n%s", next, out)
		}
	}
	holds(t, tr.memory1, "shop/bill/20261129!")
	for _, flag := range []string{"", " --yes"} {
		tr.run(t, "import --generator bill --period 20261129 --next 500"+flag).fails(t, cli.ExitFailure, "range sealed: "+
			"shop/bill/20261129 in store \"db\" gives no ids any more, so nothing was changed")
	}
}

func TestImportRefusesWhatIsNoStartOfACounter(t *testing.T) {
	const usage, failure = cli.ExitUsage, cli.ExitFailure
	for _, c := range []struct {
		args string
		code int
		line string
	}{
		{"--generator order --next -1", usage, "--next: -1 is negative, and ids are not"},
		{"--generator order --last -1", usage, "--last: -1 is negative, and ids are not"},
		{"--generator order --next x", usage, `--next: "x" is not a whole number`},
		{"--generator order --next 1.5", usage, `--next: "1.5" is not a whole number`},
		{"--generator order --next +1", usage, `--next: "+1" is not a whole number`},
		{"--generator order --next 9223372036854775808", usage, "--next: 9223372036854775808 is greater than any id can be: the greatest is 9223372036854775807"},
		{"--generator order --last 9223372036854775807", usage, "--last: the last id is 9223372036854775807, which no other can follow"},
		{"--generator trade --next 1", failure, `generator "trade" has no counter to set: its strategy is snowflake`},
		{"--generator bill --next 1", failure, `generator "bill" has a counter for each period: say which with --period, such as 20261130`},
		{"--generator order --period 2026 --next 1", failure, `generator "order" has no periods, so --period 2026 means nothing`},
		{"--generator bill --period 202611 --next 1", failure, `--period "202611" is not a period of generator "bill": its YEAR_MONTH_DAY is written like 20261130; choose one with --generator`},
		{"--generator ordre --next 1", failure, `unknown generator "ordre" (have bill, early, order, trade); did you mean "order"?`},
	} {
		tr := inShop(t, shop)
		if out := tr.run(t, "import --yes "+c.args).fails(t, c.code, c.line); out != "" || tr.keys(t) != "" {
			t.Errorf("%s: printed %q, stored %s", c.args, out, tr.keys(t))
		}
	}
}

func TestTheGreatestIDCanBeSet(t *testing.T) {
	tr := inShop(t, shop)
	tr.run(t, "import --generator order --last 9223372036854775806 --yes").fine(t)
	if next := tr.next(t, "shop/order"); next != 9223372036854775807 {
		t.Errorf("the next id is %d", next)
	}
}

// tables makes a SQLite file with these statements.
func tables(t *testing.T, file string, statements ...string) {
	t.Helper()
	db, err := sql.Open(sqlite.DriverName, file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// As texts 9 comes after 1000, so the greatest text says nothing of the greatest id.
func TestImportRefusesAColumnOfTextsUnlessTheQueryCastsIt(t *testing.T) {
	tr := inShop(t, shop)
	tables(t, "app.db", `create table orders (id varchar(20), wide decimal(20))`,
		`insert into orders values ('9', '9'), ('10', '10'), ('1000', '1000')`)
	const database = "import --generator order --yes --driver sqlite --dsn app.db "
	tr.run(t, database+"--table orders --column id").fails(t, cli.ExitFailure,
		"import from sqlite, the greatest id of orders: column id holds texts, whose greatest is not the greatest number "+
			"(9 comes after 10): cast it in --query, as in select max(cast(id as …)) from orders")
	if tr.keys(t) != "" {
		t.Errorf("stored %s", tr.keys(t))
	}
	for _, way := range [][]string{
		{"--query", "select max(cast(id as integer)) from orders"},
		{"--table", "orders", "--column", "wide"}, // decimal: compared as numbers
	} {
		tr.runArgs(t.Context(), append(strings.Fields(database), way...)...).fine(t)
		if next := tr.next(t, "shop/order"); next != 1001 {
			t.Errorf("%q: the next id is %d, want 1001", way, next)
		}
		tr.memory1 = &memstore.Server{Clock: tr.now}
	}
}

func sources(t *testing.T) *trial {
	tr := inShop(t, shop)
	tables(t, "app.db",
		`create table "order" (id integer primary key, note text, part real)`,
		`insert into "order" values (41, 'x', 1.5), (73021, 'y', 2.5), (7, '12a', 3.5)`,
		`create table empty (id integer primary key)`,
		`create table cosid (name varchar(100) primary key, last_max_id bigint not null, last_fetch_time bigint not null)`,
		`insert into cosid values ('shop.order', 1000, 1), ('shop.bill@20261130', 42, 1), ('a.b', 9223372036854775807, 1),
			('shop.fresh', 0, 1)`,
		`create table cosid_old (name varchar(100) primary key, last_max_id text)`,
		`insert into cosid_old values ('shop.order', null), ('minus', '-5'), ('huge', '18446744073709551615'), ('fine', ' 77 ')`,
	)
	return tr
}

func TestImportReadsADatabase(t *testing.T) {
	for args, want := range map[string]int64{
		"--table order --column id":                          73022,
		"--table main.order --column id":                     73022,
		"--query select&max(id)&from&'order'&where&note='x'": 42,
		"--cosid":                         1001,
		"--cosid --cosid-name shop.fresh": 1,
		"--cosid --cosid-name fine --table cosid_old":                 78,
		"--query select&last_max_id&from&cosid_old&where&name='fine'": 78,
	} {
		tr := sources(t)
		words := strings.Fields("import --generator order --yes --driver sqlite --dsn app.db " + args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "&", " ")
		}
		tr.runArgs(t.Context(), words...).fine(t)
		if next := tr.next(t, "shop/order"); next != want {
			t.Errorf("%s: the next id is %d, want %d", args, next, want)
		}
	}
	tr := sources(t)
	golden(t, "import-cosid", tr.run(t,
		"import --generator bill --period 20261130 --driver sqlite --dsn file:app.db --cosid --yes").fine(t))
	if next := tr.next(t, "shop/bill/20261130"); next != 43 {
		t.Errorf("the next id is %d, want 43", next)
	}
}

func TestImportRefusesWhatADatabaseDoesNotSayClearly(t *testing.T) {
	for args, line := range map[string]string{
		"--table empty --column id":                    "sqlite, the greatest id of empty: the answer is NULL: there is no id yet, so begin with --next 1 or where you like",
		"--table nope --column id":                     "sqlite, the greatest id of nope: SQL logic error: no such table: nope (1)",
		"--table order --column note":                  `sqlite, the greatest note of order: "y" is not a whole number`,
		"--table order --column part":                  "sqlite, the greatest part of order: the answer is a float64, and must be a whole number; cast it to one in --query",
		"--query select&id&from&'order'":               "sqlite, the query: the answer has more than one row, and must have one",
		"--query select&1,2":                           "sqlite, the query: the answer has 2 columns, and must have one",
		"--query select&1&where&0":                     "sqlite, the query: the answer has no row",
		"--query delete&from&empty&returning&id":       "sqlite, the query: attempt to write a readonly database (8)",
		"--cosid --cosid-name shop.nope":               "sqlite, table cosid, row shop.nope: there is no such row; --cosid-name gives another name",
		"--cosid --cosid-name a.b":                     "sqlite, table cosid, row a.b: the last id is 9223372036854775807, which no other can follow",
		"--cosid --table cosid_old":                    "sqlite, table cosid_old, row shop.order: the answer is NULL: there is no id yet, so begin with --next 1 or where you like",
		"--cosid --table cosid_old --cosid-name minus": "sqlite, table cosid_old, row minus: -5 is negative, and ids are not",
		"--cosid --table cosid_old --cosid-name huge":  "sqlite, table cosid_old, row huge: 18446744073709551615 is greater than any id can be: the greatest is 9223372036854775807",
	} {
		tr := sources(t)
		words := strings.Fields("import --generator order --yes --driver sqlite --dsn app.db " + args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "&", " ")
		}
		tr.runArgs(t.Context(), words...).fails(t, cli.ExitFailure, "import from "+line)
		if tr.keys(t) != "" {
			t.Errorf("%s: stored %s", args, tr.keys(t))
		}
	}
}

// What a driver's parser says of an address can hold a piece of the password, and so can what a server's name becomes.
func TestNoSecretOfASourceIsPrinted(t *testing.T) {
	for _, flags := range []string{
		"--driver postgres --cosid --dsn postgres://app:hunter2/x%zz@127.0.0.1:1/db",
		"--driver postgres --cosid --dsn postgres://app:hunter2@127.0.0.1:1/db",
		"--driver postgres --cosid --dsn host=127.0.0.1&port=1&user=app&password=hunter2",
		"--driver mysql --cosid --dsn app:hunter2@tcp(127.0.0.1:1)/db",
		"--driver mysql --cosid --dsn app:hunter2@/x@@(/",
		"--redis redis://app:hunter2/%zz@127.0.0.1:1/0",
		"--redis redis://app:hunter2@127.0.0.1:1/0",
		"--redis redis://app:hunter2@127.0.0.1:1 --redis-cluster",
		"--redis ${SECRET}",
		"--driver mariadb --cosid --dsn ${SECRET}",
	} {
		tr := inShop(t, shop)
		tr.environ = append(tr.environ, "SECRET=app:hunter2%zz")
		words := strings.Fields("import --generator order --yes " + flags)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "&", " ")
		}
		r := tr.runArgs(t.Context(), words...)
		if r.code != cli.ExitFailure || strings.Contains(r.out+r.err, "hunter2") || strings.Count(r.err, "\n") != 1 ||
			!strings.HasPrefix(r.err, "cosid-migration: import from ") {
			t.Errorf("%s: %+v", flags, r)
		}
	}
}

func FuzzParseID(f *testing.F) {
	for _, seed := range []string{"", "0", "-0", "007", "9223372036854775807", "9223372036854775808", "1e3", "١"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := parseID(text); err == nil && n < 0 {
			t.Errorf("%q is read as %d", text, n)
		}
	})
}
