package servers

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// MariaDB is a MariaDB server with the user SQLUser, who needs SQLPassword and may do everything.
type MariaDB struct {
	*Process
	port string
}

// StartMariaDB starts a server of its own for the test. Settings are of the form name=value.
func StartMariaDB(tb testing.TB, settings ...string) *MariaDB {
	tb.Helper()
	return StartMariaDBUnder(tb, nil, settings...)
}

// StartMariaDBUnder is StartMariaDB with another clock than the host's, unless clock is nil.
func StartMariaDBUnder(tb testing.TB, clock *Clock, settings ...string) *MariaDB {
	tb.Helper()
	const debianPackage = "mariadb-server"
	install := find(tb, "mariadb-install-db", debianPackage, "/usr/bin")
	server := find(tb, "mariadbd", debianPackage, "/usr/sbin")
	m, err := startMariaDB(tb, install, server, clock, settings)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func startMariaDB(tb testing.TB, install, server string, clock *Clock, settings []string) (*MariaDB, error) {
	dir, err := os.MkdirTemp("", "cosid-mariadb-") // short: the path of a socket may have about a hundred characters
	if err != nil {
		return nil, err
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	data, first := filepath.Join(dir, "data"), filepath.Join(dir, "first.sql")
	// A server that starts removes what it finds of temporary tables: with a common folder, those of another one.
	temporary := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return nil, err
	}
	create := exec.Command(install, "--no-defaults", "--user=root", "--datadir="+data,
		"--auth-root-authentication-method=normal", "--skip-test-db")
	create.Env = append(os.Environ(), "TMPDIR="+temporary)
	if output, err := create.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w\n%s", err, output)
	}
	// Run at each start.
	user := fmt.Sprintf("create user if not exists '%[1]s'@'%%' identified by '%[2]s';\n"+
		"grant all on *.* to '%[1]s'@'%%' with grant option;\n", SQLUser, strings.ReplaceAll(SQLPassword, `'`, `''`))
	if err := os.WriteFile(first, []byte(user), 0o600); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	m := &MariaDB{port: strconv.Itoa(port)}
	args := []string{
		"--no-defaults", "--user=root", "--datadir=" + data, "--port=" + m.port, "--bind-address=127.0.0.1",
		"--socket=" + filepath.Join(dir, "s"), "--pid-file=" + filepath.Join(dir, "pid"), "--init-file=" + first,
		"--skip-name-resolve", "--tmpdir=" + temporary,
	}
	for _, setting := range settings {
		args = append(args, "--"+setting)
	}
	m.Process, err = run(tb, program{
		name: "mariadbd " + m.port, path: server, args: args, env: clock.env(), dir: dir, ready: m.ready,
	})
	return m, err
}

func (m *MariaDB) ready(ctx context.Context) error { return m.execute(ctx, "select 1") }

func (m *MariaDB) execute(ctx context.Context, statement string) error {
	db, err := sql.Open("mysql", m.DSN(""))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// Addr is the server's host:port.
func (m *MariaDB) Addr() string { return "127.0.0.1:" + m.port }

// DSN names a database of the server, as SQLUser.
func (m *MariaDB) DSN(database string) string {
	config := mysql.NewConfig()
	config.User, config.Passwd, config.Net, config.Addr = SQLUser, SQLPassword, "tcp", m.Addr()
	config.DBName, config.Logger = database, &mysql.NopLogger{}
	return config.FormatDSN()
}

// NewDatabase creates an empty database and returns its name. Names are lower case words.
func (m *MariaDB) NewDatabase(tb testing.TB) string {
	tb.Helper()
	name := newName()
	if err := m.execute(context.Background(), "create database "+name); err != nil {
		tb.Fatal(err)
	}
	return name
}

func newName() string { return "t" + strings.ToLower(rand.Text()) }
