package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cosid-go/cosid/stores"
)

// Slots implements stores.SlotAdmin. They are read about a thousand at a time, so that nobody else waits for long; what
// changes meanwhile may be seen as it was or as it is.
func (s *Store) Slots(ctx context.Context, namespace string) (stores.SlotTable, error) {
	err := stores.CheckName(namespace)
	var table stores.SlotTable
	if err == nil {
		table, err = s.slotTable(ctx, namespace)
	}
	if err != nil {
		return stores.SlotTable{}, fmt.Errorf("redisstore: list the slots of %q: %w", namespace, err)
	}
	return table, nil
}

func (s *Store) slotTable(ctx context.Context, namespace string) (stores.SlotTable, error) {
	var table stores.SlotTable
	rows := map[int64]stores.SlotRow{}
	for cursor := "0"; ; {
		v, err := s.run(ctx, ScriptCall{Script: s.scripts.rows, Keys: slotKeys(namespace)[:2], Args: []string{cursor}})
		switch {
		case err != nil:
			return stores.SlotTable{}, err
		case v.name != "rows" || len(v.values) < 4 || len(v.values)%2 != 0:
			return stores.SlotTable{}, v.unexpected()
		case v.value(2) == "":
			return stores.SlotTable{}, nil
		}
		settings, err := v.numbers(1, 4)
		if err != nil {
			return stores.SlotTable{}, err
		}
		table.StoreNow, table.Limit, table.ToleranceMillis = settings[0], settings[1], settings[2]
		for at := 4; at < len(v.values); at += 2 {
			row, err := readRow(v.value(at), v.value(at+1))
			if err != nil {
				return stores.SlotTable{}, err
			}
			rows[row.Slot] = row
		}
		if cursor = v.value(0); cursor == "0" {
			break
		}
	}
	table.Rows = slices.SortedFunc(maps.Values(rows), func(a, b stores.SlotRow) int { return cmp.Compare(a.Slot, b.Slot) })
	return table, nil
}
