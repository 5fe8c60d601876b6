package stores_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
)

// A slot's life, step by step; times are small so that they can be read. The tolerance is an hour, the ttl a minute.
func TestSlotRowFollowsTheRules(t *testing.T) {
	const minute = 60_000
	a, b := slotRequest, slotRequest
	b.Owner, b.Incarnation = "host-2", "b-1"

	row := stores.SlotRow{Slot: 3}
	step := func(what string, got, want stores.SlotRow) {
		t.Helper()
		if got != want {
			t.Fatalf("%s: got %+v, want %+v", what, got, want)
		}
		row = got
	}
	lease := func(now int64) stores.SlotLease { return row.Lease("shop", now) }

	step("the first grant begins now", row.Acquire(a, 1000), stores.SlotRow{
		Slot: 3, Owner: "host-1", Incarnation: "a-1", Fence: 1,
		ExpiresAt: 1000 + minute, Floor: 1000, Ceiling: 1000 + minute, NextFloor: 1000 + minute,
	})
	first := lease(1000)

	renewed, err := row.Renew(first, time.Minute, time.Hour, 999, 2000)
	if err != nil {
		t.Fatal(err)
	}
	step("a renewal extends it", renewed, stores.SlotRow{
		Slot: 3, Owner: "host-1", Incarnation: "a-1", Fence: 1,
		ExpiresAt: 2000 + minute, Floor: 1000, Ceiling: 2000 + minute, NextFloor: 2000 + minute,
	})
	step("its holder gets it again", row.Acquire(a, 3000), stores.SlotRow{
		Slot: 3, Owner: "host-1", Incarnation: "a-1", Fence: 2,
		ExpiresAt: 3000 + minute, Floor: 1000, Ceiling: 3000 + minute, NextFloor: 3000 + minute,
	})
	if _, err := row.Release(first, 1500); !errors.Is(err, stores.ErrLeaseLost) {
		t.Errorf("a release of the first grant answered %v", err)
	}
	step("the clock steps back, and nothing else does", row.Acquire(a, 500), stores.SlotRow{
		Slot: 3, Owner: "host-1", Incarnation: "a-1", Fence: 3,
		ExpiresAt: 500 + minute, Floor: 1000, Ceiling: 3000 + minute, NextFloor: 3000 + minute,
	})
	released, err := row.Release(lease(500), 1499)
	if err != nil {
		t.Fatal(err)
	}
	step("a release gives the rest back", released, stores.SlotRow{
		Slot: 3, LastOwner: "host-1", Fence: 3, Floor: 1000, Ceiling: 3000 + minute, NextFloor: 1500,
	})
	step("the next begins there", row.Acquire(b, 600), stores.SlotRow{
		Slot: 3, Owner: "host-2", Incarnation: "b-1", LastOwner: "host-1", Fence: 4,
		ExpiresAt: 600 + minute, Floor: 1500, Ceiling: 1500 + minute, NextFloor: 1500 + minute,
	})
	step("one that takes it over begins after it", row.Acquire(a, 700), stores.SlotRow{
		Slot: 3, Owner: "host-1", Incarnation: "a-1", LastOwner: "host-2", Fence: 5,
		ExpiresAt: 700 + minute, Floor: 1500 + minute, Ceiling: 1500 + 2*minute, NextFloor: 1500 + 2*minute,
	})
}

func TestSlotRowUsableAt(t *testing.T) {
	for _, test := range []struct {
		name      string
		row       stores.SlotRow
		tolerance time.Duration
		want      int64
	}{
		{"never granted", stores.SlotRow{}, 0, 0},
		{"live", stores.SlotRow{Owner: "a", ExpiresAt: 5000, NextFloor: 5000}, time.Second, 5000},
		{"live, and its window outlasts it", stores.SlotRow{Owner: "a", ExpiresAt: 5000, NextFloor: 9000}, time.Second, 8000},
		{"released", stores.SlotRow{NextFloor: 9000}, time.Second, 8000},
		{"released, without tolerance", stores.SlotRow{NextFloor: 9000}, 0, 9000},
	} {
		if got := test.row.UsableAt(test.tolerance); got != test.want {
			t.Errorf("%s: UsableAt = %d, want %d", test.name, got, test.want)
		}
	}
}

func TestSlotRowIsLiveUntilItExpires(t *testing.T) {
	row := stores.SlotRow{Owner: "host-1", ExpiresAt: 5000}
	if !row.Live(4999) || row.Live(5000) || (stores.SlotRow{}).Live(0) {
		t.Error("a lease is live before ExpiresAt, and only then")
	}
}

