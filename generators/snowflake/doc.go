// Package snowflake makes ids of a time, a machine slot and a sequence, without a call to the store for each or for many
// of them (design section 6). Uniqueness depends on no clock: the slot is leased from a store as a time window, and an id
// carries a time only if it lies in that window. The store keeps the windows of one slot apart, whoever holds it.
//
// All generators of one namespace and store share one lease. It is renewed in the background; while the store cannot be
// reached, ids are made up to the window's end, and from then on refused, until the store answers again.
//
// The strategy `snowflake` makes numbers of at most 63 bits, `wide-snowflake` texts of 80 bits for very many processes.
package snowflake
