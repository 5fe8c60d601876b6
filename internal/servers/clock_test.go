package servers_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/cosid-go/cosid/internal/servers"
)

func TestClockOfARunningServerMoves(t *testing.T) {
	const fromPostgres = "select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"
	for _, test := range []struct {
		driver, clocks string
		start          func(tb testing.TB, clock *servers.Clock) sqlServer
	}{
		{"pgx", fromPostgres, func(tb testing.TB, clock *servers.Clock) sqlServer {
			return servers.StartPostgresUnder(tb, clock)
		}},
		{
			"mysql", "select timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000",
			func(tb testing.TB, clock *servers.Clock) sqlServer { return servers.StartMariaDBUnder(tb, clock) },
		},
	} {
		t.Run(test.driver, func(t *testing.T) {
			clock := servers.NewClock(t)
			server := test.start(t, clock)
			db, err := sql.Open(test.driver, server.DSN(server.NewDatabase(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			ahead := time.Duration(0)
			for _, delta := range []time.Duration{0, time.Hour, -3 * time.Hour, 2 * time.Hour, 1500 * time.Millisecond} {
				if err := clock.Move(delta); err != nil {
					t.Fatal(err)
				}
				ahead += delta
				var millis int64
				if err := db.QueryRowContext(t.Context(), test.clocks).Scan(&millis); err != nil {
					t.Fatal(err)
				}
				if off := time.Until(time.UnixMilli(millis)) - ahead; off.Abs() > time.Second {
					t.Errorf("moved by %v so far, the server's clock is %v off", ahead, off)
				}
			}
		})
	}
}