func TestSlotRowIsTakenOverByItsOwnerOnly(t *testing.T) {
	row := stores.SlotRow{Owner: "host-1", Incarnation: "old", Fence: 1, ExpiresAt: 9_000_000, NextFloor: 9_000_000}
	const now = 9_000_000 - 3_600_000 // the window ends as far ahead as the tolerance allows
	for _, test := range []struct {
		name     string
		owner    string
		takeOver bool
		now      int64
		want     bool
	}{
		{"by its owner", "host-1", true, now, true},
		{"too far ahead", "host-1", true, now - 1, false},
		{"unasked", "host-1", false, now, false},
		{"by another", "host-2", true, now, false},
	} {
		r := slotRequest
		r.Owner, r.TakeOver = test.owner, test.takeOver
		if got := row.CanTakeOver(r, test.now); got != test.want {
			t.Errorf("%s: CanTakeOver = %v, want %v", test.name, got, test.want)
		}
	}
}

func TestSlotRowTellsHowALeaseWasLost(t *testing.T) {
	held := stores.SlotRow{
		Slot: 3, Owner: "host-2", Incarnation: "b-1", Fence: 5, ExpiresAt: 1, Floor: 1, Ceiling: 9, NextFloor: 9,
	}
	free := stores.SlotRow{Slot: 3, LastOwner: "host-1", Fence: 4, Floor: 1, Ceiling: 9, NextFloor: 5}
	for _, test := range []struct {
		name  string
		row   stores.SlotRow
		fence int64
		want  string
	}{
		{"granted again", held, 4, `fence 5 to "host-2"`},
		{"released", free, 4, "was released"},
		{"from the future", held, 6, "lost data"},
		{"forged", held, 5, "another lease"},
		{"never granted", stores.SlotRow{Slot: 3}, 1, "lost data"},
	} {
		lease := stores.SlotLease{Slot: 3, Owner: "host-1", Incarnation: "a-1", Fence: test.fence, Ceiling: 9}
		row, err := test.row.Renew(lease, time.Second, 0, 1, 1)
		if !errors.Is(err, stores.ErrLeaseLost) || row != test.row {
			t.Fatalf("%s: Renew = %+v, %v; want ErrLeaseLost and no change", test.name, row, err)
		}
		checkMessage(t, err, "slot 3", test.want)
	}
}

// Whatever calls come in whatever order, windows of one slot do not overlap, fences rise, and nothing overflows.
func FuzzSlotRow(f *testing.F) {
	f.Add([]byte{0, 10, 4, 200, 8, 30, 1, 250})
	f.Add([]byte{2, 0, 2, 0, 2, 0, 0, 255, 5, 9, 11, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		holders := []stores.SlotRequest{slotRequest, slotRequest, slotRequest}
		holders[1].Incarnation, holders[2].Owner = "a-2", "host-2"
		leases := make([]stores.SlotLease, len(holders))
		var row stores.SlotRow
		ended := int64(math.MinInt64) // the last millisecond of all windows before this one
		for ; len(script) >= 2; script = script[2:] {
			now := 1<<51 + int64(script[1])*30_000 // forward and back, by up to two hours
			holder := int(script[0]) % len(holders)
			lease, before := leases[holder], row
			through := min(lease.Floor+int64(script[1])*500, lease.Ceiling-1)
			switch int(script[0]) / len(holders) % 3 {
			case 0:
				row = row.Acquire(holders[holder], now)
				leases[holder] = row.Lease("shop", now)
				again := before.HeldBy(row.Owner, row.Incarnation)
				if before.Owner != "" && !again {
					ended = max(ended, before.Ceiling-1)
				}
				if row.Fence != before.Fence+1 || row.Floor <= ended || again && row.Floor != before.Floor {
					t.Fatalf("%+v was granted as %+v, after windows through %d", before, row, ended)
				}
			case 1:
				var err error
				if row, err = row.Renew(lease, time.Minute, time.Hour, through, now); err == nil {
					leases[holder] = row.Lease("shop", now)
				}
			case 2:
				var err error
				if row, err = row.Release(lease, through); err == nil && before.Owner != "" {
					ended = max(ended, through)
				}
			}
			shrunk := row.Fence == before.Fence && row.Ceiling < before.Ceiling
			if row.Fence < before.Fence || shrunk || row.NextFloor > row.Ceiling || row.Ceiling > 1<<52 {
				t.Fatalf("%+v became %+v", before, row)
			}
		}
	})
}
