package snowflake

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/cosid-go/cosid/stores"
)

// The state of a local slot is one line of text:
//
//	cosid-slot 1 {namespace} {slot} {row} {crc}
//
// The row is {owner}|{incarnation}|{lastOwner}|{fence}|{expiresAt}|{floor}|{ceiling}|{nextFloor}, as in Redis. The
// checksum, CRC-32C of all before it, tells a damaged file from a whole one.
const stateFormat = "cosid-slot 1"

func formatState(namespace string, r stores.SlotRow) []byte {
	line := fmt.Sprintf("%s %s %d %s|%s|%s|%d|%d|%d|%d|%d", stateFormat, namespace, r.Slot,
		r.Owner, r.Incarnation, r.LastOwner, r.Fence, r.ExpiresAt, r.Floor, r.Ceiling, r.NextFloor)
	return fmt.Appendf(nil, "%s %08x\n", line, checksum(line))
}

func checksum(line string) uint32 {
	return crc32.Checksum([]byte(line), crc32.MakeTable(crc32.Castagnoli))
}

// parseState reads what formatState writes, and nothing else.
func parseState(text []byte) (namespace string, row stores.SlotRow, err error) {
	whole := string(text)
	if !strings.HasPrefix(whole, "cosid-slot ") {
		return "", row, errors.New("the file is not the state of a slot: name another one at slot.state-file")
	}
	namespace, row, ok := scanState(whole)
	if !ok || string(formatState(namespace, row)) != whole {
		return "", stores.SlotRow{}, fmt.Errorf("the file is damaged, or of another version, so that nobody knows how far "+
			"its slot was used: give this machine another slot, or delete the file if no id of the slot lies in the future: %.200q",
			whole)
	}
	return namespace, row, nil
}

func scanState(whole string) (namespace string, row stores.SlotRow, ok bool) {
	words := strings.Split(whole, " ")
	if len(words) != 6 {
		return "", row, false
	}
	columns := strings.Split(words[4], "|")
	if len(columns) != 8 || stores.CheckName(words[2]) != nil {
		return "", row, false
	}
	row.Owner, row.Incarnation, row.LastOwner = columns[0], columns[1], columns[2]
	ok = true
	number := func(to *int64, text string) {
		n, err := strconv.ParseInt(text, 10, 64)
		ok = ok && err == nil && n >= 0
		*to = n
	}
	number(&row.Slot, words[3])
	for i, to := range []*int64{&row.Fence, &row.ExpiresAt, &row.Floor, &row.Ceiling, &row.NextFloor} {
		number(to, columns[3+i])
	}
	return words[2], row, ok && row.Floor <= row.NextFloor && row.NextFloor <= row.Ceiling
}
