package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/internal/servers"
	"github.com/cosid-go/cosid/stores"
)

// place is a store on a real server, or in a file.
type place struct {
	kind, options string // of the entry of cosid.stores; its address is in ${IDS}
	address       string
	secrets       []string // what nothing may show
	redis         []*servers.Redis
}

const redisPassword = "s3cr3t-of-redis"

func onSQLite(t *testing.T) place {
	return place{kind: "gorm", options: `driver: sqlite, dsn: "${IDS}"`, address: t.TempDir() + "/cosid.db"}
}

func onPostgres(t *testing.T) place {
	p := servers.StartPostgres(t)
	return place{
		kind: "gorm", options: `driver: postgres, dsn: "${IDS}", auto-migrate: true`, address: p.DSN(p.NewDatabase(t)),
		secrets: []string{servers.SQLPassword, url.QueryEscape(servers.SQLPassword)},
	}
}

func onMariaDB(t *testing.T) place {
	m := servers.StartMariaDB(t)
	return place{
		kind: "gorm", options: `driver: mysql, dsn: "${IDS}", auto-migrate: true`, address: m.DSN(m.NewDatabase(t)),
		secrets: []string{servers.SQLPassword},
	}
}

func onRedis(t *testing.T) place {
	r := servers.StartRedis(t, servers.RedisSettings{Password: redisPassword})
	return place{
		kind: "redis", options: `uri: "${IDS}"`, address: "redis://:" + redisPassword + "@" + r.Addr,
		secrets: []string{redisPassword}, redis: []*servers.Redis{r},
	}
}

func onRedisCluster(t *testing.T) place {
	c := servers.StartRedisCluster(t, servers.RedisSettings{Password: redisPassword}, 0)
	return place{
		kind: "redis", options: `uri: "${IDS}", cluster: true`,
		address: "redis://:" + redisPassword + "@" + strings.Join(c.Addrs(), ","),
		secrets: []string{redisPassword}, redis: c.Masters,
	}
}

// yaml is a configuration whose store has a type with this prefix.
func (p place) yaml(prefix string) string {
	return fmt.Sprintf(`
cosid:
  namespace: shop
  stores: { ids: { type: %s%s, timeout: 5s, start-timeout: 10s, options: { %s } } }
  generators:
    order: { strategy: segment, reserve-timeout: 10s }
    bill:  { strategy: periodic-segment, period: YEAR_MONTH_DAY, zone: UTC, reserve-timeout: 10s }
`, prefix, p.kind, p.options)
}

