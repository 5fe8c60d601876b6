package stores_test

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cosid-go/cosid/stores"
)

var slotRequest = stores.SlotRequest{
	Namespace: "shop", Owner: "host-1", Incarnation: "a-1", Limit: 4, Tolerance: time.Hour, TTL: time.Minute,
	Preferred: stores.NoSlot,
}

func TestCheckSlotRequest(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(r *stores.SlotRequest)
		wrong  bool
	}{
		{"the usual", func(*stores.SlotRequest) {}, false},
		{"the least", func(r *stores.SlotRequest) { r.Limit, r.Tolerance, r.TTL, r.Preferred = 1, 0, time.Millisecond, 0 }, false},
		{"the most", func(r *stores.SlotRequest) {
			r.Limit, r.Tolerance, r.TTL = stores.MaxSlots, stores.MaxTolerance, stores.MaxTTL
			r.Preferred = stores.MaxSlots - 1
			r.Owner, r.Incarnation = strings.Repeat("o", 255), strings.Repeat("i", 64)
		}, false},
		{"a namespace with a separator", func(r *stores.SlotRequest) { r.Namespace = "shop/bill" }, true},
		{"no owner", func(r *stores.SlotRequest) { r.Owner = "" }, true},
		{"no incarnation", func(r *stores.SlotRequest) { r.Incarnation = "" }, true},
		{"the zero value", func(r *stores.SlotRequest) { *r = stores.SlotRequest{} }, true},
		{"no slots", func(r *stores.SlotRequest) { r.Limit = 0 }, true},
		{"too many slots", func(r *stores.SlotRequest) { r.Limit = stores.MaxSlots + 1 }, true},
		{"a slot too high", func(r *stores.SlotRequest) { r.Preferred = 4 }, true},
		{"a slot too low", func(r *stores.SlotRequest) { r.Preferred = -2 }, true},
		{"a negative tolerance", func(r *stores.SlotRequest) { r.Tolerance = -time.Millisecond }, true},
		{"a tolerance too long", func(r *stores.SlotRequest) { r.Tolerance = stores.MaxTolerance + time.Millisecond }, true},
		{"a fraction of tolerance", func(r *stores.SlotRequest) { r.Tolerance = time.Second + time.Microsecond }, true},
		{"no ttl", func(r *stores.SlotRequest) { r.TTL = 0 }, true},
		{"a ttl too long", func(r *stores.SlotRequest) { r.TTL = stores.MaxTTL + time.Millisecond }, true},
		{"a fraction of ttl", func(r *stores.SlotRequest) { r.TTL = time.Second + 1 }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := slotRequest
			test.change(&r)
			checkInvalid(t, stores.CheckSlotRequest(r), test.wrong)
		})
	}
}

func checkInvalid(t *testing.T, err error, want bool) {
	t.Helper()
	if errors.Is(err, stores.ErrInvalidArgument) != want || (err != nil) != want {
		t.Errorf("error %v, want an ErrInvalidArgument: %v", err, want)
	}
}

func TestCheckRenewAndRelease(t *testing.T) {
	lease := stores.SlotLease{
		Namespace: "shop", Owner: "host-1", Incarnation: "a-1", Fence: 1, Floor: 1000, Ceiling: 2000,
	}
	for _, test := range []struct {
		name   string
		change func(l *stores.SlotLease)
		used   int64
		wrong  bool
	}{
		{"the usual", func(*stores.SlotLease) {}, 1500, false},
		{"nothing used", func(*stores.SlotLease) {}, math.MinInt64, false},
		{"all used", func(*stores.SlotLease) {}, 1999, false},
		{"more used than there was", func(*stores.SlotLease) {}, 2000, true},
		{"the zero value", func(l *stores.SlotLease) { *l = stores.SlotLease{} }, -1, true},
		{"a bad namespace", func(l *stores.SlotLease) { l.Namespace = "" }, 1500, true},
		{"a bad owner", func(l *stores.SlotLease) { l.Owner = "a|b" }, 1500, true},
		{"a bad incarnation", func(l *stores.SlotLease) { l.Incarnation = "a.b" }, 1500, true},
		{"a negative slot", func(l *stores.SlotLease) { l.Slot = -1 }, 1500, true},
		{"a slot too high", func(l *stores.SlotLease) { l.Slot = stores.MaxSlots }, 1500, true},
		{"no fence", func(l *stores.SlotLease) { l.Fence = 0 }, 1500, true},
		{"a window without end", func(l *stores.SlotLease) { l.Ceiling = math.MaxInt64 }, 1500, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := lease
			test.change(&l)
			checkInvalid(t, stores.CheckRelease(l, test.used), test.wrong)
			checkInvalid(t, stores.CheckRenew(l, time.Second, test.used), test.wrong)
		})
	}
	checkInvalid(t, stores.CheckRenew(lease, time.Microsecond, 1500), true)
}

