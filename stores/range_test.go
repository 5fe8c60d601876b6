package stores_test

import (
	"errors"
	"math"
	"testing"

	"github.com/cosid-go/cosid/stores"
)

func TestCheckReserve(t *testing.T) {
	for _, test := range []struct {
		name         string
		key          string
		size, offset int64
		wrong        bool
	}{
		{"the usual", "shop/bill", 100, 1, false},
		{"the smallest", "shop/bill", 1, 0, false},
		{"the largest", "shop/bill", math.MaxInt64, math.MaxInt64, false},
		{"no size", "shop/bill", 0, 1, true},
		{"a negative size", "shop/bill", -1, 1, true},
		{"a negative offset", "shop/bill", 1, -1, true},
		{"a bad key", "shop", 1, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := stores.CheckReserve(test.key, test.size, test.offset)
			if errors.Is(err, stores.ErrInvalidArgument) != test.wrong || (err != nil) != test.wrong {
				t.Errorf("CheckReserve = %v, want an ErrInvalidArgument: %v", err, test.wrong)
			}
		})
	}
}

func TestRange(t *testing.T) {
	r := stores.Range{Start: 1, End: 101}
	if r.Size() != 100 || r.String() != "[1, 101)" {
		t.Errorf("%v has size %d", r, r.Size())
	}
	if zero := (stores.Range{}); zero.Size() != 0 {
		t.Errorf("the zero range has size %d", zero.Size())
	}
}
