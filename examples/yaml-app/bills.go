package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"gorm.io/gorm"

	"github.com/cosid-go/cosid"
	"github.com/cosid-go/cosid/codecs"
)

// created is a bill and the way it was created in.
type created struct {
	*Bill
	how string
}

// createBills creates n bills: one by one, in batches, and together with an order and its items. No line of it says
// anything about ids.
func createBills(db *gorm.DB, n int) ([]created, error) {
	var all []created
	for range n / 3 {
		order := Order{Customer: "Ada"}
		if err := db.Create(&order).Error; err != nil {
			return nil, fmt.Errorf("create an order: %w", err)
		}
		bill := Bill{OrderID: order.ID}
		if err := db.Omit("Order").Create(&bill).Error; err != nil {
			return nil, fmt.Errorf("create a bill: %w", err)
		}
		bill.Order = order
		all = append(all, created{&bill, "one by one"})
	}

	batch := make([]Bill, n/3)
	for i := range batch {
		batch[i].Order.Customer = "Grace"
	}
	if len(batch) > 0 {
		if err := db.CreateInBatches(batch, 100).Error; err != nil {
			return nil, fmt.Errorf("create a batch of bills: %w", err)
		}
	}
	for i := range batch {
		all = append(all, created{&batch[i], "in a batch"})
	}

	for range n - 2*(n/3) {
		bill := Bill{Order: Order{Customer: "Alan", Items: []Item{{Name: "tea"}, {Name: "cups"}}}}
		if err := db.Create(&bill).Error; err != nil {
			return nil, fmt.Errorf("create a bill with its order and items: %w", err)
		}
		all = append(all, created{&bill, "with items"})
	}
	return all, nil
}

// mostRows keeps a large run's table readable.
const mostRows = 20

// printBills prints the bills as a table. The period and the value are read back out of the bill's number.
func printBills(out io.Writer, ids *cosid.Runtime, bills []created) error {
	codec, err := cosid.As[codecs.GroupedCodec](ids, "bill")
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "BILL\tPERIOD\tVALUE\tORDER\tITEMS\tCREATED")
	for _, bill := range bills[:min(len(bills), mostRows)] {
		id, err := codec.Decode(bill.No)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\n",
			bill.No, id.Period, id.Value, bill.OrderID, itemIDs(bill.Order.Items), bill.how)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(bills) - mostRows; more > 0 {
		fmt.Fprintf(out, "… and %d more\n", more)
	}
	_, err = fmt.Fprintln(out, "Run it again: the numbers go on, above the 100 that each generator reserves at a time.")
	return err
}

func itemIDs(items []Item) string {
	if len(items) == 0 {
		return "-"
	}
	text := ""
	for i, item := range items {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(item.ID)
	}
	return text
}
