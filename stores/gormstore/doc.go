// Package gormstore keeps ranges in a SQL database, through GORM (`type: gorm`): SQLite 3.37, PostgreSQL 12, MySQL 5.7,
// MariaDB 10.3, and what is later. Where no id may ever repeat, it is the store to pick first.
//
// A reserve is one statement, which holds the limits too, so that it is atomic without a transaction and the
// caller's transactions never take part: a rollback must not give a range back. On MySQL and MariaDB the first reserve
// of a key takes a second one. Deadlocks and serialization failures are tried again, for nine tenths of the timeout.
//
// There are two ways to give it a database:
//
//   - a dsn: the store opens a pool of its own and closes it. For SQLite that is an embedded file, created on
//     first use with its directory, in WAL mode with synchronous=FULL, and a pool of one connection. Callers wait
//     for each other, and for the locks of other processes, in Go, where their contexts work. For a server it is a
//     small pool (Options.MaxOpenConns), whose connections commit by themselves and durably, whatever the DSN says;
//   - a *gorm.DB handed to the Factory: the store works on its root pool, never inside a transaction, with none
//     of its plugins, and never closes it. A call that is made while the application holds the pool's only
//     connection waits for it until the timeout, and SQLite lets one connection write at a time: where ids are
//     drawn inside transactions, prefer a dsn. Connections that the application gives back to its pool must be as
//     it got them: with no transaction open and, on MySQL, with autocommit on.
//
// The table is {prefix}range, with one row a key:
//
//	range_key   the key; compared byte by byte
//	next_id     the first id that is not reserved; 0 in a row that only records the seal
//	sealed      0, or 1 once the key is sealed
//
// The store makes it by itself in a file of its own, and on a server or in an application's database if auto-migrate is
// true; DDL returns its definition for those who make it in their migrations. Start refuses a table that could lose or
// repeat ids, and names the statement that mends it. Rows are never deleted.
//
// What the database has committed it must keep. Start warns of settings under which a crash can take it back
// (fsync, full_page_writes, synchronous_commit; innodb_flush_log_at_trx_commit, sync_binlog), with the remedy. It
// cannot see whether a standby to which an operator fails over has everything: replicate synchronously
// (synchronous_standby_names, or semi-synchronous replication), or ids that were handed out last repeat. The dsn must lead
// to the primary, past proxies that send reads elsewhere.
package gormstore
