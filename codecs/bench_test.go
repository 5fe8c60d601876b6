package codecs_test

import (
	"strconv"
	"testing"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
)

// Our hot paths beside strconv, which does less: it writes no period, no padding and no other radix than 2 to 36.
// Every op works on another number, so that no branch is learnt by heart.

const snowflake int64 = 295913926632165376

var (
	sinkText  string
	sinkBytes []byte
	sinkID    int64
)

func BenchmarkBillNumber(b *testing.B) {
	bill, day := billCodec(b), "20261027"
	b.Run("encode/cosid", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			sinkText, _ = bill.Encode(generators.GroupedID{Period: day, Value: int64(i % 1_000_000)})
		}
	})
	b.Run("encode/strconv", func(b *testing.B) { // the same digits as one number
		b.ReportAllocs()
		for i := range b.N {
			sinkText = strconv.FormatInt(20261027_000000+int64(i%1_000_000), 10)
		}
	})
	b.Run("append/cosid", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			sinkBytes, _ = bill.Append(sinkBytes[:0], generators.GroupedID{Period: day, Value: int64(i % 1_000_000)})
		}
	})
	b.Run("append/strconv", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			sinkBytes = strconv.AppendInt(sinkBytes[:0], 20261027_000000+int64(i%1_000_000), 10)
		}
	})
	b.Run("decode/cosid", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			id, _ := bill.Decode("20261027-000042")
			sinkID = id.Value
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name     string
		settings codecs.RadixSettings
	}{
		{"radix 62 width 11", codecs.RadixSettings{Radix: 62, Width: new(11), PadStart: true}},
		{"radix 36 width 13", codecs.RadixSettings{Radix: 36, Width: new(13), PadStart: true}},
		{"radix 10", codecs.RadixSettings{Radix: 10}},
		{"radix 2", codecs.RadixSettings{Radix: 2}},
	} {
		codec := plain(b, radix(b, c.settings))
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				sinkBytes, _ = codec.Append(sinkBytes[:0], snowflake+int64(i))
			}
		})
	}
	for _, base := range []int{36, 10, 2} {
		b.Run("strconv base "+strconv.Itoa(base), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				sinkBytes = strconv.AppendInt(sinkBytes[:0], snowflake+int64(i), base)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	codec := plain(b, padded(b, 36, 13))
	b.Run("radix 36 width 13", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkID, _ = codec.Decode("028XOQD7HM874")
		}
	})
	b.Run("strconv base 36", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkID, _ = strconv.ParseInt("028XOQD7HM874", 36, 64)
		}
	})
}
