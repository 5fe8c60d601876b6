package codecs_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/cosid-go/cosid/codecs"
	"github.com/cosid-go/cosid/generators"
)

// A bill number: business code, day, and a number of six digits.
func ExampleNewGrouped() {
	day, err := codecs.Period(codecs.PeriodSettings{Delimiter: "-"})
	if err != nil {
		log.Fatal(err)
	}
	number, err := codecs.Radix(codecs.RadixSettings{Radix: 10, Width: new(6), PadStart: true})
	if err != nil {
		log.Fatal(err)
	}
	bill, err := codecs.NewGrouped([]codecs.Part{codecs.Prefix("BIZ-"), day, number}, generators.YearMonthDay)
	if err != nil {
		log.Fatal(err)
	}

	text, err := bill.Encode(generators.GroupedID{Period: "20261027", Value: 42})
	fmt.Println(text, err)
	id, err := bill.Decode(text)
	fmt.Println(id.Period, id.Value, err)

	_, err = bill.Encode(generators.GroupedID{Period: "20261027", Value: 1_000_000})
	fmt.Println(errors.Is(err, codecs.ErrCodecOverflow))
	_, err = bill.Decode("BIZ-20261027-00004O")
	fmt.Println(err)
	// Output:
	// BIZ-20261027-000042 <nil>
	// 20261027 42 <nil>
	// true
	// codecs: decode "BIZ-20261027-00004O": byte 18 (radix 10): 'O' is not one of the digits 0123456789
}

// A short id: radix 62, padded to the eleven characters that hold every id.
func ExampleNew() {
	number, err := codecs.Radix(codecs.RadixSettings{Radix: 62, Width: new(11), PadStart: true})
	if err != nil {
		log.Fatal(err)
	}
	short, err := codecs.New([]codecs.Part{number})
	if err != nil {
		log.Fatal(err)
	}

	text, err := short.Encode(295913926632165376)
	fmt.Println(text, err)
	id, err := short.Decode(text)
	fmt.Println(id, err)
	// Output:
	// 0LrHucXALbs <nil>
	// 295913926632165376 <nil>
}

// A mistake in a list says which part it is.
func ExampleListError() {
	_, err := codecs.New([]codecs.Part{codecs.Decimal(), codecs.Suffix("-"), codecs.Decimal()})
	fmt.Println(err)
	// Output:
	// codecs: list[2] (decimal): writes the number a second time, after list[0] (accepted: exactly one number part)
}

func ExampleDefault() {
	text, err := codecs.Default().Encode(42)
	fmt.Println(text, err)
	// Output:
	// 0000000000016 <nil>
}
