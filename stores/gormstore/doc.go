// Package gormstore keeps ranges in a SQL database, through GORM (`type: gorm`). It knows SQLite.
//
// A reserve is one statement, which holds the limits too, so that it is atomic without a transaction and the
// caller's transactions never take part: a rollback must not give a range back.
//
// There are two ways to give it a database:
//
//   - a dsn: the store opens a pool of its own and closes it. For SQLite that is an embedded file, created on
//     first use with its directory, in WAL mode with synchronous=FULL, and a pool of one connection. Callers wait
//     for each other, and for the locks of other processes, in Go, where their contexts work;
//   - a *gorm.DB handed to the Factory: the store works on its root pool, never inside a transaction, with none
//     of its plugins, and never closes it. A call that is made while the application holds the pool's only
//     connection waits for it until the timeout, and SQLite lets one connection write at a time: where ids are
//     drawn inside transactions, prefer a file of the store's own.
//
// The table is {prefix}range, with one row a key:
//
//	range_key   the key; compared byte by byte
//	next_id     the first id that is not reserved; 0 in a row that only records the seal
//	sealed      0, or 1 once the key is sealed
//
// The store makes it by itself in a file of its own, and in an application's database if auto-migrate is true;
// DDL returns its definition for those who make it in their migrations. Rows are never deleted.
package gormstore
