// Package gormstore keeps ranges and slot leases in a SQL database, through GORM (`type: gorm`): SQLite 3.37, PostgreSQL
// 12, MySQL 5.7, MariaDB 10.3, and what is later. Where no id may ever repeat, it is the store to pick first.
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
// A slot lease is read and then written if it is still as it was read: a compare-and-set over two to four round trips,
// none of which keeps a transaction open. Its times are those of the database's clock, which for SQLite is this host's.
//
// The table of ranges is {prefix}range, with one row a key:
//
//	range_key   the key; compared byte by byte
//	next_id     the first id that is not reserved; 0 in a row that only records the seal
//	sealed      0, or 1 once the key is sealed
//
// Those of slot leases are {prefix}slot_namespace, with one row a namespace,
//
//	namespace          compared byte by byte, as all names are
//	slot_limit         what its first acquire has fixed
//	tolerance_millis   this too
//	fresh_from         every slot below has a row; where a search for one without begins
//
// and {prefix}slot, with one row for each slot that was ever granted, whose indexes find a free slot without a scan:
//
//	namespace, slot                 the primary key
//	owner, incarnation, last_owner  who holds it, empty once it is released, and who held it before
//	fence                           the number of the grant
//	expires_at, window_floor, window_ceiling, next_floor
//	                                milliseconds on the database's clock, as stores.SlotRow tells
//	version                         the number of the write, by which the next one knows that nothing came between
//
// The store makes its tables by itself in a file of its own, and on a server or in an application's database if
// auto-migrate is true; DDL returns their definitions for those who make them in their migrations. Start refuses a table
// that could lose or repeat ids, and names the statement that mends it. Without auto-migrate it looks at the range table
// only, since many applications lease no slots: then the first call that does checks the other two and says what is
// missing. Rows are deleted by DeleteRange only.
//
// What the database has committed it must keep. Start warns of settings under which a crash can take it back
// (fsync, full_page_writes, synchronous_commit; innodb_flush_log_at_trx_commit, sync_binlog), with the remedy. It
// cannot see whether a standby to which an operator fails over has everything: replicate synchronously
// (synchronous_standby_names, or semi-synchronous replication), or ids that were handed out last repeat. The dsn must lead
// to the primary, past proxies that send reads elsewhere.
package gormstore
