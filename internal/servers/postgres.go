package servers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Postgres is a PostgreSQL server with the superuser SQLUser, who needs SQLPassword. Freeze and Kill stop and end all of
// its processes at once.
type Postgres struct {
	*Process
	port    string
	pidFile string
}

// SQLUser and SQLPassword open every SQL server of this package. The password has what makes passwords difficult.
const (
	SQLUser     = "cosid"
	SQLPassword = `s3cr3t p:ss/w@rd'?&%`
)

// postgresUser runs the server where the test runs as root, which PostgreSQL refuses.
const postgresUser = "postgres"

// StartPostgres starts a server of its own for the test. Settings are of the form name=value.
func StartPostgres(tb testing.TB, settings ...string) *Postgres {
	tb.Helper()
	return StartPostgresUnder(tb, nil, settings...)
}

// StartPostgresUnder is StartPostgres with another clock than the host's, unless clock is nil.
func StartPostgresUnder(tb testing.TB, clock *Clock, settings ...string) *Postgres {
	tb.Helper()
	const debianPackage, folder = "postgresql", "/usr/lib/postgresql/*/bin"
	initdb := find(tb, "initdb", debianPackage, folder)
	server := find(tb, "postgres", debianPackage, folder)
	p, err := startPostgres(tb, initdb, server, clock, settings)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func startPostgres(tb testing.TB, initdb, server string, clock *Clock, settings []string) (*Postgres, error) {
	dir, err := folderOf(tb, postgresUser)
	if err != nil {
		return nil, err
	}
	data, password := filepath.Join(dir, "data"), filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte(SQLPassword), 0o644); err != nil {
		return nil, err
	}
	// Without a sync the folder would not survive a power failure, which no test makes.
	create := exec.Command(initdb, "--pgdata="+data, "--username="+SQLUser, "--pwfile="+password,
		"--auth=scram-sha-256", "--no-locale", "--encoding=UTF8", "--no-sync")
	create.Dir = dir
	if create.SysProcAttr, err = attributes(postgresUser); err != nil {
		return nil, err
	}
	release := holdThread()
	output, err := create.CombinedOutput()
	release()
	if err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, output)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &Postgres{port: strconv.Itoa(port), pidFile: filepath.Join(data, "postmaster.pid")}
	args := []string{
		"-D", data, "-p", p.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + dir,
	}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	p.Process, err = run(tb, program{
		name: "postgres " + p.port, path: server, args: args, env: clock.env(), dir: dir, user: postgresUser, forks: true,
		ends:  syscall.SIGINT, // does not wait until the clients are gone
		ready: p.ready,
	})
	return p, err
}

// Start starts the server again and waits until it serves.
func (p *Postgres) Start() error {
	if err := os.Remove(p.pidFile); err != nil && !errors.Is(err, os.ErrNotExist) { // a killed server leaves it
		return err
	}
	return p.Process.Start()
}

// ready reads what the server says of itself. Connecting instead would start a process each time, which slows down
// what is waited for.
func (p *Postgres) ready(context.Context) error {
	const statusLine = 7
	text, err := os.ReadFile(p.pidFile)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) <= statusLine || strings.TrimSpace(lines[statusLine]) != "ready" {
		return errors.New("it is starting up")
	}
	return nil
}

// Addr is the server's host:port.
func (p *Postgres) Addr() string { return "127.0.0.1:" + p.port }

// DSN names a database of the server, as SQLUser.
func (p *Postgres) DSN(database string) string {
	dsn := url.URL{Scheme: "postgres", User: url.UserPassword(SQLUser, SQLPassword), Host: p.Addr(), Path: database}
	return dsn.String() + "?sslmode=disable"
}

// NewDatabase creates an empty database and returns its name. Names are lower case words.
func (p *Postgres) NewDatabase(tb testing.TB) string {
	tb.Helper()
	name := newName()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, p.DSN("postgres"))
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "create database "+name); err != nil {
		tb.Fatal(err)
	}
	return name
}

// folderOf makes a folder that the user can reach, write and leave files in, which ends with the test.
func folderOf(tb testing.TB, userName string) (string, error) {
	dir, err := os.MkdirTemp("", "cosid-"+strings.ToLower(userName)+"-")
	if err != nil {
		return "", err
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir, giveTo(dir, userName)
}
