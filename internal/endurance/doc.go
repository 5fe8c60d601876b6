// Package endurance holds the proof of slot leases with real processes (design section 6). It has tests only.
//
// Many worker processes share the slots of one namespace on a real server, and make ids in bursts and trickles through
// the front door. Meanwhile they are killed, stopped for longer than their lease lasts and continued, closed and
// started again, some under one owner's name and with clocks that are an hour off and step; and the server is frozen,
// killed, and its clock moved both ways. Each goroutine of a worker writes its ids to a file of its own as it makes
// them. When all is over, an audit reads the files: no id may be there twice, no tick of a slot may hold ids of two
// processes, and the ids of a goroutine must strictly increase.
//
//	go test ./internal/endurance                                a few seconds on each server
//	COSID_STRESS_ENDURANCE=2m go test -v -run Endure ./internal/endurance    16 workers on 8 slots for two minutes
//
// The test binary is its own worker. Ids that the audit must not accept are planted, and stores are broken on purpose,
// to show that it would notice.
package endurance
