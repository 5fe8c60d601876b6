package gormstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"strings"

	mysqldriver "github.com/go-sql-driver/mysql"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"

	"github.com/cosid-go/cosid/config/field"
	"github.com/cosid-go/cosid/stores"
)

// mySQL is the dialect of MySQL 5.7 and later, and of MariaDB 10.3 and later.
type mySQL struct{}

func (mySQL) name() string { return "mysql" }

func (mySQL) embedded() bool { return false }

func (mySQL) checkDSN(dsn string) *field.Error {
	const accepted = "user:password@tcp(host:3306)/database"
	if strings.Contains(dsn, "://") && !strings.Contains(dsn, "@tcp(") {
		return field.Errorf("dsn", accepted, "MySQL's driver takes no URL")
	}
	config, err := mysqldriver.ParseDSN(dsn)
	switch {
	case err == nil && config.DBName == "":
		return field.Errorf("dsn", accepted, "it names no database")
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), "invalid DSN: "): // only these are sure to hold no piece of the DSN
		return field.Errorf("dsn", accepted, "%v", err)
	default:
		return field.Errorf("dsn", accepted, "it cannot be read; check its parts, and that parameters are percent-encoded")
	}
}

func (mySQL) open(dsn string) (gorm.Dialector, *sql.DB, error) {
	const unreadable = "read the dsn: it cannot be used as a MySQL address" // errors of the driver may hold secrets
	config, err := mysqldriver.ParseDSN(dsn)
	if err != nil {
		return nil, nil, errors.New(unreadable)
	}
	config.InterpolateParams = true // one round trip a statement
	config.ClientFoundRows, config.MultiStatements, config.RejectReadOnly = false, false, false
	config.Logger = &mysqldriver.NopLogger{} // what happened is in the errors
	connector, err := mysqldriver.NewConnector(config)
	if err != nil {
		return nil, nil, errors.New(unreadable + " with interpolateParams; name another collation")
	}
	pool := sql.OpenDB(committing{connector})
	return mysql.New(mysql.Config{Conn: pool, SkipInitializeWithVersion: true}), pool, nil
}

// committing opens connections of the store's own. What they rely on is set behind what the DSN sets, in whose list the
// driver keeps no order and a variable has many spellings.
type committing struct{ driver.Connector }