func FuzzCheckOwner(f *testing.F) {
	for _, seed := range []string{"host-1", "web@10.0.0.1:8080", "", "-a", "a|b", "é", "a\n", strings.Repeat("x", 256)} {
		f.Add(seed)
	}
	owners := regexp.MustCompile(`\A` + stores.OwnerGrammar + `\z`)
	incarnations := regexp.MustCompile(`\A` + stores.IncarnationGrammar + `\z`)
	f.Fuzz(func(t *testing.T, word string) {
		err := stores.CheckOwner(word)
		if (err == nil) != owners.MatchString(word) || err != nil && !errors.Is(err, stores.ErrInvalidArgument) {
			t.Fatalf("CheckOwner(%q) = %v, the grammar says %v", word, err, owners.MatchString(word))
		}
		r := slotRequest
		r.Incarnation = word
		if err := stores.CheckSlotRequest(r); (err == nil) != incarnations.MatchString(word) {
			t.Fatalf("incarnation %q: %v, the grammar says %v", word, err, incarnations.MatchString(word))
		}
	})
}

func TestCheckSlotClock(t *testing.T) {
	for now, wrong := range map[int64]bool{
		0: false, 1_796_000_000_000: false, -1: true, 1 << 53: true, math.MaxInt64: true, math.MinInt64: true,
	} {
		if err := stores.CheckSlotClock(now); (err != nil) != wrong {
			t.Errorf("CheckSlotClock(%d) = %v, want an error: %v", now, err, wrong)
		}
	}
}

func TestSlotSettingsErrorShowsBoth(t *testing.T) {
	if err := stores.CheckSlotSettings(slotRequest, 4, time.Hour); err != nil {
		t.Errorf("with the same settings: %v", err)
	}
	err := stores.CheckSlotSettings(slotRequest, 16, 90*time.Minute)
	if !errors.Is(err, stores.ErrSlotSettings) || errors.Is(err, stores.ErrNoFreeSlot) {
		t.Errorf("error %v, want ErrSlotSettings", err)
	}
	checkMessage(t, err, `"shop"`, "limit 16", "1h30m0s", "limit 4", "1h0m0s", "configure the same")
	for _, err := range []error{
		stores.CheckSlotSettings(slotRequest, 5, time.Hour),
		stores.CheckSlotSettings(slotRequest, 4, time.Hour+time.Millisecond),
	} {
		if !errors.Is(err, stores.ErrSlotSettings) {
			t.Errorf("error %v, want ErrSlotSettings", err)
		}
	}
}

func TestNoFreeSlotErrorShowsCountsAndTime(t *testing.T) {
	err := error(&stores.NoFreeSlotError{Namespace: "shop", Limit: 4, Live: 3, Ahead: 1, UsableAt: 31_500, StoreNow: 10_000})
	if !errors.Is(err, stores.ErrNoFreeSlot) || errors.Is(err, stores.ErrSlotSettings) {
		t.Errorf("error %v, want ErrNoFreeSlot", err)
	}
	checkMessage(t, err, `"shop"`, "3 of 4", "1 more", "21.5s", "stop a process, or wait")
}

func checkMessage(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message %q does not say %q", err, part)
		}
	}
}

func TestSlotLeaseTellsAllOfItself(t *testing.T) {
	lease := stores.SlotLease{
		Namespace: "shop", Slot: 3, Owner: "host-1", Incarnation: "a-1",
		Fence: 7, Floor: 1000, Ceiling: 2000, ExpiresAt: 1900, StoreNow: 900,
	}
	want := "slot 3 of shop with fence 7, window [1000, 2000), held by host-1/a-1 until 1900, as of 900"
	if lease.String() != want {
		t.Errorf("String = %q, want %q", lease, want)
	}
}
