// Package redisstore keeps ranges and slot leases in Redis 7.0 or newer (`type: redis`): one server, Sentinel or Redis
// Cluster.
//
// # What uniqueness asks of the server
//
// Ids are unique as long as Redis loses no write that it has acknowledged. One of these must hold:
//
//   - a single server with `appendonly yes`, `appendfsync always` and `no-appendfsync-on-rewrite no`; or
//   - replicas, and a WAIT that covers every one of them: `wait` is their number.
//
// Replication is asynchronous. A failover to a replica that lacks a write takes the counter back, and the ids of that
// write are issued again. The store uses a range only once it is acknowledged; it cannot make Redis keep it. For the
// same reason no key may ever be evicted: `maxmemory-policy noeviction`, which is the default. Where uniqueness must be
// strict, prefer a SQL database. Start checks all of this, and warns, with the command that mends it.
//
// # Waiting for replicas
//
// The option `wait` says how many replicas have to acknowledge a write before it counts:
//
//   - auto (the default): Start looks at INFO replication. Without a replica it is off, with any it is 1. In a cluster
//     every master must have a replica, or none may; otherwise Start fails. Start also fails where INFO is forbidden, or
//     a master's only replicas are still copying its data, since guessing could repeat ids;
//   - off: none;
//   - a number: Start fails if a master has fewer online.
//
// The number stands until the store is closed. A replica that joins later is not waited for: raise `wait` and start
// again before it can become the master. If replicas leave, so that too few are left, writes fail until they are
// back. A write with too few acknowledgements fails as stores.ErrOutcomeUnknown, and its range or window is not used:
// calling again is safe and leaves a gap at worst. WAIT takes part of the store's timeout, so that its answer arrives
// within it.
//
// # Clients
//
// With a URI the store opens a client of its own and closes it. Such a client never sends a script twice by itself, and
// tries to connect at each call while the server is away. A client, a connection or a ScriptRunner handed to the Factory
// is used and never closed. A client handed in tries once a second only after many failures, as go-redis does.
//
// A script and its WAIT go over one connection in one round trip, in a cluster to the master of the key's slot. Calls
// that are ready at the same moment share it, and one WAIT; no call waits for those that are under way. After a MOVED, a
// demoted master or a broken connection the map of the cluster is read again.
//
// # Keys
//
// Keys that belong together share a hash tag, and are never deleted while generators run. Of one counter:
//
//	cosid:{key}          string: the next id, decimal
//	cosid:{key}:sealed   string: the key is sealed if this exists
//
// Of the slots of one namespace:
//
//	cosid:{ns}:meta      hash: limit, and tolerance in milliseconds
//	cosid:{ns}:slot      hash: slot → owner|incarnation|lastOwner|fence|expiresAt|floor|ceiling|nextFloor
//	cosid:{ns}:free      sorted set: the slots that nobody leases, by number; about 100 bytes each
//	cosid:{ns}:live      sorted set: the others, by when their leases expire
//	cosid:{ns}:owner     hash: owner → the slot that it acquired last
//	cosid:{ns}:held      hash: owner → that slot, as long as its row says so
//
// Owners are forgotten once the row of their last slot names them no more. Ids never pass through Lua, whose numbers
// are exact up to 2^53 only; times and fences stay below that.
//
// The server's clock, TIME, is the one that slots are leased by.
package redisstore
