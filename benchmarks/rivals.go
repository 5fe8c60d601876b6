package main

import (
	"github.com/bwmarrin/snowflake"
	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
	"github.com/sony/sonyflake/v2"
)

// rivals are other libraries, as their documentation says to use them. What they make differs: bwmarrin's and sony's
// are 64-bit numbers whose uniqueness rests on clocks and on node numbers that the user hands out; the others are 96 to
// 160 bits.
func rivals() ([]*benchCase, error) {
	node, err := snowflake.NewNode(1)
	if err != nil {
		return nil, err
	}
	flake, err := sonyflake.New(sonyflake.Settings{MachineID: func() (int, error) { return 1, nil }})
	if err != nil {
		return nil, err
	}
	number := func(name string, next func() (int64, error)) *benchCase {
		return &benchCase{name: name, ids: 1, loop: func(n int) {
			last := int64(0)
			for range n {
				last, _ = next()
			}
			numberSink.Store(last)
		}}
	}
	bytes := func(name string, next func() byte) *benchCase {
		return &benchCase{name: name, ids: 1, loop: func(n int) {
			last := byte(0)
			for range n {
				last ^= next()
			}
			numberSink.Store(int64(last))
		}}
	}
	return []*benchCase{
		number("bwmarrin/snowflake (4,096 a ms)", func() (int64, error) { return node.Generate().Int64(), nil }),
		number("sony/sonyflake (256 in 10 ms)", flake.NextID),
		bytes("google/uuid v7", func() byte { id, _ := uuid.NewV7(); return id[15] }),
		bytes("rs/xid", func() byte { id := xid.New(); return id[11] }),
		bytes("oklog/ulid", func() byte { id := ulid.Make(); return id[15] }),
		bytes("segmentio/ksuid", func() byte { id := ksuid.New(); return id[19] }),
	}, nil
}
