package storetest

import (
	"fmt"
	"strings"

	"github.com/cosid-go/cosid/stores"
)

// similarKeys are keys that a careless store could take for one another: by case, by a separator, by a pattern's
// wild card, by a marker of its own, by cutting them off.
func (t *trial) similarKeys() []string {
	const longest = 64
	pad := func(s, last string) string { return s + strings.Repeat("x", longest-len(s)-len(last)) + last }
	bill := t.key("bill")
	return []string{
		bill,
		stores.PeriodKey(pad(t.namespace, "")+"/"+pad("b", ""), pad("p", "1")), // the longest key there is

		stores.PeriodKey(pad(t.namespace, "")+"/"+pad("b", ""), pad("p", "2")),
		stores.PeriodKey(pad(t.namespace, "")+"/"+pad("b", "y"), pad("p", "1")),
		pad(t.namespace, "") + "/" + pad("b", ""),
		t.key("Bill"),
		t.key("BILL"),
		stores.RangeKey(strings.ToUpper(t.namespace), "bill"),
		t.key("bil"),
		t.key("bill1"),
		t.key("bill."),
		t.key("bill_"),
		t.key("bill-"),
		t.key("b_ll"),
		t.key("b.ll"),
		t.key("b-ll"),
		t.key("bill.sealed"),
		stores.PeriodKey(bill, "sealed"),
		stores.PeriodKey(bill, "2026"),
		stores.PeriodKey(bill, "202610"),
		stores.PeriodKey(bill, "20261027"),
		stores.PeriodKey(bill, "bill"),
		stores.PeriodKey(t.key("Bill"), "2026"),
	}
}

func keysShareNoCounter(t *trial) error {
	clients, err := t.openMany(2)
	if err != nil {
		return err
	}
	const apart = 1000
	for round, client := range clients {
		for i, key := range t.similarKeys() {
			offset := int64(1 + i*apart)
			if err := t.expect(client, key, 10, offset, offset+int64(round)*10); err != nil {
				return fmt.Errorf("beside the keys %q: %w", t.similarKeys()[:i], err)
			}
		}
	}
	return nil
}
