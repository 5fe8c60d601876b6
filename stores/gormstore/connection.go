package gormstore

import (
	"database/sql/driver"
	"errors"
	"net"
)

// Advice that every server's errors share.
const (
	adviceBusy    = "another transaction was in the way (nothing was changed, trying again is safe)"
	adviceMissing = "the table is missing; set auto-migrate: true, or create it as DDL says"
	adviceShape   = "the table is missing, or its columns and primary key are not as DDL says; choose another " +
		"table-prefix, or move it away and create it as DDL says"
	adviceValue      = "the table refuses the value; compare its definition with DDL"
	adviceCrowded    = "the server has no connection left; raise its max_connections, or lower max-open-conns here"
	adviceNoDatabase = "the database does not exist; create it, or name another one in the DSN"
)

// diagnoseConnection says what an error means that no server sent.
func diagnoseConnection(err error) diagnosis {
	var name *net.DNSError
	var operation *net.OpError
	switch {
	case errors.Is(err, driver.ErrBadConn): // by its contract
		return diagnosis{harmless: true, advice: "the connection was broken before anything was sent; try again"}
	case errors.As(err, &name):
		return diagnosis{harmless: true, advice: "the server's name is not known; check the host in the DSN"}
	case errors.As(err, &operation) && operation.Op == "dial":
		return diagnosis{harmless: true, advice: "the server cannot be reached; check that it runs, and host and port in " +
			"the DSN"}
	default:
		return diagnosis{}
	}
}
