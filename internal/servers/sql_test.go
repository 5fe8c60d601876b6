package servers_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/cosid-go/cosid/internal/servers"
)

// sqlServer is what the two SQL servers have in common.
type sqlServer interface {
	DSN(database string) string
	NewDatabase(tb testing.TB) string
	Start() error
	Kill()
	Stop()
	Freeze() error
	Thaw() error
}

func TestSQLServersKeepWhatWasCommitted(t *testing.T) {
	for _, test := range []struct {
		driver string
		start  func(tb testing.TB) sqlServer
	}{
		{"pgx", func(tb testing.TB) sqlServer { return servers.StartPostgres(tb) }},
		{"mysql", func(tb testing.TB) sqlServer { return servers.StartMariaDB(tb) }},
	} {
		t.Run(test.driver, func(t *testing.T) {
			server := test.start(t)
			db, err := sql.Open(test.driver, server.DSN(server.NewDatabase(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			execute := func(ctx context.Context, statement string) error {
				_, err := db.ExecContext(ctx, statement)
				return err
			}
			if err := execute(t.Context(), "create table kept (a integer)"); err != nil {
				t.Fatal(err)
			}
			if err := server.Freeze(); err != nil {
				t.Fatal(err)
			}
			short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if err := execute(short, "insert into kept values (1)"); err == nil {
				t.Error("a frozen server answers on an open connection")
			}
			if err := server.Thaw(); err != nil {
				t.Fatal(err)
			}
			for round, end := range []func(){server.Kill, server.Stop, server.Kill} {
				db.SetMaxIdleConns(0) // so that no connection to the last server is used
				if err := execute(t.Context(), "insert into kept values (2)"); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				end()
				if err := execute(t.Context(), "insert into kept values (3)"); err == nil {
					t.Error("a server that was ended answers")
				}
				if err := server.Start(); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				var count int
				if err := db.QueryRowContext(t.Context(), "select count(*) from kept where a = 2").Scan(&count); err != nil ||
					count != round+1 {
					t.Fatalf("round %d: %d rows, %v", round, count, err)
				}
			}
		})
	}
}
