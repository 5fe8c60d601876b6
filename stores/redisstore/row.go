package redisstore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cosid-go/cosid/stores"
)

// readRow reads a field of cosid:{ns}:slot, whose format other implementations share:
// owner|incarnation|lastOwner|fence|expiresAt|floor|ceiling|nextFloor.
func readRow(slot, text string) (stores.SlotRow, error) {
	wrong := fmt.Errorf("slot %q has the row %q, which cosid did not write: remove it, or use another namespace",
		slot, text)
	columns := strings.Split(text, "|")
	if len(columns) != 8 {
		return stores.SlotRow{}, wrong
	}
	row := stores.SlotRow{Owner: columns[0], Incarnation: columns[1], LastOwner: columns[2]}
	for field, number := range map[*int64]string{
		&row.Slot: slot, &row.Fence: columns[3], &row.ExpiresAt: columns[4],
		&row.Floor: columns[5], &row.Ceiling: columns[6], &row.NextFloor: columns[7],
	} {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 {
			return stores.SlotRow{}, wrong
		}
		*field = n
	}
	return row, nil
}