// open makes the tables, if there are any, and returns the store.
func (p place) open(t *testing.T, tr *trial) stores.Store {
	t.Helper()
	tool := &cli.Tool{Environ: tr.environ, Now: time.Now}
	cfg, err := tool.LoadConfig()
	if err != nil {
		t.Fatal(err)
	}
	store, err := cli.OpenStore(t.Context(), cfg.Stores[0], false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// A process that purges 1,000 periods is killed half-way, and the purge is run again.
func TestAPurgeThatIsKilledHalfWayIsRunAgain(t *testing.T) {
	for name, start := range map[string]func(*testing.T) place{
		"SQLite": onSQLite, "PostgreSQL": onPostgres, "MariaDB": onMariaDB, "Redis": onRedis, "RedisCluster": onRedisCluster,
	} {
		t.Run(name, func(t *testing.T) { start(t).purgeTwice(t) })
	}
}

const (
	oldPeriods = 1000
	beforeKill = 500
)

func (p place) purgeTwice(t *testing.T) {
	tr := inShop(t, p.yaml(""))
	tr.now = time.Now
	tr.environ = append(tr.environ, "IDS="+p.address)
	write(t, "halting.yaml", p.yaml("halting-"))
	store := p.open(t, tr)
	if _, ok := store.(stores.RangeAdmin); !ok {
		t.Fatalf("a %T is not a stores.RangeAdmin", store)
	}
	today := time.Now().UTC()
	current, order := "shop/bill/"+today.Format("20060102"), "shop/order"
	fill(t, store, today)
	for _, key := range []string{current, order} {
		reserve(t, store, key, 1)
	}

	purge := "purge --generator bill --before " + today.Format("20060102")
	if out := tr.run(t, purge).fine(t); !strings.Contains(out, "\n1000 would be deleted\n") {
		t.Fatalf("printed\n%s", out)
	}
	p.kill(t, tr, purge+" --yes --config halting.yaml")
	left := count(t, store, "shop/bill/") - 1
	if left != oldPeriods-beforeKill && left != oldPeriods-beforeKill+1 { // the last deletion was under way
		t.Errorf("%d periods are left of %d after %d deletions", left, oldPeriods, beforeKill)
	}
	began := time.Now()
	out := tr.run(t, purge+" --yes").fine(t)
	t.Logf("%d keys in %v", left, time.Since(began))
	if !strings.Contains(out, fmt.Sprintf("\n%d deleted\n", left)) || strings.Count(out, "shop/bill/") != left {
		t.Errorf("of %d periods, printed\n%s", left, out)
	}
	if out := tr.run(t, purge+" --yes").fine(t); !strings.HasPrefix(out, "No key of a period before ") {
		t.Errorf("printed\n%s", out)
	}
	if left := count(t, store, "shop/"); left != 2 {
		t.Errorf("%d keys are left, want the current period's and that of order", left)
	}
	for _, key := range []string{current, order} {
		reserve(t, store, key, 11)
	}
	for _, r := range p.redis {
		if stats := fmt.Sprint(r.Do(t, "info", "commandstats")); strings.Contains(stats, "cmdstat_keys:") {
			t.Errorf("%s was asked for KEYS, which blocks it:\n%s", r.Addr, stats)
		}
	}
}

// fill makes old periods with ids, and seals them.
func fill(t *testing.T, store stores.Store, today time.Time) {
	t.Helper()
	const callers = 8
	var tasks sync.WaitGroup
	for caller := range callers {
		tasks.Go(func() {
			for day := 1 + caller; day <= oldPeriods; day += callers {
				key := "shop/bill/" + today.AddDate(0, 0, -day).Format("20060102")
				_, err := store.(stores.RangeStore).Reserve(t.Context(), key, 10, 1)
				if err == nil {
					_, err = store.(stores.Sealer).Seal(t.Context(), key)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	tasks.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// reserve takes 10 ids of key, which must begin at start.
func reserve(t *testing.T, store stores.Store, key string, start int64) {
	t.Helper()
	if r, err := store.(stores.RangeStore).Reserve(t.Context(), key, 10, 1); err != nil || r.Start != start {
		t.Errorf("Reserve of %s = %v, %v; want it to start at %d", key, r, err, start)
	}
}

func count(t *testing.T, store stores.Store, prefix string) int {
	t.Helper()
	found := map[string]bool{}
	for record, err := range store.(stores.RangeAdmin).Ranges(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		found[record.Key] = true
	}
	return len(found)
}

// kill runs a command in a process of its own, and kills that half-way.
func (p place) kill(t *testing.T, tr *trial, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], strings.Fields(line)...)
	child.Env = append(append(os.Environ(), tr.environ...), fmt.Sprintf("%s=%d", haltAfter, beforeKill))
	var stderr strings.Builder
	child.Stderr = &stderr
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said, _ := bufio.NewReader(stdout).ReadString('\n')
	_ = child.Process.Kill()
	_ = child.Wait()
	text := said + stderr.String()
	for _, secret := range p.secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the password is shown:\n%s", text)
		}
	}
	if said != halfWay {
		t.Fatalf("the process said\n%s", text)
	}
}

func TestImportReadsServers(t *testing.T) {
	for name, try := range map[string]func(*testing.T){
		"PostgreSQL": importFromPostgres, "MariaDB": importFromMariaDB, "Redis": importFromRedis, "RedisCluster": importFromCluster,
	} {
		t.Run(name, try)
	}
}

// imports runs imports of order, each in a shop of its own. What is wanted is the next id, or the end of the line on stderr.
func (p place) imports(t *testing.T, flags string, cases map[string]any) {
	for args, want := range cases {
		tr := inShop(t, shop)
		tr.environ = append(tr.environ, "ADDRESS="+p.address)
		words := strings.Fields("import --generator order --yes " + flags + " " + args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "&", " ")
		}
		r := tr.runArgs(t.Context(), words...)
		next := tr.next(t, "shop/order")
		switch want := want.(type) {
		case int64:
			if r.code != cli.ExitFine || next != want {
				t.Errorf("%s: the next id is %d, want %d: %+v", args, next, want, r)
			}
		case string:
			if r.code != cli.ExitFailure || next != -1 || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, want) {
				t.Errorf("%s: the next id is %d, want %q: %+v", args, next, want, r)
			}
		}
		for _, secret := range p.secrets {
			if strings.Contains(r.out+r.err, secret) {
				t.Errorf("%s shows the password: %+v", args, r)
			}
		}
	}
}

// execute runs statements on a database.
func execute(t *testing.T, d driver, dsn string, statements ...string) {
	t.Helper()
	db, err := d.open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func(db *sql.DB) { db.Close() }(db)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

func importFromPostgres(t *testing.T) {
	p := onPostgres(t)
	execute(t, drivers()["postgres"], p.address,
		`create table orders (id bigint, wide numeric(30), part numeric(5, 2), label varchar(20), small smallint, ch char(5))`,
		`insert into orders values (41, 9007199254740993, 1.50, 9, 1, 9), (73021, 5, 1, 10, 2, 10)`,
		`create schema old`, `create table old.empty (id bigint)`,
		`create table cosid (name varchar(100) primary key, last_max_id bigint not null, last_fetch_time bigint not null)`,
		`insert into cosid values ('shop.order', 1000, 1)`, `create sequence ids start 500`, `select nextval('ids')`)
	p.imports(t, "--driver postgres --dsn ${ADDRESS}", map[string]any{
		"--table orders --column id":    int64(73022),
		"--table orders --column label": "holds texts", "--table orders --column ch": "holds texts", "--table orders --column small": int64(3),
		"--table public.orders --column wide":                int64(9007199254740994),
		"--cosid":                                            int64(1001),
		"--query select&last_value&from&ids":                 int64(501),
		"--table orders --column part":                       `"1.50" is not a whole number`,
		"--table old.empty --column id":                      "the answer is NULL",
		"--table nope --column id":                           `relation "nope" does not exist`,
		"--cosid --cosid-name shop.nope":                     "there is no such row",
		"--query insert&into&old.empty&values(1)returning&1": "read-only transaction",
		"--query select&1;drop&table&orders":                 "cannot insert multiple commands",
	})
}

func importFromMariaDB(t *testing.T) {
	p := onMariaDB(t)
	execute(t, drivers()["mysql"], p.address,
		"create table `order` (id bigint unsigned primary key auto_increment, part double, label varchar(20), de decimal(20), ti tinyint)",
		"insert into `order` (id, part, label, de, ti) values (73021, 1.5, 9, 55, 5)",
		`create table cosid (name varchar(100) not null, last_max_id bigint unsigned not null default 0,
			last_fetch_time bigint unsigned not null default 0, constraint cosid_pk primary key (name)) engine = InnoDB`,
		`insert into cosid values ('shop.order', 1000, 1), ('huge', 18446744073709551615, 1), ('last', 9223372036854775806, 1)`)
	p.imports(t, "--driver mariadb --dsn ${ADDRESS}", map[string]any{
		"--table order --column id":    int64(73022),
		"--table order --column label": "holds texts", "--table order --column de": int64(56), "--table order --column ti": int64(6),
		"--cosid":                                              int64(1001),
		"--cosid --cosid-name last":                            int64(9223372036854775807),
		"--cosid --cosid-name huge":                            "18446744073709551615 is greater than any id can be",
		"--table order --column part":                          "whole number",
		"--query select&id&from&order&where&0":                 "error in your SQL syntax",
		"--query insert&into&`order`(id)values(1)returning&id": "READ ONLY",
	})
}

func importFromRedis(t *testing.T) {
	p := onRedis(t)
	r := p.redis[0]
	r.Do(t, "set", "cosid:{shop.order}.adder", "9007199254740993")
	r.Do(t, "set", "cosid:{text}.adder", "x")
	r.Do(t, "set", "cosid:{huge}.adder", "9223372036854775807")
	r.Do(t, "rpush", "cosid:{list}.adder", "1")
	p.imports(t, "--redis ${ADDRESS}", map[string]any{
		"":                  int64(9007199254740994),
		"--cosid-name text": `"x" is not a whole number`,
		"--cosid-name huge": "no other can follow",
		"--cosid-name list": "WRONGTYPE",
		"--cosid-name nope": "key cosid:{nope}.adder: there is no such key",
	})
	p.address = strings.Replace(p.address, redisPassword, "wrong", 1)
	p.imports(t, "--redis ${ADDRESS}", map[string]any{"": "WRONGPASS"})
}

func importFromCluster(t *testing.T) {
	p := onRedisCluster(t)
	client := &servers.RedisCluster{Masters: p.redis}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} { // on different masters
		if err := client.Client(t).Set(t.Context(), javaKey(name), "41", 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	p.address, _, _ = strings.Cut(p.address, ",") // one node leads to the others
	p.imports(t, "--redis ${ADDRESS} --redis-cluster", map[string]any{
		"--cosid-name a": int64(42), "--cosid-name b": int64(42), "--cosid-name c": int64(42), "--cosid-name d": int64(42), "--cosid-name e": int64(42),
		"--cosid-name f": int64(42), "": "there is no such key",
	})
	var moved []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		tr := inShop(t, shop)
		if r := tr.run(t, "import --generator order --redis "+p.address+" --cosid-name "+name); r.code == cli.ExitFailure {
			moved = append(moved, r.err)
		}
	}
	if len(moved) == 0 || len(moved) == 6 || !strings.Contains(moved[0], "this is a Redis Cluster: add --redis-cluster") {
		t.Errorf("%q", moved)
	}
}