func (c committing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	// A statement that waits longer for a lock would go on in the server after its caller has given up. The comma stands
	// for '', which is NULL where MariaDB takes empty strings for it; nobody owns a slot with an empty owner.
	const settings = `set session autocommit = 1, session innodb_lock_wait_timeout = 1,
		session sql_mode = replace(@@sql_mode, 'EMPTY_STRING_IS_NULL', ',')`
	if execer, ok := conn.(driver.ExecerContext); ok {
		_, err = execer.ExecContext(ctx, settings, nil)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (mySQL) schema(prefix string) []definition {
	table := rangeTable(prefix)
	const tail = " engine = InnoDB"
	ranges := definition{table, `create table if not exists ` + table + ` (
	range_key ` + mysqlType("range_key") + ` primary key,
	next_id ` + mysqlType("next_id") + ` check (next_id >= 0),
	sealed ` + mysqlType("sealed") + ` check (sealed in (0, 1))
)` + tail}
	return append([]definition{ranges}, slotDefinitions(prefix, mysqlType, "index", tail)...)
}

func mysqlType(column string) string {
	switch column {
	case "range_key", "owner", "last_owner":
		return "varchar(255) character set ascii collate ascii_bin not null"
	case "namespace", "incarnation":
		return "varchar(64) character set ascii collate ascii_bin not null"
	case "sealed":
		return "smallint not null"
	default:
		return "bigint not null"
	}
}

func (mySQL) home(tx *gorm.DB, _ string) (schema string, err error) {
	err = queryOne(tx, []any{&schema}, "select concat('`', replace(database(), '`', '``'), '`.')")
	return schema, err
}

func (mySQL) hasTable(tx *gorm.DB, table string) (bool, error) {
	err := tx.Exec(`select 1 from ` + table + ` where 1 = 0`).Error
	if mysqlNumber(err) == 1146 {
		return false, nil
	}
	return err == nil, err
}

func (mySQL) checkRanges(tx *gorm.DB, table string) error {
	var autocommit bool
	if err := queryOne(tx, []any{&autocommit}, `select @@autocommit`); err != nil {
		return err
	}
	if !autocommit {
		return &defect{
			problem: "the connections run with autocommit=0, so that reserves would not be committed",
			remedy:  "take autocommit=0 out of the DSN of the *gorm.DB, or give the store a dsn of its own",
		}
	}
	// Needs the columns and the rights of a reserve, and inserts nothing.
	err := tx.Exec(`insert into ` + table + ` (range_key, next_id, sealed) select '', 0, 0 from dual where 1 = 0
		on duplicate key update next_id = 0, sealed = 0`).Error
	if err != nil {
		return err
	}
	return mysqlColumns(tx, table, "range_key")
}

func (mySQL) checkSlots(tx *gorm.DB, table, key string, columns []string) error {
	list := strings.Join(columns, ", ")
	err := tx.Exec(`insert into ` + table + ` (` + list + `) select ` + list + ` from ` + table + ` where 1 = 0`).Error
	if err == nil {
		err = noChange(tx, table, columns)
	}
	if err != nil {
		return err
	}
	return mysqlColumns(tx, table, key)
}

// mysqlColumns checks what a failing statement would not tell: types, collations, and that key is unique by itself.
func mysqlColumns(tx *gorm.DB, table, key string) error {
	rows, err := tx.Raw(`select column_name, data_type, coalesce(character_maximum_length, 0),
			coalesce(collation_name, 'binary') <> 'binary' and coalesce(collation_name, '_bin') not like '%\_bin'
		from information_schema.columns where table_schema = database() and table_name = ?`, table).Rows()
	if err != nil {
		return err
	}
	columns, err := scanColumns(rows)
	if err != nil {
		return err
	}
	alter := func(table, column string) string {
		return "alter table " + table + " modify " + column + " " + mysqlType(column)
	}
	if err := checkColumns(table, columns, alter); err != nil {
		return err
	}
	var keys int
	err = queryOne(tx, []any{&keys}, `select count(*) from (
			select index_name from information_schema.statistics where table_schema = database() and table_name = ?
			group by index_name having max(non_unique) = 0 and max(coalesce(sub_part, 0)) = 0
				and count(*) = ? and sum(column_name in ?) = count(*)
		) as unique_keys`, table, strings.Count(key, ",")+1, strings.Split(key, ", "))
	if err == nil && keys == 0 {
		err = &defect{
			problem: fmt.Sprintf("(%s) of table %s is not unique by itself", key, table),
			remedy:  fmt.Sprintf("mend it with\nalter table %s add primary key (%s)", table, key),
		}
	}
	return err
}

func (mySQL) doubts(tx *gorm.DB, table string, _ bool) ([]stores.Finding, error) {
	var engine string
	err := queryOne(tx, []any{&engine}, `select coalesce(engine, '') from information_schema.tables
		where table_schema = database() and table_name = ?`, table)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(engine, "InnoDB") {
		return nil, &defect{
			problem: fmt.Sprintf("table %s has the engine %s, which loses or breaks rows in a crash, and its ids would repeat",
				table, engine),
			remedy: fmt.Sprintf("mend it with\nalter table %s engine = InnoDB", table),
		}
	}
	var flush, binlog, syncBinlog int64
	err = queryOne(tx, []any{&flush, &binlog, &syncBinlog},
		`select @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog`)
	if err != nil {
		return nil, err
	}
	var doubts []stores.Finding
	doubt := func(setting string, value int64, event string) {
		doubts = append(doubts, stores.Finding{
			Problem: fmt.Sprintf("the server runs with %s=%d, so %s can lose what was handed out, and ids would repeat",
				setting, value, event),
			Remedy: fmt.Sprintf("as an administrator: set global %s = 1, and the same in the server's configuration", setting),
		})
	}
	switch flush {
	case 1, 3: // MariaDB knows 3, which does more
	case 2:
		doubt("innodb_flush_log_at_trx_commit", flush, "a power failure")
	default:
		doubt("innodb_flush_log_at_trx_commit", flush, "a crash")
	}
	if binlog != 0 && syncBinlog != 1 {
		doubt("sync_binlog", syncBinlog, "a power failure")
	}
	return doubts, nil
}

func (mySQL) version(tx *gorm.DB) (string, error) {
	var version string
	err := queryOne(tx, []any{&version}, `select version()`)
	number, product, _ := strings.Cut(version, "-")
	if strings.Contains(product, "MariaDB") {
		return "MariaDB " + number, err
	}
	return "MySQL " + version, err
}

// clock: sysdate() is in the session's time zone, in which an hour can come twice.
func (mySQL) clock() string {
	return `timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000`
}

// byBytes: checkRanges demands such a column, and no character of a key lies below those that it is padded with.
func (mySQL) byBytes(column string) string { return column }

func (mySQL) insertOnce(tx *gorm.DB, insert string, args ...any) (bool, error) {
	err := tx.Exec(insert, args...).Error
	if mysqlNumber(err) == 1062 {
		return false, nil
	}
	return err == nil, err
}

// advance takes the new value from the answer to the statement that stored it. An insert with ON DUPLICATE KEY could
// not tell by its answer whether it inserted or refused: with clientFoundRows, which an application's pool may
// have, both are one row.
func (mySQL) advance(tx *gorm.DB, table, key string, size, initialOffset int64) (int64, error) {
	highest := math.MaxInt64 - size // the highest start of a range of this size
	answer := gorm.WithResult()
	err := tx.Clauses(answer).Exec(`update `+table+` set next_id = last_insert_id(next_id + ?)
		where range_key = ? and sealed = 0 and next_id <= ?`, size, key, highest).Error
	if err != nil {
		return 0, err
	}
	switch changed, err := answer.Result.RowsAffected(); {
	case err != nil:
		return 0, err
	case changed == 1:
		return answer.Result.LastInsertId()
	case changed > 1:
		return 0, fmt.Errorf("table %s holds the key %d times: its primary key is missing", table, changed)
	case initialOffset > highest:
		return 0, sql.ErrNoRows // such a range cannot be a key's first
	}
	next := initialOffset + size
	err = tx.Exec(`insert into `+table+` (range_key, next_id, sealed) values (?, ?, 0)`, key, next).Error
	if mysqlNumber(err) == 1062 {
		return 0, sql.ErrNoRows
	}
	return next, err
}

func (mySQL) seal(tx *gorm.DB, table, key string) error {
	return tx.Exec(`insert into `+table+` (range_key, next_id, sealed) values (?, 0, 1)
		on duplicate key update sealed = 1`, key).Error
}

func (mySQL) acknowledged(any) error { return nil }

// mysqlNumber is the number of an error that the server sent; 0 for others.
func mysqlNumber(err error) uint16 {
	var sent *mysqldriver.MySQLError
	if !errors.As(err, &sent) {
		return 0
	}
	return sent.Number
}

func (mySQL) diagnose(err error) diagnosis {
	switch mysqlNumber(err) {
	case 0:
		return diagnoseConnection(err)
	case 1205, 1213:
		return diagnosis{busy: true, harmless: true, advice: adviceBusy}
	case 1290, 1792, 1836:
		return diagnosis{harmless: true, stale: true, advice: "the database cannot be written: the server or the session is " +
			"read-only; connect to the primary"}
	case 1146:
		return diagnosis{harmless: true, advice: adviceMissing}
	case 1054, 1064, 1364:
		return diagnosis{harmless: true, advice: adviceShape}
	case 1048:
		return diagnosis{harmless: true, advice: "an empty string was taken for NULL, or the table differs from DDL; take " +
			"EMPTY_STRING_IS_NULL out of sql_mode, or compare the table's definition"}
	case 1062, 1264, 1366, 1406, 1690, 3819, 4025:
		return diagnosis{harmless: true, advice: adviceValue}
	case 1142, 1143, 1227:
		return diagnosis{harmless: true, advice: "the user may not do this; grant select, insert and update on the table to " +
			"it, delete for a purge, and for auto-migrate also create"}
	case 1044:
		return diagnosis{harmless: true, advice: "the user may not use the database, or there is none of this name; grant it, " +
			"or name another one in the DSN"}
	case 1045, 1698, 1251:
		return diagnosis{harmless: true, advice: "the server refuses the user; check user and password in the DSN"}
	case 1049:
		return diagnosis{harmless: true, advice: adviceNoDatabase}
	case 1021, 1114:
		return diagnosis{harmless: true, advice: "the server's disk or its tablespace is full; make room on it"}
	case 1040, 1203, 1226:
		return diagnosis{harmless: true, advice: adviceCrowded}
	default:
		return diagnosis{}
	}
}
