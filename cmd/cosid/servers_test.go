package main

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/internal/servers"
)

// place is a store on a real server.
type place struct {
	store   string // the entry of cosid.stores; its address is in ${IDS}
	address string
	secret  string // the password, which nothing may show
	tables  bool   // whether the server has tables, which the application makes
	kill    func()
}

const redisPassword = "s3cr3t-of-redis"

func onRedis(t *testing.T) place {
	redis := servers.StartRedis(t, servers.RedisSettings{Password: redisPassword})
	address := url.URL{Scheme: "redis", User: url.UserPassword("default", redisPassword), Host: redis.Addr}
	return place{
		store:   `{ type: redis, timeout: 2s, start-timeout: 3s, options: { uri: "${IDS}" } }`,
		address: address.String(), secret: redisPassword, kill: redis.Kill,
	}
}

func onPostgres(t *testing.T) place {
	postgres := servers.StartPostgres(t)
	return place{
		store:   `{ type: gorm, timeout: 2s, start-timeout: 3s, options: { driver: postgres, dsn: "${IDS}", auto-migrate: true } }`,
		address: postgres.DSN(postgres.NewDatabase(t)), secret: servers.SQLPassword, tables: true, kill: postgres.Kill,
	}
}

func onMariaDB(t *testing.T) place {
	maria := servers.StartMariaDB(t)
	return place{
		store:   `{ type: gorm, timeout: 2s, start-timeout: 3s, options: { driver: mysql, dsn: "${IDS}", auto-migrate: true } }`,
		address: maria.DSN(maria.NewDatabase(t)), secret: servers.SQLPassword, tables: true, kill: maria.Kill,
	}
}

// newcomer runs commands and demands of each its exit code, at most one line on stderr, and no secret.
type newcomer struct {
	*trial
	t      *testing.T
	secret string
}

func (p place) newcomer(t *testing.T, generators string) newcomer {
	tr := inFolder(t, "cosid:\n  namespace: shop\n  stores: { ids: "+p.store+" }\n  generators:\n"+generators)
	tr.environ = append(tr.environ, "IDS="+p.address)
	tr.now = time.Now // the server's clock is real, too
	return newcomer{tr, t, p.secret}
}

// sees runs a command and looks for parts of what it prints, which it returns.
func (n newcomer) sees(code int, command string, parts ...string) string {
	n.t.Helper()
	o := n.run(n.t, strings.Fields(command)...)
	text := o.out + o.err
	if o.code != code || strings.Count(o.err, "\n") > 1 {
		n.t.Errorf("%s: exit code %d, want %d\n%s", command, o.code, code, text)
	}
	for _, secret := range []string{n.secret, url.QueryEscape(n.secret), url.PathEscape(n.secret)} {
		if strings.Contains(text, secret) {
			n.t.Errorf("%s shows the password:\n%s", command, text)
		}
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			n.t.Errorf("%s: %q is not in\n%s", command, part, text)
		}
	}
	return text
}

// draws generates one id.
func (n newcomer) draws(generator string) generatedID {
	n.t.Helper()
	var drawn generated
	text := n.sees(cli.ExitFine, "generate "+generator+" --output json")
	if err := json.Unmarshal([]byte(text), &drawn); err != nil || len(drawn.IDs) != 1 {
		n.t.Fatalf("%v in %s", err, text)
	}
	return drawn.IDs[0]
}

// The commands in the order in which somebody would try them.
func TestANewcomerSeesWhatTheServerKeeps(t *testing.T) {
	for name, start := range map[string]func(*testing.T) place{"Redis": onRedis, "PostgreSQL": onPostgres, "MariaDB": onMariaDB} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			t.Run("ranges", func(t *testing.T) { p.ranges(t) })
			t.Run("slots", func(t *testing.T) { p.slots(t) })
			p.kill()
			t.Run("down", func(t *testing.T) { p.down(t) })
		})
	}
}

const segments = `    order: { strategy: segment, reserve-timeout: 10s }
    bill:
      strategy: periodic-segment
      period: YEAR_MONTH_DAY
      zone: Asia/Shanghai
      reserve-timeout: 10s
      codec: [ { prefix: "BIZ-" }, { period: { delimiter: "-" } }, { radix: { radix: 10, width: 6, pad-start: true } } ]
`

func (p place) ranges(t *testing.T) {
	n := p.newcomer(t, segments)
	n.sees(cli.ExitFine, "validate --settings", "No mistakes.")
	for range 2 { // looking makes nothing
		if p.tables {
			n.sees(cli.ExitFailure, "doctor", "table cosid_range is missing", "remedy: ")
		}
	}
	n.sees(cli.ExitFine, "generate order -n 2", "     2  0000000000002")
	bill := n.draws("bill")
	n.sees(cli.ExitFine, "explain "+bill.Text, "bill", bill.Period, bill.Number)
	n.sees(cli.ExitFine, "bench order --duration 200ms --goroutines 4", "ids a second", "LATENCY")
	n.sees(cli.ExitFine, "generate order", "101") // each run loses a step, and the bench is elsewhere
	n.sees(cli.ExitFine, "ranges", "shop/order", "201", "shop/bill/"+bill.Period)
	if text := n.sees(cli.ExitFine, "doctor", "opened  in ", "No findings."); strings.Contains(text, "does not tell") {
		t.Errorf("this type of store has all abilities, and doctor says\n%s", text)
	}
}

func (p place) slots(t *testing.T) {
	n := p.newcomer(t, "    trade: { strategy: snowflake }\n")
	n.sees(cli.ExitFine, "validate", "No mistakes.")
	n.sees(cli.ExitFine, "slots", "No slot was ever leased in namespace shop.")
	trade := n.draws("trade")
	n.sees(cli.ExitFine, "explain "+trade.Number, "trade", trade.Text)
	n.sees(cli.ExitFine, "slots", "released")
	n.sees(cli.ExitFine, "bench trade --duration 200ms", "ids a second", "No reservation was made")
	n.sees(cli.ExitFine, "doctor", "0 of 1024 leased in namespace shop", "No findings.")
}

func (p place) down(t *testing.T) {
	n := p.newcomer(t, segments)
	for _, command := range []string{"generate order", "bench order", "ranges", "slots"} {
		n.sees(cli.ExitFailure, command, "cosid: ", `store "ids"`)
	}
	n.sees(cli.ExitFailure, "doctor", "finding: open store", "1 finding.")
}

// go-redis writes to the stderr of the process.
func TestOnTheCommandLineAnUnreachableServerIsOneLine(t *testing.T) {
	p := onRedis(t)
	p.kill()
	p.newcomer(t, segments)
	cmd := exec.Command(os.Args[0], "generate", "order")
	cmd.Env = append(os.Environ(), asTool+"=1", "IDS="+p.address)
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailure || strings.Count(string(out), "\n") != 1 ||
		!strings.Contains(string(out), `start store "ids"`) || strings.Contains(string(out), p.secret) {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
}
