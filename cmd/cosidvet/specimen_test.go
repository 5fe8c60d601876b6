package main

import (
	"database/sql"
	"time"
	"unsafe"
)

type (
	number32   int32
	words      string
	pointed    *int64
	borrowed   sql.NullInt64
	alias      = *sql.Null[words]
	generic    [1]sql.Null[int8]
	box[T any] struct {
		V     T
		Valid bool
	}
)

// specimen has a field of every kind of type that matters to a tag. It is looked at twice: by reflection, and as
// source.
type specimen struct {
	Int        int
	Int8       int8
	Int16      int16
	Int32      int32
	Int64      int64
	Uint       uint
	Uint8      uint8
	Uint16     uint16
	Uint32     uint32
	Uint64     uint64
	Uintptr    uintptr
	Rune       rune
	String     string
	Bool       bool
	Float      float32
	Complex    complex128
	Unsafe     unsafe.Pointer
	Any        any
	Error      error
	Func       func()
	Chan       chan int64
	Map        map[string]string
	Slice      []int64
	Array      [2]string
	Struct     struct{ ID int64 }
	Named      number32
	Words      words
	Pointed    pointed
	Borrowed   borrowed
	Alias      alias
	Generic    generic
	Box        box[int64]
	PBox       *box[string]
	PInt       *int64
	PWords     *words
	PPInt      **int64
	PPointed   *pointed
	PSlice     *[]int64
	Time       time.Time
	Duration   time.Duration
	Month      *time.Month
	NullInt64  sql.NullInt64
	NullInt32  sql.NullInt32
	NullInt16  *sql.NullInt16
	NullByte   sql.NullByte
	NullString sql.NullString
	NullBool   sql.NullBool
	NullFloat  sql.NullFloat64
	NullTime   *sql.NullTime
	Null       sql.Null[int64]
	NullWords  sql.Null[words]
	NullAny    sql.Null[any]
	NullP      sql.Null[*int64]
	NullNull   sql.Null[sql.NullInt64]
	PNull      *sql.Null[uint8]
	Out        sql.Out
	RawBytes   sql.RawBytes
}
