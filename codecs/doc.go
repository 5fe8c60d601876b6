// Package codecs turns ids into text and back. A codec is an ordered list of parts; the text is what the parts
// write, left to right (design section 7):
//
//	prefix "BIZ-", period "-", radix 10 padded to 6   BIZ-20261027-000042
//	radix 36 padded to 13                             028XOQD7HM874
//
// Every codec keeps two laws: Decode(Encode(id)) == id, and a text that Decode reads is the only text of its id.
//
// Radix text padded to one width sorts bytewise like the numbers, if the characters of its alphabet ascend as
// those of the default one do. A database must then compare bytewise too: COLLATE "C" in PostgreSQL, ascii_bin
// in MySQL and MariaDB, BINARY (the default) in SQLite. Under a case-insensitive collation use radix 36 or
// less: radix 62 would make two ids equal there.
package codecs
