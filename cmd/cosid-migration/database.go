package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	sqlite "github.com/libtnb/sqlite"

	"github.com/cosid-go/cosid/cmd/internal/cli"
	"github.com/cosid-go/cosid/internal/names"
)

// sourcePatience bounds how long the source of an import may take to answer at all. A query itself takes its time.
const sourcePatience = 10 * time.Second

// driver is how one kind of database is read.
type driver struct {
	open        func(dsn string) (*sql.DB, error)
	quote       string // around a name
	placeholder string
}

func drivers() map[string]driver {
	ofMySQL := driver{openMySQL, "`", "?"}
	return map[string]driver{
		"sqlite": {openSQLite, `"`, "?"}, "postgres": {openPostgres, `"`, "$1"}, "mysql": ofMySQL, "mariadb": ofMySQL,
	}
}

func driverNames() []string { return []string{"sqlite", "postgres", "mysql", "mariadb"} }

// checkDatabase refuses flags of --dsn that do not go together.
func (s *source) checkDatabase() error {
	byTable := s.column != "" || s.table != "" && !s.cosid
	ways := 0
	for _, way := range []bool{s.query != "", byTable, s.cosid} {
		if way {
			ways++
		}
	}
	switch {
	case !slices.Contains(driverNames(), s.driver):
		return cli.Usagef("--driver %q: have %s", s.driver, names.List(driverNames()))
	case ways != 1:
		return cli.Usagef("--dsn needs one of --query, --table with --column, and --cosid")
	case byTable && (s.table == "" || s.column == ""):
		return cli.Usagef("--table and --column belong together")
	case s.table != "" && !identifier.MatchString(s.table), s.column != "" && !identifier.MatchString(s.column):
		return cli.Usagef("--table and --column take plain names, such as orders or shop.orders; use --query for others")
	default:
		return nil
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)?$`)

// cosidTable is the table of CosId for Java.
func (s *source) cosidTable() string {
	if s.table != "" {
		return s.table
	}
	return "cosid"
}

// statement is the query and its arguments.
func (s *source) statement(d driver) (string, []any) {
	quoted := func(name string) string {
		return d.quote + strings.ReplaceAll(name, ".", d.quote+"."+d.quote) + d.quote
	}
	switch {
	case s.query != "":
		return s.query, nil
	case s.cosid:
		return "select last_max_id from " + quoted(s.cosidTable()) + " where name = " + d.placeholder, []any{s.cosidName}
	default:
		return "select max(" + quoted(s.column) + ") from " + quoted(s.table), nil
	}
}

// readDatabase asks the database for the last id, in a transaction that cannot write.
func (s *source) readDatabase(ctx context.Context, t *cli.Tool) (last int64, err error) {
	dsn, err := resolve(t, "dsn", s.dsn)
	if err != nil {
		return 0, err
	}
	d := drivers()[s.driver]
	db, err := d.open(dsn)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := reach(ctx, db); err != nil {
		return 0, err
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	statement, args := s.statement(d)
	value, kind, err := single(ctx, tx, statement, args)
	switch {
	case errors.Is(err, errNoRow) && s.cosid:
		return 0, fmt.Errorf("there is no such row; --cosid-name gives another name")
	case err != nil:
		return 0, err
	case value == nil:
		return 0, errors.New("the answer is NULL: there is no id yet, so begin with --next 1 or where you like")
	}
	last, err = asID(value)
	if err == nil && s.column != "" && !ordersAsNumbers(value, kind) {
		return 0, fmt.Errorf("column %s holds texts, whose greatest is not the greatest number (9 comes after 10): cast it in --query, "+
			"as in select max(cast(%s as …)) from %s", s.column, s.column, s.table)
	}
	return last, err
}

// ordersAsNumbers tells whether the database compares values of a kind as numbers. Drivers give large and decimal numbers
// as texts, too.
func ordersAsNumbers(value any, kind string) bool {
	switch value.(type) {
	case []byte, string:
		return slices.ContainsFunc([]string{"INT", "DECIMAL", "NUMERIC"}, func(n string) bool {
			return strings.Contains(strings.ToUpper(kind), n)
		})
	default:
		return true
	}
}

// reach waits a bounded time for the first answer.
func reach(ctx context.Context, db *sql.DB) error {
	bounded, cancel := context.WithTimeoutCause(ctx, sourcePatience, fmt.Errorf("no answer within %v", sourcePatience))
	defer cancel()
	err := db.PingContext(bounded)
	if err != nil && bounded.Err() != nil {
		return context.Cause(bounded)
	}
	return err
}

var errNoRow = errors.New("the answer has no row")

// single is the one value of an answer, and what the database calls its type; "" where that is not known.
func single(ctx context.Context, tx *sql.Tx, statement string, args []any) (value any, kind string, err error) {
	rows, err := tx.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, "", err
	}
	if len(columns) != 1 {
		return nil, "", fmt.Errorf("the answer has %d columns, and must have one", len(columns))
	}
	if !rows.Next() {
		return nil, "", errors.Join(rows.Err(), errNoRow)
	}
	if err := rows.Scan(&value); err != nil {
		return nil, "", err
	}
	if rows.Next() {
		return nil, "", errors.New("the answer has more than one row, and must have one")
	}
	return value, columns[0].DatabaseTypeName(), rows.Err()
}

// asID takes a column's value for an id. Drivers give large and decimal numbers as texts.
func asID(value any) (int64, error) {
	switch v := value.(type) {
	case int64:
		return parseID(strconv.FormatInt(v, 10))
	case uint64:
		return parseID(strconv.FormatUint(v, 10))
	case []byte:
		return parseID(string(v))
	case string:
		return parseID(v)
	default:
		return 0, fmt.Errorf("the answer is a %T, and must be a whole number; cast it to one in --query", value)
	}
}

// Errors of the drivers' own DSN parsers may repeat a piece of a password, and so are not shown.

// openSQLite opens a file that exists, given by its path or as a file: URI.
func openSQLite(dsn string) (*sql.DB, error) {
	uri, isURI := strings.CutPrefix(dsn, "file:")
	if !isURI {
		uri = (&url.URL{Path: dsn}).EscapedPath()
	}
	escaped, parameters, _ := strings.Cut(uri, "?")
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, fmt.Errorf("the DSN cannot be read: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("the SQLite file cannot be read: %w", err)
	}
	reading := "mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(5000)"
	if parameters != "" {
		reading = parameters + "&" + reading
	}
	return sql.Open(sqlite.DriverName, "file:"+escaped+"?"+reading)
}

func openPostgres(dsn string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the DSN cannot be read; accepted: postgres://user:password@host:5432/database, with all but letters " +
			"and digits of the password percent-encoded, or host=… port=… user=… password=… dbname=…")
	}
	return stdlib.OpenDB(*config), nil
}

func openMySQL(dsn string) (*sql.DB, error) {
	unreadable := errors.New("the DSN cannot be read; accepted: user:password@tcp(host:3306)/database")
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, unreadable
	}
	config.MultiStatements, config.Logger = false, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, unreadable
	}
	return sql.OpenDB(connector), nil
}
